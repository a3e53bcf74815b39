//! Keeps what a line holds for an observer (`show`, `diff --transcript`).

use codex_wire_base::Protocol;
use codex_wire_base::transcript::Record;
use serde_json::Value;

use crate::attribution::Attributed;
use crate::dialect::json_rpc::Kind;
use crate::framing::message::Message;
use crate::line::Origin;
use crate::writer::Writer;

/// What a line holds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A message. Of duplicate keys it holds the last.
    Message {
        /// The message. What a hook prints is the member `output`, beside `hook_event_name`; it is a
        /// string unless it is a JSON object.
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
    /// A recorded run of a hook has two: what it read and what it printed.
    messages: Vec<ObservedMessage>,
    record: Option<Box<Record>>,
    /// Whether nobody looks at the messages themselves. A tree takes many times what its text does.
    is_without_trees: bool,
}

/// A message of the line at hand.
struct ObservedMessage {
    message: Value,
    answers: Option<Answered>,
    connection: Option<u32>,
    writer: Option<Writer>,
}

/// What was found out about a message, apart from itself.
pub(super) struct About {
    answers: Option<Answered>,
    connection: Option<u32>,
    writer: Option<Writer>,
    /// The event of the hook that printed it, if a hook did.
    event: Option<String>,
}

impl About {
    /// What is known of a message that was attributed.
    pub(super) fn of(attributed: &Attributed<'_, '_>) -> Self {
        let call = attributed.call.as_ref();
        let answer = call.filter(|call| matches!(call.kind, Kind::Response | Kind::Error));
        About {
            answers: answer.map(|call| Answered {
                method: call.method.map(str::to_owned),
                line: call.request.map(|request| request.line),
            }),
            ..About::unspoken(attributed.message, attributed.writer)
        }
    }

    /// What is known of a message that the release does not speak.
    pub(super) fn unspoken(message: &Message<'_>, writer: Option<Writer>) -> Self {
        About {
            event: message.line.hook.map(str::to_owned),
            ..About::line(&message.line.origin, writer)
        }
    }

    /// What is known of a line that is not a message.
    pub(super) fn line(origin: &Origin, writer: Option<Writer>) -> Self {
        About {
            answers: None,
            connection: origin.connection,
            writer: origin.stated_writer.or(writer),
            event: None,
        }
    }

    /// It was printed by a hook of this event.
    pub(super) fn printed(mut self, event: &str) -> Self {
        self.event = Some(event.to_owned());
        self
    }
}

/// What a line holds, or a part of it.
pub(crate) struct Part<'a> {
    pub(crate) event: Event<'a>,
    pub(crate) connection: Option<u32>,
    pub(crate) writer: Option<Writer>,
}

impl ObservedLine {
    /// For an observer who only asks who wrote what: messages are `null`.
    pub(crate) fn without_trees() -> Self {
        ObservedLine {
            is_without_trees: true,
            ..ObservedLine::default()
        }
    }

    /// What the line holds, in a stream of that protocol: one part or more.
    pub(crate) fn parts(&self, protocol: Option<Protocol>) -> Vec<Part<'_>> {
        let messages = self.messages.iter().map(|one| Part {
            event: Event::Message {
                message: &one.message,
                protocol,
                answers: one.answers.as_ref(),
            },
            connection: one.connection,
            writer: one.writer,
        });
        let mut parts: Vec<Part<'_>> = messages.collect();
        if parts.is_empty() {
            parts.push(Part {
                event: match &self.record {
                    Some(record) => Event::Record(record),
                    None => Event::Nothing,
                },
                connection: None,
                writer: None,
            });
        }
        parts
    }

    /// A message was checked.
    pub(super) fn keep(&mut self, about: About, message: impl FnOnce() -> Value) {
        let message = match about.event {
            _ if self.is_without_trees => Value::Null,
            // The output does not name its event. In its schema, the event stands beside it.
            Some(event) => serde_json::json!({"hook_event_name": event, "output": message()}),
            None => message(),
        };
        self.messages.push(ObservedMessage {
            message,
            answers: about.answers,
            connection: about.connection,
            writer: about.writer,
        });
    }

    /// A record of a transcript was read.
    pub(crate) fn keep_record(&mut self, record: &Record) {
        let ms = match record {
            // What the line holds is observed for itself.
            Record::Line(line) => &line.ms,
            Record::Connected(record) => &record.ms,
            Record::Closed(record) => &record.ms,
            Record::Exit(record) => &record.ms,
            _ => return self.record = Some(Box::new(record.clone())),
        };
        self.ms = ms.value().copied();
        if !matches!(record, Record::Line(_)) {
            self.record = Some(Box::new(record.clone()));
        }
    }
}
