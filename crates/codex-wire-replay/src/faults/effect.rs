//! What a fault can do: to a conversation, to a run, to the lines that are written.

use std::time::Duration;

use serde_json::Value;

use super::log::FaultLog;
use super::random::Random;
use super::run::Run;
use super::talk::Talk;
use crate::conversation::Emission;

/// What one fault does in one session. It does nothing where it says nothing.
pub(crate) trait Effect: Send {
    /// The answer of a conversation to a request of the client, instead of its own.
    fn request(&mut self, _: &Request<'_>) -> Option<Vec<Emission>> {
        None
    }

    /// The lines of a conversation that follow from one of the client.
    fn reaction(&mut self, emissions: Vec<Emission>, _: &mut Talk) -> Vec<Emission> {
        emissions
    }

    /// Changes a run of `codex exec`. Returns whether there was a place for it.
    fn run(&mut self, _: &mut Run) -> bool {
        false
    }

    /// Before anything is read or written.
    fn begin(&mut self) -> Vec<Act> {
        Vec::new()
    }

    /// The client has written this line.
    fn heard(&mut self, _: &str) {}

    /// Takes a line that is to be written. Returns those that are to be written now.
    fn queue(&mut self, line: Vec<u8>) -> Vec<Vec<u8>> {
        vec![line]
    }

    /// How long the lines that it keeps may wait; nothing if it keeps none.
    fn keeps(&self) -> Option<Duration> {
        None
    }

    /// The lines that it keeps.
    fn kept(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// What comes before a line.
    fn before(&mut self, _: &Line<'_>, _: &mut Random) -> Vec<Act> {
        Vec::new()
    }

    /// What comes instead of a line.
    fn instead(&mut self, _: &Line<'_>) -> Option<Vec<Act>> {
        None
    }

    /// The bytes of a line, if they are others.
    fn bytes(&mut self, _: &Line<'_>) -> Option<Vec<u8>> {
        None
    }

    /// The parts in which a line is written.
    fn parts(&mut self, _: &[u8], _: &mut Random) -> Option<Parts> {
        None
    }

    /// After the last line, before the process ends.
    fn end(&mut self) -> Vec<Act> {
        Vec::new()
    }
}

/// Where a fault was injected.
#[derive(Clone, Debug)]
pub(crate) struct Injected {
    pub(super) id: &'static str,
    /// The number after `@`.
    pub(super) number: Option<u64>,
    /// The kind of message after `@`.
    pub(super) message: Option<String>,
    pub(super) log: FaultLog,
    /// Whether it was injected, if it is injected once.
    pub(super) is_done: bool,
}

/// A request of a client.
pub(crate) struct Request<'r> {
    /// The id as JSON.
    pub(super) id: &'r str,
    pub(super) method: &'r str,
    pub(super) params: Option<&'r Value>,
}

/// A line of Codex, with its newline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'l> {
    pub(super) bytes: &'l [u8],
    /// Its number, from 1.
    pub(super) number: u64,
    /// Whether it ends a turn, or is the last one.
    pub(super) is_end: bool,
}

/// What is done where Codex writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Write bytes to standard output, in these parts.
    Write(Vec<u8>, Parts),
    /// Write bytes to standard error, after what was written has gone out.
    Complain(Vec<u8>),
    /// Wait, after what was written has gone out.
    Wait(Duration),
    /// Wait, after what was written has gone out, unless whoever started the process is gone.
    Stay(Duration),
    /// From now on, the signal SIGTERM has no effect.
    IgnoreSigterm,
    /// End the process with this status, after what was written has gone out.
    Exit(u8),
}

/// The parts in which bytes are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parts {
    /// With what comes before and after them, or by themselves.
    Any,
    /// Each byte by itself.
    Bytes,
    /// A write ends at each of these offsets, and the next one comes after this time.
    At(Vec<(usize, Duration)>),
}

impl Injected {
    /// Notes that the fault was injected.
    pub(super) fn note(&self) {
        self.log.note(self.id);
    }

    /// Notes that the fault was injected. Returns whether this is the first time.
    pub(super) fn note_first(&mut self) -> bool {
        if self.is_done {
            return false;
        }
        self.is_done = true;
        self.note();
        true
    }

    /// Whether it is for messages of this kind.
    pub(super) fn is_for(&self, kind: &str) -> bool {
        self.message.as_deref().is_none_or(|own| own == kind)
    }

    /// Whether it is for the turn of this number, if it is for every one unless it says which.
    pub(super) fn is_of_turn(&self, number: u64) -> bool {
        self.number.is_none_or(|own| own == number)
    }

    /// Whether it is for a line: that of its number, or else one that ends a turn.
    pub(super) fn is_at(&self, line: &Line<'_>) -> bool {
        match self.number {
            Some(number) => number == line.number,
            None => line.is_end,
        }
    }
}

impl<'l> Line<'l> {
    pub(super) fn new(bytes: &'l [u8], number: u64, is_end: bool) -> Self {
        Line {
            bytes,
            number,
            is_end,
        }
    }
}

impl Act {
    /// Writes bytes in any parts.
    pub(super) fn write(bytes: impl Into<Vec<u8>>) -> Self {
        Act::Write(bytes.into(), Parts::Any)
    }
}

/// The requests that start a turn, those of old releases included.
pub(super) const STARTS: &[&str] = &[
    "turn/start",
    "sendUserTurn",
    "sendUserMessage",
    "review/start",
];
