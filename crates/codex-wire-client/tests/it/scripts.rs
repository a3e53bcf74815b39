//! Scripts, played as releases from the first to the last: the same client shows the same.

use std::fmt::Write as _;

use codex_wire::app_server::{ThreadItemDetails, ThreadStartParams};
use codex_wire_client::{Decision, Error, TurnEvent};
use codex_wire_replay::script::{AppServer, Script, Settings};
use golden_files::files::root;

use crate::support::{Client, WAYS, Way, talking_to};

const RELEASES: &[&str] = &[
    "0.58.0", "0.63.0", "0.80.0", "0.98.0", "0.125.0", "0.151.0", "0.169.0",
];

/// What the client shows of a run in which it decides so.
fn run(codex: &Client, decision: Decision) -> (String, Result<Option<String>, Error>) {
    let mut shown = String::new();
    let result = (|| {
        let thread = codex.start_thread(ThreadStartParams::new())?;
        let mut turn = codex.start_turn(&thread.id, "Do it.")?;
        for event in &mut turn {
            match event? {
                TurnEvent::MessageDelta(delta) => shown.push_str(&delta.text),
                TurnEvent::Approval(approval) => {
                    let command = approval.command();
                    let what = command.unwrap_or_else(|| approval.files().join(" "));
                    let _ = write!(shown, "[{:?} {what}]", approval.kind());
                    approval.decide(decision)?;
                }
                TurnEvent::Question(question) => {
                    let _ = write!(shown, "[{}]", question.request().params.tag());
                }
                TurnEvent::ItemCompleted(item) => match &item.details {
                    ThreadItemDetails::UserMessage(_) | ThreadItemDetails::AgentMessage(_) => {}
                    ThreadItemDetails::CommandExecution(item) => {
                        let _ = write!(shown, "<command {:?}>", item.status);
                    }
                    ThreadItemDetails::FileChange(item) => {
                        let _ = write!(shown, "<patch {:?}>", item.status);
                    }
                    other => {
                        let _ = write!(shown, "<{}>", other.tag());
                    }
                },
                _ => {}
            }
        }
        turn.finish().map(|completed| completed.message)
    })();
    (shown, result)
}

fn play(way: Way, name: &str, release: &str, decision: Decision) -> String {
    let path = root().join(format!(
        "crates/codex-wire-replay/tests/scripts/{name}.toml"
    ));
    let script =
        Script::parse(&std::fs::read_to_string(path).expect("a script")).expect("a script");
    let release = release.parse().expect("a release");
    let server = match AppServer::new(script, release, Settings::new()) {
        Ok(server) => server,
        Err(error) => return format!("not played: {error}"),
    };
    let (client, served) = talking_to(way, server);
    let client = client.expect("a client");
    assert_eq!(client.release(), Some(release));
    let (shown, result) = run(&client, decision);
    drop(client);
    served.join().expect("the server ends");
    match result {
        Ok(message) => format!("{shown} = {}", message.unwrap_or_default()),
        Err(error) => format!("{shown} ! {error}"),
    }
}

#[test]
fn the_client_shows_the_same_of_every_release() {
    let path = root().join("crates/codex-wire-client/tests/it/scripts.txt");
    for way in WAYS {
        golden_files::assert_file(&path, &all(way));
    }
}

fn all(way: Way) -> String {
    let mut text = String::new();
    for (name, decision) in [
        ("say", Decision::Accept),
        ("run", Decision::Accept),
        ("approval", Decision::Accept),
        ("approval", Decision::Decline),
        ("approval", Decision::Cancel),
        ("patch-approval", Decision::Accept),
        ("patch-approval", Decision::Decline),
        ("ask", Decision::Accept),
        ("fail", Decision::Accept),
        ("mixed", Decision::AcceptForSession),
    ] {
        let _ = writeln!(text, "{name} {decision:?}");
        for release in RELEASES {
            let _ = writeln!(
                text,
                "  {release}: {:?}",
                play(way, name, release, decision)
            );
        }
    }
    text
}
