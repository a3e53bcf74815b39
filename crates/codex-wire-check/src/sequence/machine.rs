//! Defines what a state machine sees and returns.

use codex_wire_prefilter::View;

use crate::inference::possible::Possible;
use crate::line::end::End;
use crate::rpc::call::Call;
use crate::violation::{MessageRef, Violation};
use crate::writer::Writer;

/// The state of a stream, as far as its rules need it.
pub(crate) trait Machine: Send {
    /// Takes the next message, of whichever side.
    fn message(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>);

    /// Whether the last two messages were deltas of one text, each under `/params/delta`, and
    /// right.
    fn expects_delta(&self) -> bool {
        false
    }

    /// Takes a further delta of that text, in a message that is otherwise the same as the last.
    /// Returns whether it is right; where it is not, nothing has happened.
    fn delta(&mut self, _text: &str) -> bool {
        false
    }

    /// A line of that side, where it is known, could not be read: there may have been a message.
    fn lost(&mut self, from: Option<Writer>, connection: Option<u32>);

    /// A client connects, in a recording.
    fn connected(&mut self, _connection: u32, _out: &mut Vec<Violation>) {}

    /// A connection ends before the recording does. Without a number it is the only one.
    fn closed(&mut self, _connection: Option<u32>, _by: Option<Writer>, _out: &mut Vec<Violation>) {
    }

    /// The input ends. Nothing comes after.
    fn end(&mut self, end: &End, out: &mut Vec<Violation>);
}

/// A message as it is shown to a machine.
pub(crate) struct Observed<'a> {
    /// The message. Of doubled keys it holds the last.
    pub(crate) message: View<'a>,
    /// The message with the first of doubled keys; the same where none is doubled.
    pub(crate) first: View<'a>,
    /// Who writes such messages.
    pub(crate) writer: Writer,
    /// Where it stands.
    pub(crate) message_ref: MessageRef,
    /// Which releases can have written the stream so far.
    pub(crate) releases: Possible<'a>,
    /// The connection it travelled on, where the recording says so.
    pub(crate) connection: Option<u32>,
    /// Whether it stands in a recording of one process, rather than in a log that may hold the
    /// output of several.
    pub(crate) recorded: bool,
    /// Whether its shape breaks a rule at error level.
    pub(crate) misshaped: bool,
    /// What its requests and answers tell of it, in the app-server protocol.
    pub(crate) call: Option<&'a Call>,
}

impl<'a> Observed<'a> {
    /// A text at a JSON Pointer of the message.
    pub(crate) fn text(&self, pointer: &str) -> Option<&'a str> {
        self.message.pointer(pointer)?.as_str()
    }
}
