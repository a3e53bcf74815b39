//! Several runs of `codex exec` in one log are read as if each had a file of its own.

use std::path::PathBuf;

use codex_wire_session::{Body, Reader, Session, Thread, Tokens};
use golden_files::files;

use crate::watch;

fn read(text: &[u8]) -> Option<Session> {
    Reader::new().read("input", text).ok()
}

/// What a thread holds, by turn and outside of turns, without the places of lines.
fn bodies(thread: &Thread) -> Vec<Vec<Body>> {
    let turns = thread.turns.iter().map(|turn| &turn.items);
    let lists = turns.chain([&thread.outside]);
    lists
        .map(|items| items.iter().map(|item| item.body.clone()).collect())
        .collect()
}

fn exec() -> Vec<PathBuf> {
    files::below(&files::root().join("fixtures/exec"), "jsonl")
}

#[test]
fn threads_are_apart() {
    let mut pairs = 0;
    for two in exec().chunks_exact(2) {
        let text: Vec<Vec<u8>> = two
            .iter()
            .map(|path| std::fs::read(path).expect("a recording"))
            .collect();
        let (Some(first), Some(second)) = (read(&text[0]), read(&text[1])) else {
            continue;
        };
        let alone = [&first.threads[0], &second.threads[0]];
        if alone.iter().any(|thread| thread.id.is_none()) || alone[0].id == alone[1].id {
            continue;
        }
        pairs += 1;
        let whole = [&text[0][..], b"\n", &text[1]].concat();
        let session = read(&whole).expect("a session");
        let place = files::short(&two[0]);
        assert_eq!(session.threads.len(), 2, "{place}");
        for (together, alone) in session.threads.iter().zip(alone) {
            assert_eq!(together.id, alone.id, "{place}");
            assert_eq!(bodies(together), bodies(alone), "{place}");
            assert_eq!(together.tokens, alone.tokens, "{place}");
        }
        let (items, _) = watch::watched("input", &whole);
        assert_eq!(items, watch::of_session(&session), "{place}");
    }
    assert!(pairs > 100, "only {pairs}");
}

#[test]
fn a_resumed_thread_goes_on() {
    let folder = files::root().join("fixtures/rollout/0.169.0/resume");
    let runs = ["exec-1.jsonl", "exec-2.jsonl", "exec-3.jsonl"]
        .map(|name| std::fs::read(folder.join(name)).expect("a recording"));
    let alone = runs.each_ref().map(|text| read(text).expect("a session"));
    let session = read(&runs.concat()).expect("a session");
    let [thread] = &session.threads[..] else {
        panic!("{} threads", session.threads.len())
    };
    let of_each: Vec<_> = alone
        .iter()
        .flat_map(|session| session.threads[0].turns.iter())
        .map(|turn| turn.items.iter().map(|item| &item.body).collect::<Vec<_>>())
        .collect();
    let of_all: Vec<_> = thread
        .turns
        .iter()
        .map(|turn| turn.items.iter().map(|item| &item.body).collect::<Vec<_>>())
        .collect();
    assert_eq!(of_all, of_each);
    // The last run has reported the total of all.
    let last = alone[2].threads[0].reported;
    assert_eq!(
        Some(
            thread
                .turns
                .iter()
                .map(codex_wire_session::Turn::tokens)
                .sum::<Tokens>()
        ),
        last
    );
}

/// A run that was killed shows what it had when the next begins.
#[test]
fn a_run_without_an_end_is_over_when_another_begins() {
    let text = br#"{"type":"thread.started","thread_id":"a"}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"sleep 9","aggregated_output":"","status":"in_progress"}}
{"type":"thread.started","thread_id":"b"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hello."}}
{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
"#;
    let (items, ended) = watch::watched("input", text);
    assert_eq!(ended, [(0, 0), (1, 0)]);
    let kinds: Vec<_> = items
        .iter()
        .map(|(place, items)| {
            (
                *place,
                items.len(),
                matches!(items[0].body, Body::Command(_)),
            )
        })
        .collect();
    assert_eq!(kinds, [((0, Some(0)), 1, true), ((1, Some(0)), 1, false)]);
}
