//! What differs between two sessions, tried with recordings and with recordings that were changed in one place.

use codex_wire_session::{Body, Difference, Reader, Session, Status, compare};
use serde_json::Value;

use golden_files::files;

/// The sessions of recordings of all surfaces and releases, of some unless the run is wide.
fn sessions() -> Vec<Session> {
    let reader = Reader::new();
    let folders = ["exec", "exec-legacy", "core", "app-server", "rollout"];
    let all = folders
        .iter()
        .flat_map(|folder| files::below(&files::root().join("fixtures").join(folder), "jsonl"));
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read(&path).expect("a recording");
        reader.read(&files::short(&path), &*text).ok()
    };
    sampling::spread(all, 150)
        .into_iter()
        .filter_map(read)
        .collect()
}

/// Changes each item of a session in turn, a hundred at most, and hands out what then differs.
fn each_item(
    session: &Session,
    mut change: impl FnMut(&mut Vec<codex_wire_session::Item>, usize) -> bool,
    mut about: impl FnMut(&Session, Vec<Difference>),
) {
    for thread in 0..session.threads.len() {
        for turn in 0..session.threads[thread].turns.len() {
            for item in 0..session.threads[thread].turns[turn].items.len().min(100) {
                let mut changed = session.clone();
                if change(&mut changed.threads[thread].turns[turn].items, item) {
                    about(&changed, compare(session, &changed).differences);
                }
            }
        }
    }
}

#[test]
fn nothing_differs_from_itself() {
    for session in sessions() {
        let differences = compare(&session, &session).differences;
        assert!(
            differences.is_empty(),
            "{}: {differences:?}",
            session.source
        );
    }
}

#[test]
fn an_item_that_is_missing_is_the_only_difference() {
    let mut tried = 0;
    for session in sessions() {
        let remove = |items: &mut Vec<_>, item| {
            items.remove(item);
            true
        };
        each_item(&session, remove, |changed, differences| {
            // Where the other side has it, it is new.
            let back = compare(changed, &session).differences;
            let [gone] = &differences[..] else {
                panic!("{}: {differences:#?}", session.source);
            };
            let [new] = &back[..] else {
                panic!("{}: {back:#?}", session.source);
            };
            assert!(gone.after.is_none() && gone.value.is_some() && gone.members.is_empty());
            assert_eq!((&new.after, &new.value), (&gone.before, &gone.value));
            tried += 1;
        });
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn a_status_that_changed_is_the_only_difference() {
    let mut tried = 0;
    for session in sessions() {
        let fail = |items: &mut Vec<codex_wire_session::Item>, item: usize| {
            let Body::Command(command) = &mut items[item].body else {
                return false;
            };
            command.status = match command.status {
                Some(Status::Declined) => None,
                _ => Some(Status::Declined),
            };
            true
        };
        each_item(&session, fail, |_, differences| {
            let [changed] = &differences[..] else {
                panic!("{}: {differences:#?}", session.source);
            };
            assert!(changed.before.is_some() && changed.after.is_some());
            assert_eq!(changed.members[0].member, "status");
            tried += 1;
        });
    }
    assert!(tried > 50, "{tried}");
}

/// Neighbouring recordings have much in common, and differ in all ways there are.
#[test]
fn comparisons_fit_the_published_schema() {
    let schema: Value = serde_json::from_str(codex_wire_schema::own::SESSION_DIFF).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let sessions = sessions();
    let mut kinds = [0; 3];
    for pair in sessions.windows(2) {
        let comparison = compare(&pair[0], &pair[1]);
        for difference in &comparison.differences {
            kinds[match (&difference.before, &difference.after) {
                (Some(_), Some(_)) => 0,
                (Some(_), None) => 1,
                _ => 2,
            }] += 1;
        }
        let json = serde_json::to_value(&comparison).expect("JSON");
        if let Some(error) = validator.iter_errors(&json).next() {
            panic!("{error} at {}: {json}", error.instance_path());
        }
    }
    assert!(kinds.iter().all(|count| *count > 20), "{kinds:?}");
}
