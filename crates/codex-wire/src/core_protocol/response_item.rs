//! Response items: the conversation as the model receives it, in `conversation_history`.
//!
//! Ids of items are written up to 0.30.0 only; 0.29.0 was recorded with them, 0.34.0 without.

use crate::json::Extra;
use crate::{Maybe, Unknown, Wire};

/// An entry of a conversation. Web searches are not kept.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ResponseItem {
    /// A message.
    Message(MessageItem),
    /// The model's reasoning.
    Reasoning(ReasoningItem),
    /// A call of the shell the model was trained with.
    LocalShellCall(LocalShellCallItem),
    /// A call of a tool with JSON arguments.
    FunctionCall(FunctionCallItem),
    /// What such a tool, or the shell, answered.
    FunctionCallOutput(FunctionCallOutputItem),
    /// A call of a tool that takes plain text.
    CustomToolCall(CustomToolCallItem),
    /// What such a tool answered.
    CustomToolCallOutput(CustomToolCallOutputItem),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct MessageItem {
    /// The provider's id; `null` for what the provider did not write.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0", nullable)]
    pub id: Maybe<String>,
    /// Who wrote it: `user` or `assistant`.
    pub role: String,
    /// The parts of the message.
    pub content: Vec<ContentItem>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ContentItem {
    /// Text for the model.
    InputText(InputTextContent),
    /// An image for the model.
    InputImage(InputImageContent),
    /// Text from the model.
    OutputText(OutputTextContent),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Text for the model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct InputTextContent {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An image for the model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct InputImageContent {
    /// The image as a `data:` URL.
    pub image_url: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Text from the model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct OutputTextContent {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model's reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReasoningItem {
    /// The provider's id.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0")]
    pub id: Maybe<String>,
    /// Its summary.
    pub summary: Vec<ReasoningSummaryItem>,
    /// The reasoning itself; `null` where it is not shown, left out where none of it is of the
    /// kind `reasoning_text`.
    #[wire(optional, nullable)]
    pub content: Maybe<Vec<ReasoningContent>>,
    /// The reasoning for the provider's eyes only.
    #[wire(nullable)]
    pub encrypted_content: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A section of a summary of reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ReasoningSummaryItem {
    /// Text.
    SummaryText(SummaryText),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// The text of a section of a summary.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SummaryText {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A part of reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ReasoningContent {
    /// Text of the Responses API.
    ReasoningText(ReasoningText),
    /// Text of other providers.
    Text(ReasoningPlainText),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Reasoning as the Responses API gives it.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReasoningText {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Reasoning as other providers give it.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReasoningPlainText {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A call of the shell the model was trained with.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct LocalShellCallItem {
    /// The provider's id; `null` where it gave none.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0", nullable)]
    pub id: Maybe<String>,
    /// The call; `null` where the provider gave only the id.
    #[wire(nullable)]
    pub call_id: Maybe<String>,
    /// How far it is.
    pub status: LocalShellStatus,
    /// What the shell is to do.
    pub action: LocalShellAction,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How far a call of the shell is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum LocalShellStatus {
    /// It is over.
    Completed,
    /// It runs.
    InProgress,
    /// It broke off.
    Incomplete,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// What the shell is to do.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum LocalShellAction {
    /// Run a command.
    Exec(LocalShellExecAction),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A command for the shell.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct LocalShellExecAction {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// After how many milliseconds to give up.
    #[wire(nullable)]
    pub timeout_ms: Maybe<u64>,
    /// The folder to run in.
    #[wire(nullable)]
    pub working_directory: Maybe<String>,
    /// The environment.
    #[wire(nullable)]
    pub env: Maybe<crate::Map<String>>,
    /// The user to run as.
    #[wire(nullable)]
    pub user: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A call of a tool with JSON arguments.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FunctionCallItem {
    /// The provider's id; `null` where it gave none.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0", nullable)]
    pub id: Maybe<String>,
    /// The tool.
    pub name: String,
    /// What it is called with: JSON in a string, as the model wrote it.
    pub arguments: String,
    /// The call.
    pub call_id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FunctionCallOutputItem {
    /// The call.
    pub call_id: String,
    /// The answer; often JSON in a string.
    pub output: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A call of a tool that takes plain text.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CustomToolCallItem {
    /// The provider's id.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0", optional)]
    pub id: Maybe<String>,
    /// How far it is, where the provider says so.
    #[wire(optional)]
    pub status: Maybe<String>,
    /// The call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// What it is called with.
    pub input: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a tool that takes plain text answered.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CustomToolCallOutputItem {
    /// The call.
    pub call_id: String,
    /// The answer.
    pub output: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
