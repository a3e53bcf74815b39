//! The other kinds of entry: images, snapshots, compactions, settings, tools.

use crate::json::{Extra, Raw};
use crate::rollout::{InternalChatMessageMetadataPassthrough, TurnReasoningEffort};
use crate::{Maybe, Wire};

/// The model made an image. Not recorded.
///
/// Since 0.110.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ImageGenerationCallItem {
    /// What only the provider can read. Not recorded.
    ///
    /// Since 0.163.0.
    #[wire(since = "0.163.0", optional)]
    pub encrypted_content: Maybe<String>,
    /// The id that the model gave it.
    #[wire(optional(since = "0.142.0"))]
    pub id: Maybe<String>,
    /// How far it is.
    pub status: String,
    /// The prompt as the model changed it.
    #[wire(optional)]
    pub revised_prompt: Maybe<String>,
    /// The image in base64.
    pub result: String,
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

/// The working tree as a commit that is on no branch.
///
/// Since 0.58.0. Until 0.125.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct GhostSnapshotItem {
    /// The commit.
    pub ghost_commit: GhostCommit,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A commit that is on no branch.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct GhostCommit {
    /// The commit.
    pub id: String,
    /// The commit it builds on; `null` in a repository without one.
    #[wire(optional, nullable)]
    pub parent: Maybe<String>,
    /// Files that were untracked before.
    pub preexisting_untracked_files: Vec<String>,
    /// Folders that were untracked before.
    pub preexisting_untracked_dirs: Vec<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The summary that the provider made of a conversation, by its earlier name. Not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CompactionSummaryItem {
    /// The summary, which only the provider can read.
    pub encrypted_content: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The summary that the provider made of a conversation. Not recorded.
///
/// Since 0.72.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CompactionItem {
    /// The id that the model gave it, or Codex.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub id: Maybe<String>,
    /// The summary, which only the provider can read.
    pub encrypted_content: String,
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

/// Asks the provider for a summary. Not recorded.
///
/// Since 0.131.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CompactionTriggerItem {
    /// What Codex noted in it in one release. Not recorded.
    ///
    /// In 0.141.0 only.
    #[wire(since = "0.141.0", until = "0.141.0", optional)]
    pub metadata: Maybe<ResponseItemMetadata>,
    /// What Codex notes in it.
    ///
    /// In 0.142.0 only.
    #[wire(since = "0.142.0", until = "0.142.0", optional)]
    pub internal_chat_message_metadata_passthrough: Maybe<InternalChatMessageMetadataPassthrough>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The conversation was compacted here. Not recorded.
///
/// Since 0.129.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ContextCompactionItem {
    /// The id that the model gave it, or Codex.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub id: Maybe<String>,
    /// The summary, which only the provider can read.
    #[wire(optional)]
    pub encrypted_content: Maybe<String>,
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

/// The model thinks harder or less hard from here on. Not recorded.
///
/// Since 0.154.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ConfigurationUpdateItem {
    /// How hard.
    pub reasoning: ConfigurationReasoning,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How hard the model thinks from here on.
///
/// Since 0.154.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ConfigurationReasoning {
    /// How hard.
    pub effort: TurnReasoningEffort,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Tools that the model has from here on.
///
/// Since 0.162.0. Written in 0.165.0 and 0.166.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AdditionalToolsItem {
    /// The id that Codex gave it.
    #[wire(optional)]
    pub id: Maybe<String>,
    /// For whom the item counts as written: `developer`.
    pub role: String,
    /// The tools, as the provider takes them.
    pub tools: Vec<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An item that the release did not know. Not recorded.
///
/// Since 0.58.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct OtherResponseItem {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What Codex noted in an item in 0.141.0. Not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ResponseItemMetadata {
    /// The turn.
    #[wire(optional)]
    pub turn_id: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
