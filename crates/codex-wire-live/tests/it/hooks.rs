//! Hooks that were given to a real Codex: what it did with them is what a trial says.
//!
//! Each line of `hooks-real/RELEASE.jsonl` has a file of hooks, the tool that a scripted model called, and what was seen:
//! whether the tool ran, how often the model was asked, whether it was shown the text `CTX`, and whether the other
//! input of a hook ran.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_base::Release;
use codex_wire_check::{ConfiguredHooks, HookEffect, HooksSource};
use codex_wire_live::hooks::{HookInput, HookTrial, OwnInput};
use serde_json::Value;

fn lines(release: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hooks-real");
    let text = fs::read_to_string(folder.join(format!("{release}.jsonl"))).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// What the trial of a file says of an input with that tool, or of a prompt; `None` where no hook runs.
fn tried(hooks: &Value, tool: &str, release: Release) -> Option<(HookEffect, bool)> {
    let read = ConfiguredHooks::read(&hooks.to_string(), HooksSource::File, release);
    let handler = read.handlers.first()?;
    let tried = HookTrial::new(PathBuf::from("/"))
        .run(handler, release)
        .unwrap();
    let run = tried.runs.into_iter().find(|run| match &run.input {
        HookInput::Recorded(example) => {
            let detail = example.kind.split_once('/').map(|(_, detail)| detail);
            detail.is_none_or(|detail| detail == tool)
        }
        _ => false,
    })?;
    Some((run.effect, run.fails_open))
}

/// What was seen of a real Codex.
fn seen(case: &Value) -> HookEffect {
    let is = |name: &str| case[name] == true;
    match (is("ran"), case["requests"].as_u64()) {
        // The model is not asked, neither because the prompt is dropped nor because the turn ends.
        (false, Some(0)) => HookEffect::Blocks,
        (false, _) if is("other") => HookEffect::ChangesInput,
        (false, _) => HookEffect::Blocks,
        (true, _) if is("context") => HookEffect::AddsContext,
        (true, _) => HookEffect::Allows,
    }
}

fn compare(release: &str) {
    let cases = lines(release);
    let release: Release = release.parse().unwrap();
    assert!(cases.len() > 20, "{} cases", cases.len());
    for case in cases {
        let tool = case["tool"].as_str().unwrap();
        let found = match tried(&case["hooks"], tool, release) {
            // What fails open is as if there were no hook.
            None | Some((_, true)) => HookEffect::Allows,
            // The tool does not run.
            Some((HookEffect::Stops | HookEffect::Breaks, _)) => HookEffect::Blocks,
            Some((effect, _)) => effect,
        };
        assert_eq!(found, seen(&case), "{release}: {case}");
    }
}

#[test]
fn an_early_release_does_with_hooks_what_a_trial_says() {
    compare("0.125.0");
}

#[test]
fn the_newest_release_does_with_hooks_what_a_trial_says() {
    compare("0.169.0");
}

/// What a guard has to hold, too.
#[test]
fn a_guard_is_tried_on_more() {
    let newest = Release::new(0, 169, 0);
    let runs = |command: &str, is_guard: bool| {
        let handler = codex_wire_check::HookHandler::new("PreToolUse", command);
        let own = OwnInput {
            name: "own.json".to_owned(),
            text: r#"{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Bash","tool_input":{"command":"rm"}}"#
                .to_owned(),
        };
        let trial = HookTrial::new(PathBuf::from("/"))
            .inputs(vec![own])
            .guard(is_guard);
        let tried = trial.run(&handler, newest).unwrap();
        let more = tried
            .runs
            .into_iter()
            .filter(|run| !matches!(run.input, HookInput::Recorded(_)));
        more.map(|run| (run.input, run.effect, run.fails_open))
            .collect::<Vec<_>>()
    };
    let own = || HookInput::Own("own.json".to_owned());
    // It sees that the command is `rm`, and knows nothing of what it cannot read.
    let looks = r#"grep -q '"command":"rm"}}$' && { echo no >&2; exit 2; }; exit 0"#;
    let expected = [
        (own(), HookEffect::Blocks, false),
        (HookInput::Later, HookEffect::Allows, true),
        (HookInput::Unreadable, HookEffect::Allows, true),
    ];
    assert_eq!(runs(looks, false), expected);
    let expected = [
        (own(), HookEffect::Blocks, false),
        (HookInput::Later, HookEffect::Blocks, false),
        (HookInput::Unreadable, HookEffect::Blocks, false),
    ];
    assert_eq!(runs("echo no >&2; exit 2", false), expected);
    // What holds nothing up is not a guard, unless the user says so.
    assert_eq!(
        runs("cat > /dev/null", false),
        [(own(), HookEffect::Allows, false)]
    );
    assert_eq!(runs("cat > /dev/null", true).len(), 3);
    // The folder of the session is the one in which the hook runs.
    let here = runs(r#"grep -q '"cwd":"/",' && { echo no >&2; exit 2; }"#, false);
    assert_eq!(here[0], (own(), HookEffect::Blocks, false));
}
