//! Keeps what a line holds for an observer (`show`, `diff --transcript`).

use codex_wire_base::Protocol;
use codex_wire_base::transcript::Record;
use serde_json::Value;

use crate::dialect::json_rpc::Kind;
use crate::line::LineContext;
use crate::writer::Writer;

/// What a line holds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A message. Of duplicate keys it holds the last.
    Message {
        /// The message.
        message: &'a Value,
        /// The protocol of the stream, if it is known by now.
        protocol: Option<Protocol>,
        /// The request it answers, where it is a response of the app-server.
        answers: Option<&'a Answered>,
    },
    /// A record of a transcript that holds no line.
    Record(&'a Record),
    /// Nothing that could be read; the findings say why.
    Nothing,
    /// The end of the input.
    End,
}

/// The request of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answered {
    /// Its method, if it is known.
    pub method: Option<String>,
    /// Its line, if it is known.
    pub line: Option<u64>,
}

/// What the line at hand holds.
#[derive(Default)]
pub(crate) struct ObservedLine {
    pub(crate) ms: Option<u64>,
    pub(crate) connection: Option<u32>,
    pub(crate) writer: Option<Writer>,
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

impl ObservedLine {
    /// What the line holds, in a stream of that protocol.
    pub(crate) fn event(&self, protocol: Option<Protocol>) -> Event<'_> {
        match &self.held {
            Held::Nothing => Event::Nothing,
            Held::Message(message, answers) => Event::Message {
                message,
                protocol,
                answers: answers.as_ref(),
            },
            Held::Record(record) => Event::Record(record),
        }
    }

    /// A message was checked.
    pub(crate) fn keep(&mut self, context: &LineContext<'_>, message: Value) {
        let call = context.call.as_ref();
        let answer = call.filter(|call| matches!(call.kind, Kind::Response | Kind::Error));
        let answers = answer.map(|call| Answered {
            method: call.method.map(str::to_owned),
            line: call.request.map(|request| request.line),
        });
        self.connection = context.connection;
        self.writer = context.written_by();
        self.held = Held::Message(message, answers);
    }

    /// A record of a transcript was read.
    pub(crate) fn keep_record(&mut self, record: &Record) {
        let ms = match record {
            // What the line holds is observed for itself.
            Record::Line(line) => &line.ms,
            Record::Connected(record) => &record.ms,
            Record::Closed(record) => &record.ms,
            Record::Exit(record) => &record.ms,
            _ => return self.held = Held::Record(Box::new(record.clone())),
        };
        self.ms = ms.value().copied();
        if !matches!(record, Record::Line(_)) {
            self.held = Held::Record(Box::new(record.clone()));
        }
    }
}
