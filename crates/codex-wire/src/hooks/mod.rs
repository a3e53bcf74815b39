//! Hooks: what Codex gives to programs that the user configured for an event, and what these print.
//!
//! A hook is a command of `hooks.json` or `config.toml`. When its event comes, Codex starts it with
//! one JSON object on its standard input, a [`HookInput`]. The hook may print one JSON object on its
//! standard output, with which it blocks or changes what goes on; which one depends on the event,
//! and does not say so: [`HookOutput`] is such an object with its event beside it.
//!
//! ```
//! use codex_wire::hooks::{HookCommandOutput, HookInput};
//! use codex_wire::json::Raw;
//!
//! let input = r#"{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c"}"#;
//! let input: HookInput = codex_wire::from_str(input)?;
//! assert_eq!(input.event(), "PreToolUse");
//!
//! let printed: Raw = codex_wire::from_str(r#"{"decision":"block","reason":"not here"}"#)?;
//! let output = HookCommandOutput::from_parts(input.event(), Some(&printed))?;
//! let HookCommandOutput::PreToolUse(output) = output else { unreachable!() };
//! assert_eq!(output.reason.value().map(String::as_str), Some("not here"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Codex embeds a schema for each of these objects, since 0.114.0. The types here agree with these
//! schemas in every release that has them; a test compares the two. What Codex does with an output
//! is another question: it refuses much that its schema allows, and what it refuses fails open.
//! `codex-wire check --protocol hooks` knows that, and `docs/hooks.md` explains it.
//!
//! Sources: the embedded schemas of 79 releases from 0.114.0 to 0.171.0, and recordings of 17.

// The variants are as large as the messages are.
#![allow(clippy::large_enum_variant)]

mod decision;
mod event_name;
mod input;
mod output;
mod values;

pub use decision::{
    BlockDecisionWire, PermissionRequestBehaviorWire, PermissionRequestDecisionWire,
    PreToolUseDecisionWire, PreToolUsePermissionDecisionWire,
};
pub use event_name::{
    PermissionRequestEventName, PostToolUseEventName, PreToolUseEventName, SessionStartEventName,
    SubagentStartEventName, UserPromptSubmitEventName,
};
pub use input::{
    HookInput, InterruptCommandInput, PermissionRequestCommandInput, PostCompactCommandInput,
    PostToolUseCommandInput, PreCompactCommandInput, PreToolUseCommandInput,
    SessionEndCommandInput, SessionStartCommandInput, StopCommandInput, SubagentStartCommandInput,
    SubagentStopCommandInput, UserPromptSubmitCommandInput,
};
pub use output::{
    HookCommandOutput, HookOutput, InterruptCommandOutputWire, PermissionRequestCommandOutputWire,
    PermissionRequestHookSpecificOutputWire, PostCompactCommandOutputWire,
    PostToolUseCommandOutputWire, PostToolUseHookSpecificOutputWire, PreCompactCommandOutputWire,
    PreToolUseCommandOutputWire, PreToolUseHookSpecificOutputWire, SessionStartCommandOutputWire,
    SessionStartHookSpecificOutputWire, StopCommandOutputWire, SubagentStartCommandOutputWire,
    SubagentStartHookSpecificOutputWire, SubagentStopCommandOutputWire,
    UserPromptSubmitCommandOutputWire, UserPromptSubmitHookSpecificOutputWire,
};
pub use values::{
    CompactTrigger, HookToolInput, HookToolName, PermissionMode, PermissionRequestToolInput,
    PermissionToolInput, PreToolUseToolInput, SessionEndReason, SessionStartSource,
};
