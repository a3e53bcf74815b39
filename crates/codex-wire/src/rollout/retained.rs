//! What is kept of a conversation in its own words, over compactions.

use crate::json::{Extra, Raw};
use crate::rollout::MessagePhase;
use crate::{Maybe, Unknown, Wire};

/// What the user and the agent said, kept in their own words.
///
/// Since 0.154.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RetainedContext {
    /// The user's answers to questions of the agent.
    pub verified_answers: Vec<RetainedAnswer>,
    /// Whether answers are missing.
    pub incomplete: bool,
    /// What the user said. Recorded from 0.157.0.
    #[wire(optional(until = "0.156.1"))]
    pub user_messages: Maybe<Vec<RetainedMessage>>,
    /// Whether messages of the user are missing.
    #[wire(optional(until = "0.156.1"))]
    pub user_messages_incomplete: Maybe<bool>,
    /// What the agent said. Recorded from 0.162.0, and not in 0.157.0.
    ///
    /// Since 0.158.0.
    #[wire(since = "0.158.0", optional(until = "0.161.0"))]
    pub assistant_messages: Maybe<Vec<RetainedMessage>>,
    /// Whether messages of the agent are missing.
    ///
    /// Since 0.158.0.
    #[wire(since = "0.158.0", optional(until = "0.161.0"))]
    pub assistant_messages_incomplete: Maybe<bool>,
    /// The number that the next of them gets.
    #[wire(optional(until = "0.156.1"))]
    pub next_order: Maybe<u64>,
    /// Not recorded; first named by the program of 0.165.0.
    #[wire(optional)]
    pub sender_deliveries: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A message that is kept.
///
/// Since 0.154.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RetainedMessage {
    /// Which version of it: `retained_` and a UUID. Recorded from 0.162.0, and not in 0.157.0.
    ///
    /// Since 0.158.0.
    #[wire(since = "0.158.0", optional(until = "0.161.0"))]
    pub revision: Maybe<String>,
    /// Whether it is a message to the parent of this thread. Not recorded; upstream's type has it.
    #[wire(optional)]
    pub inherited: Maybe<bool>,
    /// Its place among all that is kept, counted from 0.
    pub order: u64,
    /// Its turn.
    pub turn_id: String,
    /// The id of the response item; `null` where it has none.
    #[wire(nullable)]
    pub message_id: Maybe<String>,
    /// What part it has in its turn. Not recorded; named by the program of 0.165.0.
    #[wire(optional, nullable)]
    pub phase: Maybe<MessagePhase>,
    /// The text.
    pub text: String,
    /// Whether this is all of it.
    pub complete: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An answer of the user that is kept. Not recorded; upstream's type.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RetainedAnswer {
    /// Which version of it.
    #[wire(optional)]
    pub revision: Maybe<String>,
    /// Whether it was given to the parent of this thread.
    #[wire(optional)]
    pub inherited: Maybe<bool>,
    /// Its place among all that is kept, counted from 0.
    #[wire(optional)]
    pub order: Maybe<u64>,
    /// Its turn.
    pub turn_id: String,
    /// The call that asked.
    pub call_id: String,
    /// The questions with their answers; empty if they were too long to keep.
    pub questions: Vec<VerifiedQuestionAnswer>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A question of the agent with the user's answer.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct VerifiedQuestionAnswer {
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A fact that is kept from now on. Not recorded; upstream's type.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum RetainedContextEvent {
    /// The user has answered questions of the agent.
    VerifiedAnswer(VerifiedAnswerEvent),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// The user has answered questions of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct VerifiedAnswerEvent {
    /// The turn.
    pub turn_id: String,
    /// The call that asked.
    pub call_id: String,
    /// The questions with their answers.
    pub questions: Vec<VerifiedQuestionAnswer>,
    /// In which order it was accepted, among messages and answers.
    #[wire(optional)]
    pub acceptance_order: Maybe<u64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
