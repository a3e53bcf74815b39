//! Converts the recording of one release to what another release would have written.
//!
//! The schemas of the other release decide: a member that it does not have is left out, one that it
//! always writes is added, a kind or value that it does not know is left out or becomes the nearest
//! ([`fit`]). What no schema says stands in [`known`] and, with the recordings that show it, in the
//! observed of releases. Then the stream is put in order: `exec`, `core` and `app_server` know which
//! lines a release writes.
//!
//! What the other release cannot say is refused.

mod app_server;
mod core;
mod exec;
mod facts;
mod fit;
mod known;
mod nodes;
mod observed;
mod parse;
mod stream;
mod unsupported;

use codex_wire_base::{MessageSet, Protocol, Release};

use crate::error::{Error, Unsupported};
use crate::recording::Recording;
use unsupported::UnsupportedByRelease;

/// The recording as `release` would have written it. Its own release leaves it as it is.
///
/// # Errors
/// [`Error::UnsupportedByRelease`] when the release has no message for what was recorded, or the recording
/// does not name its release.
pub fn as_release(recording: &Recording, release: Release) -> Result<Recording, Error> {
    Ok(convert(recording, release)?)
}

fn convert(recording: &Recording, release: Release) -> Result<Recording, UnsupportedByRelease> {
    let Some(recorded) = recording.about.release else {
        return Err(UnsupportedByRelease::whole(Unsupported::NoRelease));
    };
    if recorded == release {
        return Ok(recording.clone());
    }
    let mut told = match recording.protocol {
        Protocol::Exec => exec::convert(recording, recorded, release)?,
        Protocol::AppServer => app_server::convert(recording, recorded, release)?,
        Protocol::Core => core::convert(recording, MessageSet::CoreEvents, recorded, release)?,
        other => return Err(UnsupportedByRelease::whole(Unsupported::Protocol(other))),
    };
    told.about.release = Some(release);
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::About;

    fn told(text: &str, from: Release, to: Release) -> Result<String, Error> {
        let about = About::new().release(from).status(0);
        let recording = Recording::read("a", text.into(), about).expect("a recording");
        let told = as_release(&recording, to)?;
        assert_eq!(told.about.release, Some(to));
        Ok(String::from_utf8(told.output().0).expect("text"))
    }

    #[test]
    fn a_run_is_told_in_both_directions() {
        let (old, new) = (Release::new(0, 42, 0), Release::new(0, 169, 0));
        let early = "{\"type\":\"session.created\",\"session_id\":\"t\"}\n\
            {\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"item_type\":\"assistant_message\",\"text\":\"hi\"}}\n";
        let late = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n\
            {\"type\":\"turn.started\"}\n\
            {\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"hi\"}}\n\
            {\"type\":\"turn.completed\",\"usage\":{\"cache_write_input_tokens\":0,\"cached_input_tokens\":0,\"input_tokens\":0,\"output_tokens\":0,\"reasoning_output_tokens\":0}}\n";
        assert_eq!(told(late, new, old).as_deref(), Ok(early));
        let again = told(early, old, new).expect("a run");
        let lines = |text: &str| -> Vec<serde_json::Value> {
            let lines = text.lines().map(serde_json::from_str);
            lines.collect::<Result<_, _>>().expect("JSON")
        };
        assert_eq!(lines(&again), lines(late));
    }

    #[test]
    fn what_cannot_be_said_is_refused_at_its_line() {
        let line = |from: &str, line: &str| {
            serde_json::json!({"kind": "line", "from": from, "line": line}).to_string() + "\n"
        };
        let text = "{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"app-server\"}\n".to_owned()
            + &line(
                "client",
                r#"{"id":1,"method":"turn/steer","params":{"threadId":"t","input":[],"expectedTurnId":"0"}}"#,
            )
            + &line("codex", r#"{"id":1,"result":{"turnId":"0"}}"#);
        let refused = told(&text, Release::new(0, 125, 0), Release::new(0, 98, 0));
        let refused = refused.expect_err("no such request");
        assert_eq!(refused.to_string(), "line 2: 0.98.0 has no `turn/steer`");
    }

    /// Up to 0.29.0, output is an array of bytes.
    #[test]
    fn what_is_no_base64_becomes_no_bytes() {
        let told = |chunk: &str| {
            let event = serde_json::json!({"id": "1", "msg": {"type": "exec_command_output_delta",
                "call_id": "c", "stream": "stdout", "chunk": chunk}});
            let line =
                serde_json::json!({"kind": "line", "from": "codex", "line": event.to_string()});
            let start = "{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"core\"}\n";
            told(
                &format!("{start}{line}\n"),
                Release::new(0, 42, 0),
                Release::new(0, 25, 0),
            )
        };
        let bytes = told("aGk=").expect("bytes");
        assert!(bytes.contains("\"chunk\":[104,105]"), "{bytes}");
        let refused = told("no base64").expect_err("no bytes").to_string();
        assert!(refused.starts_with("line 2: "), "{refused}");
    }
}
