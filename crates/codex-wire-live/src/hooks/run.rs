//! Runs a command of a hook once.

use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::shell;
use crate::conformance::end_group;

/// As much as is kept of what a hook prints. More is read and dropped; Codex keeps all of it.
const KEPT: u64 = 16 << 20;

/// How often a process is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// How long what a hook printed may take to arrive after its end has been forced.
const GRACE: Duration = Duration::from_millis(200);

/// How a hook ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookEnd {
    /// It exited with this status.
    Exit(i32),
    /// A signal ended it.
    Signal,
    /// Its time was up.
    TimedOut,
}

/// A hook that has run.
pub(super) struct Ran {
    pub(super) end: HookEnd,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    pub(super) took: Duration,
}

/// Runs a command as Codex does: in a shell, in the folder of the session, with the environment of its own process,
/// and with the input on standard input. It is over when the process has ended and its output is closed.
pub(super) fn run(command: &str, input: &str, folder: &Path, timeout: Duration) -> io::Result<Ran> {
    let mut shell = shell::command(command);
    shell.current_dir(folder);
    shell
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    own_group(&mut shell);
    let begun = Instant::now();
    let mut child = shell.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        // A hook need not read its input.
        thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    }
    let stdout = collected(child.stdout.take());
    let stderr = collected(child.stderr.take());
    let deadline = begun.checked_add(timeout);
    let mut ended = ended(&mut child, deadline)?;
    let mut printed = [None, None];
    for (kept, receiver) in printed.iter_mut().zip([&stdout, &stderr]) {
        *kept = received(receiver, deadline);
        if kept.is_none() {
            ended = None;
        }
    }
    if ended.is_none() {
        end_group(&child);
        child.kill()?;
        child.wait()?;
        let late = Instant::now().checked_add(GRACE);
        for (kept, receiver) in printed.iter_mut().zip([&stdout, &stderr]) {
            if kept.is_none() {
                *kept = received(receiver, late);
            }
        }
    }
    let [stdout, stderr] = printed.map(Option::unwrap_or_default);
    Ok(Ran {
        end: match ended.map(|status| status.code()) {
            Some(Some(status)) => HookEnd::Exit(status),
            Some(None) => HookEnd::Signal,
            None => HookEnd::TimedOut,
        },
        stdout,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        took: begun.elapsed(),
    })
}

/// Waits for the end of a process, or until its time is up.
fn ended(child: &mut Child, deadline: Option<Instant>) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

/// Collects what a process prints, on a thread of its own.
fn collected(output: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut output) = output {
            // What cannot be read any more has been closed.
            let _ = output.by_ref().take(KEPT).read_to_end(&mut kept);
            let _ = io::copy(&mut output, &mut io::sink());
        }
        // Nobody waits any more for what comes late.
        let _ = sender.send(kept);
    });
    receiver
}

fn received(receiver: &Receiver<Vec<u8>>, deadline: Option<Instant>) -> Option<Vec<u8>> {
    match deadline {
        Some(deadline) => {
            let left = deadline.saturating_duration_since(Instant::now());
            receiver.recv_timeout(left).ok()
        }
        None => receiver.recv().ok(),
    }
}

/// A hook that is ended is ended with all that it started.
#[cfg(unix)]
fn own_group(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt as _;

    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut std::process::Command) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn ran(command: &str, seconds: u64) -> Ran {
        let folder = std::env::temp_dir();
        run(command, "{\"a\":1}", &folder, Duration::from_secs(seconds)).expect("a shell")
    }

    #[test]
    fn what_a_hook_reads_and_prints() {
        let ran = ran("cat; echo no >&2; exit 2", 20);
        assert_eq!(ran.end, HookEnd::Exit(2));
        assert_eq!(
            (ran.stdout.as_slice(), ran.stderr.as_str()),
            (&b"{\"a\":1}"[..], "no\n")
        );
    }

    #[test]
    fn a_hook_need_not_read_and_may_die() {
        assert_eq!(ran("true", 20).end, HookEnd::Exit(0));
        assert_eq!(ran("kill -9 $$", 20).end, HookEnd::Signal);
        assert_eq!(ran("head -c 17000000 /dev/zero", 20).stdout.len(), 16 << 20);
    }

    #[test]
    fn a_hook_that_takes_too_long_is_ended_with_what_it_started() {
        let begun = Instant::now();
        let slow = ran("echo begun; sleep 30", 1);
        assert_eq!(
            (slow.end, slow.stdout.as_slice()),
            (HookEnd::TimedOut, &b"begun\n"[..])
        );
        // Who still could print holds Codex up, too.
        assert_eq!(ran("sleep 30 & echo done", 1).end, HookEnd::TimedOut);
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}
