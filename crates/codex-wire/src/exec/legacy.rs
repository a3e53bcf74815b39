//! `codex exec --json` up to 0.42.0: two lines of its own, then the events of the core protocol.
//!
//! The two lines have no tag. The first is the configuration, in free words and in random
//! order; the second is the prompt. The events follow, without `session_configured`,
//! `task_complete`, `shutdown_complete` and the deltas of messages and reasoning summaries; the
//! deltas of command output and of the reasoning itself are printed.

use crate::core_protocol::Event;
use crate::json::{Extra, Raw};
use crate::{Maybe, Wire};

/// One line of the stream.
///
/// ```
/// use codex_wire::exec::legacy::LegacyLine;
///
/// let line: LegacyLine = codex_wire::from_str(r#"{"prompt":"Hello"}"#)?;
/// assert!(matches!(line, LegacyLine::Prompt(prompt) if prompt.prompt == "Hello"));
/// # Ok::<(), codex_wire::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum LegacyLine {
    /// An event: every line from the third on.
    Event(Event),
    /// The prompt: the second line.
    Prompt(LegacyPrompt),
    /// The configuration: the first line.
    Config(LegacyConfig),
    /// A line this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

impl LegacyLine {
    /// The event, on every line from the third on.
    pub fn event(&self) -> Option<&Event> {
        match self {
            LegacyLine::Event(event) => Some(event),
            _ => None,
        }
    }
}

/// What Codex runs with, in words for people. The order of the members is random.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct LegacyConfig {
    /// The folder it works in.
    pub workdir: String,
    /// The model.
    pub model: String,
    /// Who serves the model.
    pub provider: String,
    /// When the user is asked before a command runs; under `exec` mostly `never`.
    pub approval: String,
    /// What commands may do, such as `danger-full-access` or `workspace-write [workdir, /tmp]`.
    pub sandbox: String,
    /// How hard the model thinks, `none` where that is not set; left out for models that do not.
    #[wire(rename = "reasoning effort", optional)]
    pub reasoning_effort: Maybe<String>,
    /// How its thoughts are summed up; left out for models that do not think.
    #[wire(rename = "reasoning summaries", optional)]
    pub reasoning_summaries: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the agent is asked.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct LegacyPrompt {
    /// The text.
    pub prompt: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
