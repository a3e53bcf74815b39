//! Custom prompts of the user.

use crate::Wire;
use crate::json::Extra;

/// The user's own prompts. Answers `list_custom_prompts`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ListCustomPromptsResponseEvent {
    /// The prompts.
    pub custom_prompts: Vec<CustomPrompt>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A prompt kept in a file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CustomPrompt {
    /// Its name: that of the file without its ending.
    pub name: String,
    /// The file.
    pub path: String,
    /// The text.
    pub content: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
