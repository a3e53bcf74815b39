//! Compares the output of the program, and has what several tests give it.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::thread;

pub(crate) use crate::calls::{Finished, PATIENCE, command, folder, run, until, workspace};

/// Runs it with something on standard input.
pub(crate) fn run_with(folder: &Path, args: &str, stdin: &[u8]) -> Finished {
    let mut child = command(folder, args).stdin(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        scope.spawn(move || match to.write_all(stdin) {
            // It may end before it has read everything.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => (),
            written => written.unwrap(),
        });
        child.wait_with_output().unwrap()
    });
    Finished {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

/// Compares the output of the program with the golden file of that name.
pub(crate) fn golden(name: &str, folder: &Path, args: &str) {
    let finished = run(folder, args);
    let mut actual = format!("$ codex-wire {args}\n[exit code {}]\n", finished.code);
    for (stream, text) in [
        ("standard output", &finished.stdout),
        ("standard error", &finished.stderr),
    ] {
        if !text.is_empty() {
            let text = steady(text);
            write!(actual, "[{stream}]\n{text}").unwrap();
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    golden_files::assert_file(&folder.join(name), &actual);
}

/// The text with the program's version and the digests of schemas taken out: they change with
/// every release and every schema.
pub(crate) fn steady(text: &str) -> String {
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let mut out = String::with_capacity(text.len());
    let mut run = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_alphanumeric() {
            run.push(c);
            continue;
        }
        let hexadecimal = run.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match run.len() {
            64 if hexadecimal => out += "DIGEST",
            12 if hexadecimal && out.contains("schema") => out += "SHORT-DIGEST",
            _ => out += &run,
        }
        run.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

/// A transcript without faults, as 0.44.0 to 0.50.0 write it.
pub(crate) const GOOD: &str = r#"{"type":"thread.started","thread_id":"01a1f985-5a61-7cf1-a49c-3848a4230ae1"}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"","status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"secret 文\n","exit_code":0,"status":"completed"}}
{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2}}
"#;

/// The same with an invented value, a cut last line, a blank line and an unknown member.
pub(crate) fn bad() -> String {
    let bad = GOOD
        .replace("\"completed\"}}", "\"exploded\"}}")
        .replace("turn.started\"}", "turn.started\",\"mood\":\"secret\"}\n");
    bad[..bad.len() - 10].to_owned()
}
