//! The parts of messages and of answers of tools.

use crate::core_protocol::InputTextContent;
use crate::json::{Extra, Raw};
use crate::rollout::ImageDetail;
use crate::{Maybe, Unknown, Wire};

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ContentItem {
    /// Text for the model.
    InputText(InputTextContent),
    /// An image for the model.
    InputImage(InputImageContent),
    /// Audio for the model. Not recorded.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0")]
    InputAudio(InputAudioContent),
    /// Text from the model.
    OutputText(OutputTextContent),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// An image for the model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(choice(any("file_id", "image_url"), since = "0.156.0"))]
#[non_exhaustive]
pub struct InputImageContent {
    /// The image, mostly as a `data:` URL.
    #[wire(optional(since = "0.156.0"))]
    pub image_url: Maybe<String>,
    /// The image as a file that the provider has. Not recorded.
    ///
    /// Since 0.156.0.
    #[wire(since = "0.156.0", optional)]
    pub file_id: Maybe<String>,
    /// How closely the model looks. Recorded from 0.125.0.
    ///
    /// Since 0.110.0.
    #[wire(since = "0.110.0", optional)]
    pub detail: Maybe<ImageDetail>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Audio for the model. Not recorded.
///
/// Since 0.145.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(choice(any("audio_url", "file_id"), since = "0.167.2"))]
#[non_exhaustive]
pub struct InputAudioContent {
    /// The audio, mostly as a `data:` URL.
    #[wire(optional(since = "0.167.2"))]
    pub audio_url: Maybe<String>,
    /// The audio as a file that the provider has.
    ///
    /// Since 0.167.2.
    #[wire(since = "0.167.2", optional)]
    pub file_id: Maybe<String>,
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
    /// What the text refers to, as the provider says.
    ///
    /// Since 0.163.0.
    #[wire(since = "0.163.0", optional)]
    pub annotations: Maybe<Vec<Raw>>,
    /// How likely each token was. Not recorded.
    ///
    /// Since 0.163.0.
    #[wire(since = "0.163.0", optional)]
    pub logprobs: Maybe<Vec<Raw>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A part of a message between agents.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum AgentMessageInputContent {
    /// Text.
    ///
    /// Since 0.140.0.
    #[wire(since = "0.140.0")]
    InputText(AgentInputTextContent),
    /// What only the provider can read.
    EncryptedContent(AgentEncryptedContent),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Text for the model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentInputTextContent {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What only the provider can read.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentEncryptedContent {
    /// The content.
    pub encrypted_content: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a tool answered: text, or from 0.53.0 also parts.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum FunctionCallOutputBody {
    /// Text.
    Text(String),
    /// Parts: images, and from 0.98.0 text too.
    ///
    /// Since 0.53.0.
    #[wire(since = "0.53.0")]
    Parts(Vec<FunctionCallOutputContentItem>),
    /// A value of another type.
    #[wire(unknown)]
    Unknown(Raw),
}

/// A part of what a tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum FunctionCallOutputContentItem {
    /// Text. Recorded from 0.98.0.
    InputText(ToolTextContent),
    /// An image.
    InputImage(ToolImageContent),
    /// Audio. Not recorded.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0")]
    InputAudio(ToolAudioContent),
    /// What only the provider can read. Not recorded.
    ///
    /// Since 0.133.0.
    #[wire(since = "0.133.0")]
    EncryptedContent(ToolEncryptedContent),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Text for the model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ToolTextContent {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An image for the model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(choice(any("file_id", "image_url"), since = "0.156.0"))]
#[non_exhaustive]
pub struct ToolImageContent {
    /// The image, mostly as a `data:` URL.
    #[wire(optional(since = "0.156.0"))]
    pub image_url: Maybe<String>,
    /// The image as a file that the provider has. Not recorded.
    ///
    /// Since 0.156.0.
    #[wire(since = "0.156.0", optional)]
    pub file_id: Maybe<String>,
    /// How closely the model looks. Recorded from 0.125.0.
    ///
    /// Since 0.110.0.
    #[wire(since = "0.110.0", optional)]
    pub detail: Maybe<ImageDetail>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Audio for the model. Not recorded.
///
/// Since 0.145.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(choice(any("audio_url", "file_id"), since = "0.169.0"))]
#[non_exhaustive]
pub struct ToolAudioContent {
    /// The audio, mostly as a `data:` URL.
    #[wire(optional(since = "0.169.0"))]
    pub audio_url: Maybe<String>,
    /// The audio as a file that the provider has.
    ///
    /// Since 0.169.0.
    #[wire(since = "0.169.0", optional)]
    pub file_id: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What only the provider can read.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ToolEncryptedContent {
    /// The content.
    pub encrypted_content: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
