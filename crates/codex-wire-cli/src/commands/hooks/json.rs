//! Writes what came of hooks as JSON: `schemas/hooks-test.json`.

use std::io::{self, Write};

use codex_wire_check::Finding;
use codex_wire_live::hooks::{HookEnd, HookInput, HookRun, HookTried, TestedHooks};
use codex_wire_report::write_json;
use serde_json::{Value, json};

/// Writes all of it as one document.
pub(super) fn write(out: &mut dyn Write, all: &[TestedHooks]) -> io::Result<()> {
    let tested = all.iter().map(|tested| {
        let problems = tested.problems.iter().map(|problem| {
            json!({
                "severity": problem.severity.as_str(),
                "pointer": problem.pointer,
                "message": problem.message,
            })
        });
        json!({
            "name": tested.name,
            "release": tested.release.to_string(),
            "problems": problems.collect::<Vec<_>>(),
            "handlers": tested.handlers.iter().map(handler).collect::<Vec<_>>(),
            "fails_open": tested.fails_open(),
        })
    });
    let document = json!({"version": 1, "tested": tested.collect::<Vec<_>>()});
    write_json(out, &document)?;
    writeln!(out)
}

fn handler(tried: &HookTried) -> Value {
    let handler = &tried.handler;
    json!({
        "event": handler.event,
        "pointer": handler.pointer,
        "command": handler.command,
        "timeout_seconds": handler.timeout.as_secs(),
        "async": handler.is_async,
        "guard": tried.is_guard,
        "runs": tried.runs.iter().map(run).collect::<Vec<_>>(),
    })
}

fn run(run: &HookRun) -> Value {
    let input = match &run.input {
        HookInput::Recorded(example) => json!({
            "kind": "recorded",
            "name": example.kind,
            "release": example.release.to_string(),
            "transcript": example.transcript,
            "line": example.line,
        }),
        HookInput::Own(name) => json!({"kind": "own", "name": name}),
        HookInput::Later => json!({"kind": "later"}),
        HookInput::Unreadable => json!({"kind": "unreadable"}),
        _ => Value::Null,
    };
    let (end, exit) = match run.end {
        HookEnd::Exit(status) => ("exit", Some(status)),
        HookEnd::Signal => ("signal", None),
        HookEnd::TimedOut => ("timeout", None),
        _ => ("unknown", None),
    };
    json!({
        "input": input,
        "effect": run.effect.as_str(),
        "fails_open": run.fails_open,
        "end": end,
        "exit": exit,
        "ms": u64::try_from(run.took.as_millis()).unwrap_or(u64::MAX),
        "findings": run.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.id,
        "severity": finding.severity.as_str(),
        "pointer": finding.place.pointer,
        "message": finding.message,
        "help": finding.help,
    })
}
