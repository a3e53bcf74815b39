//! What a hook prints: one JSON object on its standard output, or nothing.
//!
//! The objects are closed: with a member that is not named here the whole output is invalid. An
//! output that Codex refuses fails open: the user sees an error, and the tool or turn goes on. The
//! schema allows more than Codex does; `docs/hooks.md` lists that by event and release.
//!
//! What `continue: false` does: hooks of `SessionStart` and `UserPromptSubmit` end the turn before
//! the model is asked, those of `PostToolUse` replace the output of the tool by `stopReason`, those
//! of `Stop` end the turn even if another hook blocks, those of `PreCompact` stop the turn. Hooks of
//! `PreToolUse` and `PermissionRequest` fail with it.

use crate::hooks::decision::{
    BlockDecisionWire, PermissionRequestDecisionWire, PreToolUseDecisionWire,
    PreToolUsePermissionDecisionWire,
};
use crate::hooks::event_name::{
    PermissionRequestEventName, PostToolUseEventName, PreToolUseEventName, SessionStartEventName,
    SubagentStartEventName, UserPromptSubmitEventName,
};
use crate::json::{Extra, Raw};
use crate::{Maybe, UnknownCall, Wire};

/// What a hook prints, with the event beside it: not a text of the wire, but what an output can be
/// checked by. The output itself does not name its event.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "hook_event_name", content = "output")]
#[non_exhaustive]
pub struct HookOutput {
    /// The event and what the hook prints.
    #[wire(variant)]
    pub output: HookCommandOutput,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook prints, by event.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "hook_event_name", content = "output", variant_suffix = "Output")]
#[non_exhaustive]
pub enum HookCommandOutput {
    /// The output of a hook of `SessionStart`.
    #[wire(rename = "SessionStart")]
    SessionStart(SessionStartCommandOutputWire),
    /// The output of a hook of `UserPromptSubmit`.
    ///
    /// Since 0.116.0.
    #[wire(rename = "UserPromptSubmit", since = "0.116.0")]
    UserPromptSubmit(UserPromptSubmitCommandOutputWire),
    /// The output of a hook of `PreToolUse`.
    ///
    /// Since 0.117.0.
    #[wire(rename = "PreToolUse", since = "0.117.0")]
    PreToolUse(PreToolUseCommandOutputWire),
    /// The output of a hook of `PermissionRequest`.
    ///
    /// Since 0.122.0.
    #[wire(rename = "PermissionRequest", since = "0.122.0")]
    PermissionRequest(PermissionRequestCommandOutputWire),
    /// The output of a hook of `PostToolUse`.
    ///
    /// Since 0.117.0.
    #[wire(rename = "PostToolUse", since = "0.117.0")]
    PostToolUse(PostToolUseCommandOutputWire),
    /// The output of a hook of `PreCompact`.
    ///
    /// Since 0.129.0.
    #[wire(rename = "PreCompact", since = "0.129.0")]
    PreCompact(PreCompactCommandOutputWire),
    /// The output of a hook of `PostCompact`.
    ///
    /// Since 0.129.0.
    #[wire(rename = "PostCompact", since = "0.129.0")]
    PostCompact(PostCompactCommandOutputWire),
    /// The output of a hook of `SubagentStart`.
    ///
    /// Since 0.133.0.
    #[wire(rename = "SubagentStart", since = "0.133.0")]
    SubagentStart(SubagentStartCommandOutputWire),
    /// The output of a hook of `SubagentStop`.
    ///
    /// Since 0.133.0.
    #[wire(rename = "SubagentStop", since = "0.133.0")]
    SubagentStop(SubagentStopCommandOutputWire),
    /// The output of a hook of `Stop`.
    #[wire(rename = "Stop")]
    Stop(StopCommandOutputWire),
    /// The output of a hook of `Interrupt`.
    ///
    /// Since 0.150.0.
    #[wire(rename = "Interrupt", since = "0.150.0")]
    Interrupt(InterruptCommandOutputWire),
    /// An event that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownCall),
}

/// What a hook of `SessionStart` prints: additional context.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct SessionStartCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// What only hooks of this event answer.
    #[wire(optional)]
    pub hook_specific_output: Maybe<SessionStartHookSpecificOutputWire>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `UserPromptSubmit` prints: to block the prompt, or additional context.
///
/// Since 0.116.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct UserPromptSubmitCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// `block` stops what the event announces.
    #[wire(optional)]
    pub decision: Maybe<BlockDecisionWire>,
    /// Why. A `block` without a reason that is not blank fails, and stops nothing.
    #[wire(optional)]
    pub reason: Maybe<String>,
    /// What only hooks of this event answer.
    #[wire(optional)]
    pub hook_specific_output: Maybe<UserPromptSubmitHookSpecificOutputWire>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PreToolUse` prints: to deny the call, or another input for the tool.
///
/// Since 0.117.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct PreToolUseCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// `block` denies the call. `approve` is in the schema, and fails.
    #[wire(optional)]
    pub decision: Maybe<PreToolUseDecisionWire>,
    /// Why. A `block` without a reason that is not blank fails, and the tool runs.
    #[wire(optional)]
    pub reason: Maybe<String>,
    /// What only hooks of this event answer.
    #[wire(optional)]
    pub hook_specific_output: Maybe<PreToolUseHookSpecificOutputWire>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PermissionRequest` prints: the decision in place of the user.
