//! What is known of the line at hand. Each stage adds what it has found out.

pub(crate) mod end;
pub(crate) mod positions;

use codex_wire_base::Protocol;
use codex_wire_base::lines::Line;

use self::positions::Positions;
use crate::rpc::call::Call;
use crate::violation::MessageRef;
use crate::writer::Writer;

/// A line on its way through the stages.
pub(crate) struct LineContext<'a> {
    /// The number of the line.
    pub(crate) line: u64,
    /// The byte offset in the input of the line.
    pub(crate) offset: u64,
    /// Whether the line is complete.
    pub(crate) ended: bool,
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
        LineContext {
            line: line.number,
            offset: line.offset,
            ended: line.ended,
            recorded,
            connection: None,
            text: "",
            skipped: 0,
            skipped_characters: Some(0),
            message,
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
        writer: Writer,
        connection: Option<u32>,
    ) -> LineContext<'i> {
        LineContext {
            line: self.line,
            offset: self.offset,
            ended: true,
            recorded: Some(writer),
            connection,
            text,
            skipped: 0,
            skipped_characters: Some(0),
            message: self.message,
            protocol: self.protocol,
            side: None,
            writer: None,
            call: None,
            positions: Positions::default(),
        }
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
