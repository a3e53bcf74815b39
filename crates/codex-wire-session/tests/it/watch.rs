//! What is handed out while a session is read is what the session holds.

use std::collections::BTreeMap;

use codex_wire_check::{Checker, Options};
use codex_wire_session::{Item, Reader, Session, Watch, WatchEvent};

use golden_files::files;

/// The items of a session by thread and turn. Those outside of turns stand under `None`.
pub(crate) type Items = BTreeMap<(usize, Option<usize>), Vec<Item>>;

pub(crate) fn of_session(session: &Session) -> Items {
    let mut out = Items::new();
    for (number, thread) in session.threads.iter().enumerate() {
        out.insert((number, None), thread.outside.clone());
        for (turn, read) in thread.turns.iter().enumerate() {
            out.insert((number, Some(turn)), read.items.clone());
        }
    }
    out.retain(|_, items| !items.is_empty());
    out
}

/// What was handed out, and the turns in the order in which they ended.
pub(crate) fn watched(name: &str, text: &[u8]) -> (Items, Vec<(usize, usize)>) {
    let checker = Checker::new(Options::new()).expect("options without a protocol");
    let (mut items, mut ended) = (Items::new(), Vec::new());
    let mut watch = Watch::new(name);
    let mut see = |what: WatchEvent<'_>| match what {
        WatchEvent::Item(of, item) => {
            let turn = of.turn_of;
            let known = items
                .entry((turn.thread_number, Some(turn.number)))
                .or_default();
            assert_eq!(of.is_again, of.number < known.len(), "{name}");
            match of.is_again {
                true => known[of.number] = item.clone(),
                false => known.push(item.clone()),
            }
        }
        WatchEvent::Outside(of, item) => items
            .entry((of.number, None))
            .or_default()
            .push(item.clone()),
        WatchEvent::TurnEnded(of, _) => ended.push((of.thread_number, of.number)),
        _ => {}
    };
    let outcome = checker.read(name, text, |step| {
        watch.step(step, &mut see);
        Ok(())
    });
    outcome.expect("a buffer can be read");
    watch.finish(&mut see);
    (items, ended)
}

/// Sub-agents of 0.98.0 write the beginnings of their turns into the stream of their parent, so that an item of the first of
/// three turns ends in the third: the first is gone by then, and the item comes as another one.
const ENDS_TOO_LATE: &str = "fixtures/rollout/0.98.0/collab/exec-1.jsonl";

#[test]
fn each_item_is_handed_out_once() {
    let reader = Reader::new();
    let mut sessions = 0;
    let mut wrong = Vec::new();
    for folder in [
        "exec",
        "exec-legacy",
        "core",
        "app-server",
        "rollout",
        "rollout-cross",
    ] {
        for path in files::below(&files::root().join("fixtures").join(folder), "jsonl") {
            let text = std::fs::read(&path).unwrap();
            let Ok(session) = reader.read("input", &text[..]) else {
                continue;
            };
            if files::short(&path) == ENDS_TOO_LATE {
                continue;
            }
            sessions += 1;
            let (items, ended) = watched("input", &text);
            let expected = of_session(&session);
            let turns: usize = session
                .threads
                .iter()
                .map(|thread| thread.turns.len())
                .sum();
            if items != expected {
                for (key, list) in &expected {
                    let found = items.get(key).cloned().unwrap_or_default();
                    for at in 0..found.len().max(list.len()) {
                        let (found, expected) = (found.get(at), list.get(at));
                        // Lines and times that only repeat an item are no reason to show it again.
                        if found.map(|item| &item.body) != expected.map(|item| &item.body) {
                            let text = |item: Option<&Item>| {
                                item.map(|item| serde_json::to_string(item).unwrap())
                            };
                            let path = files::short(&path);
                            let (found, expected) = (text(found), text(expected));
                            wrong.push(format!("{path} {key:?} item {at}\n  found    {found:?}\n  expected {expected:?}"));
                        }
                    }
                }
                for key in items.keys().filter(|key| !expected.contains_key(key)) {
                    wrong.push(format!(
                        "{} {key:?} is handed out only",
                        files::short(&path)
                    ));
                }
            }
            if ended.len() < turns {
                wrong.push(format!(
                    "{}: {} of {turns} turns end",
                    files::short(&path),
                    ended.len()
                ));
            }
        }
    }
    assert!(sessions > 500, "{sessions}");
    assert!(
        wrong.is_empty(),
        "{} of {sessions}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
