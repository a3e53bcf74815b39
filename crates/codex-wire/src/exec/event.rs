//! Events: the lines of the stream.

use crate::exec::{ThreadItem, Usage};
use crate::json::Extra;
use crate::{Unknown, Wire};

/// One line of `codex exec --json`, written by Codex.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum Event {
    /// The stream begins; the thread can be resumed by this id. First line from 0.43.0.
    ///
    /// Since 0.43.0-alpha.5.
    #[wire(rename = "thread.started", since = "0.43.0-alpha.5")]
    ThreadStarted(ThreadStartedEvent),
    /// The stream begins. First line of 0.42.0 and the first 0.43.0 alphas.
    ///
    /// Until 0.43.0-alpha.4.
    #[wire(rename = "session.created", until = "0.43.0-alpha.4")]
    SessionCreated(SessionCreatedEvent),
    /// The agent begins to work on a prompt.
    ///
    /// Since 0.43.0-alpha.1.
    #[wire(rename = "turn.started", since = "0.43.0-alpha.1")]
    TurnStarted(TurnStartedEvent),
    /// The agent is done with the prompt. Nothing follows.
    ///
    /// Since 0.43.0-alpha.1.
    #[wire(rename = "turn.completed", since = "0.43.0-alpha.1")]
    TurnCompleted(TurnCompletedEvent),
    /// The agent gave up on the prompt. Nothing follows; an `error` with the same message
    /// came before.
    ///
    /// Since 0.43.0-alpha.5.
    #[wire(rename = "turn.failed", since = "0.43.0-alpha.5")]
    TurnFailed(TurnFailedEvent),
    /// An item begins. Many kinds of item have no such event.
    #[wire(rename = "item.started")]
    ItemStarted(ItemStartedEvent),
    /// An item changes. Only seen for to-do lists.
    #[wire(rename = "item.updated")]
    ItemUpdated(ItemUpdatedEvent),
    /// An item ends, with any result.
    #[wire(rename = "item.completed")]
    ItemCompleted(ItemCompletedEvent),
    /// Something went wrong. Not necessarily the end: retries report themselves so.
    #[wire(rename = "error")]
    Error(ErrorEvent),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// The kinds of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// `thread.started`
    ThreadStarted,
    /// `session.created`
    SessionCreated,
    /// `turn.started`
    TurnStarted,
    /// `turn.completed`
    TurnCompleted,
    /// `turn.failed`
    TurnFailed,
    /// `item.started`
    ItemStarted,
    /// `item.updated`
    ItemUpdated,
    /// `item.completed`
    ItemCompleted,
    /// `error`
    Error,
    /// A variant that this crate does not know.
    Unknown,
}

impl Event {
    /// What kind of event it is.
    pub fn kind(&self) -> EventKind {
        match self {
            Event::ThreadStarted(_) => EventKind::ThreadStarted,
            Event::SessionCreated(_) => EventKind::SessionCreated,
            Event::TurnStarted(_) => EventKind::TurnStarted,
            Event::TurnCompleted(_) => EventKind::TurnCompleted,
            Event::TurnFailed(_) => EventKind::TurnFailed,
            Event::ItemStarted(_) => EventKind::ItemStarted,
            Event::ItemUpdated(_) => EventKind::ItemUpdated,
            Event::ItemCompleted(_) => EventKind::ItemCompleted,
            Event::Error(_) => EventKind::Error,
            Event::Unknown(_) => EventKind::Unknown,
        }
    }

    /// The item of an item event.
    pub fn item(&self) -> Option<&ThreadItem> {
        match self {
            Event::ItemStarted(event) => Some(&event.item),
            Event::ItemUpdated(event) => Some(&event.item),
            Event::ItemCompleted(event) => Some(&event.item),
            _ => None,
        }
    }

    /// The id of the thread, on the line that begins the stream. The early form's
    /// `session_id` is the same thing.
    pub fn thread_id(&self) -> Option<&str> {
        match self {
            Event::ThreadStarted(event) => Some(&event.thread_id),
            Event::SessionCreated(event) => Some(&event.session_id),
            _ => None,
        }
    }

    /// The token counts, on the line that ends a turn well.
    pub fn usage(&self) -> Option<&Usage> {
        match self {
            Event::TurnCompleted(event) => Some(&event.usage),
            _ => None,
        }
    }

    /// What went wrong, on `error` and `turn.failed`.
    pub fn error_message(&self) -> Option<&str> {
        match self {
            Event::Error(event) => Some(&event.message),
            Event::TurnFailed(event) => Some(&event.error.message),
            _ => None,
        }
    }

    /// Whether this line ends the stream: `turn.completed` or `turn.failed`. A stream may also
    /// end without one, when Codex is interrupted.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Event::TurnCompleted(_) | Event::TurnFailed(_))
    }
}

/// The stream begins.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ThreadStartedEvent {
    /// The thread, a UUID. The same on resume, another on fork.
    pub thread_id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The stream begins, by its earlier name.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SessionCreatedEvent {
    /// The session, a UUID.
    pub session_id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The agent begins to work on a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnStartedEvent {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The agent is done with the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnCompletedEvent {
    /// Tokens used.
    pub usage: Usage,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The agent gave up on the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnFailedEvent {
    /// Why.
    pub error: TurnError,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnError {
    /// For people; may hold JSON text from the model's provider.
    pub message: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An item begins.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ItemStartedEvent {
    /// The item as it stands.
    pub item: ThreadItem,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An item changes.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ItemUpdatedEvent {
    /// The item as it stands.
    pub item: ThreadItem,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An item ends.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ItemCompletedEvent {
    /// The item as it stands.
    pub item: ThreadItem,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Something went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ErrorEvent {
    /// For people.
    pub message: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
