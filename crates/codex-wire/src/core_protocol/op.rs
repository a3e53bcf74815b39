//! Submissions: what a client asks for.

use crate::core_protocol::{
    AskForApproval, InputItem, ModelProviderInfo, ReasoningEffort, ReasoningSummary, ReviewRequest,
    SandboxPolicy,
};
use crate::json::{Extra, Raw};
use crate::{Maybe, Unknown, Wire};

/// One line a client writes.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Submission {
    /// The client's choice; the events that follow carry it.
    pub id: String,
    /// What is asked for.
    pub op: Op,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What is asked for.
///
/// Codex refuses a kind it does not know; it keeps no catch-all.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum Op {
    /// Sets up the session. `codex proto` begins with one of its own, with the id `0`.
    ///
    /// Until 0.22.0-alpha.1.
    #[wire(until = "0.22.0-alpha.1")]
    ConfigureSession(ConfigureSessionOp),
    /// Stops what is going on. Answered with `turn_aborted` from 0.23.0, before with an `error`.
    Interrupt(InterruptOp),
    /// Says something to the agent.
    UserInput(UserInputOp),
    /// Says something to the agent and sets how it works on it.
    ///
    /// Since 0.22.0.
    #[wire(since = "0.22.0")]
    UserTurn(UserTurnOp),
    /// Sets how the agent works on what is said from now on. Not answered.
    ///
    /// Since 0.23.0.
    #[wire(since = "0.23.0")]
    OverrideTurnContext(OverrideTurnContextOp),
    /// Answers `exec_approval_request`.
    ExecApproval(ExecApprovalOp),
    /// Answers `apply_patch_approval_request`.
    PatchApproval(PatchApprovalOp),
    /// Adds a text to the history of messages that all sessions share. Not answered.
    AddToHistory(AddToHistoryOp),
    /// Asks for a text of that history. Answered with `get_history_entry_response`.
    GetHistoryEntryRequest(GetHistoryEntryRequestOp),
    /// Asks for the conversation so far. Answered with `conversation_history`.
    ///
    /// From 0.24.0 to 0.34.0.
    #[wire(since = "0.24.0", until = "0.34.0")]
    GetHistory(GetHistoryOp),
    /// Asks where the conversation is stored. Answered with `conversation_path`.
    ///
    /// Since 0.35.0.
    #[wire(since = "0.35.0")]
    GetPath(GetPathOp),
    /// Asks for the tools of all MCP servers. Answered with `mcp_list_tools_response`.
    ///
    /// Since 0.23.0.
    #[wire(since = "0.23.0")]
    ListMcpTools(ListMcpToolsOp),
    /// Asks for the user's own prompts. Answered with `list_custom_prompts_response`.
    ///
    /// Since 0.26.0.
    #[wire(since = "0.26.0")]
    ListCustomPrompts(ListCustomPromptsOp),
    /// Has the agent sum up the conversation and go on from the summary.
    Compact(CompactOp),
    /// Has the agent review code.
    ///
    /// Since 0.35.0.
    #[wire(since = "0.35.0")]
    Review(ReviewOp),
    /// Ends Codex. Answered with `shutdown_complete`, which need not be the last event.
    Shutdown(ShutdownOp),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Sets up the session.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ConfigureSessionOp {
    /// Who serves the model.
    pub provider: Box<ModelProviderInfo>,
    /// The model.
    pub model: String,
    /// How hard it is to think.
    pub model_reasoning_effort: ReasoningEffort,
    /// How its thoughts are summed up.
    pub model_reasoning_summary: ReasoningSummary,
    /// Instructions added to the base instructions.
    #[wire(nullable)]
    pub user_instructions: Maybe<String>,
    /// Instructions in place of the base instructions.
    #[wire(nullable)]
    pub base_instructions: Maybe<String>,
    /// When the user is asked before a command runs.
    pub approval_policy: AskForApproval,
    /// What commands may do.
    pub sandbox_policy: SandboxPolicy,
    /// Whether the model's provider is to keep nothing.
    #[wire(default)]
    pub disable_response_storage: Maybe<bool>,
    /// A program to run after each turn, with its arguments.
    #[wire(optional)]
    pub notify: Maybe<Vec<String>>,
    /// The folder the session works in, absolute.
    pub cwd: String,
    /// A stored conversation to go on with.
    #[wire(optional)]
    pub resume_path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Stops what is going on.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct InterruptOp {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Says something to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UserInputOp {
    /// The parts of the input.
    pub items: Vec<InputItem>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Says something to the agent and sets how it works on it.
///
/// ```
/// use codex_wire::core_protocol::{
///     AskForApproval, InputItem, ReasoningEffort, ReasoningSummary, SandboxPolicy, Submission,
///     UserTurnOp,
/// };
///
/// let mut turn = UserTurnOp::new(
///     [InputItem::text("Hello")],
///     "/home/me/project",
///     AskForApproval::OnRequest,
///     SandboxPolicy::read_only(),
///     "gpt-5",
///     ReasoningSummary::Auto,
/// );
/// // Releases before 0.35.0 want it.
/// turn.effort = ReasoningEffort::Low.into();
/// let line = codex_wire::to_string(&Submission::new("1", turn));
/// assert!(line.ends_with(r#""model":"gpt-5","effort":"low","summary":"auto"}}"#), "{line}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UserTurnOp {
    /// The parts of the input.
    pub items: Vec<InputItem>,
    /// The folder the turn works in.
    pub cwd: String,
    /// When the user is asked before a command runs.
    pub approval_policy: AskForApproval,
    /// What commands may do.
    pub sandbox_policy: SandboxPolicy,
    /// The model.
    pub model: String,
    /// How hard it is to think. Required up to 0.34.0.
    #[wire(optional(since = "0.35.0"))]
    pub effort: Maybe<ReasoningEffort>,
    /// How its thoughts are summed up.
    pub summary: ReasoningSummary,
    /// A JSON Schema for the last message of the turn; any JSON.
    ///
    /// Since 0.41.0.
    #[wire(since = "0.41.0", nullable)]
    pub final_output_json_schema: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Sets how the agent works on what is said from now on. What is left out stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct OverrideTurnContextOp {
    /// The folder to work in.
    #[wire(optional)]
    pub cwd: Maybe<String>,
    /// When the user is asked before a command runs.
    #[wire(optional)]
    pub approval_policy: Maybe<AskForApproval>,
    /// What commands may do.
    #[wire(optional)]
    pub sandbox_policy: Maybe<SandboxPolicy>,
    /// The model.
    #[wire(optional)]
    pub model: Maybe<String>,
    /// How hard the model is to think. From 0.35.0 `null` means as the model does by itself;
    /// upstream's own reader takes it for left out.
    #[wire(optional, nullable(since = "0.35.0"))]
    pub effort: Maybe<ReasoningEffort>,
    /// How its thoughts are summed up.
    #[wire(optional)]
    pub summary: Maybe<ReasoningSummary>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Answers `exec_approval_request`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExecApprovalOp {
    /// The id of the event that asks, which is that of the submission it follows from.
    pub id: String,
    /// The answer.
    pub decision: ReviewDecision,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Answers `apply_patch_approval_request`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PatchApprovalOp {
    /// The id of the event that asks, which is that of the submission it follows from.
    pub id: String,
    /// The answer.
    pub decision: ReviewDecision,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The user's answer to a request for approval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum ReviewDecision {
    /// Yes.
    Approved,
    /// Yes, and do not ask again for the same during this session.
    ApprovedForSession,
    /// No; go on without it.
    #[default]
    Denied,
    /// No; stop until the user says something.
    Abort,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// Adds a text to the history of messages that all sessions share.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AddToHistoryOp {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Asks for a text of the history of messages.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct GetHistoryEntryRequestOp {
    /// Which text, counted from zero, the oldest first.
    pub offset: u64,
    /// Which history: `session_configured.history_log_id`.
    pub log_id: u64,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Asks for the conversation so far.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct GetHistoryOp {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Asks where the conversation is stored.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct GetPathOp {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Asks for the tools of all MCP servers.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ListMcpToolsOp {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Asks for the user's own prompts.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ListCustomPromptsOp {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Has the agent sum up the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CompactOp {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Has the agent review code.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReviewOp {
    /// What to review.
    pub review_request: ReviewRequest,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Ends Codex.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ShutdownOp {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
