//! Asks a program which release of Codex it is.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use codex_wire_base::Release;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks a program for its version, with `--version`. Nothing if it does not say one within ten seconds.
pub fn version(command: &mut Command) -> Option<Release> {
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut output = BufReader::new(child.stdout.take()?);
    let (said, is_said) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        // One line, since a program that stays may keep the pipe open. Whoever asked may have lost patience.
        let _ = said.send(output.read_line(&mut line).map(|_| line));
    });
    let line = is_said.recv_timeout(PATIENCE);
    // It has said what was asked, or takes too long.
    let _ = child.kill();
    let _ = child.wait();
    of_text(&line.ok()?.ok()?)
}

/// The release in `codex-cli 0.125.0`.
fn of_text(text: &str) -> Option<Release> {
    text.lines().next()?.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_read_from_what_codex_says() {
        assert_eq!(
            of_text("codex-cli 0.125.0\n"),
            Some(Release::new(0, 125, 0))
        );
        assert_eq!(of_text("0.125.0"), Some(Release::new(0, 125, 0)));
        assert_eq!(of_text("usage: codex\n"), None);
        assert_eq!(of_text(""), None);
    }
}
