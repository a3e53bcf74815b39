//! A run of `codex exec --json`.

use std::io::{self, BufRead as _, BufReader};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::Release;
use serde_json::Value;

use super::recording::Recording;
use super::set::{Set, Until};

/// Longer than a run takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(90);

/// Stands for the thread of the process before.
pub(super) const THREAD: &str = "{thread}";

/// What a terminal sends when the user wants to stop.
pub(super) const INTERRUPT: i32 = 2;

/// What no process survives.
pub(super) const KILL: i32 = 9;

/// The first release in which `codex exec` has the command `resume`.
const HAS_RESUME: Release = Release::new(0, 36, 0);

/// Runs `codex exec --json` with these arguments to its end.
pub(super) fn run(set: &mut Set, args: &[&str], until: Option<Until>) -> io::Result<Recording> {
    let mut full: Vec<String> = ["exec", "--json", "--skip-git-repo-check"]
        .map(str::to_owned)
        .to_vec();
    full.extend(arguments(set, args)?);
    let mut command = Command::new(set.program);
    command.args(&full);
    let (bytes, status, complaint) = perform(set.home.furnish(&mut command), until)?;
    let thread = thread_of(&bytes);
    // Earlier streams do not name it.
    set.thread = match thread {
        Some(thread) => thread,
        None => set.home.thread()?.unwrap_or_default(),
    };
    Ok(Recording {
        name: String::new(),
        protocol: "exec",
        args: full,
        bytes,
        exit_code: status.code(),
        signal: until.map(|until| until.signal),
        complaint,
    })
}

/// The arguments as the release knows them.
fn arguments(set: &Set, args: &[&str]) -> io::Result<Vec<String>> {
    let mut out = Vec::new();
    for arg in args {
        match *arg {
            "resume" if set.release < HAS_RESUME => {
                let path = set.home.newest_session()?.unwrap_or_default();
                out.push("-c".to_owned());
                out.push(format!("experimental_resume={}", path.display()));
            }
            THREAD if set.release < HAS_RESUME => {}
            THREAD => out.push(set.thread.clone()),
            arg => out.push(arg.to_owned()),
        }
    }
    Ok(out)
}

/// The thread that a stream begins with.
fn thread_of(stream: &[u8]) -> Option<String> {
    let line = stream.split(|byte| *byte == b'\n').next()?;
    let first: Value = serde_json::from_slice(line).ok()?;
    first["thread_id"].as_str().map(str::to_owned)
}

/// Runs a command to its end, and sends it a signal once a line has that text.
fn perform(
    command: &mut Command,
    mut until: Option<Until>,
) -> io::Result<(Vec<u8>, ExitStatus, Option<String>)> {
    let quiet = command.stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.stdout(Stdio::piped()).spawn()?;
    let (sender, lines) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        let mut output = BufReader::new(output);
        thread::spawn(move || {
            let mut line = Vec::new();
            while output
                .read_until(b'\n', &mut line)
                .is_ok_and(|read| read > 0)
            {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
    }
    let (mut bytes, mut complaint) = (Vec::new(), None);
    let end = Instant::now() + PATIENCE;
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                bytes.extend_from_slice(&line);
                let text = String::from_utf8_lossy(&line);
                let has = |until: &Until| until.texts.iter().any(|word| text.contains(word));
                if let Some(until) = until.take_if(|until| has(until)) {
                    // What comes at once is let through: a delta, the start of a command.
                    thread::sleep(Duration::from_millis(500));
                    send(until.signal, child.id())?;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                complaint = Some("it does not end".to_owned());
                child.kill()?;
                break;
            }
        }
    }
    let status = child.wait()?;
    if let Some(until) = until {
        complaint = Some(format!("no line has `{}`", until.texts.join("` or `")));
    }
    Ok((bytes, status, complaint))
}

/// Sends a signal, as a terminal does it.
fn send(signal: i32, process: u32) -> io::Result<()> {
    let (signal, process) = (format!("-{signal}"), process.to_string());
    Command::new("kill")
        .args([&signal, &process])
        .status()
        .map(drop)
}
