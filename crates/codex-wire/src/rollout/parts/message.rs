//! Parts of messages.

use crate::json::Extra;
use crate::{Maybe, Wire};

/// A part of a text that a client shows in a way of its own, such as a name that stands for a
/// pasted image. Not recorded: from the official schemas of the app-server up to 0.114.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TextElement {
    /// Which bytes of the text.
    pub byte_range: TextRange,
    /// What is shown instead.
    #[wire(optional, nullable)]
    pub placeholder: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Bytes of a text.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TextRange {
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How closely the model looks at an image. Not recorded: the values are those of the app-server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum ImageDetail {
    /// As the model sees fit.
    Auto,
    /// Roughly.
    Low,
    /// Closely.
    High,
    /// At its full size.
    Original,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// What part a message has in its turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum MessagePhase {
    /// Said on the way.
    Commentary,
    /// The answer.
    FinalAnswer,
    /// A part of the answer. Not recorded: from the official schemas of the app-server.
    ///
    /// Since 0.162.0.
    #[wire(since = "0.162.0")]
    PartialAnswer,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// The memories a message draws on; camelCase inside. Not recorded: from upstream's type.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MemoryCitation {
    /// The places in the memory files.
    pub entries: Vec<MemoryCitationEntry>,
    /// The sessions they come from. The app-server calls them `threadIds`.
    pub rollout_ids: Vec<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A place in a memory file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MemoryCitationEntry {
    /// The file.
    pub path: String,
    /// The first line.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// What it was needed for.
    pub note: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
