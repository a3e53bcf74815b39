//! Every recorded connection is played to one small client, which does what every client does: it starts a thread and
//! a turn, allows what is asked, and reads the turn to its end. `recordings.txt` says what becomes of each.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use codex_wire::app_server::ThreadStartParams;
use codex_wire_client::{Error, TurnEvent};
use codex_wire_replay::{About, OnMiss, Player, PlayerOptions, Recording};

use golden_files::files::{below, root};

use crate::support::{Client, WAYS, Way, talking_to};

/// What the client shows of a run.
fn run(codex: &Client) -> Result<String, Error> {
    let thread = codex.start_thread(ThreadStartParams::new())?;
    let mut shown = String::new();
    for event in codex.start_turn(&thread.id, "Do it.")? {
        match event? {
            TurnEvent::MessageDelta(delta) => shown.push_str(&delta.text),
            TurnEvent::Approval(approval) => {
                let what = approval
                    .command()
                    .unwrap_or_else(|| approval.files().join(", "));
                let _ = write!(shown, "[{what}]");
                approval.accept()?;
            }
            _ => {}
        }
    }
    Ok(shown)
}

#[test]
fn each_is_finished_or_says_why_not() {
    let path = root().join("crates/codex-wire-client/tests/it/recordings.txt");
    for way in WAYS {
        golden_files::assert_file(&path, &all(way));
    }
}

fn all(way: Way) -> String {
    let mut results = BTreeMap::new();
    let folder = root().join("fixtures/app-server");
    for path in below(&folder, "jsonl") {
        let name = path
            .strip_prefix(&folder)
            .expect("below it")
            .display()
            .to_string();
        let bytes = std::fs::read(&path).expect("a recording");
        let has_turn = String::from_utf8_lossy(&bytes).contains(r#"\"method\":\"turn/start\""#);
        if !has_turn {
            continue;
        }
        let recording = Recording::read(&name, bytes, About::new()).expect("a recording");
        let options = PlayerOptions::new().on_miss(OnMiss::Fail);
        let player = match Player::new(&[recording], options) {
            Ok(player) => player,
            Err(error) => {
                results.insert(name, format!("not played: {error}"));
                continue;
            }
        };
        let (client, server) = talking_to(way, player);
        let shown = client.and_then(|client| run(&client));
        let misses = server.join().expect("the server ends");
        let result = match shown {
            Ok(shown) => format!("completed: {shown:?}"),
            Err(error) => error
                .to_string()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        let missed = match misses.is_empty() {
            true => String::new(),
            false => format!(" (not recorded: {})", misses.join(", ")),
        };
        results.insert(name, result + &missed);
    }
    let completed = results
        .values()
        .filter(|result| result.starts_with("completed"))
        .count();
    let mut text = format!("{completed} of {} completed\n", results.len());
    for (name, result) in &results {
        let _ = writeln!(text, "{name}: {result}");
    }
    text
}
