//! Response items: the conversation as the model receives it.
//!
//! They are the items of the Responses API, and the app-server sends the same as
//! `rawResponseItem/completed`. What no recording has is known from the official schema of the
//! app-server, which begins with 0.58.0: the kinds `local_shell_call`, `tool_search_call`,
//! `tool_search_output`, `image_generation_call`, `compaction_summary`, `compaction`,
//! `compaction_trigger`, `context_compaction`, `configuration_update`, and the members that say so.
//! When such a kind was first kept in files is not known; the dates are those of the schema.
//!
//! Up to 0.42.0 they are those of the core protocol, except that a file has no web searches either.
//! What did not change since is taken from there.

mod calls;
mod content;
mod message;
mod others;

pub use calls::{
    CustomToolCallItem, CustomToolCallOutputItem, FunctionCallItem, FunctionCallOutputItem,
    LocalShellCallItem, ToolSearchCallItem, ToolSearchOutputItem, WebSearchCallItem,
};
pub use content::{
    AgentEncryptedContent, AgentInputTextContent, AgentMessageInputContent, ContentItem,
    FunctionCallOutputBody, FunctionCallOutputContentItem, InputAudioContent, InputImageContent,
    OutputTextContent, ToolAudioContent, ToolEncryptedContent, ToolImageContent, ToolTextContent,
};
pub use message::{AgentMessageItem, MessageItem, ReasoningItem};
pub use others::{
    AdditionalToolsItem, CompactionItem, CompactionSummaryItem, CompactionTriggerItem,
    ConfigurationReasoning, ConfigurationUpdateItem, ContextCompactionItem, GhostCommit,
    GhostSnapshotItem, ImageGenerationCallItem, OtherResponseItem, ResponseItemMetadata,
};

use crate::{Unknown, Wire};

/// An entry of a conversation.
///
/// | releases | `id` |
/// |---|---|
/// | 0.20.0–0.30.0 | of the items of the model; `null` in messages of the user |
/// | 0.31.0–0.141.0 | never written |
/// | 0.142.0–0.145.0 | of the items of the model |
/// | from 0.146.0 | of every item; Codex makes one (`msg_…`, `fco_…`) where the model gave none |
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ResponseItem {
    /// A message.
    Message(MessageItem),
    /// A message from one agent to another. Recorded from 0.143.0.
    ///
    /// Since 0.138.0.
    #[wire(since = "0.138.0")]
    AgentMessage(AgentMessageItem),
    /// The model's reasoning.
    Reasoning(ReasoningItem),
    /// A call of the shell that the model was trained with. Not recorded.
    LocalShellCall(LocalShellCallItem),
    /// A call of a tool with JSON arguments.
    FunctionCall(FunctionCallItem),
    /// What such a tool, or the shell, answered.
    FunctionCallOutput(FunctionCallOutputItem),
    /// A call of a tool that takes plain text.
    CustomToolCall(CustomToolCallItem),
    /// What such a tool answered.
    CustomToolCallOutput(CustomToolCallOutputItem),
    /// The model looked for tools. Not recorded.
    ///
    /// Since 0.115.0.
    #[wire(since = "0.115.0")]
    ToolSearchCall(ToolSearchCallItem),
    /// The tools that were found. Not recorded.
    ///
    /// Since 0.115.0.
    #[wire(since = "0.115.0")]
    ToolSearchOutput(ToolSearchOutputItem),
    /// The model searched the web. Not kept before.
    ///
    /// Since 0.61.0.
    #[wire(since = "0.61.0")]
    WebSearchCall(WebSearchCallItem),
    /// The model made an image. Not recorded.
    ///
    /// Since 0.110.0.
    #[wire(since = "0.110.0")]
    ImageGenerationCall(ImageGenerationCallItem),
    /// The working tree as a commit that is on no branch, to return to. Recorded up to 0.77.0; the
    /// schema has it up to 0.125.0.
    ///
    /// From 0.58.0 to 0.125.0.
    #[wire(since = "0.58.0", until = "0.125.0")]
    GhostSnapshot(GhostSnapshotItem),
    /// The summary that the provider made of a conversation, by its earlier name. Not recorded.
    ///
    /// From 0.59.0 to 0.66.0.
    #[wire(since = "0.59.0", until = "0.66.0")]
    CompactionSummary(CompactionSummaryItem),
    /// The summary that the provider made of a conversation. Not recorded.
    ///
    /// Since 0.72.0.
    #[wire(since = "0.72.0")]
    Compaction(CompactionItem),
    /// Asks the provider for such a summary. Not recorded.
    ///
    /// Since 0.131.0.
    #[wire(since = "0.131.0")]
    CompactionTrigger(CompactionTriggerItem),
    /// The conversation was compacted here. Not recorded.
    ///
    /// Since 0.129.0.
    #[wire(since = "0.129.0")]
    ContextCompaction(ContextCompactionItem),
    /// The model thinks harder or less hard from here on. Not recorded.
    ///
    /// Since 0.154.0.
    #[wire(since = "0.154.0")]
    ConfigurationUpdate(ConfigurationUpdateItem),
    /// Tools that the model has from here on. Written in 0.165.0 and 0.166.0 for models that take
    /// their tools as items.
    ///
    /// Since 0.162.0.
    #[wire(since = "0.162.0")]
    AdditionalTools(AdditionalToolsItem),
    /// An item that the release did not know. Such items were dropped in every recording.
    ///
    /// Since 0.58.0.
    #[wire(since = "0.58.0")]
    Other(OtherResponseItem),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl ResponseItem {
    /// The call that the item makes or answers.
    pub fn call_id(&self) -> Option<&str> {
        let id = match self {
            ResponseItem::LocalShellCall(item) => item.call_id.value()?,
            ResponseItem::FunctionCall(item) => &item.call_id,
            ResponseItem::FunctionCallOutput(item) => item.call_id.value()?,
            ResponseItem::CustomToolCall(item) => &item.call_id,
            ResponseItem::CustomToolCallOutput(item) => &item.call_id,
            ResponseItem::ToolSearchCall(item) => item.call_id.value()?,
            ResponseItem::ToolSearchOutput(item) => item.call_id.value()?,
            _ => return None,
        };
        Some(id)
    }

    /// Whether the item answers a call.
    pub fn is_output(&self) -> bool {
        matches!(
            self,
            ResponseItem::FunctionCallOutput(_)
                | ResponseItem::CustomToolCallOutput(_)
                | ResponseItem::ToolSearchOutput(_)
        )
    }
}
