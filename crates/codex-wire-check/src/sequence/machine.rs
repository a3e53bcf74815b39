//! The interface between the sequence stage and the state machine of a dialect.
//!
//! A [`Machine`] knows the rules about order of one dialect, or of two that are alike;
//! [`machine_of`](super::machines::machine_of) lists them. A dialect whose messages do not depend on
//! each other has [`NoRules`]. Only [`Sequence`](super::state::Sequence) calls them. It makes one machine for each
//! input, with the first message of a known dialect, and calls it in the order of the lines:
//! [`message`](Machine::message) for each message, [`lost`](Machine::lost) for each line that could
//! not be read, and [`end`](Machine::end) once.
//!
//! # States and transitions
//!
//! The *state* is the struct that implements [`Machine`]: which run, turns, items and requests are
//! open, and which ids are finished. There is no enum of states and no table.
//!
//! A *transition* is one call of [`message`](Machine::message). The kind of the message selects a
//! method, such as `Exec::turn_started` for `turn.started`. The method compares the message with
//! the state, pushes a [`Violation`] for each rule that the message breaks, and changes the state.
//! The state also changes if a rule is broken: otherwise one mistake would be reported at each
//! message that follows.
//!
//! # To add one
//!
//! 1. If the rule needs to remember something, add a field to the state. If the field holds ids,
//!    use a [`BoundedMap`](crate::bounded_map::BoundedMap).
//! 2. Find the kind of message in the `match` of `message`, or add a case that calls a new method.
//! 3. If the rule reports that something is missing, report nothing after a lost line: the missing
//!    message may have been there. [`lost`](Machine::lost) sets the flag to ask.
//! 4. Push the violation, such as `AfterEnd { tag, end }.at("/type")`. If an earlier message explains
//!    it, add `.earlier(message_ref, "the item started here")`.
//!
//! # Units
//!
//! Lines, messages and connections are counted, not bytes: see [`MessageRef`] and
//! [`Observed::connection`]. The limit on remembered ids is a number of ids. A machine sees no
//! clock: nothing depends on time.

use codex_wire_prefilter::View;

use crate::dialect::session_file::SessionLine;
use crate::inference::possible::Possible;
use crate::line::end::End;
use crate::rpc::call::Call;
use crate::violation::{MessageRef, Violation};
use crate::writer::Writer;

/// The state of one stream, and its transitions. See the [module](self) for how to add one.
///
/// Every method that takes `out` adds the violations it finds to it.
pub(crate) trait Machine: Send {
    /// Takes the next message, of either side.
    fn message(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>);

    /// Whether the last two messages were valid deltas of one text, each under `/params/delta`. If
    /// so, the fast path may call [`delta`](Machine::delta) for the next one.
    fn expects_delta(&self) -> bool {
        false
    }

    /// Takes a further delta of that text, in a message that is otherwise the same as the last.
    /// Returns whether the delta is valid. If not, the state is unchanged, and the caller passes the
    /// whole message to [`message`](Machine::message).
    fn delta(&mut self, _text: &str) -> bool {
        false
    }

    /// A line could not be read. It may have held a message, so a message that is not seen is no
    /// longer proof that it is missing. `from` is the side that wrote the line and `connection` its
    /// connection, if they are known.
    fn lost(&mut self, from: Option<Writer>, connection: Option<u32>);

    /// A client connects, in a recording.
    fn connected(&mut self, _connection: u32, _out: &mut Vec<Violation>) {}

    /// A connection ends before the recording does. `connection` is `None` if there is only one.
    /// `by` is the side that closed it, if that is known.
    fn closed(&mut self, _connection: Option<u32>, _by: Option<Writer>, _out: &mut Vec<Violation>) {
    }

    /// The input ends. This is the last call: rules about missing messages report here.
    fn end(&mut self, end: &End, out: &mut Vec<Violation>);
}

/// The machine of a dialect whose messages do not depend on each other.
pub(crate) struct NoRules;

impl Machine for NoRules {
    fn message(&mut self, _seen: &Observed<'_>, _out: &mut Vec<Violation>) {}

    fn lost(&mut self, _from: Option<Writer>, _connection: Option<u32>) {}

    fn end(&mut self, _end: &End, _out: &mut Vec<Violation>) {}
}

/// A message, and what the stages before have found out about it.
pub(crate) struct Observed<'a> {
    /// The message. If a key occurs twice, this view has the last value.
    pub(crate) message: View<'a>,
    /// The message with the first value of each duplicate key. Without duplicates it is the same.
    pub(crate) first: View<'a>,
    /// The side that writes such messages.
    pub(crate) writer: Writer,
    /// Its line and its number, to refer to it later.
    pub(crate) message_ref: MessageRef,
    /// The releases that can have written the stream so far.
    pub(crate) releases: Possible<'a>,
    /// The number of its connection, if the recording has one.
    pub(crate) connection: Option<u32>,
    /// Whether a recording or the caller says who wrote it. Then the stream is of one process; a plain log may
    /// hold the output of several.
    pub(crate) has_stated_writer: bool,
    /// Whether it breaks another rule at error level, for example `schema/wrong-type`.
    pub(crate) is_invalid: bool,
    /// Whether a session file has it from another one.
    pub(crate) is_copied: bool,
    /// The event of the hook that printed it, if a hook did.
    pub(crate) hook: Option<&'a str>,
    /// What JSON-RPC says of it, in the app-server protocol.
    pub(crate) call: Option<&'a Call>,
    /// The line of a session file that it is.
    pub(crate) session_line: Option<SessionLine<'a>>,
}

impl<'a> Observed<'a> {
    /// A text at a JSON Pointer of the message.
    pub(crate) fn text(&self, pointer: &str) -> Option<&'a str> {
        self.message.pointer(pointer)?.as_str()
    }
}
