//! `codex proto`.

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_replay::Conversation;
use codex_wire_replay::script::{Proto, Script, Settings};
use serde_json::{Value, json};

use super::support::{checker, findings, fixtures, names, script, shortened, transcript};

/// What both sides wrote.
type Lines = Vec<(&'static str, String)>;

/// Plays every turn of a script to a client that decides so, or interrupts if it decides nothing.
fn play(script: &Script, release: Release, decision: &str) -> Result<Lines, String> {
    let proto = Proto::new(script.clone(), release, &Settings::default());
    let mut proto = proto.map_err(|error| error.to_string())?;
    let mut lines: Lines = Vec::new();
    let first = proto.start().into_iter();
    lines.extend(first.map(|emission| ("codex", emission.line)));
    let mut send = |proto: &mut Proto, op: Value, number: usize| {
        let line = json!({"id": format!("sub-{number}"), "op": op}).to_string();
        let reaction = proto.line(&line);
        lines.push(("client", line));
        lines.extend(reaction.emissions.into_iter().map(|e| ("codex", e.line)));
        assert_eq!(reaction.miss, None);
        lines.last().unwrap().1.clone()
    };
    let mut number = 0;
    for _ in &script.turns {
        number += 1;
        let turn = format!("sub-{number}");
        let items = json!([{"type": "text", "text": "Go."}]);
        let mut last = send(
            &mut proto,
            json!({"type": "user_input", "items": items}),
            number,
        );
        while proto.is_busy() {
            number += 1;
            let kind = match () {
                () if decision.is_empty() => "interrupt",
                () if last.contains("\"exec_approval_request\"") => "exec_approval",
                () if last.contains("\"apply_patch_approval_request\"") => "patch_approval",
                () => "interrupt",
            };
            let op = match kind {
                "interrupt" => json!({"type": kind}),
                kind => json!({"type": kind, "id": turn, "decision": decision}),
            };
            last = send(&mut proto, op, number);
        }
    }
    send(&mut proto, json!({"type": "shutdown"}), number + 1);
    Ok(lines)
}

#[test]
fn every_release_plays_every_script_without_a_finding() {
    let mut complaints = Vec::new();
    let mut played = 0;
    for release in MessageSet::CoreEvents.release_list().releases() {
        let checker = checker(Protocol::Core, *release);
        for name in names() {
            let script = script(&name);
            let decisions = match name.as_str() {
                "decline" => &["denied", ""][..],
                name if name.ends_with("approval") => &["approved", "denied", "abort", ""],
                _ => &["approved"],
            };
            for decision in decisions {
                let lines = match play(&script, *release, decision) {
                    Ok(lines) => lines,
                    Err(error) => {
                        // These releases know no other agents.
                        if !error.contains("no release can play this `spawn`") {
                            complaints.push(format!("{release} {name} {decision} {error}"));
                        }
                        continue;
                    }
                };
                let transcript = transcript(Protocol::Core, *release, &lines, Some(0));
                let outcome = checker.check(&name, transcript.as_bytes());
                let found = findings(&outcome, &transcript).into_iter();
                complaints
                    .extend(found.map(|found| format!("{release} {name} {decision} {found}")));
                played += 1;
            }
        }
    }
    assert!(complaints.is_empty(), "{}", shortened(&complaints));
    assert!(played > 200, "{played} streams");
}

/// The kinds of the events up to the end of the session. Deltas stand once, however many there are.
fn kinds<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in lines {
        let event: Value = serde_json::from_str(line).unwrap();
        let kind = event["msg"]["type"].as_str().unwrap().to_owned();
        if !kind.ends_with("_delta") || out.last() != Some(&kind) {
            out.push(kind);
        }
    }
    let end = out.iter().position(|kind| kind == "shutdown_complete");
    out.truncate(end.unwrap() + 1);
    out
}

#[test]
fn recordings_of_the_same_steps_have_the_same_events() {
    let mut complaints = Vec::new();
    let mut compared = 0;
    for (name, decision, text) in RECORDED {
        let script = Script::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        for release in MessageSet::CoreEvents.release_list().releases() {
            let path = fixtures().join(format!("core/{release}/{name}.jsonl"));
            let Ok(recorded) = std::fs::read_to_string(path) else {
                continue;
            };
            let release_name = release.to_string();
            if OTHER_STEPS.contains(&(name, release_name.as_str())) {
                continue;
            }
            let records = recorded
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap());
            let records = records.filter(|record| record["from"] == "codex");
            let recorded: Vec<String> = records
                .map(|record| record["line"].as_str().unwrap().to_owned())
                .collect();
            let played = play(&script, *release, decision).unwrap();
            let played = played.iter().filter(|(from, _)| *from == "codex");
            let played = kinds(played.map(|(_, line)| line.as_str()));
            let recorded = kinds(recorded.iter().map(String::as_str));
            compared += 1;
            if played != recorded {
                complaints.push(format!(
                    "{release} {name}\n  played   {}\n  recorded {}",
                    played.join(" "),
                    recorded.join(" ")
                ));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(compared > 12, "{compared} recordings");
}

/// A recording, what the client decides, and a script of the same steps.
const RECORDED: &[(&str, &str, &str)] = &[
    ("message", "", "step = [{ say = 'Hello there.' }]"),
    (
        "exec_denied",
        "denied",
        "step = [{ run = 'touch a', approval = true }, { run = 'touch b', approval = true },
                 { say = 'Denied.' }]",
    ),
    (
        "exec_abort",
        "abort",
        "step = [{ run = 'touch a', approval = true }]",
    ),
    ("patch_abort", "abort", PATCH),
    ("error_http400", "", "step = [{ fail = 'Bad request.' }]"),
    (
        "error_http429_usage_limit",
        "",
        "step = [{ fail = 'Limit.' }]",
    ),
    (
        "reasoning",
        "",
        "step = [{ reason = ['**One**', '**Two**'] }, { say = 'Done.' }]",
    ),
];

/// Recordings of these names that have other steps: the oldest releases try again after such an error, and
/// the server of 0.42.0 said what the limits are.
const OTHER_STEPS: [(&str, &str); 3] = [
    ("error_http400", "0.21.0"),
    ("error_http400", "0.23.0"),
    ("error_http429_usage_limit", "0.42.0"),
];

const PATCH: &str = "[[step]]
approval = true
patch = '''
*** Begin Patch
*** Add File: notes.txt
+new
*** End Patch'''";
