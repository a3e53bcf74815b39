//! Items that are text: messages, reasoning, plans.

use crate::json::Extra;
use crate::rollout::parts::{ImageDetail, MemoryCitation, MessagePhase, TextElement};
use crate::{Maybe, Unknown, Wire};

/// What the user said.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UserMessageTurnItem {
    /// The item's id, a UUID; not that of the response item.
    pub id: String,
    /// The id the client gave the message. Recorded from 0.157.0, and not in 0.151.0.
    ///
    /// Since 0.152.0.
    #[wire(since = "0.152.0", optional)]
    pub client_id: Maybe<String>,
    /// What it consists of.
    pub content: Vec<UserInputPart>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A part of what the user said; snake_case, unlike in the app-server. Recorded: `text`; the rest
/// is from the official schemas of the app-server up to 0.114.0, and from its own `UserInput`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum UserInputPart {
    /// Text.
    Text(TextInputPart),
    /// An image.
    Image(ImageInputPart),
    /// An image in a file.
    LocalImage(LocalImageInputPart),
    /// A sound.
    Audio(AudioInputPart),
    /// A sound in a file.
    LocalAudio(LocalAudioInputPart),
    /// A skill to use.
    Skill(SkillInputPart),
    /// A file or an app to look at.
    Mention(MentionInputPart),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Text.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TextInputPart {
    /// The text.
    pub text: String,
    /// Parts of it that a client shows in a way of its own.
    pub text_elements: Vec<TextElement>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ImageInputPart {
    /// Its address, or a `data:` URL.
    pub image_url: String,
    /// How closely the model looks at it.
    #[wire(optional)]
    pub detail: Maybe<ImageDetail>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An image in a file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct LocalImageInputPart {
    /// The file.
    pub path: String,
    /// How closely the model looks at it.
    #[wire(optional)]
    pub detail: Maybe<ImageDetail>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A sound.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AudioInputPart {
    /// Its address, or a `data:` URL.
    pub audio_url: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A sound in a file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct LocalAudioInputPart {
    /// The file.
    pub path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A skill to use.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SkillInputPart {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file or an app to look at.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct MentionInputPart {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the agent said.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentMessageTurnItem {
    /// The item's id: that of the response item.
    pub id: String,
    /// What it consists of.
    pub content: Vec<AgentMessagePart>,
    /// What part the message has in the turn, where the model says it.
    #[wire(optional)]
    pub phase: Maybe<MessagePhase>,
    /// The memories it draws on. Not recorded: from upstream's type.
    #[wire(optional)]
    pub memory_citation: Maybe<MemoryCitation>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A part of what the agent said; its tag is PascalCase.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum AgentMessagePart {
    /// Text.
    #[wire(rename = "Text")]
    Text(AgentMessageText),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Text.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentMessageText {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model's reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReasoningTurnItem {
    /// The item's id: that of the response item.
    pub id: String,
    /// The sections of its summary.
    pub summary_text: Vec<String>,
    /// The reasoning itself, where the model shows it; empty otherwise.
    pub raw_content: Vec<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The plan the agent made in plan mode.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PlanTurnItem {
    /// The item's id.
    pub id: String,
    /// The plan, in Markdown.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook had to say to the model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct HookPromptTurnItem {
    /// The item's id.
    pub id: String,
    /// What each run of a hook said.
    pub fragments: Vec<HookPromptFragment>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a run of a hook said; camelCase inside.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookPromptFragment {
    /// The text.
    pub text: String,
    /// The run.
    pub hook_run_id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The agent waited. Not recorded: from upstream's type, dated by the app-server's item.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SleepTurnItem {
    /// The item's id.
    pub id: String,
    /// How long, in milliseconds.
    pub duration_ms: u64,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The history was summed up to make room.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ContextCompactionTurnItem {
    /// The item's id.
    pub id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
