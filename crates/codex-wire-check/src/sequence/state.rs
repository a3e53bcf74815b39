//! What the sequence stage knows of a stream.

use codex_wire_base::transcript;
use codex_wire_prefilter::Keys;

use super::machine::{Machine, Observed};
use super::machines::machine_of;
use crate::line::end::{End, Exit};
use crate::options::Limits;
use crate::validation::validate::Validated;
use crate::violation::Violation;
use crate::writer::Writer;

/// How a message stands among those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sequenced {
    /// Its stream has no order.
    Unordered,
    /// Its stream has one.
    Ordered,
    /// And like the message before, it was a delta of one text: there may be more of them.
    Delta,
}

/// The order of the messages of one input.
#[derive(Default)]
pub(crate) struct Sequence {
    /// Made with the first message of a known dialect.
    machine: Option<Box<dyn Machine>>,
    /// Whether a line could not be read before there was a machine.
    lost: bool,
    /// How the input ends.
    pub(crate) end: End,
}

impl Sequence {
    /// A line of that side could not be read.
    pub(crate) fn lose(&mut self, writer: Option<Writer>, connection: Option<u32>) {
        match &mut self.machine {
            Some(machine) => machine.lost(writer, connection),
            None => self.lost = true,
        }
    }

    /// The input ends in the middle of a message.
    pub(crate) fn cut(&mut self) {
        self.end.cut = true;
    }

    /// The checker stops reading before the end of the input, so nothing is reported as missing.
    pub(crate) fn goes_on(&mut self) {
        self.machine = None;
    }

    /// A message of the stream. `is_invalid` says whether it breaks a rule at error level.
    pub(crate) fn message(
        &mut self,
        validated: &Validated<'_, '_>,
        is_invalid: bool,
        limits: &Limits,
    ) -> (Sequenced, Vec<Violation>) {
        let mut out = Vec::new();
        let inferred = validated.of;
        let attributed = inferred.of;
        if !attributed.is_known {
            // The dialect is not known yet, so this message is lost to the machine.
            self.lost = true;
            return (Sequenced::Ordered, out);
        }
        let lost = self.lost;
        let machine = self.machine.get_or_insert_with(|| {
            let mut machine = machine_of(attributed.dialect, limits);
            if lost {
                machine.lost(None, None);
            }
            machine
        });
        let message = attributed.message;
        let observed = Observed {
            message: message.view,
            first: match message.duplicates.is_empty() {
                true => message.view,
                false => message.view.with(Keys::First),
            },
            writer: attributed.writer_by_message(),
            message_ref: message.message_ref(),
            releases: validated.releases,
            connection: message.line.origin.connection,
            has_stated_writer: message.line.origin.stated_writer.is_some(),
            is_invalid,
            is_copied: inferred.is_copied,
            hook: message.line.hook,
            call: attributed.call.as_ref(),
            session_line: attributed.session_line,
        };
        machine.message(&observed, &mut out);
        let sequenced = match machine.expects_delta() {
            true => Sequenced::Delta,
            false => Sequenced::Ordered,
        };
        (sequenced, out)
    }

    /// A client connects.
    pub(crate) fn connected(&mut self, record: &transcript::Connected) -> Vec<Violation> {
        let mut out = Vec::new();
        if let Some(machine) = &mut self.machine {
            machine.connected(record.connection, &mut out);
        }
        out
    }

    /// A connection ends.
    pub(crate) fn closed(&mut self, record: &transcript::Closed) -> Vec<Violation> {
        let by = match record.by.value() {
            Some(transcript::Side::Codex) => Some(Writer::Codex),
            Some(transcript::Side::Client) => Some(Writer::Client),
            _ => None,
        };
        let connection = record.connection.value().copied();
        let mut out = Vec::new();
        if let Some(machine) = &mut self.machine {
            machine.closed(connection, by, &mut out);
        }
        out
    }

    /// Codex exits.
    pub(crate) fn exit(&mut self, record: &transcript::Exit) {
        self.end.exit = Some(Exit {
            status: record.status.value().copied(),
            signal: record.signal.value().cloned(),
        });
    }

    /// The end of the input. Rules about missing messages report now.
    pub(crate) fn finish(&mut self) -> Vec<Violation> {
        let mut out = Vec::new();
        if let Some(mut machine) = self.machine.take() {
            machine.end(&self.end, &mut out);
        }
        out
    }

    /// Takes a further delta of that text. Returns whether it is valid. If not, nothing has
    /// changed.
    pub(crate) fn delta(&mut self, text: &str) -> bool {
        let machine = self.machine.as_mut();
        machine.is_some_and(|machine| machine.delta(text))
    }
}
