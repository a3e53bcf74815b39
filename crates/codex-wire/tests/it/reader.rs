//! The reader of streams: every line its place, no line the last because it is bad.

use std::io::{self, BufRead, Read};

use codex_wire::exec::Event;
use codex_wire::{ErrorKind, Message, Reader};
use proptest::prelude::*;

use crate::support::{files, samples};

/// Gives one byte at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("a reader of lines fills the buffer instead")
    }
}

impl BufRead for Trickle<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(&self.0[..self.0.len().min(1)])
    }

    fn consume(&mut self, amount: usize) {
        self.0 = &self.0[amount..];
    }
}

fn all(stream: &[u8]) -> Vec<Message<Event>> {
    let messages = collect(Reader::new(stream));
    // In the smallest pieces it is the same.
    let trickled = collect(Reader::new(Trickle(stream)));
    assert_eq!(described(&messages), described(&trickled));
    check_places(stream, &messages);
    messages
}

fn collect(reader: impl Iterator<Item = io::Result<Message<Event>>>) -> Vec<Message<Event>> {
    reader
        .collect::<io::Result<_>>()
        .expect("the stream can be read")
}

fn described(messages: &[Message<Event>]) -> Vec<String> {
    messages
        .iter()
        .map(|message| format!("{message:?}"))
        .collect()
}

/// Every message's text stands where the message says, on the line it says.
fn check_places(stream: &[u8], messages: &[Message<Event>]) {
    for message in messages {
        let at = usize::try_from(message.offset).expect("a small stream");
        assert!(stream[at..].starts_with(&message.text));
        assert!(at == 0 || stream[at - 1] == b'\n');
        let end = stream.get(at + message.text.len());
        assert!(matches!(end, None | Some(b'\n')));
        let newlines = stream[..at].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(message.line, newlines as u64 + 1);
        if let Err(error) = &message.value {
            assert_eq!(error.line(), message.line);
            assert_eq!(error.column(), error.offset() + 1);
            assert!(error.offset() <= message.text.len());
        }
    }
}

fn lines(messages: &[Message<Event>]) -> Vec<(u64, u64, bool)> {
    messages
        .iter()
        .map(|m| (m.line, m.offset, m.value.is_ok()))
        .collect()
}

const TURN: &str = r#"{"type":"turn.started"}"#;

#[test]
fn nothing() {
    assert!(all(b"").is_empty());
    assert!(all(b"\n\r\n \t\n   ").is_empty());
}

#[test]
fn blank_lines_count_and_are_passed_over() {
    let stream = format!("\n \t\r\n{TURN}\n\n{TURN}\n\n");
    assert_eq!(
        lines(&all(stream.as_bytes())),
        [(3, 5, true), (5, 30, true)]
    );
}

#[test]
fn crlf() {
    let stream = format!("{TURN}\r\n\r\n{TURN}\r\n");
    let messages = all(stream.as_bytes());
    assert_eq!(lines(&messages), [(1, 0, true), (3, 27, true)]);
    assert_eq!(messages[0].text, format!("{TURN}\r").as_bytes());
}

#[test]
fn the_last_line_needs_no_newline() {
    assert_eq!(lines(&all(TURN.as_bytes())), [(1, 0, true)]);
    let cut = format!("{TURN}\n{}", &TURN[..12]);
    let messages = all(cut.as_bytes());
    assert_eq!(lines(&messages), [(1, 0, true), (2, 24, false)]);
    let error = messages[1].value.as_ref().unwrap_err();
    assert_eq!((error.line(), error.column()), (2, 13));
    assert!(matches!(error.kind(), ErrorKind::Syntax(_)), "{error}");
}

#[test]
fn separators_that_are_no_newlines() {
    let text = "a\u{2028}b\u{2029}c\u{85}d";
    let stream = format!("{{\"type\":\"error\",\"message\":\"{text}\"}}\n{TURN}\n");
    let messages = all(stream.as_bytes());
    assert_eq!(messages.len(), 2);
    assert_eq!(
        messages[0].value.as_ref().unwrap().error_message(),
        Some(text)
    );
    // A form feed and a lone carriage return end no line either.
    let stream = format!("{TURN}\r{TURN}\n{TURN}\u{c}{TURN}\n");
    assert_eq!(
        lines(&all(stream.as_bytes())),
        [(1, 0, false), (2, 48, false)]
    );
}

#[test]
fn white_space_that_json_does_not_have_is_not_blank() {
    let messages = all("\u{c}\n\u{a0}\n\u{b}\n".as_bytes());
    assert_eq!(
        lines(&messages),
        [(1, 0, false), (2, 2, false), (3, 5, false)]
    );
}

#[test]
fn bad_lines_stop_nothing() {
    let mut stream = Vec::new();
    let bad: [&[u8]; 8] = [
        b"not a message",
        b"{\"type\":\"error\",\"message\":\"a\xff\"}",
        b"\xef\xbb\xbf{\"type\":\"turn.started\"}",
        b"{\"type\":\"turn.started\"} {}",
        b"[]",
        b"{\"type\":\"turn.started\"",
        b"\0",
        b"{}",
    ];
    for line in bad {
        stream.extend_from_slice(line);
        stream.push(b'\n');
        stream.extend_from_slice(TURN.as_bytes());
        stream.push(b'\n');
    }
    let messages = all(&stream);
    let good: Vec<bool> = messages
        .iter()
        .map(|message| message.value.is_ok())
        .collect();
    assert_eq!(good, [false, true].repeat(bad.len()));
    let error = messages[2].value.as_ref().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::InvalidUtf8);
    assert_eq!((error.line(), error.column(), error.offset()), (3, 29, 28));
}

