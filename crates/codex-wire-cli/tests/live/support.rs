//! Running `tap` and what it stands before.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than anything takes on a machine that has other things to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A stream without faults, as 0.44.0 to 0.50.0 write it.
pub(crate) const GOOD: &str = r#"{"type":"thread.started","thread_id":"01a1f985-5a61-7cf1-a49c-3848a4230ae1"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hello"}}
{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2}}
"#;

/// A line of an invented kind.
pub(crate) const BAD: &str = "{\"type\":\"turn.stalled\"}\n";

/// The program.
pub(crate) fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
    command.args(args);
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(variable);
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// `tap` with flags before a helper program.
pub(crate) fn tap(flags: &[&str], helper: &[&str]) -> Command {
    let mut command = program(&["tap"]);
    command.args(flags).arg("--");
    command.arg(std::env::current_exe().unwrap());
    command.arg(crate::child::FLAG).args(helper);
    command
}

/// `tap` with flags before a shell.
#[cfg(unix)]
pub(crate) fn tap_sh(flags: &[&str], script: &str) -> Command {
    let mut command = program(&["tap"]);
    command.args(flags).args(["--", "sh", "-c", script]);
    command
}

/// Runs a command with something to read, to its end.
pub(crate) fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A child that reads nothing may close the pipe.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = output(child);
    drop(writer);
    output
}

/// Waits for the end of a program that is not to take forever.
pub(crate) fn output(mut child: Child) -> Output {
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let status = ended(&mut child);
    let text = |thread: Option<thread::JoinHandle<Vec<u8>>>| {
        thread
            .map(|thread| thread.join().unwrap())
            .unwrap_or_default()
    };
    Output {
        status,
        stdout: text(stdout),
        stderr: text(stderr),
    }
}

/// How a program exits, which it has to.
pub(crate) fn ended(child: &mut Child) -> std::process::ExitStatus {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn collect(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut out = Vec::new();
        from.read_to_end(&mut out).unwrap();
        out
    })
}

/// An empty folder of that name.
#[track_caller]
pub(crate) fn folder(name: &str) -> PathBuf {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live");
    golden_files::folders::empty(&base, name)
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < end, "{what}: it never came to that");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The lines of a transcript or of a report.
pub(crate) fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The rules of the findings in a jsonl report.
pub(crate) fn rules(report: &[Value]) -> Vec<&str> {
    report
        .iter()
        .filter(|line| line["kind"] == "finding")
        .map(|line| line["rule"].as_str().unwrap())
        .collect()
}

/// The text on standard error.
pub(crate) fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A source of numbers that are the same in every run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// The next one, below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

/// Whether this process was started with a signal ignored, as far as the system says. What a shell
/// runs in the background begins with `INT` and `QUIT` ignored, what `nohup` runs with `HUP`, and so do
/// their children.
pub(crate) fn is_ignored(signal: &str) -> bool {
    let number = match signal {
        "HUP" => 1,
        "INT" => 2,
        "QUIT" => 3,
        _ => return false,
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}
