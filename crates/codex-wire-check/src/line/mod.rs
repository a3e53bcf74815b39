//! What is known of the line at hand. Each stage adds what it has found out.

pub(crate) mod element;
pub(crate) mod end;
pub(crate) mod positions;

use codex_wire_base::Protocol;
use codex_wire_base::lines::Line;
use codex_wire_prefilter::View;

use self::positions::Positions;
use crate::framing::record::Wrapped;
use crate::rpc::call::Call;
use crate::violation::MessageRef;
use crate::writer::Writer;

/// A line on its way through the stages.
pub(crate) struct LineContext<'a> {
    /// The number of the line.
    pub(crate) line: u64,
    /// The byte offset in the input of the line.
    pub(crate) offset: u64,
    /// Whether the line is an element of an array, which may have newlines in it.
    pub(crate) is_element: bool,
    /// Whether the line is complete.
    pub(crate) ended: bool,
    /// Whether a record of a recording holds it, so that it is no record itself.
    pub(crate) is_inner: bool,
    /// Who wrote it, if a recording says so.
    pub(crate) recorded: Option<Writer>,
    /// The connection it travelled on, if a recording says so.
    pub(crate) connection: Option<u32>,
    /// Framing: the line as text; empty where it is none.
    pub(crate) text: &'a str,
    /// Framing: how many bytes of the line come before the text.
    pub(crate) skipped: usize,
    /// Framing: how many characters these are; `None` where they are no text.
    pub(crate) skipped_characters: Option<u64>,
    /// Framing: which message of the input it is, from 1; that of the last one where it is none.
    pub(crate) message: u64,
    /// Framing: the event of the hook that printed it, if a hook did.
    pub(crate) hook: Option<&'a str>,
    /// Dialect: whether a session file has it from another one.
    pub(crate) is_copied: bool,
    /// Dialect: the protocol the line is taken for.
    pub(crate) protocol: Protocol,
    /// Dialect and RPC: its message set, as an index of those of the dialect, if it is known.
    pub(crate) side: Option<usize>,
    /// Dialect and RPC: who writes such messages, once that is known.
    pub(crate) writer: Option<Writer>,
    /// RPC: its request or response.
    pub(crate) call: Option<Call>,
    /// Where things stand in the text, as far as a finding needed it.
    pub(crate) positions: Positions,
}

impl<'a> LineContext<'a> {
    /// A line of which nothing has been read. `message` is the number of the last message,
    /// `protocol` what the stream is taken for.
    pub(crate) fn new(
        line: &Line<'a>,
        recorded: Option<Writer>,
        message: u64,
        protocol: Protocol,
    ) -> Self {
        let before = line.column.unwrap_or_default();
        LineContext {
            line: line.number,
            offset: line.offset - before.bytes,
            is_element: line.column.is_some(),
            ended: line.ended,
            is_inner: false,
            recorded,
            connection: None,
            text: "",
            skipped: usize::try_from(before.bytes).unwrap_or(0),
            skipped_characters: Some(before.characters),
            message,
            hook: None,
            is_copied: false,
            protocol,
            side: None,
            writer: None,
            call: None,
            positions: Positions::default(),
        }
    }

    /// The line that this line of a recording holds.
    pub(crate) fn inner<'i>(
        &self,
        text: &'i str,
        writer: Option<Writer>,
        connection: Option<u32>,
    ) -> LineContext<'i> {
        LineContext {
            line: self.line,
            offset: self.offset,
            is_element: false,
            ended: true,
            is_inner: true,
            recorded: writer,
            connection,
            text,
            skipped: 0,
            skipped_characters: Some(0),
            message: self.message,
            hook: None,
            is_copied: false,
            protocol: self.protocol,
            side: None,
            writer: None,
            call: None,
            positions: Positions::default(),
        }
    }

    /// The message that is a part of this line, and not a string in it. Its places are those in the
    /// line.
    pub(crate) fn part<'i>(
        &self,
        wrapped: Wrapped<'i>,
        connection: Option<u32>,
    ) -> LineContext<'i> {
        let text = wrapped.value.as_written();
        let start = offset(self.text, wrapped.value).unwrap_or(0);
        let before = self.text.get(..start).unwrap_or_default();
        let mut part = self.inner(text, wrapped.writer, connection);
        part.is_element = self.is_element;
        match self.newline_before(start) {
            Some((lines, newline)) => {
                part.line += lines;
                part.skipped = start - newline - 1;
                part.offset = self.offset + (self.skipped + newline + 1) as u64;
                let before = before.get(newline + 1..).unwrap_or_default();
                part.skipped_characters = Some(before.chars().count() as u64);
            }
            None => {
                let before = before.chars().count() as u64;
                part.skipped = self.skipped + start;
                part.skipped_characters = self.skipped_characters.map(|skipped| skipped + before);
            }
        }
        part
    }

    /// Of an element of an array: how many newlines come before a byte of it, and where the last of them
    /// is. `None` if there are none.
    pub(crate) fn newline_before(&self, at: usize) -> Option<(u64, usize)> {
        let before = self.text.as_bytes().get(..at).filter(|_| self.is_element)?;
        let last = memchr::memrchr(b'\n', before)?;
        Some((memchr::memchr_iter(b'\n', before).count() as u64, last))
    }

    /// Who wrote it, as far as that is known: by the recording, else by the message.
    pub(crate) fn written_by(&self) -> Option<Writer> {
        self.recorded.or(self.writer)
    }

    /// Where the message stands.
    pub(crate) fn message_ref(&self) -> MessageRef {
        MessageRef {
            line: self.line,
            message: self.message,
        }
    }
}

/// Where a value stands in the text that it is a part of.
pub(crate) fn offset(text: &str, value: View<'_>) -> Option<usize> {
    let start = value.as_written().as_ptr().addr();
    start.checked_sub(text.as_ptr().addr())
}
