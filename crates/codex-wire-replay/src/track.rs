//! One connection of a recording as steps: what the client sent, and what Codex wrote because of it.

pub(crate) mod build;
pub(crate) mod methods;
pub(crate) mod reads;

use std::collections::HashMap;

use serde_json::Value;

pub(crate) use methods::{is_flow, is_read};

use crate::names::NameKind;
use crate::text::Text;

/// What the client sent in a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sent {
    /// Nothing: what Codex writes before the client has sent a line.
    Nothing,
    /// A request, or an operation of `codex proto`, by its method.
    Request(String),
    /// A notification, by its method.
    Notification(String),
    /// The answer to a request of Codex, which is the one with this id, as JSON.
    Answer(String),
}

/// A line that Codex wrote.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) text: Text,
    /// Milliseconds since what came before it in its step.
    pub(crate) after_ms: u64,
    pub(crate) kind: OutputKind,
}

impl Output {
    /// The line, read. Values take many times the memory of their text, so none is kept.
    pub(crate) fn value(&self) -> Value {
        // Only what is JSON became an output.
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

/// What a line of Codex is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// The response to the request of its step.
    Response,
    /// The response to the request of an earlier step, which waited for this one.
    Late(usize),
    /// A request of Codex, with its id as JSON.
    Request(String),
    /// Anything else.
    Other,
}

/// What the client sent, and what Codex wrote because of it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) sent: Sent,
    /// The params of a request, the operation of a submission, or the answer without its id.
    pub(crate) content: Option<Value>,
    /// The id of the request, as JSON.
    pub(crate) id: Option<String>,
    /// The thread it is about.
    pub(crate) thread: Option<String>,
    /// The number of its line in the recording.
    pub(crate) number: u64,
    pub(crate) outputs: Vec<Output>,
    /// Whether Codex answered with an error.
    pub(crate) failed: bool,
    /// Whether it only reads: it is answered any number of times.
    pub(crate) is_read: bool,
}

impl Step {
    /// The method of a request or notification.
    pub(crate) fn method(&self) -> Option<&str> {
        match &self.sent {
            Sent::Request(method) | Sent::Notification(method) => Some(method),
            Sent::Nothing | Sent::Answer(_) => None,
        }
    }

    /// Whether it is answered again and again, from a pool.
    pub(crate) fn is_pooled(&self) -> bool {
        self.is_read && !self.outputs.is_empty()
    }
}

/// One connection of a recording.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    /// The name of the recording.
    pub(crate) name: String,
    /// In the order of the recording; the first is [`Sent::Nothing`].
    pub(crate) steps: Vec<Step>,
    /// The step in which Codex first writes a name that the client had not sent before.
    pub(crate) made: HashMap<(NameKind, String), usize>,
    /// The request of Codex with that id, as JSON: its step and its place there.
    pub(crate) requests: HashMap<String, (usize, usize)>,
    /// The first time in it, in milliseconds since 1970.
    pub(crate) first_time: Option<i64>,
}
