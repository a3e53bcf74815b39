//! Turns of recorded streams that begin or end in unusual ways.

use codex_wire_session::{Reader, Turn};
use golden_files::files;

/// The turns of a stream.
fn turns(place: &str) -> Vec<Turn> {
    let text = std::fs::read(files::root().join("fixtures").join(place));
    let session = Reader::new().read(place, &*text.expect("a recording"));
    let threads = session.expect("a session").threads.into_iter();
    threads.flat_map(|thread| thread.turns).collect()
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
