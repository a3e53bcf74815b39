//! What a turn runs with.

use crate::core_protocol::ReasoningSummary;
use crate::json::{Extra, MemberOrder, Raw};
use crate::rollout::{
    ActivePermissionProfile, ApprovalsReviewer, AskForApproval, CollaborationMode,
    FileSystemSandboxPolicy, ModeKind, MultiAgentVersion, PermissionProfile, Personality,
    TurnSandboxPolicy,
};
use crate::{Maybe, UnknownExternal, Wire};

/// What a turn runs with: model, permissions, folder.
///
/// Up to 0.106.0 one for each request to the model, behind the user's message; from 0.107.0 one for
/// each turn, before it. The turn of a review has none in the file of the parent.
///
/// Members that are not recorded are upstream's; the programs of 0.87.0 to 0.152.0 say how many
/// members the type has, which dates them.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnContextItem {
    /// The turn, a UUID.
    ///
    /// Since 0.100.0.
    #[wire(since = "0.100.0")]
    pub turn_id: Maybe<String>,
    /// The trace that the turn belongs to. Not recorded.
    ///
    /// From 0.113.0 to 0.146.1.
    #[wire(since = "0.113.0", until = "0.146.1", optional)]
    pub trace_id: Maybe<String>,
    /// The turn of the root thread that this one belongs to.
    ///
    /// Since 0.153.0.
    #[wire(since = "0.153.0", optional)]
    pub root_turn_id: Maybe<String>,
    /// The plugins that are off.
    ///
    /// Since 0.155.0.
    #[wire(since = "0.155.0")]
    pub disabled_plugin_ids: Maybe<Vec<String>>,
    /// The working folder.
    pub cwd: String,
    /// The folders of the workspace.
    ///
    /// From 0.136.0 to 0.160.1.
    #[wire(since = "0.136.0", until = "0.160.1")]
    pub workspace_roots: Maybe<Vec<String>>,
    /// The day, as `2026-11-22`, in local time.
    ///
    /// From 0.107.0 to 0.160.1.
    #[wire(since = "0.107.0", until = "0.160.1")]
    pub current_date: Maybe<String>,
    /// The time zone, as `Etc/UTC`.
    ///
    /// From 0.107.0 to 0.160.1.
    #[wire(since = "0.107.0", until = "0.160.1")]
    pub timezone: Maybe<String>,
    /// When somebody is asked before a command runs.
    pub approval_policy: AskForApproval,
    /// Who is asked.
    ///
    /// Since 0.144.0.
    #[wire(since = "0.144.0")]
    pub approvals_reviewer: Maybe<ApprovalsReviewer>,
    /// What commands may do. The last member from 0.169.0.
    pub sandbox_policy: TurnSandboxPolicy,
    /// What commands may touch. 0.124.0 has it, too, in a form without `type`, which is not described.
    ///
    /// Since 0.125.0.
    #[wire(since = "0.125.0")]
    pub permission_profile: Maybe<PermissionProfile>,
    /// The named profile this comes from. Not recorded.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0", optional)]
    pub active_permission_profile: Maybe<ActivePermissionProfile>,
    /// Which hosts commands may reach. Not recorded.
    ///
    /// Since 0.104.0.
    #[wire(since = "0.104.0", optional)]
    pub network: Maybe<TurnContextNetworkItem>,
    /// Which files commands may touch, where the sandbox policy cannot say it. Recorded from
    /// 0.124.0 to 0.147.0; the programs of 0.124.0 to 0.165.0 have it.
    ///
    /// Since 0.124.0.
    #[wire(since = "0.124.0", optional)]
    pub file_system_sandbox_policy: Maybe<FileSystemSandboxPolicy>,
    /// The model.
    pub model: String,
    /// Which ways of compacting the model shares with others, as a hash.
    ///
    /// Since 0.144.0.
    #[wire(since = "0.144.0", optional)]
    pub comp_hash: Maybe<String>,
    /// How the agent talks. Since 0.156.0 only if it is set: asked up to 0.162.0 with a configuration that
    /// sets it.
    ///
    /// From 0.94.0 to 0.161.0.
    #[wire(since = "0.94.0", until = "0.161.0", optional(since = "0.156.0"))]
    pub personality: Maybe<Personality>,
    /// How the agent works with the user.
    ///
    /// Since 0.89.0.
    #[wire(since = "0.89.0")]
    pub collaboration_mode: Maybe<TurnCollaborationMode>,
    /// How agents work together.
    ///
    /// Since 0.137.0.
    #[wire(since = "0.137.0")]
    pub multi_agent_version: Maybe<MultiAgentVersion>,
    /// When agents are started; recorded in 0.142.0 only.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub multi_agent_mode: Maybe<MultiAgentMode>,
    /// Whether the user and the model speak to each other.
    ///
    /// Since 0.110.0.
    #[wire(since = "0.110.0")]
    pub realtime_active: Maybe<bool>,
    /// The provider's programme for security research that the turn runs under. Not recorded.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0", optional)]
    pub cyber_access_program: Maybe<String>,
    /// How hard the model thinks; left out for as usual.
    #[wire(optional)]
    pub effort: Maybe<TurnReasoningEffort>,
    /// How the model's thoughts are summed up.
    pub summary: ReasoningSummary,
    /// What the model was told first.
    ///
    /// From 0.80.0 to 0.87.0.
    #[wire(since = "0.80.0", until = "0.87.0", optional)]
    pub base_instructions: Maybe<String>,
    /// The user's instructions: `AGENTS.md`, and the skills. Always written up to 0.113.0, and not
    /// recorded after it.
    ///
    /// From 0.80.0 to 0.132.0.
    #[wire(since = "0.80.0", until = "0.132.0", optional(since = "0.114.0"))]
    pub user_instructions: Maybe<String>,
    /// What the client told the model. Not recorded.
    ///
    /// From 0.80.0 to 0.132.0.
    #[wire(since = "0.80.0", until = "0.132.0", optional)]
    pub developer_instructions: Maybe<String>,
    /// The JSON Schema that the answer is to follow.
    ///
    /// From 0.80.0 to 0.132.0.
    #[wire(since = "0.80.0", until = "0.132.0", optional)]
    pub final_output_json_schema: Maybe<Raw>,
    /// How long the output of a tool may be.
    ///
    /// From 0.80.0 to 0.132.0.
    #[wire(since = "0.80.0", until = "0.132.0")]
    pub truncation_policy: Maybe<TruncationPolicy>,
    /// The order of the members, which changed with 0.169.0.
    #[wire(order)]
    pub order: MemberOrder,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Which hosts commands may reach.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnContextNetworkItem {
    /// Those they may.
    pub allowed_domains: Vec<String>,
    /// Those they may not.
    pub denied_domains: Vec<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How the agent works with the user.
///
/// Since 0.89.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum TurnCollaborationMode {
    /// The settings stand apart.
    ///
    /// Since 0.90.0.
    #[wire(since = "0.90.0")]
    Mode(CollaborationMode),
    /// The settings stand beside the mode.
    ///
    /// Until 0.89.0.
    #[wire(until = "0.89.0")]
    Early(EarlyCollaborationMode),
    /// A shape that this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

/// How the agent works with the user, in 0.89.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyCollaborationMode {
    /// The mode; `custom` in every recording.
    pub mode: ModeKind,
    /// The model.
    pub model: String,
    /// How hard the model thinks; `null` for as usual.
    #[wire(nullable)]
    pub reasoning_effort: Maybe<TurnReasoningEffort>,
    /// What the model is told on top; `null` for nothing.
    #[wire(nullable)]
    pub developer_instructions: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// When agents are started.
///
/// Since 0.142.0. Recorded is `explicitRequestOnly`; the rest is known from the official schema of
/// the app-server.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged, rename_all = "camelCase")]
#[non_exhaustive]
pub enum MultiAgentMode {
    /// As the text says.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0")]
    Custom(String),
    /// When the user asks for it.
    ExplicitRequestOnly,
    /// Never.
    ///
    /// Until 0.142.5.
    #[wire(until = "0.142.5")]
    None,
    /// When the model thinks it best.
    Proactive,
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// How hard a model is to think.
///
/// Any word from 0.138.0, as the models have words of their own. Recorded are `low`, `medium`,
/// `high` and `xhigh`; the dates are those of the official schema of the app-server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[wire(open(since = "0.138.0"), not_empty)]
#[non_exhaustive]
pub enum TurnReasoningEffort {
    /// Not at all.
    ///
    /// Since 0.58.0.
    #[wire(since = "0.58.0")]
    None,
    /// As little as it can.
    Minimal,
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// A lot.
    High,
    /// More than a lot.
    ///
    /// Since 0.59.0.
    #[wire(since = "0.59.0")]
    Xhigh,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// How long the output of a tool may be before the middle of it is left out.
///
/// Since 0.80.0. Until 0.132.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TruncationPolicy {
    /// In which unit.
    pub mode: TruncationMode,
    /// How many of them.
    pub limit: u64,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The unit of a length.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum TruncationMode {
    /// Bytes of UTF-8.
    Bytes,
    /// Tokens, as Codex guesses them.
    Tokens,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
