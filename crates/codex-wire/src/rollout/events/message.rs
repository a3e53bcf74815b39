//! Messages and reasoning, as events.
//!
//! Files of legacy threads hold each message twice: as an event, for people, and as a response
//! item, for the model. Paginated threads have [`ItemCompletedEvent`](super::ItemCompletedEvent)
//! instead of these events.

use crate::json::{Extra, Raw};
use crate::rollout::parts::{ImageDetail, MemoryCitation, MessagePhase, TextElement};
use crate::{Maybe, Null, Wire};

/// What the user said, for people. Written after the response item of the same text; a review has
/// two of them in the file of its parent.
///
/// The same as the [`UserMessageEvent`](crate::core_protocol::UserMessageEvent) of `codex proto` up to 0.47.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UserMessageEvent {
    /// The id a client gave the message. Not recorded in legacy threads: from upstream's type,
    /// dated by the app-server's item.
    ///
    /// Since 0.136.0.
    #[wire(since = "0.136.0", optional)]
    pub client_id: Maybe<String>,
    /// The text, without images.
    pub message: String,
    /// Who put it together. Recorded files say `plain`; `codex proto` does not write it.
    ///
    /// Until 0.47.0.
    #[wire(until = "0.47.0", optional)]
    pub kind: Maybe<crate::core_protocol::InputMessageKind>,
    /// The images, as `data:` URLs or as the client gave them; empty for none. Later releases
    /// always write the list, recorded from 0.49.0.
    ///
    /// May be left out until 0.47.0.
    #[wire(optional(until = "0.47.0"))]
    pub images: Maybe<Vec<String>>,
    /// How closely the model looks at each of [`images`](Self::images), in the same order; `null`
    /// stands for as usual. Not recorded: from upstream's type, dated by the app-server's
    /// `UserInput`.
    ///
    /// Since 0.132.0.
    #[wire(since = "0.132.0", optional)]
    pub image_details: Maybe<Vec<ImageDetailHint>>,
    /// The images that are files, by path.
    ///
    /// Since 0.87.0.
    #[wire(since = "0.87.0")]
    pub local_images: Maybe<Vec<String>>,
    /// As [`image_details`](Self::image_details), of [`local_images`](Self::local_images). Not
    /// recorded.
    ///
    /// Since 0.132.0.
    #[wire(since = "0.132.0", optional)]
    pub local_image_details: Maybe<Vec<ImageDetailHint>>,
    /// The sounds; recorded empty.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0")]
    pub audio: Maybe<Vec<String>>,
    /// The sounds that are files, by path; recorded empty.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0")]
    pub local_audio: Maybe<Vec<String>>,
    /// Parts of the text that a client shows in a way of its own.
    ///
    /// Since 0.87.0.
    #[wire(since = "0.87.0")]
    pub text_elements: Maybe<Vec<TextElement>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How closely the model looks at one of several images.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum ImageDetailHint {
    /// This closely.
    Detail(ImageDetail),
    /// As usual.
    Usual(Null),
    /// A shape that this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

/// What the agent said, for people. Up to 0.63.0 before the response item of the same text, from
/// 0.80.0 too, but with the usage after both.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentMessageEvent {
    /// The text.
    pub message: String,
    /// What part the message has in the turn; `null` where the model does not say.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", nullable)]
    pub phase: Maybe<MessagePhase>,
    /// The memories it draws on; recorded as `null`.
    ///
    /// Since 0.116.0.
    #[wire(since = "0.116.0", nullable)]
    pub memory_citation: Maybe<MemoryCitation>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A section of the summary of the model's reasoning, whole. The same as in `codex proto`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentReasoningEvent {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model's reasoning itself, where the configuration shows it. The same as in `codex proto`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentReasoningRawContentEvent {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
