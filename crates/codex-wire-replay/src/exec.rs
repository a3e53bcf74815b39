//! What one run of `codex exec` writes, recorded or made from a script.

use std::borrow::Cow;
use std::sync::Arc;

use codex_wire_base::json::Cursor;

use crate::recording::{Lines, Recording, Writer};
use crate::text::Text;

/// The output of one run of `codex exec`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecPlay {
    written: Written,
    /// When each line is written, in milliseconds since the start; empty if that is not known.
    times: Vec<u64>,
    /// The thread that the run says it is.
    thread: Option<String>,
    /// The thread that was recorded, if another one stands in its place.
    renamed: Option<String>,
    /// The exit status.
    status: i32,
    /// Whether it runs until it is interrupted.
    hangs: bool,
}

/// What is written. A recording can be large: this is a part of it, and no copy.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Written {
    /// The output as it is.
    Bytes(Arc<Vec<u8>>),
    /// Lines without their newlines.
    Texts(Vec<Text>),
}

impl ExecPlay {
    /// The output of a recorded run.
    pub fn new(recording: &Recording) -> Self {
        let (written, times) = match &recording.lines {
            Lines::Plain(bytes) => (Written::Bytes(Arc::clone(bytes)), Vec::new()),
            Lines::Transcript(lines) => {
                let lines = lines.iter().filter(|line| line.writer == Writer::Codex);
                let times = lines.clone().filter_map(|line| line.ms).collect();
                let texts = lines.map(|line| line.text.clone()).collect();
                (Written::Texts(texts), times)
            }
        };
        let about = &recording.about;
        // A shell reports a signal as a status; the stand-in cannot end by every signal. A turn that failed has
        // status 1 in every recording.
        let fails =
            || about.signal.is_some() || written.lines().next_back().is_some_and(is_failure);
        let status = about.status.unwrap_or_else(|| i32::from(fails()));
        Self::of_output(written, times, status)
    }

    /// The output of a run that a script describes. Its lines come a millisecond after each other.
    pub(crate) fn of_lines(lines: &[String], status: i32, hangs: bool) -> Self {
        let texts = lines.iter().map(|line| Text::from(line.as_str())).collect();
        let times = (0..lines.len() as u64).collect();
        ExecPlay {
            hangs,
            ..Self::of_output(Written::Texts(texts), times, status)
        }
    }

    fn of_output(written: Written, times: Vec<u64>, status: i32) -> Self {
        let thread = written.lines().take(8).find_map(thread_of);
        ExecPlay {
            thread,
            written,
            times,
            renamed: None,
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

    /// The output, copied.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (_, line) in self.lines() {
            bytes.extend_from_slice(&line);
        }
        bytes
    }

    /// The lines of the output, each with its newline if it has one, and milliseconds since the one
    /// before.
    pub fn lines(&self) -> impl Iterator<Item = (u64, Cow<'_, [u8]>)> {
        let mut before = 0;
        let mut times = self.times.iter();
        self.written.lines().map(move |line| {
            let at = times.next().copied().unwrap_or(before);
            let after = at.saturating_sub(before);
            before = at;
            let mut line = self.named(line);
            if let Written::Texts(_) = self.written {
                line.to_mut().push(b'\n');
            }
            (after, line)
        })
    }

    /// Lets the run be of another thread: its id is replaced wherever it stands.
    pub fn rename_thread(&mut self, live: &str) {
        let Some(said) = self.thread.replace(live.to_owned()) else {
            return;
        };
        let recorded = self.renamed.take().unwrap_or(said);
        self.renamed = (recorded != live && !recorded.is_empty()).then_some(recorded);
    }

    /// A line with the id of the live thread.
    fn named<'l>(&self, line: &'l [u8]) -> Cow<'l, [u8]> {
        let (Some(recorded), Some(live)) = (&self.renamed, &self.thread) else {
            return line.into();
        };
        let recorded = recorded.as_bytes();
        let mut out = Vec::new();
        let mut rest = line;
        while let Some(at) = memchr::memmem::find(rest, recorded) {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(live.as_bytes());
            rest = &rest[at + recorded.len()..];
        }
        if rest.len() == line.len() {
            return line.into();
        }
        out.extend_from_slice(rest);
        out.into()
    }

    /// Another output, with the milliseconds before each line, and another status.
    pub(crate) fn replace(&mut self, lines: Vec<(u64, Vec<u8>)>, status: i32) {
        let mut at = 0;
        let mut bytes = Vec::new();
        self.times.clear();
        for (after, line) in lines {
            at += after;
            self.times.push(at);
            bytes.extend_from_slice(&line);
        }
        self.written = Written::Bytes(Arc::new(bytes));
        self.renamed = None;
        self.status = status;
    }

    /// All messages of the agent, in order.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        self.written
            .lines()
            .filter_map(|line| message_of(&self.named(line)))
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
        let lines = self.written.lines().rev();
        let mut events = lines.filter_map(|line| serde_json::from_slice(&self.named(line)).ok());
        events.find_map(|event| part(&event))
    }

    /// The last message of the agent, which `--output-last-message` writes to a file. A turn that failed has none.
    pub fn last_message(&self) -> Option<String> {
        for line in self.written.lines().rev() {
            let line = self.named(line);
            let message = message_of(&line);
            if message.is_some() || is_failure(&line) {
                return message;
            }
        }
        None
    }
}

impl Written {
    /// The lines as they are held.
    fn lines(&self) -> Box<dyn DoubleEndedIterator<Item = &[u8]> + '_> {
        match self {
            Written::Bytes(bytes) => Box::new(bytes.split_inclusive(|byte| *byte == b'\n')),
            Written::Texts(texts) => Box::new(texts.iter().map(|text| text.as_bytes())),
        }
    }
}

/// The thread that a line says the run is.
fn thread_of(line: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(line).ok()?;
    let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
    text("thread_id").or_else(|| text("session_id"))
}

/// Whether a line says that the turn failed.
fn is_failure(line: &[u8]) -> bool {
    let text = std::str::from_utf8(line).unwrap_or_default();
    let tag = Cursor::new(text).peek_tag("type").ok().flatten();
    tag.is_some_and(|tag| tag == "turn.failed")
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
    fn without_a_status_a_turn_that_failed_exits_with_1() {
        let failed =
            format!("{RUN}{{\"type\":\"turn.failed\",\"error\":{{\"message\":\"no\"}}}}\n");
        for (lines, about, status) in [
            (failed.as_str(), About::new(), 1),
            (RUN, About::new(), 0),
            (failed.as_str(), About::new().status(3), 3),
        ] {
            let recording = Recording::read("a", lines.into(), about).expect("output");
            assert_eq!(ExecPlay::new(&recording).status(), status, "{lines}");
        }
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
        assert_eq!(lines, [(5, b"a\n"[..].into()), (7, b"b\n"[..].into())]);
    }
}
