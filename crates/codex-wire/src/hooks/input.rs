//! What a hook reads: one JSON object on its standard input.
//!
//! Codex writes members in the order of these types, with `hook_event_name` after `cwd`. Members are
//! left out where they do not apply, never `null`, except those that may be: `transcript_path`,
//! `agent_transcript_path` and `last_assistant_message`.

use crate::hooks::values::{
    CompactTrigger, HookToolInput, HookToolName, PermissionMode, PermissionToolInput,
    SessionEndReason, SessionStartSource,
};
use crate::json::{Extra, Raw};
use crate::{Maybe, Unknown, Wire};

/// What a hook reads.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "hook_event_name")]
#[non_exhaustive]
pub enum HookInput {
    /// A session starts: at its first turn.
    #[wire(rename = "SessionStart")]
    SessionStart(SessionStartCommandInput),
    /// The user submits a prompt.
    ///
    /// Since 0.116.0.
    #[wire(rename = "UserPromptSubmit", since = "0.116.0")]
    UserPromptSubmit(UserPromptSubmitCommandInput),
    /// Before a tool runs.
    ///
    /// Since 0.117.0.
    #[wire(rename = "PreToolUse", since = "0.117.0")]
    PreToolUse(PreToolUseCommandInput),
    /// Before the user is asked whether a tool may run.
    ///
    /// Since 0.122.0.
    #[wire(rename = "PermissionRequest", since = "0.122.0")]
    PermissionRequest(PermissionRequestCommandInput),
    /// After a tool ran; not after one that was blocked, rejected or could not be run.
    ///
    /// Since 0.117.0.
    #[wire(rename = "PostToolUse", since = "0.117.0")]
    PostToolUse(PostToolUseCommandInput),
    /// Before the conversation is compacted.
    ///
    /// Since 0.129.0.
    #[wire(rename = "PreCompact", since = "0.129.0")]
    PreCompact(PreCompactCommandInput),
    /// After the conversation was compacted.
    ///
    /// Since 0.129.0.
    #[wire(rename = "PostCompact", since = "0.129.0")]
    PostCompact(PostCompactCommandInput),
    /// A sub-agent starts.
    ///
    /// Since 0.133.0.
    #[wire(rename = "SubagentStart", since = "0.133.0")]
    SubagentStart(SubagentStartCommandInput),
    /// A sub-agent ends its turn by itself.
    ///
    /// Since 0.133.0.
    #[wire(rename = "SubagentStop", since = "0.133.0")]
    SubagentStop(SubagentStopCommandInput),
    /// A turn ends by itself: not after a failure or an interrupt.
    #[wire(rename = "Stop")]
    Stop(StopCommandInput),
    /// The user interrupts a turn, or a hook of `PreCompact` stops it.
    ///
    /// Since 0.150.0.
    #[wire(rename = "Interrupt", since = "0.150.0")]
    Interrupt(InterruptCommandInput),
    /// A session ends, also after a failure.
    ///
    /// Since 0.145.0.
    #[wire(rename = "SessionEnd", since = "0.145.0")]
    SessionEnd(SessionEndCommandInput),
    /// An event that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// What a hook of `SessionStart` reads: a session starts: at its first turn.
///
/// A hook of this event has no turn: `turn_id` is missing.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SessionStartCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// What may be done without asking.
    pub permission_mode: PermissionMode,
    /// Why the session starts.
    pub source: SessionStartSource,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `UserPromptSubmit` reads: the user submits a prompt.
///
/// Since 0.116.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UserPromptSubmitCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    ///
    /// Since 0.117.0.
    #[wire(since = "0.117.0")]
    pub turn_id: Maybe<String>,
    /// The id of the sub-agent; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_id: Maybe<String>,
    /// The kind of the sub-agent, such as `default`; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_type: Maybe<String>,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// What may be done without asking.
    pub permission_mode: PermissionMode,
    /// The prompt. In a review it is the one Codex makes.
    pub prompt: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PreToolUse` reads: before a tool runs.
///
/// Since 0.117.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PreToolUseCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    pub turn_id: String,
    /// The id of the sub-agent; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_id: Maybe<String>,
    /// The kind of the sub-agent, such as `default`; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_type: Maybe<String>,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// What may be done without asking.
    pub permission_mode: PermissionMode,
    /// The name of the tool: `Bash` for every tool that runs a shell command, `apply_patch`,
    /// `mcp__server__tool`, or the name of a function tool.
    pub tool_name: HookToolName,
    /// The input of the tool.
    pub tool_input: HookToolInput,
    /// The id of the call, as in the session file and in events.
    pub tool_use_id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PermissionRequest` reads: before the user is asked whether a tool may run.
///
/// Other than `PreToolUse` it has no `tool_use_id`.
///
/// Since 0.122.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PermissionRequestCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    pub turn_id: String,
    /// The id of the sub-agent; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_id: Maybe<String>,
    /// The kind of the sub-agent, such as `default`; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_type: Maybe<String>,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// What may be done without asking.
    pub permission_mode: PermissionMode,
    /// The name of the tool: `Bash` for every tool that runs a shell command, `apply_patch`,
    /// `mcp__server__tool`, or the name of a function tool.
    pub tool_name: HookToolName,
    /// The input of the tool.
    pub tool_input: PermissionToolInput,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PostToolUse` reads: after a tool ran; not after one that was blocked, rejected or could not be run.
///
/// Since 0.117.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PostToolUseCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    pub turn_id: String,
    /// The id of the sub-agent; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_id: Maybe<String>,
    /// The kind of the sub-agent, such as `default`; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_type: Maybe<String>,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// What may be done without asking.
    pub permission_mode: PermissionMode,
    /// The name of the tool: `Bash` for every tool that runs a shell command, `apply_patch`,
    /// `mcp__server__tool`, or the name of a function tool.
    pub tool_name: HookToolName,
    /// The input of the tool.
    pub tool_input: HookToolInput,
    /// What the model gets: the output text of a command, the result of an MCP tool, or text.
    pub tool_response: Raw,
    /// The id of the call, as in the session file and in events.
    pub tool_use_id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PreCompact` reads: before the conversation is compacted.
///
/// It has no `permission_mode`.
///
/// Since 0.129.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PreCompactCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    pub turn_id: String,
    /// The id of the sub-agent; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_id: Maybe<String>,
    /// The kind of the sub-agent, such as `default`; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_type: Maybe<String>,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// Who asked for it.
    pub trigger: CompactTrigger,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PostCompact` reads: after the conversation was compacted.
///
/// It has no `permission_mode`.
///
/// Since 0.129.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PostCompactCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    pub turn_id: String,
    /// The id of the sub-agent; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_id: Maybe<String>,
    /// The kind of the sub-agent, such as `default`; absent in the main session.
    ///
    /// Since 0.134.0.
    #[wire(since = "0.134.0", optional)]
    pub agent_type: Maybe<String>,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// Who asked for it.
    pub trigger: CompactTrigger,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `SubagentStart` reads: a sub-agent starts.
///
/// Since 0.133.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SubagentStartCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    pub turn_id: String,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// What may be done without asking.
    pub permission_mode: PermissionMode,
    /// The id of the sub-agent.
    pub agent_id: String,
    /// The kind of the sub-agent, such as `default`.
    pub agent_type: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `SubagentStop` reads: a sub-agent ends its turn by itself.
///
/// Since 0.133.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SubagentStopCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    pub turn_id: String,
    /// The session file of the parent; `null` if there is none.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The session file of the sub-agent; `null` if there is none.
    #[wire(nullable)]
    pub agent_transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// What may be done without asking.
    pub permission_mode: PermissionMode,
    /// Whether the turn goes on because a hook of this event said so before.
    pub stop_hook_active: bool,
    /// The id of the sub-agent.
    pub agent_id: String,
    /// The kind of the sub-agent, such as `default`.
    pub agent_type: String,
    /// The last message of the agent; `null` if there is none.
    #[wire(nullable)]
    pub last_assistant_message: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `Stop` reads: a turn ends by itself: not after a failure or an interrupt.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct StopCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    ///
    /// Since 0.117.0.
    #[wire(since = "0.117.0")]
    pub turn_id: Maybe<String>,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// What may be done without asking.
    pub permission_mode: PermissionMode,
    /// Whether the turn goes on because a hook of this event said so before.
    pub stop_hook_active: bool,
    /// The last message of the agent; `null` if there is none.
    #[wire(nullable)]
    pub last_assistant_message: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `Interrupt` reads: the user interrupts a turn, or a hook of `PreCompact` stops it.
///
/// Since 0.150.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct InterruptCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The id of the turn.
    pub turn_id: String,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// The model.
    pub model: String,
    /// What may be done without asking.
    pub permission_mode: PermissionMode,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `SessionEnd` reads: a session ends, also after a failure.
///
/// Codex reads nothing from a hook of this event.
///
/// Since 0.145.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SessionEndCommandInput {
    /// The id of the session. In hooks of a sub-agent it is that of the root session from 0.132.0 on,
    /// and that of the sub-agent up to 0.125.0.
    pub session_id: String,
    /// The session file; `null` if there is none. In hooks of a sub-agent it is the file of the sub-agent.
    #[wire(nullable)]
    pub transcript_path: Maybe<String>,
    /// The folder the session works in, absolute. The hook runs in it.
    #[wire(tag_behind)]
    pub cwd: String,
    /// Why the session ends.
    pub reason: SessionEndReason,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl HookInput {
    /// The name of the event, whether this crate knows it or not.
    pub fn event(&self) -> &str {
        self.tag()
    }
}
