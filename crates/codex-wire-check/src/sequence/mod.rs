//! Checks sequences: each dialect has a state machine that sees every message and reports
//! violations of order and pairing.
//!
//! A machine is plain state. It opens nothing, formats nothing and chooses no level: a [`Breach`]
//! names its rule, and its level follows from the releases that can have written the stream.
//!
//! The state is bounded. A machine keeps something for each open thread, turn or item, and
//! remembers finished ids in a [`Memory`]. Both evict the oldest beyond
//! [`Limits::sequence_ids`](crate::Limits::sequence_ids), and rules report nothing about evicted ids.
//!
//! - An invalid message still counts if its tag and its id can be read. Otherwise one mistake would
//!   be reported a second time, as a missing start.
//! - A rule about a missing message reports at a message that cannot come without it, such as a
//!   response, a status or the end of a turn. The end of the input alone proves nothing, because
//!   any recording may be cut: a finding there is at most a warning, unless the exit status of
//!   Codex proves that a message is missing.
//! - After a line that could not be read, [`Machine::lost`] is called. What that line may have
//!   started or completed is then not reported as missing. If a stream starts in the middle, one
//!   finding says so, and nothing from before is reported as missing.
//! - Rules about the cause of a message (for example, who interrupted a turn) apply only to
//!   connections with one client, and accept any plausible cause.

mod app_server;
mod core;
mod exec;
mod memory;
mod value;

use codex_wire_base::{Release, ReleaseSet, Timeline};
use codex_wire_program::View;
use codex_wire_schema::Span;

use crate::finding::Writer;
use crate::form::Form;
use crate::options::Limits;
use crate::rpc::Call;
use crate::rules::Rule;

pub(crate) use memory::{ID_BYTES, Id, Lookup, Memory, MemoryKey, short};

/// The state of a stream, as far as its rules need it.
pub(crate) trait Machine: Send {
    /// Takes the next message, of whichever side.
    fn message(&mut self, seen: &Seen<'_>, out: &mut Vec<Breach>);

    /// Whether the last two messages were pieces of one text, each under `/params/delta`, and
    /// right.
    fn is_told_in_pieces(&self) -> bool {
        false
    }

    /// Takes a further piece of that text, in a message that is otherwise the same as the last.
    /// Returns whether it is right; where it is not, nothing has happened.
    fn piece(&mut self, _text: &str) -> bool {
        false
    }

    /// A line of that side, where it is known, could not be read: there may have been a message.
    fn lost(&mut self, from: Option<Writer>, connection: Option<u32>);

    /// A client connects, in a recording.
    fn connected(&mut self, _connection: u32, _out: &mut Vec<Breach>) {}

    /// A connection ends before the recording does. Without a number it is the only one.
    fn closed(&mut self, _connection: Option<u32>, _by: Option<Writer>, _out: &mut Vec<Breach>) {}

    /// The input ends. Nothing comes after.
    fn end(&mut self, end: &End, out: &mut Vec<Breach>);
}

/// The machine for streams of a form, if it has rules.
pub(crate) fn machine(form: Form, limits: &Limits) -> Option<Box<dyn Machine>> {
    match form {
        Form::Exec => Some(Box::new(exec::Exec::new(limits))),
        Form::ExecLegacy => Some(Box::new(core::Core::legacy(limits))),
        Form::Core => Some(Box::new(core::Core::new(limits))),
        Form::AppServer => Some(Box::new(app_server::App::new(limits))),
    }
}

/// A message as it is shown to a machine.
pub(crate) struct Seen<'a> {
    /// The message. Of doubled keys it holds the last.
    pub(crate) message: View<'a>,
    /// The message with the first of doubled keys; the same where none is doubled.
    pub(crate) first: View<'a>,
    /// Who writes such messages.
    pub(crate) writer: Writer,
    /// Where it stands.
    pub(crate) seat: Seat,
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

impl<'a> Seen<'a> {
    /// A text at a JSON Pointer of the message.
    pub(crate) fn text(&self, pointer: &str) -> Option<&'a str> {
        self.message.pointer(pointer)?.as_str()
    }
}

/// Where a message stands, to be told of later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seat {
    /// The line, from 1.
    pub(crate) line: u64,
    /// Which message of the input it is, from 1.
    pub(crate) message: u64,
}

/// The releases that can have written a stream.
#[derive(Clone, Copy)]
pub(crate) struct Possible<'a> {
    timeline: Timeline,
    /// The one that is stated.
    stated: Option<Release>,
    spans: &'a [Span],
    bits: ReleaseSet,
}

impl<'a> Possible<'a> {
    pub(crate) fn new(
        timeline: Timeline,
        stated: Option<Release>,
        spans: &'a [Span],
        bits: ReleaseSet,
    ) -> Self {
        Possible {
            timeline,
            stated,
            spans,
            bits,
        }
    }

    /// All of them, oldest first.
    pub(crate) fn iter(self) -> impl Iterator<Item = Release> + use<'a> {
        let known = |release| {
            self.timeline
                .floor(release)
                .unwrap_or(self.timeline.first())
        };
        let stated = self.stated.map(known);
        let releases = self.timeline.releases().iter().copied();
        releases.filter(move |release| match stated {
            Some(stated) => *release == stated,
            None => {
                // Spans stand in the order of their releases.
                let behind = self.spans.partition_point(|span| span.since <= *release);
                behind.checked_sub(1).is_some_and(|index| {
                    self.bits.contains(index) && self.spans[index].contains(*release)
                })
            }
        })
    }

    /// Whether there is one only, or it is stated.
    pub(crate) fn is_settled(self) -> bool {
        self.stated.is_some()
    }
}

/// The end of an input.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    /// Whether the last line ends in the middle of a message.
    pub(crate) cut: bool,
    /// How Codex exited, where a recording says so.
    pub(crate) exit: Option<Exit>,
}

/// How Codex exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    /// Its exit status; `None` if a signal ended it.
    pub(crate) status: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<String>,
}

/// A breach of a rule about order or pairing.
#[derive(Clone, Debug)]
pub(crate) struct Breach {
    /// The rule.
    pub(crate) rule: &'static Rule,
    /// The kind of item or message it is about, by which exceptions are chosen.
    pub(crate) of: Option<String>,
    /// The place within the message at hand; at the end of the input it means nothing.
    pub(crate) pointer: String,
    /// What is wrong, in a few words without a full stop. No payload text.
    pub(crate) message: String,
    /// How to read it.
    pub(crate) help: Option<String>,
    /// An earlier message it refers to.
    pub(crate) earlier: Option<Seat>,
    /// Who is to blame; whoever wrote the message at hand if not given.
    pub(crate) blame: Option<Writer>,
}

impl Breach {
    /// A breach of `rule` by the message at hand.
    pub(crate) fn new(
        rule: &'static Rule,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Breach {
            rule,
            of: None,
            pointer: pointer.into(),
            message: message.into(),
            help: None,
            earlier: None,
            blame: None,
        }
    }

    /// Says which kind of item or message it is about.
    #[must_use]
    pub(crate) fn of(mut self, kind: impl Into<String>) -> Self {
        self.of = Some(kind.into());
        self
    }

    /// Says how to read it.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Refers to an earlier message.
    #[must_use]
    pub(crate) fn earlier(mut self, seat: Seat) -> Self {
        self.earlier = Some(seat);
        self
    }

    /// Blames a side other than the writer of the message at hand.
    #[must_use]
    pub(crate) fn blame(mut self, writer: Writer) -> Self {
        self.blame = Some(writer);
        self
    }
}
