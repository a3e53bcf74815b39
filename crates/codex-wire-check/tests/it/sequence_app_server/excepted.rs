//! Recordings of single releases that a rule once denied, beside its other fixtures: they pass, and
//! with one more change the rule denies them still.

use codex_wire::Release;
use codex_wire_check::{Checker, Options, Profile, Severity};
use codex_wire_testing::describe;
use serde_json::{Value, json};

use super::line::{Line, read};
use super::{checker, denied, recording};
use crate::support::fixtures;

struct Excepted {
    rule: &'static str,
    name: &'static str,
    release: Release,
    /// Whether it is noted as an exception; otherwise it is not a violation at all.
    noted: bool,
    /// A change that is a violation in that release too.
    spoil: fn(&mut Vec<Line>),
}

const EXCEPTED: [Excepted; 12] = [
    Excepted {
        rule: "sequence/app-server-approval-item",
        name: "sandbox-refuses-0.116.0",
        release: Release::new(0, 116, 0),
        noted: true,
        spoil: |lines| {
            let method = "item/commandExecution/requestApproval";
            let asked = place(lines, method, |_| true);
            lines[asked].value["params"]["additionalPermissions"] = json!(null);
        },
    },
    Excepted {
        rule: "sequence/app-server-delta-unopened",
        name: "patch-0.61.0",
        release: Release::new(0, 61, 0),
        noted: true,
        spoil: |lines| change(lines, "item/agentMessage/delta", "itemId", "msg_none"),
    },
    Excepted {
        rule: "sequence/app-server-outside-turn",
        name: "plan-0.64.0",
        release: Release::new(0, 64, 0),
        noted: false,
        spoil: |lines| change(lines, "turn/plan/updated", "turnId", "1"),
    },
    Excepted {
        rule: "sequence/app-server-outside-turn",
        name: "session-end-0.169.0",
        release: Release::new(0, 169, 0),
        noted: false,
        spoil: |lines| {
            let ends = place(lines, "hook/started", |params| {
                params["turnId"] == "auto-compact-0"
            });
            lines[ends].value["params"]["run"]["eventName"] = json!("stop");
        },
    },
    Excepted {
        rule: "sequence/app-server-status-failed",
        name: "empty-turn-0.125.0",
        release: Release::new(0, 125, 0),
        noted: true,
        spoil: |lines| {
            let done = place(lines, "turn/completed", |_| true);
            lines[done].value["params"]["turn"]["status"] = json!("failed");
            lines[done].value["params"]["turn"]["error"] = json!({"message": "K"});
            let is_error = |params: &Value| params["status"]["type"] == "systemError";
            let status = place(lines, "thread/status/changed", is_error);
            lines[status].value["params"]["status"]["type"] = json!("idle");
        },
    },
    // Items name no turn yet, and this one comes when none runs.
    Excepted {
        rule: "sequence/app-server-item-completed-again",
        name: "declined-late-0.63.0",
        release: Release::new(0, 63, 0),
        noted: true,
        spoil: |lines| {
            let done = place(lines, "item/completed", |params| {
                params["item"]["status"] == "declined"
            });
            lines[done].value["params"]["item"]["status"] = json!("failed");
        },
    },
    Excepted {
        rule: "sequence/app-server-item-completed-again",
        name: "declined-late-0.64.0",
        release: Release::new(0, 64, 0),
        noted: true,
        spoil: drop_the_answer,
    },
    Excepted {
        rule: "sequence/app-server-item-completed-again",
        name: "declined-late-0.90.0",
        release: Release::new(0, 90, 0),
        noted: true,
        spoil: drop_the_answer,
    },
    Excepted {
        rule: "sequence/app-server-item-late",
        name: "declined-late-0.66.0",
        release: Release::new(0, 66, 0),
        noted: true,
        spoil: |lines| {
            let done = place(lines, "item/completed", |params| {
                params["item"]["status"] == "declined"
            });
            lines[done].value["params"]["item"]["status"] = json!("failed");
        },
    },
    Excepted {
        rule: "sequence/app-server-status-again",
        name: "archived-0.166.0",
        release: Release::new(0, 166, 0),
        noted: true,
        spoil: |lines| {
            let idle = place(lines, "thread/status/changed", |params| {
                params["status"]["type"] == "idle"
            });
            lines.insert(idle, lines[idle].clone());
        },
    },
    Excepted {
        rule: "sequence/app-server-thread-never-started",
        name: "answered-first-0.146.0",
        release: Release::new(0, 146, 0),
        noted: false,
        spoil: |lines| drop_first(lines, "thread/started"),
    },
    Excepted {
        rule: "sequence/app-server-thread-never-started",
        name: "turn-at-once-0.128.0",
        release: Release::new(0, 128, 0),
        noted: false,
        spoil: |lines| drop_first(lines, "thread/started"),
    },
];

