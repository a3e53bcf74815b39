//! The payload of the `notify` program: what Codex adds as the last argument when it starts it.
//!
//! `notify = ["program", "argument"]` in `config.toml` names a program. After each turn that ends by
//! itself Codex starts it with one more argument, a JSON text. Codex does not wait for it. Nothing
//! comes after a turn that failed or was interrupted. Sub-agents and reviews notify as well.
//!
//! The members are in kebab-case. Codex writes them in this order: `type`, `thread-id`, `turn-id`,
//! `cwd`, `client`, `input-messages`, `last-assistant-message`.
//!
//! Sources: recordings of 22 releases from 0.20.0 to 0.169.0.

use crate::json::Extra;
use crate::{Maybe, Unknown, Wire};

/// What the `notify` program gets.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum UserNotification {
    /// A turn ended by itself.
    AgentTurnComplete(AgentTurnComplete),
    /// A kind that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A turn ended by itself.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct AgentTurnComplete {
    /// The id of the thread; of a sub-agent or a review its own.
    ///
    /// Since 0.47.0.
    #[wire(since = "0.47.0")]
    pub thread_id: Maybe<String>,
    /// The id of the turn: a number in decimal up to 0.98.0, a UUID from 0.100.0 on.
    pub turn_id: String,
    /// The folder the session works in, absolute.
    ///
    /// Since 0.49.0.
    #[wire(since = "0.49.0")]
    pub cwd: Maybe<String>,
    /// The name of the client, such as `codex-tui`. Absent in reviews and sub-agents.
    ///
    /// Since 0.107.0.
    #[wire(since = "0.107.0", optional)]
    pub client: Maybe<String>,
    /// From 0.55.0 on all prompts of the user in the thread so far, those of interrupted turns too.
    /// Up to 0.53.0 Codex wrote earlier messages of the agent here.
    pub input_messages: Vec<String>,
    /// The last message of the agent; `null` if there is none.
    #[wire(nullable)]
    pub last_assistant_message: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
