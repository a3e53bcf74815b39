//! Messages, of people, models and agents, and the model's reasoning.

use crate::core_protocol::{ReasoningContent, ReasoningSummaryItem};
use crate::json::Extra;
use crate::rollout::{
    AgentMessageInputContent, ContentItem, InternalChatMessageMetadataPassthrough, MessagePhase,
    ResponseItemMetadata,
};
use crate::{Maybe, Wire};

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct MessageItem {
    /// How far it is; `completed` where the model wrote it.
    ///
    /// Since 0.163.0.
    #[wire(since = "0.163.0", optional)]
    pub status: Maybe<String>,
    /// What only the provider can read. Not recorded.
    ///
    /// Since 0.163.0.
    #[wire(since = "0.163.0", optional)]
    pub encrypted_content: Maybe<String>,
    /// The id that the model gave it, or Codex from 0.146.0; [`ResponseItem`](super::ResponseItem)
    /// says when.
    ///
    /// Not from 0.31.0 to 0.141.0.
    #[wire(
        gap(since = "0.31.0", until = "0.141.0"),
        nullable(until = "0.30.0"),
        optional(since = "0.142.0", until = "0.145.0")
    )]
    pub id: Maybe<String>,
    /// Who wrote it: `user`, `assistant`, and from 0.87.0 `developer` for what Codex and its
    /// clients tell the model.
    pub role: String,
    /// The parts of the message.
    pub content: Vec<ContentItem>,
    /// Whether the turn ends with it. Not recorded.
    ///
    /// From 0.89.0 to 0.125.0.
    #[wire(since = "0.89.0", until = "0.125.0", optional)]
    pub end_turn: Maybe<bool>,
    /// What part the message has in the turn; left out where the model does not say. Recorded from
    /// 0.98.0.
    ///
    /// Since 0.95.0.
    #[wire(since = "0.95.0", optional)]
    pub phase: Maybe<MessagePhase>,
    /// What Codex noted in it in one release. Not recorded.
    ///
    /// In 0.141.0 only.
    #[wire(since = "0.141.0", until = "0.141.0", optional)]
    pub metadata: Maybe<ResponseItemMetadata>,
    /// What Codex notes in it. Recorded in every item from 0.150.0.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional(until = "0.149.1"))]
    pub internal_chat_message_metadata_passthrough: Maybe<InternalChatMessageMetadataPassthrough>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A message from one agent to another.
///
/// Since 0.138.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentMessageItem {
    /// The id that the model gave it, or Codex.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub id: Maybe<String>,
    /// The path of the agent that sends it, such as `/root/kid_one`.
    pub author: String,
    /// The path of the agent that gets it.
    pub recipient: String,
    /// The parts of the message.
    pub content: Vec<AgentMessageInputContent>,
    /// What Codex noted in it in one release. Not recorded.
    ///
    /// In 0.141.0 only.
    #[wire(since = "0.141.0", until = "0.141.0", optional)]
    pub metadata: Maybe<ResponseItemMetadata>,
    /// What Codex notes in it. Recorded in every item from 0.150.0.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional(until = "0.149.1"))]
    pub internal_chat_message_metadata_passthrough: Maybe<InternalChatMessageMetadataPassthrough>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model's reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReasoningItem {
    /// The id that the model gave it, or Codex from 0.146.0; [`ResponseItem`](super::ResponseItem)
    /// says when.
    ///
    /// Not from 0.31.0 to 0.141.0.
    #[wire(
        gap(since = "0.31.0", until = "0.141.0"),
        optional(since = "0.142.0", until = "0.145.0")
    )]
    pub id: Maybe<String>,
    /// Its summary.
    pub summary: Vec<ReasoningSummaryItem>,
    /// The reasoning itself; `null` where it is not shown, and left out up to 0.30.0 where none of
    /// it is of the kind `reasoning_text`.
    #[wire(optional(until = "0.30.0"), nullable)]
    pub content: Maybe<Vec<ReasoningContent>>,
    /// The reasoning for the provider's eyes only; `null` where the provider gave none.
    #[wire(nullable)]
    pub encrypted_content: Maybe<String>,
    /// What Codex noted in it in one release. Not recorded.
    ///
    /// In 0.141.0 only.
    #[wire(since = "0.141.0", until = "0.141.0", optional)]
    pub metadata: Maybe<ResponseItemMetadata>,
    /// What Codex notes in it. Recorded in every item from 0.150.0.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional(until = "0.149.1"))]
    pub internal_chat_message_metadata_passthrough: Maybe<InternalChatMessageMetadataPassthrough>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
