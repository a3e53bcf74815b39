//! What releases do in the same scenes: the record, and what is known to have changed.

use codex_wire_base::{Protocol, Release};
use codex_wire_diff::{BEHAVIOUR_SCHEMA, Behaviour, BehaviourChange, RecordedBehaviour};
use serde_json::Value;

const RECORD: &str = include_str!("../../src/behaviour/behaviour.json");

fn between(protocol: Protocol, before: Release, after: Release) -> Vec<BehaviourChange> {
    let found = Behaviour::recorded().between(&[protocol], before, after);
    found
        .protocols
        .into_iter()
        .flat_map(|of| of.changes)
        .collect()
}

/// The sentences of what changed in a scene.
fn in_scene(scene: &str, changes: &[BehaviourChange]) -> Vec<String> {
    let has = |change: &&BehaviourChange| change.scenes.iter().any(|one| one == scene);
    changes
        .iter()
        .filter(has)
        .map(BehaviourChange::sentence)
        .collect()
}

#[test]
fn the_record_is_read_and_written_as_it_is() {
    let recorded = RecordedBehaviour::parse(RECORD).unwrap();
    assert_eq!(recorded.text(), RECORD);
    let behaviour = Behaviour::new(&recorded);
    for protocol in [Protocol::Exec, Protocol::AppServer] {
        let listed = protocol.release_list().releases();
        let releases = behaviour.releases(protocol);
        assert!(releases.len() > 10, "{releases:?}");
        assert!(releases.iter().all(|release| listed.contains(release)));
        for scene in behaviour.scenes(protocol) {
            for release in &releases {
                let runs = recorded.count(protocol, scene, *release);
                // A scene that a release cannot play has none.
                assert!(
                    runs == 0 || runs >= 3,
                    "{protocol}/{scene} {release}: {runs}"
                );
            }
        }
    }
}

#[test]
fn known_changes_are_found() {
    let changes = between(
        Protocol::Exec,
        Release::new(0, 117, 0),
        Release::new(0, 145, 0),
    );
    assert_eq!(
        in_scene("unknown_model", &changes),
        ["new: `item.completed error`, before `turn.started`"]
    );
    assert_eq!(
        in_scene("mcp", &changes),
        ["`item.completed mcp_tool_call`: `failed` → `completed`"]
    );
    // Each began with one release.
    for change in changes.iter().filter(|change| {
        change
            .scenes
            .iter()
            .any(|scene| scene == "unknown_model" || scene == "mcp")
    }) {
        assert!(change.steps.iter().all(|step| step.is_exact), "{change:?}");
    }
}

#[test]
fn a_release_does_what_it_does() {
    let recorded = Behaviour::recorded();
    for protocol in [Protocol::Exec, Protocol::AppServer] {
        for release in recorded.releases(protocol) {
            let found = recorded.between(&[protocol], release, release);
            assert!(found.protocols.iter().all(|of| of.changes.is_empty()));
        }
    }
}

#[test]
fn what_is_said_has_a_schema() {
    let schema: Value = serde_json::from_str(BEHAVIOUR_SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let recorded = Behaviour::recorded();
    let (first, last) = (Release::new(0, 63, 0), Release::new(0, 169, 0));
    let protocols = [Protocol::Exec, Protocol::AppServer];
    for (before, after) in [(first, last), (last, first), (last, last)] {
        let found = recorded.between(&protocols, before, after).to_json();
        let errors: Vec<String> = validator
            .iter_errors(&found)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}
