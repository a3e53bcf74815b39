//! Which release a program is: asked for its version, or from the first answer of an app-server.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use codex_wire_base::Release;
use serde_json::Value;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks a program for its version. Nothing if it does not say one in time.
pub(crate) fn ask(command: &mut Command) -> Option<Release> {
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut output = child.stdout.take()?;
    let (said, is_said) = mpsc::channel();
    thread::spawn(move || {
        let mut text = String::new();
        // Whoever asked may have lost patience.
        let _ = said.send(output.read_to_string(&mut text).map(|_| text));
    });
    let text = is_said.recv_timeout(PATIENCE);
    // It has said everything, or takes too long.
    let _ = child.kill();
    let _ = child.wait();
    of_text(&text.ok()?.ok()?)
}

/// The release in `codex-cli 0.125.0`.
fn of_text(text: &str) -> Option<Release> {
    text.lines().next()?.split_whitespace().last()?.parse().ok()
}

/// The release in the answer to `initialize`, as it is written there: `userAgent` is
/// `client/0.125.0 (Debian 12.0.0; x86_64) …`.
pub(crate) fn of_answer(line: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(line).ok()?;
    let agent = message["result"]["userAgent"].as_str()?;
    let (program, _) = agent.split_once(" (").unwrap_or((agent, ""));
    let (_, version) = program.rsplit_once('/')?;
    let release: Release = version.parse().ok()?;
    Some(release.to_string())
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
        let answer = |agent: &str| {
            of_answer(format!(r#"{{"id":1,"result":{{"userAgent":"{agent}"}}}}"#).as_bytes())
        };
        let agent = "my/client/0.98.0 (Debian 12.0.0; x86_64) dumb (my/client; 1.0.0)";
        assert_eq!(answer(agent).as_deref(), Some("0.98.0"));
        assert_eq!(answer("client"), None);
        assert_eq!(of_answer(br#"{"id":1,"result":{}}"#), None);
        assert_eq!(of_answer(b"0.98.0"), None);
    }
}
