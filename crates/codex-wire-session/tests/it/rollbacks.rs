//! What the user takes back on a connection of the app-server.

use std::fmt::Write as _;

use codex_wire_check::{Checker, Options};
use codex_wire_session::{Part, Reader, Watch, WatchEvent};

/// Two threads, of which the second has `before` turns, takes back `first` of them, has one more, and takes back `second`.
fn connection(before: usize, first: usize, second: usize) -> String {
    let mut text = String::new();
    let mut turns = 0;
    for thread in ["other", "a"] {
        let _ = writeln!(
            text,
            r#"{{"method":"thread/started","params":{{"thread":{{"id":"{thread}"}}}}}}"#
        );
    }
    let mut turn = |text: &mut String| {
        turns += 1;
        let in_turn = format!(r#""threadId":"a","turnId":"t{turns}""#);
        let _ = writeln!(
            text,
            r#"{{"method":"turn/started","params":{{"threadId":"a","turn":{{"id":"t{turns}","items":[],"status":"inProgress","error":null}}}}}}
{{"method":"item/completed","params":{{{in_turn},"item":{{"type":"userMessage","id":"u{turns}","content":[{{"type":"text","text":"one"}}]}}}}}}
{{"method":"item/completed","params":{{{in_turn},"item":{{"type":"agentMessage","id":"m{turns}","text":"two"}}}}}}
{{"method":"turn/completed","params":{{"threadId":"a","turn":{{"id":"t{turns}","items":[],"status":"completed","error":null}}}}}}"#
        );
    };
    let roll_back = |text: &mut String, id: usize, turns: usize| {
        let _ = writeln!(
            text,
            r#"{{"id":{id},"method":"thread/rollback","params":{{"threadId":"a","numTurns":{turns}}}}}
{{"id":{id},"result":{{"thread":{{"id":"a"}}}}}}"#
        );
    };
    (0..before).for_each(|_| turn(&mut text));
    roll_back(&mut text, 1, first);
    turn(&mut text);
    roll_back(&mut text, 2, second);
    text
}

#[test]
fn turns_that_were_taken_back_do_not_count_again() {
    let text = connection(5, 2, 2);
    let session = Reader::new().read("c", text.as_bytes()).expect("a session");
    let standing: Vec<_> = session.threads[1]
        .turns
        .iter()
        .filter(|turn| !turn.is_rolled_back)
        .filter_map(|turn| turn.id.as_deref())
        .collect();
    // Five, then three, then four, then two.
    assert_eq!(standing, ["t1", "t2"]);
}

#[test]
fn turns_that_were_handed_out_are_taken_back() {
    let text = connection(12, 10, 1);
    let mut parts = Vec::new();
    let each = Reader::new().each("c", text.as_bytes(), |part| {
        if let Part::RolledBack(of) = part {
            parts.push((of.thread_number, of.number));
        }
    });
    each.expect("a session");
    assert_eq!(parts, [(1, 2)]);
    let (mut watch, mut seen) = (Watch::new("c"), Vec::new());
    let checker = Checker::new(Options::new()).expect("options without a protocol");
    let outcome = checker.read("c", text.as_bytes(), |step| {
        watch.step(step, &mut |what| {
            if let WatchEvent::RolledBack(of) = what {
                seen.push((of.thread_number, of.number));
            }
        });
        Ok(())
    });
    outcome.expect("a buffer can be read");
    // Those of the first request that are still there, all of them, and the one turn of the second.
    assert_eq!(seen, [(1, 8), (1, 2), (1, 12)]);
}
