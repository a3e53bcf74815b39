//! `check --protocol hooks`: what a hook reads and what it prints.

use std::fs;

use crate::support::{folder, golden, run, run_with, workspace};

/// An input of a hook of `PreToolUse`, as 0.169.0 writes it.
const INPUT: &str = r#"{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/p","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c"}"#;

#[test]
fn what_a_hook_prints() {
    let folder = folder("hook-prints");
    let denies = "{\n  \"hookSpecificOutput\": {\n    \"hookEventName\": \"PreToolUse\",\n    \
                  \"permissionDecision\": \"deny\",\n    \"permissionDecisionReason\": \"secret\"\n  }\n}\n";
    fs::write(folder.join("denies.json"), denies).unwrap();
    fs::write(
        folder.join("denies-nothing.json"),
        denies.replace("secret", " "),
    )
    .unwrap();
    fs::write(folder.join("misspelt.json"), r#"{"desicion":"block"}"#).unwrap();
    let check = "check --protocol hooks --event PreToolUse --side hook";
    golden(
        "hook-conforms.txt",
        &folder,
        &format!("{check} denies.json"),
    );
    golden(
        "hook-refused.txt",
        &folder,
        &format!("{check} --release 0.169.0 denies-nothing.json"),
    );
    golden(
        "hook-misspelt.txt",
        &folder,
        &format!("{check} misspelt.json"),
    );
}

#[test]
fn how_a_hook_ends() {
    let folder = folder("hook-ends");
    fs::write(folder.join("nothing.txt"), "").unwrap();
    fs::write(folder.join("reason.txt"), "secret").unwrap();
    let check = "check --protocol hooks --event UserPromptSubmit --exit";
    // What it wrote to standard error is not told: whether it blocks is undecided.
    golden(
        "hook-exit-2.txt",
        &folder,
        &format!("{check} 2 nothing.txt"),
    );
    golden(
        "hook-exit-2-blank.txt",
        &folder,
        &format!("{check} 2 --stderr nothing.txt nothing.txt"),
    );
    let finished = run(
        &folder,
        &format!("{check} 2 --stderr reason.txt nothing.txt"),
    );
    assert_eq!((finished.code, finished.stderr.as_str()), (0, ""));
    golden(
        "hook-exit-1.txt",
        &folder,
        &format!("{check} 1 --stderr reason.txt nothing.txt"),
    );
    // Of a hook that a signal ended, Python says the signal.
    let finished = run(&folder, &format!("{check} -9 nothing.txt"));
    assert!(finished.stdout.contains("exits with -9"), "{finished:?}");
    let finished = run(&folder, &format!("{check} 2 --stderr gone.txt nothing.txt"));
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(finished.stderr.contains("cannot read gone.txt"));
}

#[test]
fn what_a_hook_reads() {
    let folder = folder("hook-reads");
    fs::write(folder.join("input.json"), INPUT).unwrap();
    let check = "check --protocol hooks --side codex --event";
    golden(
        "hook-input.txt",
        &folder,
        &format!("{check} PreToolUse --release 0.169.0 --profile exact input.json"),
    );
    golden(
        "hook-other-event.txt",
        &folder,
        &format!("{check} PostToolUse input.json"),
    );
    // Without `--side`, the content decides.
    let args = "check --protocol hooks --event PreToolUse";
    let broken = INPUT.replace("\"tool_use_id\":\"c\"", "\"tool_use_id\":3");
    let finished = run_with(&folder, args, broken.as_bytes());
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(finished.stdout.contains("written by Codex"), "{finished:?}");
    let finished = run_with(&folder, args, b"plain text");
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(
        finished.stdout.contains("warning[hooks/text-ignored]"),
        "{finished:?}"
    );
}

#[test]
fn flags_that_do_not_fit() {
    let folder = folder("hook-flags");
    fs::write(folder.join("output.json"), "{}").unwrap();
    for (name, args) in [
        (
            "event",
            "check --protocol hooks --event preToolUse output.json",
        ),
        ("alone", "check --event PreToolUse output.json"),
        (
            "protocol",
            "check --protocol exec --event PreToolUse output.json",
        ),
        ("exit", "check --protocol hooks --exit 2 output.json"),
    ] {
        golden(&format!("hook-bad-{name}.txt"), &folder, args);
    }
}

#[test]
fn recorded_runs_are_lines() {
    let finished = run(
        &workspace(),
        "check --protocol hooks --release 0.169.0 --side codex fixtures/hooks/0.169.0/bad_output.jsonl",
    );
    assert_eq!(finished.code, 0, "{finished:?}");
    // The hook of that scenario prints what Codex refuses.
    let finished = run(
        &workspace(),
        "check --release 0.169.0 fixtures/hooks/0.169.0/bad_output.jsonl",
    );
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(
        finished.stdout.contains("error[framing/malformed-json]"),
        "{finished:?}"
    );
}
