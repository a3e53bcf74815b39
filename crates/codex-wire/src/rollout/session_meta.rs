//! What a session is: who began it, where, with what, and where its history comes from.

use crate::json::{Extra, Raw};
use crate::{Maybe, Unknown, UnknownExternal, Wire};

/// What a session is.
///
/// Line 1 of every file from 0.34.0. It names the release that created the file, not the one that
/// wrote the lines behind it: a resume appends without a mark.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[doc(alias = "SessionMetaLine")]
#[non_exhaustive]
pub struct SessionMeta {
    /// Whether the session belongs to an account; `true` in every recording.
    ///
    /// Since 0.168.0.
    #[wire(since = "0.168.0")]
    pub account_scoped: Maybe<bool>,
    /// The session: the thread's own id, and for a sub-agent the id of the root thread.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0")]
    pub session_id: Maybe<String>,
    /// The thread, a UUID: random up to 0.36.0, ordered by time from 0.39.0. The first UUID in the
    /// name of the file.
    pub id: String,
    /// The user who began it. Not recorded; first named by the program of 0.165.0.
    ///
    /// Since 0.153.0.
    #[wire(since = "0.153.0", optional)]
    pub creator_user_id: Maybe<String>,
    /// The account it was begun with. Not recorded; first named by the program of 0.165.0.
    ///
    /// Since 0.153.0.
    #[wire(since = "0.153.0", optional)]
    pub creator_account_id: Maybe<String>,
    /// The thread this one was forked from.
    ///
    /// Since 0.89.0.
    #[wire(since = "0.89.0", optional)]
    pub forked_from_id: Maybe<String>,
    /// The thread this one hangs on; any JSON, because it is not recorded. First named by the
    /// program of 0.165.0.
    ///
    /// Since 0.153.0.
    #[wire(since = "0.153.0", optional)]
    pub attached_thread: Maybe<Raw>,
    /// The fork has the lines of its parent below this ordinal.
    ///
    /// Since 0.151.0.
    #[wire(since = "0.151.0", optional)]
    pub forked_from_ordinal_exclusive: Maybe<u64>,
    /// The thread that started this one as a sub-agent or review.
    ///
    /// Since 0.137.0.
    #[wire(since = "0.137.0", optional)]
    pub parent_thread_id: Maybe<String>,
    /// When the session began, in UTC with milliseconds.
    pub timestamp: String,
    /// The working folder.
    pub cwd: String,
    /// The folders that belong to the workspace.
    ///
    /// Since 0.155.0.
    #[wire(since = "0.155.0")]
    pub runtime_workspace_roots: Maybe<Vec<String>>,
    /// The client: `codex_cli_rs`, `codex_exec` (from 0.44.0), `codex-tui` (from 0.121.0), or what
    /// a client of the app-server calls itself (from 0.87.0).
    pub originator: String,
    /// The release that created the file.
    pub cli_version: String,
    /// The user's instructions, `AGENTS.md`; `null` if there are none.
    ///
    /// Until 0.87.0.
    #[wire(until = "0.87.0", nullable)]
    pub instructions: Maybe<String>,
    /// What kind of client or agent began it.
    ///
    /// Since 0.44.0.
    #[wire(since = "0.44.0")]
    pub source: Maybe<SessionSource>,
    /// What kind of thread it is: `user`, `subagent`.
    ///
    /// Since 0.129.0.
    #[wire(since = "0.129.0", optional)]
    pub thread_source: Maybe<String>,
    /// The name a sub-agent goes by.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional)]
    pub agent_nickname: Maybe<String>,
    /// The role a sub-agent was given. Not recorded; upstream's type has it.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional)]
    pub agent_role: Maybe<String>,
    /// The path of a sub-agent in the tree of agents, such as `/root/kid_one`.
    ///
    /// Since 0.125.0.
    #[wire(since = "0.125.0", optional)]
    pub agent_path: Maybe<String>,
    /// Who serves the model.
    ///
    /// Since 0.53.0.
    #[wire(since = "0.53.0")]
    pub model_provider: Maybe<String>,
    /// What the model was told first; `null` in a file that a migration rewrote.
    ///
    /// Since 0.89.0.
    #[wire(since = "0.89.0", nullable(since = "0.169.0"))]
    pub base_instructions: Maybe<BaseInstructions>,
    /// Tools that the client brought.
    ///
    /// Since 0.98.0.
    #[wire(since = "0.98.0", optional)]
    pub dynamic_tools: Maybe<Vec<DynamicToolSpec>>,
    /// Folders with further abilities, chosen for the session; any JSON, because they are not
    /// recorded. First named by the program of 0.146.1.
    ///
    /// Since 0.129.0.
    #[wire(since = "0.129.0", optional)]
    pub selected_capability_roots: Maybe<Vec<Raw>>,
    /// Whether memories are made of the thread: `enabled`, `disabled`. Written where a client has
    /// set it; recorded from 0.125.0 to 0.150.1, named by the programs from 0.106.0 on.
    ///
    /// Since 0.106.0.
    #[wire(since = "0.106.0", optional)]
    pub memory_mode: Maybe<String>,
    /// How the history is kept.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0")]
    pub history_mode: Maybe<ThreadHistoryMode>,
    /// Where the history before this file's lines stands: for a fork and a segment.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0", optional)]
    pub history_base: Maybe<HistoryPosition>,
    /// The ordinal at which a sub-agent's own history begins, behind what it was given of its
    /// parent's. Not recorded; first named by the program of 0.146.1.
    ///
    /// Since 0.129.0.
    #[wire(since = "0.129.0", optional)]
    pub subagent_history_start_ordinal: Maybe<u64>,
    /// How agents work together in this thread.
    ///
    /// Since 0.137.0.
    #[wire(since = "0.137.0", optional)]
    pub multi_agent_version: Maybe<MultiAgentVersion>,
    /// The context window the session begins with.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0")]
    pub context_window: Maybe<SessionContextWindow>,
    /// The repository of the working folder; left out where there is none, and by a change of the
    /// memory mode.
    #[wire(optional)]
    pub git: Maybe<GitInfo>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The repository of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct GitInfo {
    /// The commit that is checked out; left out where there is none yet.
    #[wire(optional)]
    pub commit_hash: Maybe<String>,
    /// The branch; left out where none is checked out.
    #[wire(optional)]
    pub branch: Maybe<String>,
    /// Where the repository was cloned from; left out where that is not known, as in every
    /// recording. Upstream's type has it.
    #[wire(optional)]
    pub repository_url: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What kind of client or agent began a session.
///
/// Recorded are `cli`, `exec`, `vscode` and sub-agents; the rest is known from the official schema
/// of the app-server, whose events up to 0.104.0 carry the same type.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged)]
#[non_exhaustive]
pub enum SessionSource {
    /// The interactive command line.
    Cli,
    /// The editor extension; also what every client of the app-server counts as.
    Vscode,
    /// `codex exec`; in 0.87.0 also its sub-agents.
    Exec,
    /// `codex mcp-server`.
    Mcp,
    /// A client that names itself.
    ///
    /// Since 0.116.0.
    #[wire(since = "0.116.0")]
    Custom(String),
    /// Codex itself, for work of its own, such as `memory_consolidation`. Not recorded; upstream's
    /// type has it.
    ///
    /// Since 0.129.0.
    #[wire(since = "0.129.0")]
    Internal(String),
    /// A sub-agent of another thread.
    Subagent(SubAgentSource),
    /// A source that the release did not know.
    #[wire(rename = "unknown")]
    Other,
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// Why a sub-agent was started.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged)]
#[non_exhaustive]
pub enum SubAgentSource {
    /// To review code.
    Review,
    /// To compact a history. Not recorded; official schema of the app-server.
    Compact,
    /// To work memories over. Not recorded; official schema of the app-server.
    ///
    /// Since 0.104.0.
    #[wire(since = "0.104.0")]
    MemoryConsolidation,
    /// An agent started it with a tool call.
    ///
    /// Since 0.90.0.
    #[wire(since = "0.90.0")]
    ThreadSpawn(ThreadSpawnSource),
    /// Some other reason, by name. Not recorded; official schema of the app-server.
    Other(String),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// A sub-agent that an agent started with a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ThreadSpawnSource {
    /// The thread of the agent that started it.
    pub parent_thread_id: String,
    /// How deep in the tree of agents; children of the first thread are at 1.
    pub depth: u32,
    /// Its path in the tree of agents; `null` where agents have none.
    ///
    /// Since 0.117.0.
    #[wire(since = "0.117.0", nullable)]
    pub agent_path: Maybe<String>,
    /// The name it goes by.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", nullable)]
    pub agent_nickname: Maybe<String>,
    /// The role it was given; `null` in every recording.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", nullable)]
    pub agent_role: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the model was told first.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct BaseInstructions {
    /// The text.
    pub text: String,
    /// Where it comes from.
    ///
    /// Since 0.148.0.
    #[wire(since = "0.148.0")]
    pub provenance: Maybe<BaseInstructionsProvenance>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Where the first instructions come from.
///
/// Since 0.148.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum BaseInstructionsProvenance {
    /// They are those of a model.
    Model(ModelProvenance),
    /// They were given by the configuration, the client or Codex.
    Custom(CustomProvenance),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Instructions of a model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ModelProvenance {
    /// The model.
    pub model: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Instructions that are not those of a model.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CustomProvenance {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A tool that the client brought. Its members are in camelCase.
///
/// Up to 0.140.0 a tool as such, from 0.141.0 tagged by `type`; the releases between are told by
/// the official schema of the app-server.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum DynamicToolSpec {
    /// With its kind.
    ///
    /// Since 0.141.0.
    #[wire(since = "0.141.0")]
    Tagged(TaggedDynamicTool),
    /// Without a kind.
    ///
    /// Until 0.140.0.
    #[wire(until = "0.140.0")]
    Plain(PlainDynamicTool),
    /// A shape that this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

/// A tool of the client, or several under one name.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum TaggedDynamicTool {
    /// One tool.
    Function(DynamicFunctionTool),
    /// Several. Not recorded; official schema of the app-server.
    Namespace(DynamicNamespaceTool),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A tool of the client, up to 0.140.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlainDynamicTool {
    /// The namespace of the tool. Not recorded; official schema of the app-server.
    ///
    /// Since 0.123.0.
    #[wire(since = "0.123.0", optional)]
    pub namespace: Maybe<String>,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Raw,
    /// Whether the model has to look for it; left out from 0.133.0 where it is `false`.
    ///
    /// Since 0.115.0.
    #[wire(since = "0.115.0", optional(since = "0.133.0"))]
    pub defer_loading: Maybe<bool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A tool of the client, from 0.141.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DynamicFunctionTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Raw,
    /// Whether the model has to look for it; left out where it is `false`.
    #[wire(optional)]
    pub defer_loading: Maybe<bool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Tools of the client under one name.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DynamicNamespaceTool {
    /// The name.
    pub name: String,
    /// What the tools are for.
    pub description: String,
    /// The tools.
    pub tools: Vec<DynamicToolNamespaceTool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A tool under such a name.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum DynamicToolNamespaceTool {
    /// One tool.
    Function(NamespacedFunctionTool),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A tool of the client under the name of several.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NamespacedFunctionTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Raw,
    /// Whether the model has to look for it; left out where it is `false`.
    #[wire(optional)]
    pub defer_loading: Maybe<bool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How the history of a thread is kept.
///
/// Since 0.143.0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum ThreadHistoryMode {
    /// As before 0.147.0: lines without ordinals, messages as events beside their items.
    Legacy,
    /// Lines with ordinals, finished items as `item_completed`; forks point into their base.
    Paginated,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// How agents work together.
///
/// Since 0.137.0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum MultiAgentVersion {
    /// Not at all.
    Disabled,
    /// By the first set of tools.
    V1,
    /// By the second set of tools.
    V2,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// A place in the history of a thread: the lines before it belong to the history.
///
/// Since 0.147.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[doc(alias = "HistoryBase")]
#[non_exhaustive]
pub struct HistoryPosition {
    /// The thread; for a segment the thread itself.
    pub thread_id: String,
    /// The first ordinal that does not belong to it.
    pub end_ordinal_exclusive: u64,
    /// How many bytes of the file belong to it.
    pub end_byte_offset: u64,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A context window: what the model receives between two compactions.
///
/// Since 0.143.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SessionContextWindow {
    /// The window, a UUID.
    pub window_id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
