//! The example of a hook in Rust: with recorded inputs of each release that has tool events, and with real ones.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use codex_wire_record::{Answer, Model, binary};
use golden_files::files::below;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::examples::home;
use crate::install;
use crate::install::example;
use crate::stage::{printed_with, trial};

/// What the example does not let run, and what it says then. It removes nothing: 0.169.0 left a folder where it was also without a hook.
const DENIED: &str = "echo rm -rf >proof.txt";
const REASON: &str = "rm -rf is not allowed here";

/// Real releases that have tool events. From 0.129.0 on they run only hooks that the user trusts.
const RELEASES: [&str; 2] = ["0.125.0", "0.169.0"];

/// A test with what was recorded, and one for each release.
pub(crate) fn trials() -> Vec<Trial> {
    let unbuilt = (!example("hook").is_file())
        .then(|| "it is not built: cargo build --workspace --examples".to_owned());
    let recorded = "examples::hook recorded".to_owned();
    let mut trials = vec![trial(recorded, unbuilt.clone(), recorded_inputs)];
    for release in RELEASES {
        let codex = binary(&install::workspace(), release);
        let missing = codex.is_none().then(|| "there is no binary".to_owned());
        let name = format!("examples::hook codex {release}");
        trials.push(trial(name, unbuilt.clone().or(missing), move || {
            keeps_it_from_running(release, &codex.unwrap());
        }));
    }
    trials
}

/// How the example ends with an input, and what it prints: exit status, standard output and standard error.
fn run(input: &Value) -> (Option<i32>, String, String) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input.to_string().as_bytes()).unwrap();
    file.rewind().unwrap();
    let output = Command::new(example("hook")).stdin(file).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// One input of each tool in each release passes, and does not with another command.
fn recorded_inputs() {
    let mut inputs: BTreeMap<(String, String), Value> = BTreeMap::new();
    for path in below(&install::workspace().join("fixtures/hooks"), "jsonl") {
        let folder = path.parent().and_then(Path::file_name).unwrap();
        let release = folder.to_str().unwrap();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            if record["event"] == "PreToolUse" {
                let input: Value = serde_json::from_str(record["stdin"].as_str().unwrap()).unwrap();
                let tool = input["tool_name"].as_str().unwrap().to_owned();
                inputs.entry((release.to_owned(), tool)).or_insert(input);
            }
        }
    }
    let releases = inputs.keys().map(|(release, _)| release);
    let mut denied: Vec<&String> = Vec::new();
    assert!(releases.count() > 20, "{}", inputs.len());
    for ((release, tool), input) in &inputs {
        let allowed = (Some(0), String::new(), String::new());
        assert_eq!(run(input), allowed, "{release} {tool}");
        if input["tool_input"]["command"].is_string() {
            let mut input = input.clone();
            input["tool_input"]["command"] = json!(DENIED);
            let expected = (Some(2), String::new(), REASON.to_owned());
            assert_eq!(run(&input), expected, "{release} {tool}");
            denied.push(release);
        }
    }
    denied.dedup();
    assert!(denied.len() >= 10, "{denied:?}");
}

/// The model has a file written: without the hook it is there, with it it is not.
fn keeps_it_from_running(release: &str, codex: &Path) {
    assert!(written(release, codex, None).exists());
    // Codex runs it with every event, and it is of one.
    let hook = format!(
        "input=$(cat); case $input in *'\"hook_event_name\":\"PreToolUse\"'*) printf %s \"$input\" | '{}';; esac",
        example("hook").display()
    );
    assert!(!written(release, codex, Some(&hook)).exists());
}

/// The file that the model has written.
fn written(release: &str, codex: &Path, hook: Option<&str>) -> PathBuf {
    let says = [Answer::command(DENIED), Answer::message("recorded.")];
    let model = Model::new(says).unwrap();
    let with = if hook.is_some() { "with" } else { "without" };
    let name = format!("hook-{release}-{with}");
    let (_, mut home) = home(&name, release, model.port());
    if let Some(hook) = hook {
        home.add_hooks(hook).unwrap();
        home.trust_hooks(codex).unwrap();
    }
    let mut command = Command::new(codex);
    command.args([
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "Do it.",
    ]);
    home.furnish(&mut command).stderr(Stdio::null());
    assert_eq!(printed_with(&mut command, "").unwrap(), "recorded.\n");
    assert_eq!(model.left(), 0);
    home.project().join("proof.txt")
}
