//! What one run of `codex exec` writes, recorded or made from a script.

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
    /// Whether it runs until it is interrupted.
    hangs: bool,
}

impl ExecPlay {
    /// The output of a recorded run.
    pub fn new(recording: &Recording) -> Self {
        let (bytes, times) = recording.output();
        let about = &recording.about;
        // A shell reports a signal as a status; the stand-in cannot end by every signal.
        let status = about.status.unwrap_or(i32::from(about.signal.is_some()));
        Self::of_output(bytes, times, status)
    }

    /// The output of a run that a script describes. Its lines come a millisecond after each other.
    pub(crate) fn of_lines(lines: &[String], status: i32, hangs: bool) -> Self {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        let times = (0..lines.len() as u64).collect();
        ExecPlay {
            hangs,
            ..Self::of_output(bytes, times, status)
        }
    }

    fn of_output(bytes: Vec<u8>, times: Vec<u64>, status: i32) -> Self {
        let mut first = bytes.split(|byte| *byte == b'\n').take(8);
        ExecPlay {
            thread: first.find_map(thread_of),
            bytes,
            times,
            status,
            hangs: false,
        }
    }

    /// The id of the recorded thread, or session as old releases call it.
    pub fn thread(&self) -> Option<&str> {
        self.thread.as_deref()
    }

    /// The exit status; of a run that hangs, that after an interrupt.
    pub fn status(&self) -> i32 {
        self.status
    }

    /// Whether the run does not end by itself, but only when it is interrupted.
    pub fn hangs(&self) -> bool {
        self.hangs
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

    /// Another output, with the milliseconds before each line, and another status.
    pub(crate) fn replace(&mut self, lines: Vec<(u64, Vec<u8>)>, status: i32) {
        let mut at = 0;
        self.bytes.clear();
        self.times.clear();
        for (after, line) in lines {
            at += after;
            self.times.push(at);
            self.bytes.extend_from_slice(&line);
        }
        self.status = status;
    }

    /// All messages of the agent, in order.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        self.bytes
            .split(|byte| *byte == b'\n')
            .filter_map(message_of)
    }

    /// The tokens of the run, as Codex sums them up for people: input that was not cached, and output. Nothing if the
    /// run does not say it.
    pub fn tokens(&self) -> Option<u64> {
        let usage = self.last(|event| event.get("usage").cloned())?;
        let count = |key: &str| usage[key].as_u64();
        let input = count("input_tokens")?;
        let cached = count("cached_input_tokens").unwrap_or(0);
        Some(input.saturating_sub(cached) + count("output_tokens")?)
    }

    /// Why the turn failed, if it did.
    pub fn failure(&self) -> Option<String> {
        self.last(|event| {
            let error = event
                .get("error")
                .filter(|_| event["type"] == "turn.failed")?;
            Some(error["message"].as_str()?.to_owned())
        })
    }

    /// What the last event has that has it.
    fn last<T>(&self, part: impl Fn(&serde_json::Value) -> Option<T>) -> Option<T> {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        let mut events = lines
            .rev()
            .filter_map(|line| serde_json::from_slice(line).ok());
        events.find_map(|event| part(&event))
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
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    // Up to 0.41.0 it is an event of the core.
    if let Some(event) = value.get("msg") {
        let is_message = event.get("type")? == "agent_message";
        return is_message.then(|| event.get("message")?.as_str().map(str::to_owned))?;
    }
    let kind = Cursor::new(text).peek_tag("type").ok()??;
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
        let about = About::new().status(1);
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
    fn a_run_says_its_tokens_and_why_it_failed() {
        let usage = r#"{"type":"turn.completed","usage":{"input_tokens":137,"cached_input_tokens":21,"output_tokens":12}}"#;
        let play = ExecPlay::of_lines(&[usage.to_owned()], 0, false);
        assert_eq!((play.tokens(), play.failure()), (Some(128), None));
        let failed = r#"{"type":"turn.failed","error":{"message":"no"}}"#;
        let play = ExecPlay::of_lines(&[failed.to_owned()], 1, false);
        assert_eq!(
            (play.tokens(), play.failure()),
            (None, Some("no".to_owned()))
        );
    }

    #[test]
    fn old_releases_write_messages_as_events() {
        let lines = [r#"{"id":"0","msg":{"type":"agent_message","message":"old"}}"#.to_owned()];
        let play = ExecPlay::of_lines(&lines, 0, false);
        assert_eq!(play.last_message().as_deref(), Some("old"));
        assert_eq!(play.thread(), None);
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
