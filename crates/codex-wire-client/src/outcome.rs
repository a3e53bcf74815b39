//! Follows one turn to its end, message by message: what each is to the reader, and how the turn ended. Without
//! input and output.
//!
//! `turn/completed` is the end since 0.59.0. 0.58.0 declares it and never sends it: there the end is the event of the
//! core that releases up to 0.114.0 relay beside it.

use std::collections::HashMap;

use codex_wire::Release;
use codex_wire::app_server::events::{CodexEventNotification, EventMsg};
use codex_wire::app_server::methods::server_notifications::TurnCompleted;
use codex_wire::app_server::{
    ServerNotification, ServerNotificationParams, ServerRequest, ThreadItem, ThreadItemDetails,
    Turn, TurnError, TurnStatus,
};

use crate::error::{Error, LineError};
use crate::inbox::Incoming;

/// The first release that sends `turn/completed`, and the text of messages as `item/agentMessage/delta`. Asked: 0.58.0;
/// 0.59.0, 0.60.1, 0.61.0.
const WITH_TURN_COMPLETED: Release = Release::new(0, 59, 0);

/// Text that was added to a message of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageDelta {
    /// The item.
    pub item_id: String,
    /// The text.
    pub text: String,
}

/// A turn that completed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completed {
    /// The last message of the agent.
    pub message: Option<String>,
    /// The turn as `turn/completed` has it; 0.58.0 sends none.
    pub turn: Option<Turn>,
}

/// How a turn ended.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Completed(Box<Completed>),
    Failed(Box<TurnError>),
    Interrupted,
    Other(String),
    /// The end itself cannot be read.
    Unreadable(LineError),
}

impl Outcome {
    /// As a result: only a turn that completed is a success.
    pub(crate) fn result(&self) -> Result<Completed, Error> {
        match self.clone() {
            Outcome::Completed(completed) => Ok(*completed),
            Outcome::Failed(error) => Err(Error::TurnFailed { error }),
            Outcome::Interrupted => Err(Error::TurnInterrupted),
            Outcome::Other(status) => Err(Error::TurnEnded { status }),
            Outcome::Unreadable(error) => Err(Error::Line(error)),
        }
    }
}

/// What a message is to the reader of a turn.
#[derive(Debug)]
pub(crate) enum Step {
    Delta(MessageDelta),
    Started(Box<ThreadItem>),
    Ended(Box<ThreadItem>),
    /// A request of Codex, with the item that it is about, if that began.
    Request(Box<ServerRequest>, Option<Box<ThreadItem>>),
    Other(Incoming),
    End(Outcome),
}

/// What is known of a turn so far.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The items that began and did not end.
    open: HashMap<String, Box<ThreadItem>>,
    message: Option<String>,
    /// What the core said of a failure, where there is no `turn/completed`.
    failure: Option<String>,
}

impl Progress {
    /// What the next message is.
    pub(crate) fn step(&mut self, message: Incoming, release: Option<Release>) -> Step {
        match message {
            Incoming::Notification(notification) => {
                let is_old = release.is_some_and(|release| release < WITH_TURN_COMPLETED);
                self.notified(notification, is_old)
            }
            Incoming::Request(request) => {
                let item = item_of(&request).and_then(|id| self.open.get(id).cloned());
                Step::Request(request, item)
            }
            Incoming::Unreadable(error) if names(&error.text, "turn/completed") => {
                Step::End(Outcome::Unreadable(error))
            }
            other => Step::Other(other),
        }
    }

    fn notified(&mut self, notification: Box<ServerNotification>, is_old: bool) -> Step {
        use ServerNotificationParams as Params;
        match &notification.params {
            Params::ItemAgentMessageDelta(delta) => Step::Delta(MessageDelta {
                item_id: delta.item_id.clone(),
                text: delta.delta.clone(),
            }),
            Params::ItemStarted(started) => {
                let item = Box::new(started.item.clone());
                self.open.insert(item.id.clone(), item.clone());
                Step::Started(item)
            }
            Params::ItemCompleted(completed) => {
                let item = Box::new(completed.item.clone());
                self.open.remove(&item.id);
                if let ThreadItemDetails::AgentMessage(message) = &item.details {
                    self.message = Some(message.text.clone());
                }
                Step::Ended(item)
            }
            Params::TurnCompleted(_) => {
                let completed = notification.params_of::<TurnCompleted>();
                let turn = completed.expect("it is this one").turn.clone();
                Step::End(self.ended(turn))
            }
            params if is_old => match event(params).and_then(|event| self.of_core(event)) {
                Some(step) => step,
                None => Step::Other(Incoming::Notification(notification)),
            },
            _ => Step::Other(Incoming::Notification(notification)),
        }
    }

    /// How a turn with this status ended.
    fn ended(&mut self, turn: Turn) -> Outcome {
        match &turn.status {
            TurnStatus::Completed => self.completed(Some(turn)),
            TurnStatus::Failed => {
                let unsaid = || TurnError::new("Codex does not say why");
                Outcome::Failed(Box::new(turn.error.into_value().unwrap_or_else(unsaid)))
            }
            TurnStatus::Interrupted => Outcome::Interrupted,
            TurnStatus::Unknown(status) => Outcome::Other(status.clone()),
            other => Outcome::Other(format!("{other:?}")),
        }
    }

    fn completed(&mut self, turn: Option<Turn>) -> Outcome {
        Outcome::Completed(Box::new(Completed {
            message: self.message.take(),
            turn,
        }))
    }

    /// What an event of the core is, where nothing else says it.
    fn of_core(&mut self, event: &CodexEventNotification) -> Option<Step> {
        Some(match &event.msg {
            EventMsg::AgentMessageContentDelta(delta) => Step::Delta(MessageDelta {
                item_id: delta.item_id.clone(),
                text: delta.delta.clone(),
            }),
            EventMsg::Error(error) => {
                self.failure = Some(error.message.clone());
                return None;
            }
            EventMsg::TaskComplete(_) => Step::End(match self.failure.take() {
                Some(message) => Outcome::Failed(Box::new(TurnError::new(message))),
                None => self.completed(None),
            }),
            EventMsg::TurnAborted(_) => Step::End(Outcome::Interrupted),
            _ => return None,
        })
    }
}

/// The item that a request is about.
fn item_of(request: &ServerRequest) -> Option<&str> {
    use codex_wire::app_server::ServerRequestParams as Params;
    match &request.params {
        Params::ItemCommandExecutionRequestApproval(params) => Some(&params.item_id),
        Params::ItemFileChangeRequestApproval(params) => Some(&params.item_id),
        Params::ExecCommandApproval(params) => Some(&params.call_id),
        Params::ApplyPatchApproval(params) => Some(&params.call_id),
        _ => None,
    }
}

/// The event of the core that a notification relays.
fn event(params: &ServerNotificationParams) -> Option<&CodexEventNotification> {
    use ServerNotificationParams as Params;
    match params {
        Params::CodexEventAgentMessageContentDelta(event)
        | Params::CodexEventError(event)
        | Params::CodexEventTaskComplete(event)
        | Params::CodexEventTurnAborted(event) => Some(event),
        _ => None,
    }
}

/// Whether a line that cannot be read has this method.
fn names(line: &str, method: &str) -> bool {
    crate::address::address(line.as_bytes()).method.as_deref() == Some(method)
}