#[test]
fn lines_over_the_limit() {
    let long = format!(r#"{{"type":"error","message":"{}"}}"#, "x".repeat(100));
    let stream = format!("{TURN}\n{long}\n{TURN}\n{long}");
    for (limit, good) in [
        (TURN.len() - 1, [false, false, false, false]),
        (TURN.len(), [true, false, true, false]),
        (long.len() - 1, [true, false, true, false]),
        (long.len(), [true, true, true, true]),
    ] {
        let messages = collect(Reader::with_limit(stream.as_bytes(), limit));
        let trickled = collect(Reader::with_limit(Trickle(stream.as_bytes()), limit));
        assert_eq!(described(&messages), described(&trickled));
        let found: Vec<bool> = messages
            .iter()
            .map(|message| message.value.is_ok())
            .collect();
        assert_eq!(found, good, "limit {limit}");
        let offsets: Vec<_> = messages.iter().map(|m| (m.line, m.offset)).collect();
        let second = TURN.len() as u64 + 1;
        let third = second + long.len() as u64 + 1;
        assert_eq!(
            offsets,
            [(1, 0), (2, second), (3, third), (4, third + second)]
        );
        for message in &messages {
            assert!(message.text.len() <= limit);
            if let Err(error) = &message.value {
                assert_eq!(*error.kind(), ErrorKind::LineTooLong { limit });
                assert_eq!((error.line(), error.offset()), (message.line, limit));
            }
        }
    }
}

#[test]
fn a_limit_of_nothing() {
    let reader = Reader::<_, Event>::with_limit(&b"\n \n{}\n\r\n"[..], 0);
    let found: Vec<_> = reader
        .map(|m| m.unwrap())
        .map(|m| (m.line, m.text))
        .collect();
    assert_eq!(found, [(2, vec![]), (3, vec![]), (4, vec![])]);
    let mut reader = Reader::<_, Event>::with_limit(&b"no newline"[..], 0);
    assert_eq!(reader.next().unwrap().unwrap().line, 1);
    assert!(reader.next().is_none());
}

/// Blank or not, a line that does not fit is reported, because the rest of it was not seen.
#[test]
fn a_long_blank_line_is_too_long() {
    let stream = format!("{}\n{TURN}\n", " ".repeat(100));
    let reader = Reader::<_, Event>::with_limit(stream.as_bytes(), 50);
    let found: Vec<_> = reader.map(|m| m.unwrap().value.is_ok()).collect();
    assert_eq!(found, [false, true]);
}

#[test]
fn many_lines() {
    let count = 200_000;
    let stream = format!("{TURN}\n\n").repeat(count);
    let mut seen = 0u64;
    for message in Reader::<_, Event>::new(stream.as_bytes()) {
        let message = message.unwrap();
        assert_eq!((message.line, message.offset), (2 * seen + 1, 25 * seen));
        assert!(message.value.is_ok());
        seen += 1;
    }
    assert_eq!(seen, count as u64);
}

/// Interrupts now and then, and breaks for good at the end.
struct Rough {
    rest: Vec<u8>,
    turn: u32,
}

impl Read for Rough {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("a reader of lines fills the buffer instead")
    }
}

impl BufRead for Rough {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.turn += 1;
        if self.turn.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.rest.is_empty() {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Ok(&self.rest[..self.rest.len().min(5)])
    }

    fn consume(&mut self, amount: usize) {
        self.rest.drain(..amount);
    }
}

#[test]
fn interruptions_and_the_end_of_a_connection() {
    let rest = format!("{TURN}\n{TURN}\nhalf a li").into_bytes();
    let mut reader = Reader::<_, Event>::new(Rough { rest, turn: 0 });
    assert!(reader.next().unwrap().unwrap().value.is_ok());
    assert_eq!(reader.next().unwrap().unwrap().line, 2);
    let error = reader.next().unwrap().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    assert!(reader.next().is_none());
}

#[test]
fn transcripts() {
    for path in files::transcripts() {
        let text = files::read(&path);
        let messages = collect(Reader::new(text.as_bytes()));
        check_places(text.as_bytes(), &messages);
        assert_eq!(messages.len(), files::lines(&path).len());
    }
}

proptest! {
    #[test]
    fn any_stream(parts in prop::collection::vec(part(), 0..12)) {
        let stream = parts.concat();
        let messages = all(&stream);
        let expected = stream
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.iter().all(|byte| b" \t\r".contains(byte)))
            .count();
        prop_assert_eq!(messages.len(), expected);
    }
}

fn part() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => prop::sample::select(samples::LINES).prop_map(|line| line.as_bytes().to_vec()),
        4 => Just(b"\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just("\u{2028}".into()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ]
}
