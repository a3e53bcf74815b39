//! Threads and where they come from.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::absent::is_false;
use super::{Item, Time, Tokens, Turn};

/// A conversation with one agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Thread {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// The name that somebody gave it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub created: Option<Time>,
    /// The release of Codex that made it. A later release may have gone on with it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub release: Option<String>,
    /// The client that made it, such as `codex_exec`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<String>,
    /// The provider of the model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model_provider: Option<String>,
    /// The working folder at the beginning.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cwd: Option<String>,
    /// The repository that the working folder is in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub git: Option<Git>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Lineage::is_unknown", default)]
    pub lineage: Lineage,
    /// The threads of the sub-agents it started, in that order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub children: Vec<String>,
    /// The turns. Those of a parent that a fork copied into its file are among them.
    pub turns: Vec<Turn>,
    /// What happened outside of turns.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outside: Vec<Item>,
    /// The tokens of the responses that this input holds, without copied ones. Zero where the source counts
    /// none: files before 0.34.0, a turn that did not end.
    pub tokens: Tokens,
    /// The last total that Codex itself reported. It may lack what was used before a resume (up to 0.77.0),
    /// and may include what other files hold.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reported: Option<Tokens>,
    /// How many tokens the model takes at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context_window: Option<u64>,
    /// The limits of the account, as Codex reported them last, in the words of the source.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rate_limits: Option<Value>,
}

impl Thread {
    /// The first thread of its tree, as far as is known: as the source says, else its parent, else itself.
    pub fn root(&self) -> Option<&str> {
        let lineage = &self.lineage;
        let root = lineage.root.as_deref().or(lineage.parent.as_deref());
        root.or(self.id.as_deref())
    }

    /// The turns of the conversation: without those that were taken back.
    pub fn history(&self) -> impl Iterator<Item = &Turn> {
        self.turns.iter().filter(|turn| !turn.is_rolled_back)
    }

    /// The turns that are this thread's own: without those that a fork copied.
    pub fn own_turns(&self) -> impl Iterator<Item = &Turn> {
        self.turns.iter().filter(|turn| !turn.is_copied)
    }
}

/// The repository of a working folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Git {
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub commit: Option<String>,
    /// The branch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<String>,
    /// The address of `origin`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<String>,
}

/// Where a thread comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Lineage {
    /// The first thread of the tree it belongs to. Session files name it since 0.142.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub root: Option<String>,
    /// The thread it is a fork of. Since 0.80.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub forked_from: Option<String>,
    /// The thread that started it as a sub-agent. Since 0.92.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<String>,
    /// Whether it is a sub-agent, a reviewer included.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_sub_agent: bool,
    /// Whether it is the work of a reviewer. Since 0.63.0.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_review: bool,
    /// The name of the sub-agent for people. Since 0.105.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nickname: Option<String>,
    /// The place of the sub-agent among the agents, such as `/root/kid_one`. Since 0.121.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// The other file, and the place in it, that this session file goes on from. Since 0.147.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub continues: Option<Continues>,
    /// Whether times alone say which turns were copied from the parent, so that it may be wrong. In forks
    /// made before 0.100.0.
    #[serde(skip_serializing_if = "is_false", default)]
    pub copies_are_guessed: bool,
}

impl Lineage {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Lineage::default()
    }
}

/// The place in another session file that a file goes on from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Continues {
    /// The thread of the other file.
    pub thread: String,
    /// The ordinal of the first line that does not belong to the history.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_ordinal: Option<u64>,
    /// The bytes of the other file that belong to the history.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_byte: Option<u64>,
}
