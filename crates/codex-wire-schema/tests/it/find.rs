//! Finding parts by words.

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::find::{Hit, PartKind, Place, find, members_of};

fn places(hits: &[Hit]) -> Vec<String> {
    let place = |hit: &Hit| {
        let place = &hit.places[0];
        format!("{} {}", place.kind, place.pointer)
    };
    hits.iter().map(place).collect()
}

#[test]
fn a_message_and_a_member() {
    let hits = find(&["turn/completed", "durationMs"]);
    assert_eq!(places(&hits)[0], "turn/completed /params/turn/durationMs");
    assert_eq!(hits[0].part.owner, "Turn");
    assert_eq!(
        hits[0].places[0].bounds.since,
        Some(Release::new(0, 120, 0))
    );
    for hit in &hits {
        let messages: Vec<&str> = hit.places.iter().map(Place::message).collect();
        assert_eq!(messages, ["turn/completed"], "{:?}", hit.part);
    }
    // The order and the spelling of words make no difference.
    assert_eq!(
        places(&find(&["DURATION_MS", "turn/completed"])),
        places(&hits)
    );
}

#[test]
fn each_kind_of_part() {
    let kind = |words: &[&str]| {
        let hits = find(words);
        let first = hits.first().map(|hit| (hit.part.kind, hit.part.name));
        (first, hits.first().map(|hit| hit.places[0].message_set))
    };
    let (item, value) = (MessageSet::Exec, MessageSet::AppServerClientRequests);
    assert_eq!(
        kind(&["turn.completed"]),
        (Some((PartKind::Message, "turn.completed")), Some(item))
    );
    assert_eq!(
        kind(&["item.completed", "command_execution"]),
        (Some((PartKind::Kind, "command_execution")), Some(item))
    );
    assert_eq!(
        kind(&["ReviewDelivery", "detached"]),
        (Some((PartKind::Value, "detached")), Some(value))
    );
    assert_eq!(
        kind(&["CommandExecutionItem"]).0,
        Some((PartKind::Type, "CommandExecutionItem"))
    );
    assert_eq!(
        kind(&["task_complete", "last_agent_message"]).0,
        Some((PartKind::Member, "last_agent_message"))
    );
}

#[test]
fn names_come_before_parts_of_names_and_those_before_text() {
    // A whole name.
    let hits = find(&["aggregated_output"]);
    assert!(hits.iter().any(|hit| hit.part.name == "aggregated_output"));
    // A part of a name.
    let hits = find(&["aggregated"]);
    assert!(
        hits.iter()
            .all(|hit| hit.part.name.to_lowercase().contains("aggregated"))
    );
    // Only in the documentation.
    let hits = find(&["how long", "the turn took"]);
    assert!(!hits.is_empty());
    assert!(
        hits.iter()
            .all(|hit| hit.part.about.contains("the turn took"))
    );
}

#[test]
fn nothing_is_found() {
    assert!(find(&[]).is_empty());
    assert!(find(&["", "_"]).is_empty());
    assert!(find(&["no-such-part-of-a-protocol"]).is_empty());
    // It exists, but not there.
    assert!(find(&["turn/completed", "aggregatedOutputs"]).is_empty());
}

/// Every part is found by its own name, and stands in some message.
#[test]
fn every_name_is_found() {
    let mut names: Vec<&str> = codex_wire_schema::find::names().collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 3000, "{}", names.len());
    for name in names.iter().step_by(211) {
        let hits = find(&[name]);
        let own = hits.iter().filter(|hit| hit.part.name == *name);
        assert!(own.clone().count() > 0, "{name}");
        for hit in own {
            assert!(!hit.places.is_empty(), "{name} stands in no message");
        }
    }
}

#[test]
fn what_a_message_has() {
    let set = MessageSet::AppServerServerNotifications;
    let members = members_of(set, "TurnCompletedMessage", 3);
    let late: Vec<&str> = members
        .iter()
        .filter(|below| below.bounds.since == Some(Release::new(0, 120, 0)))
        .map(|below| below.pointer.as_str())
        .collect();
    assert_eq!(
        late,
        [
            "/params/turn/completedAt",
            "/params/turn/durationMs",
            "/params/turn/startedAt"
        ]
    );
}
