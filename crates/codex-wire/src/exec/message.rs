//! Items that carry nothing but text.

use crate::Wire;
use crate::json::Extra;

/// What the agent says to the user.
///
/// Only ever completed, never started. A message of several parts came as one item per part up
/// to 0.104.0 and comes as one item by 0.114.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentMessageItem {
    /// The text, or the JSON text if an output schema was asked for.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the agent says to the user, by the name it had up to 0.43.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AssistantMessageItem {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A summary of the model's reasoning. Only ever completed, never started.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReasoningItem {
    /// The summary. Several parts are joined by newlines from 0.117.0; before, each was an item.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A notice that does not end the turn: compaction, a deprecated setting, an unknown model.
///
/// May come before `turn.started` (seen from 0.104.0).
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ErrorItem {
    /// The notice, for people.
    pub message: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
