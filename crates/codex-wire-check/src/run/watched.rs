//! Keeps what a line holds for an observer (`show`, `diff --transcript`).

use codex_wire_base::transcript::Record;
use serde_json::Value;

use super::{Run, Source};
use crate::finding::Writer;
use crate::rpc::Kind;
use crate::watch::{Answered, Sight};

/// What the line at hand holds.
#[derive(Default)]
pub(super) struct Watched {
    ms: Option<u64>,
    connection: Option<u32>,
    writer: Option<Writer>,
    held: Held,
}

/// The message or record of a line.
#[derive(Default)]
enum Held {
    #[default]
    Nothing,
    Message(Value, Option<Answered>),
    Record(Box<Record>),
}

impl Run<'_> {
    /// Keeps what lines hold from now on.
    pub(crate) fn watch(&mut self) {
        self.watched = Some(Box::default());
    }

    /// The next line comes.
    pub(crate) fn look_away(&mut self) {
        if let Some(watched) = &mut self.watched {
            **watched = Watched::default();
        }
    }

    /// What the last line held, when that was, on which connection, and by whom.
    pub(crate) fn sight(&self) -> (Sight<'_>, Option<u64>, Option<u32>, Option<Writer>) {
        let Some(watched) = &self.watched else {
            return (Sight::Nothing, None, None, None);
        };
        let sight = match &watched.held {
            Held::Nothing => Sight::Nothing,
            Held::Message(message, answers) => Sight::Message {
                message,
                protocol: self.outcome.protocol,
                answers: answers.as_ref(),
            },
            Held::Record(record) => Sight::Record(record),
        };
        (sight, watched.ms, watched.connection, watched.writer)
    }

    /// A message was judged.
    pub(super) fn seen(&mut self, source: &Source<'_>, message: Value) {
        let Some(watched) = &mut self.watched else {
            return;
        };
        let call = self.call.as_ref();
        let answer = call.filter(|call| matches!(call.kind, Kind::Response | Kind::Error));
        let answers = answer.map(|call| Answered {
            method: call.method.map(str::to_owned),
            line: call.request.map(|seat| seat.line),
        });
        watched.connection = self.sequence.connection;
        watched.writer = source.from.or(self.writer);
        watched.held = Held::Message(message, answers);
    }

    /// A record of a transcript was read.
    pub(super) fn seen_record(&mut self, record: &Record) {
        let Some(watched) = &mut self.watched else {
            return;
        };
        let ms = match record {
            // What the line holds is seen for itself.
            Record::Line(line) => &line.ms,
            Record::Connected(record) => &record.ms,
            Record::Closed(record) => &record.ms,
            Record::Exit(record) => &record.ms,
            _ => return watched.held = Held::Record(Box::new(record.clone())),
        };
        watched.ms = ms.value().copied();
        if !matches!(record, Record::Line(_)) {
            watched.held = Held::Record(Box::new(record.clone()));
        }
    }

    /// The time of the line at hand.
    pub(super) fn seen_at(&mut self, ms: Option<u64>) {
        if let Some(watched) = &mut self.watched {
            watched.ms = ms;
        }
    }
}
