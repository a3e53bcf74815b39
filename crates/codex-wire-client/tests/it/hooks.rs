//! Hooks that fail closed: every recorded input is read, and whatever goes wrong blocks.

use std::io::{Read as _, Write as _};
use std::process::{Command, ExitCode, Stdio};

use codex_wire::hooks::{PreToolUseCommandInput, PreToolUseCommandOutputWire};
use codex_wire_client::hooks::{Decision, Ending, allow, deny, ending, hook};
use golden_files::files::{below, root};

type Decided = Result<Decision<PreToolUseCommandOutputWire>, Box<dyn std::error::Error>>;

fn guard(input: PreToolUseCommandInput) -> Decided {
    Ok(match input.tool_input.command() {
        Some(command) => deny(format!("not {command}")),
        None => allow(),
    })
}

/// The inputs of recorded hooks, with their events and releases.
fn inputs() -> Vec<(String, String, String)> {
    let mut inputs = Vec::new();
    for path in below(&root().join("fixtures/hooks"), "jsonl") {
        let release = path.parent().and_then(|folder| folder.file_name());
        let release = release.expect("a folder").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a recording");
        for line in text.lines() {
            let record: serde_json::Value = serde_json::from_str(line).expect("a record");
            if let (Some(event), Some(input)) = (record["event"].as_str(), record["stdin"].as_str())
            {
                inputs.push((release.clone(), event.to_owned(), input.to_owned()));
            }
        }
    }
    inputs
}

#[test]
fn every_recorded_command_is_found() {
    let (mut commands, mut others) = (0, 0);
    for (release, event, input) in inputs() {
        let Ending { status, stderr, .. } = ending(input.as_bytes(), guard);
        if event != "PreToolUse" {
            assert_eq!(
                (status, stderr),
                (2, format!("this is a hook of PreToolUse, not of {event}"))
            );
            continue;
        }
        let input: serde_json::Value = serde_json::from_str(&input).expect("JSON");
        match input["tool_input"]["command"].as_str() {
            Some(command) => {
                commands += 1;
                assert_eq!((status, stderr), (2, format!("not {command}")), "{release}");
            }
            None => {
                others += 1;
                assert_eq!((status, stderr.as_str()), (0, ""), "{release}: {input}");
            }
        }
    }
    assert!(
        commands > 100 && others > 0,
        "{commands} commands, {others} others"
    );
}

#[test]
fn what_goes_wrong_blocks() {
    let input = inputs()
        .into_iter()
        .find(|(_, event, _)| event == "PreToolUse")
        .expect("one")
        .2;
    let failed = |_: PreToolUseCommandInput| -> Decided {
        "many".parse::<u8>()?;
        Ok(allow())
    };
    for (input, reason) in [
        ("", "cannot read the input of PreToolUse: "),
        ("{}", "cannot read the input of PreToolUse: "),
        (
            r#"{"hook_event_name":"PreToolUse"}"#,
            "cannot read the input of PreToolUse: ",
        ),
        (
            r#"{"hook_event_name":"BeforeDawn"}"#,
            "this is a hook of PreToolUse, not of BeforeDawn",
        ),
        (
            input.as_str(),
            "the hook failed: invalid digit found in string",
        ),
    ] {
        let ending = ending(input.as_bytes(), failed);
        assert_eq!(ending.status, 2, "{input}");
        assert!(ending.stderr.starts_with(reason), "{}", ending.stderr);
    }
    // Without a reason, Codex does not block.
    let blank = ending(input.as_bytes(), |_: PreToolUseCommandInput| {
        Ok(deny(" \n"))
    });
    assert_eq!(
        (blank.status, blank.stderr.as_str()),
        (2, "blocked by a hook")
    );
}

/// Set in the process in which a test below is a hook itself.
const IS_HOOK: &str = "CODEX_WIRE_TEST_IS_HOOK";

/// How a test of this module ends that is a hook, and what it says. Its output is closed once it waits for its input.
fn run(test: &str) -> (Option<i32>, String) {
    let input = inputs()
        .into_iter()
        .find(|(_, event, _)| event == "PreToolUse")
        .expect("one")
        .2;
    let mut hook = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(IS_HOOK, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this program runs");
    let mut stdout = hook.stdout.take().expect("a pipe");
    let begun = format!("test {test} ... ");
    let mut printed = Vec::new();
    while !printed.ends_with(begun.as_bytes()) {
        let mut byte = [0];
        stdout.read_exact(&mut byte).expect("the test begins");
        printed.extend(byte);
    }
    drop(stdout);
    let mut stdin = hook.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let output = hook.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn a_panic_blocks() {
    if std::env::var_os(IS_HOOK).is_some() {
        hook(|_: PreToolUseCommandInput| panic!("out of luck"));
        return;
    }
    let (status, said) = run("hooks::a_panic_blocks");
    assert_eq!(status, Some(2), "{said}");
    assert!(
        said.contains("the hook failed: panicked at") && said.contains("out of luck"),
        "{said}"
    );
}

#[test]
#[allow(clippy::exit)]
fn an_output_that_cannot_be_written_blocks() {
    if std::env::var_os(IS_HOOK).is_some() {
        let output = r#"{"decision":"block","reason":"not here"}"#;
        let code =
            hook(|_: PreToolUseCommandInput| Ok(Decision::Output(codex_wire::from_str(output)?)));
        std::process::exit(i32::from(code == ExitCode::from(2)) * 2);
    }
    let (status, said) = run("hooks::an_output_that_cannot_be_written_blocks");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("cannot write standard output: "), "{said}");
}
