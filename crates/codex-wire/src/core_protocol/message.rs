//! Messages of the agent, its reasoning, the user and Codex itself.

use crate::json::Extra;
use crate::{Maybe, Wire};

/// What the agent says, whole.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentMessageEvent {
    /// The text.
    pub message: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A delta of the message of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentMessageDeltaEvent {
    /// The delta.
    pub delta: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A section of the summary of the model's reasoning, whole.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentReasoningEvent {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A delta of the summary of the model's reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentReasoningDeltaEvent {
    /// The delta.
    pub delta: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model's reasoning itself, whole, where it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentReasoningRawContentEvent {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A delta of the reasoning of the model itself, where it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentReasoningRawContentDeltaEvent {
    /// The delta.
    pub delta: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A new section of the reasoning summary begins.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentReasoningSectionBreakEvent {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the model was told. Recorded only within `session_configured.initial_messages`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UserMessageEvent {
    /// The text.
    pub message: String,
    /// Who put it together.
    #[wire(optional)]
    pub kind: Maybe<InputMessageKind>,
    /// The images, as `data:` URLs.
    ///
    /// Since 0.31.0.
    #[wire(since = "0.31.0", optional)]
    pub images: Maybe<Vec<String>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Who put together what the model was told.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum InputMessageKind {
    /// The user.
    Plain,
    /// Codex, from the instructions in the user's files.
    UserInstructions,
    /// Codex, from the state of the machine.
    EnvironmentContext,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// A submission failed. `task_complete` follows an error of the model's provider.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ErrorEvent {
    /// For people.
    pub message: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The connection to the model broke and is opened again.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct StreamErrorEvent {
    /// For people.
    pub message: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Something happens in the background; up to 0.23.0 also what is now `stream_error`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct BackgroundEventEvent {
    /// For people.
    pub message: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
