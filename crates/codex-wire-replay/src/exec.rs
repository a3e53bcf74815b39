//! Plays recordings of `codex exec`.

use codex_wire_base::json::Cursor;

use crate::recording::Recording;

/// The output of one run of `codex exec`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecPlay {
    /// What is written.
    bytes: Vec<u8>,
    /// When each line is written, in milliseconds since the start; empty if that is not known.
    times: Vec<u64>,
    /// The thread that the run says it is.
    thread: Option<String>,
    /// The exit status.
    status: i32,
}

impl ExecPlay {
    /// The output of a recorded run.
    pub fn new(recording: &Recording) -> Self {
        let (bytes, times) = recording.output();
        let thread = bytes
            .split(|byte| *byte == b'\n')
            .take(8)
            .find_map(thread_of);
        let about = &recording.about;
        ExecPlay {
            thread,
            bytes,
            times,
            // A shell reports a signal as a status; the stand-in cannot end by every signal.
            status: about.status.unwrap_or(i32::from(about.signal.is_some())),
        }
    }

    /// The id of the recorded thread, or session as old releases call it.
    pub fn thread(&self) -> Option<&str> {
        self.thread.as_deref()
    }

    /// The exit status.
    pub fn status(&self) -> i32 {
        self.status
    }

    /// The output.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The lines of the output, each with its newline if it has one, and milliseconds since the one
    /// before.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut before = 0;
        let mut times = self.times.iter();
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let end = match memchr::memchr(b'\n', rest) {
                Some(at) => at + 1,
                None => rest.len(),
            };
            let (line, left) = rest.split_at(end);
            rest = left;
            let at = times.next().copied().unwrap_or(before);
            let after = at.saturating_sub(before);
            before = at;
            (!line.is_empty()).then_some((after, line))
        })
    }

    /// Lets the run be of another thread: its id is replaced wherever it stands.
    pub fn rename_thread(&mut self, live: &str) {
        let Some(recorded) = self.thread.replace(live.to_owned()) else {
            return;
        };
        if recorded == live || recorded.is_empty() {
            return;
        }
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut rest = self.bytes.as_slice();
        while let Some(at) = memchr::memmem::find(rest, recorded.as_bytes()) {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(live.as_bytes());
            rest = &rest[at + recorded.len()..];
        }
        out.extend_from_slice(rest);
        self.bytes = out;
    }

    /// The last message of the agent, which `--output-last-message` writes to a file.
    pub fn last_message(&self) -> Option<String> {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        lines.rev().find_map(message_of)
    }
}

/// The thread that a line says the run is.
fn thread_of(line: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(line).ok()?;
    let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
    text("thread_id").or_else(|| text("session_id"))
}

/// The text of the message that a line completes.
fn message_of(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    // Most lines are not messages, and need not be read whole.
    if !text.contains("agent_message") && !text.contains("assistant_message") {
        return None;
    }
    let kind = Cursor::new(text).peek_tag("type").ok()??;
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let item = value.get("item").filter(|_| kind == "item.completed")?;
    let tag = item
        .get("type")
        .or_else(|| item.get("item_type"))?
        .as_str()?;
    let is_message = matches!(tag, "agent_message" | "assistant_message");
    is_message.then(|| item.get("text")?.as_str().map(str::to_owned))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::About;

    const RUN: &str = "{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n\
        {\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"hi\"}}\n";

    fn play(about: About) -> ExecPlay {
        let recording = Recording::read("a", RUN.into(), about).expect("output");
        ExecPlay::new(&recording)
    }

    #[test]
    fn a_run_has_thread_status_and_message() {
        let about = About {
            status: Some(1),
            ..About::default()
        };
        let mut play = play(about);
        assert_eq!(play.thread(), Some("t-1"));
        assert_eq!(play.status(), 1);
        assert_eq!(play.last_message().as_deref(), Some("hi"));
        play.rename_thread("u-22");
        assert!(
            play.bytes()
                .starts_with(b"{\"type\":\"thread.started\",\"thread_id\":\"u-22\"}\n")
        );
        assert_eq!(play.lines().count(), 2);
    }

    #[test]
    fn times_are_those_between_lines() {
        let text = "{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"exec\"}\n\
            {\"kind\":\"line\",\"from\":\"codex\",\"ms\":5,\"line\":\"a\"}\n\
            {\"kind\":\"line\",\"from\":\"codex\",\"ms\":12,\"line\":\"b\"}\n";
        let recording = Recording::read("a", text.into(), About::default()).expect("a transcript");
        let play = ExecPlay::new(&recording);
        let lines: Vec<_> = play.lines().collect();
        assert_eq!(lines, [(5, &b"a\n"[..]), (7, &b"b\n"[..])]);
    }
}
