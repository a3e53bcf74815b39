//! Calls of tools, and what the tools answered.

use crate::core_protocol::{LocalShellAction, LocalShellStatus};
use crate::json::{Extra, Raw};
use crate::rollout::{
    FunctionCallOutputBody, InternalChatMessageMetadataPassthrough, ResponseItemMetadata,
    WebSearchAction,
};
use crate::{Maybe, Wire};

/// A call of the shell that the model was trained with. Not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct LocalShellCallItem {
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
    /// The call; `null` where the provider gave only the id.
    #[wire(nullable)]
    pub call_id: Maybe<String>,
    /// How far it is.
    pub status: LocalShellStatus,
    /// What the shell is to do.
    pub action: LocalShellAction,
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

/// A call of a tool with JSON arguments.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FunctionCallItem {
    /// How far it is; `completed` in every recording.
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
    /// The tool.
    pub name: String,
    /// What the tool belongs to, such as `mcp__echo`; left out for a tool of Codex. Recorded from
    /// 0.121.0.
    ///
    /// Since 0.115.0.
    #[wire(since = "0.115.0", optional)]
    pub namespace: Maybe<String>,
    /// What it is called with: JSON in a string, as the model wrote it.
    pub arguments: String,
    /// Which arguments only the provider can read. Not recorded.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0", optional)]
    pub encrypted_function_args: Maybe<Vec<String>>,
    /// The call.
    pub call_id: String,
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

/// What a tool answered.
///
/// The form of the text is the tool's, and changes: the shell's was JSON up to 0.58.0, then lines
/// for people.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FunctionCallOutputItem {
    /// The id that Codex gave it: `fco_` and a UUID.
    ///
    /// Since 0.146.0.
    #[wire(since = "0.146.0")]
    pub id: Maybe<String>,
    /// The call; left out from 0.150.0 where Codex itself adds an output, as a goal does.
    #[wire(optional(since = "0.150.0"))]
    pub call_id: Maybe<String>,
    /// What Codex names an output that answers no call.
    ///
    /// Since 0.150.0.
    #[wire(since = "0.150.0", optional)]
    pub name: Maybe<String>,
    /// The namespace of that name.
    ///
    /// Since 0.150.0.
    #[wire(since = "0.150.0", optional)]
    pub namespace: Maybe<String>,
    /// The answer.
    pub output: FunctionCallOutputBody,
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

/// A call of a tool that takes plain text.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CustomToolCallItem {
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
        optional(until = "0.30.0"),
        optional(since = "0.142.0", until = "0.145.0")
    )]
    pub id: Maybe<String>,
    /// How far it is, where the provider says so; `completed` in every recording.
    #[wire(optional)]
    pub status: Maybe<String>,
    /// The call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// What the tool belongs to. Not recorded.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0", optional)]
    pub namespace: Maybe<String>,
    /// What it is called with.
    pub input: String,
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

/// What a tool that takes plain text answered.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CustomToolCallOutputItem {
    /// The id that Codex gave it: `ctco_` and a UUID.
    ///
    /// Since 0.146.0.
    #[wire(since = "0.146.0")]
    pub id: Maybe<String>,
    /// The call.
    pub call_id: String,
    /// The tool. Not recorded.
    ///
    /// Since 0.116.0.
    #[wire(since = "0.116.0", optional)]
    pub name: Maybe<String>,
    /// The answer: text up to 0.106.0, which the official schema says.
    pub output: FunctionCallOutputBody,
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

/// The model looked for tools. Not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ToolSearchCallItem {
    /// What only the provider can read. Not recorded.
    ///
    /// Since 0.163.0.
    #[wire(since = "0.163.0", optional)]
    pub encrypted_content: Maybe<String>,
    /// The id that the model gave it, or Codex.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub id: Maybe<String>,
    /// The call; `null` where the provider looks itself.
    #[wire(optional, nullable)]
    pub call_id: Maybe<String>,
    /// How far it is.
    #[wire(optional)]
    pub status: Maybe<String>,
    /// Who looks.
    pub execution: String,
    /// What it looks for.
    pub arguments: Raw,
    /// What Codex noted in it in one release. Not recorded.
    ///
    /// In 0.141.0 only.
    #[wire(since = "0.141.0", until = "0.141.0", optional)]
    pub metadata: Maybe<ResponseItemMetadata>,
    /// What Codex notes in it.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub internal_chat_message_metadata_passthrough: Maybe<InternalChatMessageMetadataPassthrough>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The tools that were found. Not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ToolSearchOutputItem {
    /// The id that the model gave it, or Codex.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub id: Maybe<String>,
    /// The call; `null` where the provider looked itself.
    #[wire(optional, nullable)]
    pub call_id: Maybe<String>,
    /// How far it is.
    pub status: String,
    /// Who looked.
    pub execution: String,
    /// The tools.
    pub tools: Vec<Raw>,
    /// What Codex noted in it in one release. Not recorded.
    ///
    /// In 0.141.0 only.
    #[wire(since = "0.141.0", until = "0.141.0", optional)]
    pub metadata: Maybe<ResponseItemMetadata>,
    /// What Codex notes in it.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub internal_chat_message_metadata_passthrough: Maybe<InternalChatMessageMetadataPassthrough>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model searched the web.
///
/// Since 0.61.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WebSearchCallItem {
    /// What only the provider can read. Not recorded.
    ///
    /// Since 0.163.0.
    #[wire(since = "0.163.0", optional)]
    pub encrypted_content: Maybe<String>,
    /// The id that the model gave it, or Codex from 0.146.0; [`ResponseItem`](super::ResponseItem)
    /// says when.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional(until = "0.145.0"))]
    pub id: Maybe<String>,
    /// How far it is; `completed` in every recording.
    #[wire(optional)]
    pub status: Maybe<String>,
    /// What it did; left out from 0.92.0 where the provider does not say, which is not recorded.
    #[wire(optional(since = "0.92.0"))]
    pub action: Maybe<WebSearchAction>,
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