/// The command is completed as declined, but no client has declined it.
fn drop_the_answer(lines: &mut Vec<Line>) {
    let answer = lines
        .iter()
        .position(|line| line.client && line.text("/result/decision") == Some("decline"));
    lines.remove(answer.unwrap());
}

pub(super) fn pass() {
    for excepted in EXCEPTED {
        let Excepted {
            rule,
            name,
            release,
            ..
        } = excepted;
        let path = fixtures().join("rules").join(rule);
        let path = path.join(format!("{name}.jsonl"));
        let run = read(name.to_owned(), release, &path).unwrap();
        let mut options = Options::exact(codex_wire::Protocol::AppServer, release);
        options.profile = Profile::Exact;
        let checker = Checker::new(options).unwrap();
        let whole = checker.check(name, &*std::fs::read(&path).unwrap());
        assert_eq!(denied(&whole).count(), 0, "{}", describe(&whole));
        let notes = whole
            .findings
            .iter()
            .filter(|finding| finding.rule.id == rule);
        let levels: Vec<Severity> = notes.map(|finding| finding.severity).collect();
        let expected = levels.iter().all(|level| *level == Severity::Note);
        assert!(
            expected && levels.is_empty() != excepted.noted,
            "{rule}: {name}: {levels:?}"
        );
        let mut lines = run.lines.clone();
        (excepted.spoil)(&mut lines);
        let outcome = checker.check(name, recording(release, &lines).as_bytes());
        let said = denied(&outcome).any(|finding| finding.rule.id == rule);
        assert!(said, "{name}: {rule}: {}", describe(&outcome));
    }
}

/// The last part of a connection with two threads, of a release that names none in what it tells:
/// that there are two was said in the first. With a start of its own it is one thread.
pub(super) fn without_start() {
    let rule = "sequence/app-server-turn-ended-again";
    let release = Release::new(0, 61, 0);
    let name = "two-threads-0.61.0";
    let path = fixtures().join("rules").join(rule);
    let run = read(
        name.to_owned(),
        release,
        &path.join(format!("{name}.jsonl")),
    )
    .unwrap();
    let checker = checker(release);
    let cut = checker.check(name, recording(release, &run.lines).as_bytes());
    assert_eq!(denied(&cut).count(), 0, "{}", describe(&cut));
    let client = json!({"clientInfo": {"name": "recorder", "version": "1.0.0"}});
    let start = [
        (
            true,
            json!({"id": 1, "method": "initialize", "params": client}),
        ),
        (
            false,
            json!({"id": 1, "result": {"userAgent": "recorder/0.61.0"}}),
        ),
        (true, json!({"method": "initialized"})),
    ];
    let start = start.map(|(client, value)| Line {
        client,
        value,
        ..Line::default()
    });
    let lines = [&start[..], &run.lines].concat();
    let whole = checker.check(name, recording(release, &lines).as_bytes());
    let said = denied(&whole).any(|finding| finding.rule.id == rule);
    assert!(said, "{}", describe(&whole));
}

/// The first message of that method that Codex sends, and that is so.
fn place(lines: &[Line], method: &str, is: fn(&Value) -> bool) -> usize {
    let found = lines.iter().position(|line| {
        !line.client && line.text("/method") == Some(method) && is(&line.value["params"])
    });
    found.unwrap_or_else(|| panic!("there is no {method}"))
}

fn drop_first(lines: &mut Vec<Line>, method: &str) {
    lines.remove(place(lines, method, |_| true));
}

fn change(lines: &mut [Line], method: &str, member: &str, value: &str) {
    let at = place(lines, method, |_| true);
    assert!(
        lines[at].value["params"][member].is_string(),
        "{method} has no {member}"
    );
    lines[at].value["params"][member] = json!(value);
}
