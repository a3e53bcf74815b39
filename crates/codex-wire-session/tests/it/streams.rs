//! Turns of recorded streams that begin or end in unusual ways.

use codex_wire_session::{Body, Item, Reader, Thread, Turn};
use golden_files::files;

/// The threads of a stream.
fn threads(place: &str) -> Vec<Thread> {
    let text = std::fs::read(files::root().join("fixtures").join(place));
    let session = Reader::new().read(place, &*text.expect("a recording"));
    session.expect("a session").threads
}

/// The turns of a stream.
fn turns(place: &str) -> Vec<Turn> {
    let threads = threads(place).into_iter();
    threads.flat_map(|thread| thread.turns).collect()
}

/// The errors among items.
fn errors(items: &[Item]) -> Vec<&str> {
    let errors = items.iter().filter_map(|item| match &item.body {
        Body::Error(error) => Some(&*error.message),
        _ => None,
    });
    errors.collect()
}

/// A thread is deleted before its turn has begun.
#[test]
fn a_turn_that_never_began_ends() {
    let turns = turns("app-server/0.151.0/09i_delete_before_start.jsonl");
    let [turn] = &turns[..] else {
        panic!("{turns:?}");
    };
    let end = (turn.status.as_str(), turn.duration_ms, turn.prompt());
    assert_eq!(end, ("interrupted", Some(142), Some("t")));
    assert_eq!((turn.lines.from, turn.lines.to), (10, 15));
}

#[test]
fn an_error_ends_an_interrupted_turn() {
    let turns = turns("core/0.22.0/interrupt_stream.jsonl");
    let ends: Vec<_> = turns
        .iter()
        .map(|turn| (turn.status.as_str(), turn.prompt()))
        .collect();
    let prompts = ["hang", "and after the interrupt"];
    assert_eq!(
        ends,
        [
            ("interrupted", Some(prompts[0])),
            ("unfinished", Some(prompts[1]))
        ]
    );
}

/// Requests of realtime fail with ids of turns that never begin.
#[test]
fn errors_of_no_turn_are_kept() {
    let refused = "conversation is not running";
    let threads = threads("app-server/0.157.0/10k_every_method.jsonl");
    let outside = threads.iter().flat_map(|thread| errors(&thread.outside));
    assert_eq!(outside.collect::<Vec<_>>(), [refused; 3]);
    let all = threads.iter().flat_map(|thread| &thread.turns);
    let failed: Vec<_> = all.filter(|turn| turn.error.is_some()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    // Another turn runs.
    let turns = turns("app-server/0.157.0/14n_realtime_refused.jsonl");
    assert!(turns.iter().any(|turn| errors(&turn.items) == [refused]));
}

/// The release does not say that it tries again.
#[test]
fn old_retries_are_counted() {
    let turns = turns("app-server/0.63.0/12e_stream_drop_exhausts.jsonl");
    assert_eq!(errors(&turns[0].items), ["Reconnecting... 1/1"]);
    assert_eq!((turns[0].retries, turns[1].retries), (1, 0));
}
