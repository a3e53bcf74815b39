//! Long steps that come in parts.

use codex_wire_base::Release;
use codex_wire_replay::faults::{Faults, Faulty, Injection};
use codex_wire_replay::{
    About, Conversation, Emission, OptedOut, Player, PlayerOptions, Recording,
};
use serde_json::{Value, json};

/// How many lines the long step has.
const LINES: usize = 5000;

/// A turn with five megabytes of output, which asks the client in the middle.
fn recording(name: &str) -> Recording {
    let mut out = json!({
        "kind": "start", "transcript": 1, "protocol": "app-server", "release": "0.169.0",
    })
    .to_string();
    out.push('\n');
    let mut say = |from: &str, ms: usize, line: Value| {
        let line = line.to_string();
        out += &json!({"kind": "line", "from": from, "ms": ms, "line": line}).to_string();
        out.push('\n');
    };
    let client = json!({"name": "a", "version": "1"});
    say(
        "client",
        0,
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": client}}),
    );
    say(
        "codex",
        1,
        json!({"id": 1, "result": {"userAgent": "a/0.169.0 (x; y) z (a; 1)"}}),
    );
    say("client", 2, json!({"method": "initialized"}));
    say(
        "client",
        3,
        json!({"id": 2, "method": "thread/start", "params": {"cwd": "/recorded"}}),
    );
    say(
        "codex",
        4,
        json!({"id": 2, "result": {"thread": {"id": "thread-1"}}}),
    );
    let input = json!([{"type": "text", "text": "Go."}]);
    let params = json!({"threadId": "thread-1", "input": input});
    say(
        "client",
        5,
        json!({"id": 3, "method": "turn/start", "params": params}),
    );
    say(
        "codex",
        6,
        json!({"id": 3, "result": {"turn": {"id": "turn-1"}}}),
    );
    for number in 0..LINES {
        let delta = format!("{number} in /recorded/{}", "x".repeat(1000));
        let params =
            json!({"threadId": "thread-1", "turnId": "turn-1", "itemId": "i", "delta": delta});
        let method = [
            "item/commandExecution/outputDelta",
            "item/agentMessage/delta",
        ][number % 2];
        say(
            "codex",
            7 + number,
            json!({"method": method, "params": params}),
        );
    }
    let turn = json!({"id": "turn-1", "status": "completed"});
    let params = json!({"threadId": "thread-1", "turn": turn});
    say(
        "codex",
        8 + LINES,
        json!({"method": "turn/completed", "params": params}),
    );
    let params = json!({"threadId": "thread-1", "turnId": "turn-1"});
    say(
        "client",
        9 + LINES,
        json!({"id": 4, "method": "turn/interrupt", "params": params}),
    );
    say("codex", 10 + LINES, json!({"id": 4, "result": {}}));
    Recording::read(name, out.into_bytes(), About::new()).unwrap()
}

/// What a client sends, in another folder and with other ids.
fn requests(unwanted: &[&str]) -> [String; 5] {
    let client = json!({"name": "b", "version": "2"});
    let capabilities = json!({"optOutNotificationMethods": unwanted});
    let input = json!([{"type": "text", "text": "Go."}]);
    let of_turn = json!({"threadId": "thread-1", "turnId": "turn-1"});
    let params = json!({"clientInfo": client, "capabilities": capabilities});
    [
        json!({"id": 10, "method": "initialize", "params": params}),
        json!({"method": "initialized"}),
        json!({"id": 11, "method": "thread/start", "params": {"cwd": "/live"}}),
        json!({"id": 12, "method": "turn/start", "params": {"threadId": "thread-1", "input": input}}),
        json!({"id": 13, "method": "turn/interrupt", "params": of_turn}),
    ]
    .map(|request| request.to_string())
}

/// Everything that is written, with the sizes of the parts. Before the last request, no more parts than these are taken.
fn play(
    conversation: &mut dyn Conversation,
    requests: &[String; 5],
    parts: usize,
) -> (Vec<Emission>, Vec<usize>) {
    let mut all = conversation.start();
    let mut sizes = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        all.extend(conversation.line(request).emissions);
        for _ in 0..if number == 3 { parts } else { usize::MAX } {
            let more = conversation.more();
            if more.is_empty() {
                break;
            }
            sizes.push(more.iter().map(|emission| emission.line.len()).sum());
            all.extend(more);
        }
    }
    (all, sizes)
}

fn player(recordings: &[Recording], in_parts: bool) -> Player {
    let mut options = PlayerOptions::new();
    options.in_parts = in_parts;
    Player::new(recordings, options).unwrap()
}

#[test]
fn parts_are_what_comes_whole() {
    let recordings = [recording("a")];
    let requests = requests(&[]);
    let (whole, sizes) = play(&mut player(&recordings, false), &requests, usize::MAX);
    assert!(sizes.is_empty(), "{sizes:?}");
    assert_eq!(whole.len(), LINES + 5);
    assert!(whole[100].line.contains(" in /live/"));
    // The client says something when all, some or none of the parts have come.
    for parts in [usize::MAX, 2, 0] {
        let (all, sizes) = play(&mut player(&recordings, true), &requests, parts);
        assert!(all == whole, "{parts} parts");
        assert_eq!(sizes.len(), parts.min(5), "{sizes:?}");
        assert!(sizes.iter().all(|size| *size < 1 << 21), "{sizes:?}");
    }
}

#[test]
fn what_must_be_whole_comes_whole() {
    let requests = requests(&[]);
    // Names of the other recording are bound to those in all lines.
    let recordings = [recording("a"), recording("b")];
    let (whole, _) = play(&mut player(&recordings, false), &requests, usize::MAX);
    let (all, sizes) = play(&mut player(&recordings, true), &requests, usize::MAX);
    assert!(all == whole && sizes.is_empty(), "{sizes:?}");
    // Faults are about reactions.
    let release = Release::new(0, 169, 0);
    let faults = || Faults::new(vec![Injection::parse("turn-fails").unwrap()], 0);
    let faulty = |in_parts| {
        let player = Box::new(player(&recordings[..1], in_parts));
        Faulty::new(player, &faults(), Some(release)).unwrap()
    };
    let (whole, _) = play(&mut faulty(false), &requests, usize::MAX);
    let (all, sizes) = play(&mut faulty(true), &requests, usize::MAX);
    assert!(all == whole && sizes.is_empty(), "{sizes:?}");
}

#[test]
fn nothing_unwanted_is_in_a_part() {
    let recordings = [recording("a")];
    let requests = requests(&[
        "item/commandExecution/outputDelta",
        "item/agentMessage/delta",
    ]);
    let opted_out = |in_parts| {
        let player = Box::new(player(&recordings, in_parts));
        OptedOut::new(player, Some(Release::new(0, 169, 0)))
    };
    let (whole, _) = play(&mut opted_out(false), &requests, usize::MAX);
    let (all, _) = play(&mut opted_out(true), &requests, usize::MAX);
    // With the time that the lines before it took.
    assert!(all == whole, "{all:?}");
    assert_eq!(all.len(), 5);
}
