//! The README's program that reads a stream: it is the one that runs here, and it prints what the
//! agent said in a recording. The README's other code runs in the tests of `codex-wire-testing`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Trials;
use crate::child::FLAG;

#[path = "readme/messages.rs"]
mod messages;

pub(crate) fn trials() -> Trials {
    crate::trials!(
        the_program_of_the_readme_is_the_one_that_runs,
        the_program_of_the_readme_prints_what_the_agent_said,
        what_the_test_of_the_readme_checks_are_fixtures,
    )
}

/// Plays the program.
pub(crate) fn main() -> u8 {
    u8::from(messages::main().is_err())
}

fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap()
}

fn the_program_of_the_readme_is_the_one_that_runs() {
    // Here it is called by others, and there it is a program.
    let program = include_str!("readme/messages.rs").replace("pub(crate) fn main", "fn main");
    let readme = file("README.md");
    assert!(
        readme.contains(&format!("```rust,no_run\n{program}```\n")),
        "{program}"
    );
}

fn the_program_of_the_readme_prints_what_the_agent_said() {
    for (recording, count) in [
        ("fixtures/exec/0.44.0/message.jsonl", 1),
        ("fixtures/exec/0.169.0/command_ok.jsonl", 1),
    ] {
        let stream = file(recording);
        let expected: Vec<String> = stream
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .filter(|line| line["item"]["type"] == "agent_message")
            .map(|line| line["item"]["text"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(expected.len(), count, "{recording}");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([FLAG, "readme"]).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = crate::support::run(command, stream.as_bytes());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, expected.join("\n") + "\n", "{recording}");
    }
}

/// The example of a test runs in the folder of `codex-wire-testing`, on the recordings there.
fn what_the_test_of_the_readme_checks_are_fixtures() {
    for recording in ["0.44.0/message.jsonl", "0.169.0/command_ok.jsonl"] {
        let copy = file(&format!(
            "crates/codex-wire-testing/tests/recordings/{recording}"
        ));
        assert_eq!(copy, file(&format!("fixtures/exec/{recording}")));
    }
}
