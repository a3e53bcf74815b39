//! `hooks test`: hooks run on recorded inputs.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;

use codex_wire_schema::own::HOOKS_TEST;
use serde_json::{Value, json};

use crate::support::{folder, golden, run};

const HOOKS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "cat > /dev/null; echo '{\"decision\":\"block\",\"reason\":\"no\"}'" },
          { "type": "command", "command": "cat > /dev/null; echo '{\"decision\":\"block\"}'" },
          { "type": "command", "command": "grep -q . && grep -q '\"}$' && { echo no >&2; exit 2; }; exit 2" },
          { "type": "command", "command": "cat > /dev/null; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\",\"updatedInput\":{\"cmd\":\"ls\"}}}'" }
        ]
      },
      { "matcher": "Never", "hooks": [{ "type": "command", "command": "true", "timeoutSec": 5 }] }
    ],
    "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "cat > /dev/null; echo context" }] }],
    "Stop": [{ "hooks": [{ "type": "prompt", "prompt": "Is it done?" }] }],
    "PreToolUsed": []
  }
}
"#;

fn with(name: &str, hooks: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("hooks.json"), hooks).unwrap();
    folder
}

#[test]
fn what_becomes_of_each_run() {
    let folder = with("hooks-test", HOOKS);
    golden(
        "hooks-test.txt",
        &folder,
        "hooks test hooks.json -r 0.169.0",
    );
    golden(
        "hooks-test-refused.txt",
        &with("hooks-test-refused", &HOOKS.replace("prompt\",", "http\",")),
        "hooks test hooks.json -r 0.169.0 -r 0.125.0",
    );
}

#[test]
fn a_program_without_a_file() {
    let folder = folder("hooks-test-program");
    let guard = "hooks test --event PermissionRequest --guard -r 0.169.0";
    golden("hooks-test-guard.txt", &folder, &format!("{guard} true"));
    fs::write(folder.join("guard.sh"), "echo no >&2; exit 2").unwrap();
    let finished = run(&folder, &format!("{guard} -- sh ./guard.sh --strict"));
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(
        finished
            .stdout
            .contains("blocks        an input that cannot be read"),
        "{finished:?}"
    );
}

#[test]
fn hooks_in_the_configuration() {
    let folder = folder("hooks-test-config");
    let config = "model = \"m\"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"echo text\"\n";
    fs::write(folder.join("config.toml"), config).unwrap();
    let finished = run(&folder, "hooks test config.toml");
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(
        finished.stdout.contains("hooks/text-refused"),
        "{finished:?}"
    );
    let early = run(&folder, "hooks test config.toml -r 0.123.0");
    assert_eq!(early.code, 1, "{early:?}");
    assert!(early.stdout.contains("from 0.124.0 on"), "{early:?}");
}

#[test]
fn what_cannot_be_tried() {
    let folder = with("hooks-test-nothing", "{}");
    let empty = run(&folder, "hooks test hooks.json");
    assert_eq!(empty.code, 2, "{empty:?}");
    assert!(empty.stdout.ends_with("\nnothing was tried\n"), "{empty:?}");
    let missing = run(&folder, "hooks test ./guard.sh");
    assert_eq!(missing.code, 2, "{missing:?}");
    assert!(missing.stderr.contains("--event EVENT"), "{missing:?}");
    let hint = "; a program is tried with `--event EVENT`\n";
    for (text, said) in [
        (
            "",
            "codex-wire: hooks.json is not JSON: EOF while parsing a value",
        ),
        (
            "#!/bin/sh\n",
            "codex-wire: hooks.json is not JSON: expected value",
        ),
        (
            "{\"hooks\": {",
            "codex-wire: hooks.json is not JSON: EOF while parsing",
        ),
    ] {
        fs::write(folder.join("hooks.json"), text).unwrap();
        let broken = run(&folder, "hooks test hooks.json");
        assert_eq!((broken.code, &*broken.stdout), (2, ""), "{broken:?}");
        assert!(broken.stderr.starts_with(said), "{broken:?}");
        assert!(broken.stderr.ends_with(hint), "{broken:?}");
    }
    let help = run(&folder, "hooks --help").stdout;
    assert!(
        help.contains("Exit codes:\n  0  nothing fails open"),
        "{help}"
    );
}

#[test]
fn the_json_fits_its_schema() {
    let folder = with("hooks-test-json", HOOKS);
    let own = json!({"hook_event_name": "UserPromptSubmit", "prompt": "x"});
    fs::write(folder.join("own.json"), own.to_string()).unwrap();
    let args = "hooks test hooks.json --input own.json --format json -r 0.116.0 -r 0.169.0";
    let finished = run(&folder, args);
    assert_eq!(finished.code, 1, "{finished:?}");
    let written: Value = serde_json::from_str(&finished.stdout).unwrap();
    let schema = serde_json::from_str(HOOKS_TEST).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&written)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert_eq!(errors, [""; 0]);
    let runs = written.pointer("/tested/1/handlers/0/runs").unwrap();
    assert_eq!(runs[0]["effect"], "blocks", "{runs}");
    assert_eq!(runs[0]["input"]["name"], "PreToolUse/Bash", "{runs}");
}