///
/// Since 0.122.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct PermissionRequestCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// What only hooks of this event answer.
    #[wire(optional)]
    pub hook_specific_output: Maybe<PermissionRequestHookSpecificOutputWire>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PostToolUse` prints: to replace the output by a reason, or additional context.
///
/// Since 0.117.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct PostToolUseCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// `block` stops what the event announces.
    #[wire(optional)]
    pub decision: Maybe<BlockDecisionWire>,
    /// Why. A `block` without a reason that is not blank fails, and stops nothing.
    #[wire(optional)]
    pub reason: Maybe<String>,
    /// What only hooks of this event answer.
    #[wire(optional)]
    pub hook_specific_output: Maybe<PostToolUseHookSpecificOutputWire>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PreCompact` prints: to stop the turn.
///
/// Since 0.129.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct PreCompactCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `PostCompact` prints: to stop the turn.
///
/// Since 0.129.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct PostCompactCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `SubagentStart` prints: additional context.
///
/// Since 0.133.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct SubagentStartCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// What only hooks of this event answer.
    #[wire(optional)]
    pub hook_specific_output: Maybe<SubagentStartHookSpecificOutputWire>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `SubagentStop` prints: to let the sub-agent go on.
///
/// Since 0.133.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct SubagentStopCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// `block` stops what the event announces.
    #[wire(optional)]
    pub decision: Maybe<BlockDecisionWire>,
    /// Why. A `block` without a reason that is not blank fails, and stops nothing.
    #[wire(optional)]
    pub reason: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `Stop` prints: to let the turn go on.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct StopCommandOutputWire {
    /// `false` stops: what that means depends on the event, see the module.
    #[wire(optional)]
    pub r#continue: Maybe<bool>,
    /// Why it stops, for the user.
    #[wire(optional)]
    pub stop_reason: Maybe<String>,
    /// Reserved. Hooks of `PreToolUse` and `PostToolUse` fail if it is `true`; elsewhere it is ignored.
    #[wire(optional)]
    pub suppress_output: Maybe<bool>,
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// `block` stops what the event announces.
    #[wire(optional)]
    pub decision: Maybe<BlockDecisionWire>,
    /// Why. A `block` without a reason that is not blank fails, and stops nothing.
    #[wire(optional)]
    pub reason: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a hook of `Interrupt` prints: a message for the user.
///
/// Since 0.150.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct InterruptCommandOutputWire {
    /// A warning for the user. The model does not see it.
    #[wire(optional)]
    pub system_message: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What only hooks of `SessionStart` answer.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct SessionStartHookSpecificOutputWire {
    /// The event. Up to 0.135.0 the schema takes the name of any event.
    pub hook_event_name: SessionStartEventName,
    /// A text for the model: a message of the developer before its next request.
    #[wire(optional)]
    pub additional_context: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What only hooks of `UserPromptSubmit` answer.
///
/// Since 0.116.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct UserPromptSubmitHookSpecificOutputWire {
    /// The event. Up to 0.135.0 the schema takes the name of any event.
    pub hook_event_name: UserPromptSubmitEventName,
    /// A text for the model: a message of the developer before its next request.
    #[wire(optional)]
    pub additional_context: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What only hooks of `PreToolUse` answer.
///
/// Since 0.117.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct PreToolUseHookSpecificOutputWire {
    /// The event. Up to 0.135.0 the schema takes the name of any event.
    pub hook_event_name: PreToolUseEventName,
    /// `deny` denies the call. `allow` needs `updatedInput`; alone it fails, and so does `ask`.
    #[wire(optional)]
    pub permission_decision: Maybe<PreToolUsePermissionDecisionWire>,
    /// Why. A `deny` without a reason that is not blank fails, and the tool runs.
    #[wire(optional)]
    pub permission_decision_reason: Maybe<String>,
    /// Another input for the tool, with the decision `allow`. It works from 0.131.0 on; before, the
    /// output fails, and the tool runs with its own input.
    #[wire(optional)]
    pub updated_input: Maybe<Raw>,
    /// A text for the model. It works from 0.129.0 on.
    #[wire(optional)]
    pub additional_context: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What only hooks of `PermissionRequest` answer.
///
/// Since 0.122.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct PermissionRequestHookSpecificOutputWire {
    /// The event. Up to 0.135.0 the schema takes the name of any event.
    pub hook_event_name: PermissionRequestEventName,
    /// The decision; without one the user is asked.
    #[wire(optional)]
    pub decision: Maybe<PermissionRequestDecisionWire>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What only hooks of `PostToolUse` answer.
///
/// Since 0.117.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct PostToolUseHookSpecificOutputWire {
    /// The event. Up to 0.135.0 the schema takes the name of any event.
    pub hook_event_name: PostToolUseEventName,
    /// A text for the model: a message of the developer before its next request.
    #[wire(optional)]
    pub additional_context: Maybe<String>,
    /// Reserved: an output with it fails.
    #[wire(rename = "updatedMCPToolOutput", optional)]
    pub updated_mcp_tool_output: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What only hooks of `SubagentStart` answer.
///
/// Since 0.133.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct SubagentStartHookSpecificOutputWire {
    /// The event. Up to 0.135.0 the schema takes the name of any event.
    pub hook_event_name: SubagentStartEventName,
    /// A text for the model: a message of the developer before its next request.
    #[wire(optional)]
    pub additional_context: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
