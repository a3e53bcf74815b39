//! Messages between agents.

use crate::json::Extra;
use crate::rollout::InternalChatMessageMetadataPassthrough;
use crate::{Maybe, Wire};

/// A message from one agent to another, with the second set of tools for agents.
///
/// Recorded from 0.140.0 to 0.142.5; from 0.143.0 the message is a response item.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct InterAgentCommunication {
    /// The message. Not recorded; upstream's type has it.
    #[wire(optional)]
    pub id: Maybe<String>,
    /// The path of the agent that sends it, such as `/root/kid_one`.
    pub author: String,
    /// The path of the agent that gets it.
    pub recipient: String,
    /// Further agents that get it.
    pub other_recipients: Vec<String>,
    /// The text; empty where it stands in `encrypted_content`.
    pub content: String,
    /// The text as the model gave it, which only the provider can read.
    #[wire(optional)]
    pub encrypted_content: Maybe<String>,
    /// What Codex passes on beside the message: the turn. The program of 0.142.1 could not be had.
    ///
    /// Since 0.142.2.
    #[wire(since = "0.142.2")]
    pub internal_chat_message_metadata_passthrough: Maybe<InternalChatMessageMetadataPassthrough>,
    /// Whether the recipient begins a turn because of it.
    pub trigger_turn: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What became of the message between agents in the line before.
///
/// Since 0.143.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct InterAgentCommunicationMetadata {
    /// Whether the recipient begins a turn because of it.
    pub trigger_turn: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
