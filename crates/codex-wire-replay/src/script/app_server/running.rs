//! What is known of a turn that runs.

use serde_json::Value;

use super::super::answers::Answers;
use super::super::json::Node;
use super::super::model::{Action, Step};
use super::super::patch::FileChange;

/// A turn that runs.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub(super) thread: String,
    pub(super) turn: String,
    /// When it began.
    pub(super) began: u64,
    /// The last message of the model, completed.
    pub(super) last_message: Option<Node>,
    /// The files that it has changed.
    pub(super) changes: Vec<FileChange>,
    pub(super) wait: Option<Wait>,
    pub(super) steps: Vec<Step>,
    pub(super) next: usize,
    pub(super) answers: Answers,
    /// Whether the answer that has begun was reported.
    pub(super) is_reported: bool,
}

/// What a turn waits for.
#[derive(Clone, Debug)]
pub(super) enum Wait {
    /// The answer to a request of Codex, for a step that has this item.
    Client {
        request: u64,
        item: String,
        started: u64,
        action: Action,
    },
    /// Nothing that ever comes.
    Forever,
}

/// What a client says to a request for approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Accept,
    Decline,
    /// Decline, and interrupt the turn.
    Cancel,
}

impl Decision {
    /// The decision in a result, by any name that it has had. An error and an unknown decision
    /// decline.
    pub(super) fn of(result: Option<&Value>) -> Self {
        let decision = result.map_or(&Value::Null, |result| &result["decision"]);
        let name = match decision {
            Value::String(name) => name.as_str(),
            Value::Object(members) => members.keys().next().map_or("", String::as_str),
            _ => "",
        };
        match name {
            "cancel" | "abort" => Decision::Cancel,
            name if name.starts_with("accept") || name.starts_with("approved") => Decision::Accept,
            _ => Decision::Decline,
        }
    }
}

impl Running {
    /// The request of Codex whose answer it waits for.
    pub(super) fn waits_for(&self) -> Option<u64> {
        match &self.wait {
            Some(Wait::Client { request, .. }) => Some(*request),
            _ => None,
        }
    }
}
