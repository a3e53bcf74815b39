//! The names of events in what hooks print.
//!
//! Up to 0.135.0 the schemas have one list of names for all events, `HookEventNameWire`, and so take
//! the name of another event. From 0.136.0 on each event takes its own.

use crate::Wire;

/// The name of the event in the answer of a hook of `SessionStart`: any up to 0.135.0, its own since.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
#[doc(alias = "HookEventNameWire")]
pub enum SessionStartEventName {
    /// Its own.
    #[wire(rename = "SessionStart")]
    SessionStart,
    /// `UserPromptSubmit`.
    ///
    /// From 0.116.0 to 0.135.0.
    #[wire(rename = "UserPromptSubmit", since = "0.116.0", until = "0.135.0")]
    UserPromptSubmit,
    /// `PreToolUse`.
    ///
    /// From 0.117.0 to 0.135.0.
    #[wire(rename = "PreToolUse", since = "0.117.0", until = "0.135.0")]
    PreToolUse,
    /// `PermissionRequest`.
    ///
    /// From 0.122.0 to 0.135.0.
    #[wire(rename = "PermissionRequest", since = "0.122.0", until = "0.135.0")]
    PermissionRequest,
    /// `PostToolUse`.
    ///
    /// From 0.117.0 to 0.135.0.
    #[wire(rename = "PostToolUse", since = "0.117.0", until = "0.135.0")]
    PostToolUse,
    /// `PreCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PreCompact", since = "0.129.0", until = "0.135.0")]
    PreCompact,
    /// `PostCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PostCompact", since = "0.129.0", until = "0.135.0")]
    PostCompact,
    /// `SubagentStart`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStart", since = "0.133.0", until = "0.135.0")]
    SubagentStart,
    /// `SubagentStop`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStop", since = "0.133.0", until = "0.135.0")]
    SubagentStop,
    /// `Stop`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "Stop", until = "0.135.0")]
    Stop,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// The name of the event in the answer of a hook of `UserPromptSubmit`: any up to 0.135.0, its own since.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
#[doc(alias = "HookEventNameWire")]
pub enum UserPromptSubmitEventName {
    /// `SessionStart`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "SessionStart", until = "0.135.0")]
    SessionStart,
    /// Its own.
    #[wire(rename = "UserPromptSubmit")]
    UserPromptSubmit,
    /// `PreToolUse`.
    ///
    /// From 0.117.0 to 0.135.0.
    #[wire(rename = "PreToolUse", since = "0.117.0", until = "0.135.0")]
    PreToolUse,
    /// `PermissionRequest`.
    ///
    /// From 0.122.0 to 0.135.0.
    #[wire(rename = "PermissionRequest", since = "0.122.0", until = "0.135.0")]
    PermissionRequest,
    /// `PostToolUse`.
    ///
    /// From 0.117.0 to 0.135.0.
    #[wire(rename = "PostToolUse", since = "0.117.0", until = "0.135.0")]
    PostToolUse,
    /// `PreCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PreCompact", since = "0.129.0", until = "0.135.0")]
    PreCompact,
    /// `PostCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PostCompact", since = "0.129.0", until = "0.135.0")]
    PostCompact,
    /// `SubagentStart`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStart", since = "0.133.0", until = "0.135.0")]
    SubagentStart,
    /// `SubagentStop`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStop", since = "0.133.0", until = "0.135.0")]
    SubagentStop,
    /// `Stop`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "Stop", until = "0.135.0")]
    Stop,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// The name of the event in the answer of a hook of `PreToolUse`: any up to 0.135.0, its own since.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
#[doc(alias = "HookEventNameWire")]
pub enum PreToolUseEventName {
    /// `SessionStart`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "SessionStart", until = "0.135.0")]
    SessionStart,
    /// `UserPromptSubmit`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "UserPromptSubmit", until = "0.135.0")]
    UserPromptSubmit,
    /// Its own.
    #[wire(rename = "PreToolUse")]
    PreToolUse,
    /// `PermissionRequest`.
    ///
    /// From 0.122.0 to 0.135.0.
    #[wire(rename = "PermissionRequest", since = "0.122.0", until = "0.135.0")]
    PermissionRequest,
    /// `PostToolUse`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "PostToolUse", until = "0.135.0")]
    PostToolUse,
    /// `PreCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PreCompact", since = "0.129.0", until = "0.135.0")]
    PreCompact,
    /// `PostCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PostCompact", since = "0.129.0", until = "0.135.0")]
    PostCompact,
    /// `SubagentStart`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStart", since = "0.133.0", until = "0.135.0")]
    SubagentStart,
    /// `SubagentStop`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStop", since = "0.133.0", until = "0.135.0")]
    SubagentStop,
    /// `Stop`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "Stop", until = "0.135.0")]
    Stop,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// The name of the event in the answer of a hook of `PermissionRequest`: any up to 0.135.0, its own since.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
#[doc(alias = "HookEventNameWire")]
pub enum PermissionRequestEventName {
    /// `SessionStart`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "SessionStart", until = "0.135.0")]
    SessionStart,
    /// `UserPromptSubmit`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "UserPromptSubmit", until = "0.135.0")]
    UserPromptSubmit,
    /// `PreToolUse`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "PreToolUse", until = "0.135.0")]
    PreToolUse,
    /// Its own.
    #[wire(rename = "PermissionRequest")]
    PermissionRequest,
    /// `PostToolUse`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "PostToolUse", until = "0.135.0")]
    PostToolUse,
    /// `PreCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PreCompact", since = "0.129.0", until = "0.135.0")]
    PreCompact,
    /// `PostCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PostCompact", since = "0.129.0", until = "0.135.0")]
    PostCompact,
    /// `SubagentStart`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStart", since = "0.133.0", until = "0.135.0")]
    SubagentStart,
    /// `SubagentStop`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStop", since = "0.133.0", until = "0.135.0")]
    SubagentStop,
    /// `Stop`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "Stop", until = "0.135.0")]
    Stop,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// The name of the event in the answer of a hook of `PostToolUse`: any up to 0.135.0, its own since.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
#[doc(alias = "HookEventNameWire")]
pub enum PostToolUseEventName {
    /// `SessionStart`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "SessionStart", until = "0.135.0")]
    SessionStart,
    /// `UserPromptSubmit`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "UserPromptSubmit", until = "0.135.0")]
    UserPromptSubmit,
    /// `PreToolUse`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "PreToolUse", until = "0.135.0")]
    PreToolUse,
    /// `PermissionRequest`.
    ///
    /// From 0.122.0 to 0.135.0.
    #[wire(rename = "PermissionRequest", since = "0.122.0", until = "0.135.0")]
    PermissionRequest,
    /// Its own.
    #[wire(rename = "PostToolUse")]
    PostToolUse,
    /// `PreCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PreCompact", since = "0.129.0", until = "0.135.0")]
    PreCompact,
    /// `PostCompact`.
    ///
    /// From 0.129.0 to 0.135.0.
    #[wire(rename = "PostCompact", since = "0.129.0", until = "0.135.0")]
    PostCompact,
    /// `SubagentStart`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStart", since = "0.133.0", until = "0.135.0")]
    SubagentStart,
    /// `SubagentStop`.
    ///
    /// From 0.133.0 to 0.135.0.
    #[wire(rename = "SubagentStop", since = "0.133.0", until = "0.135.0")]
    SubagentStop,
    /// `Stop`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "Stop", until = "0.135.0")]
    Stop,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// The name of the event in the answer of a hook of `SubagentStart`: any up to 0.135.0, its own since.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
#[doc(alias = "HookEventNameWire")]
pub enum SubagentStartEventName {
    /// `SessionStart`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "SessionStart", until = "0.135.0")]
    SessionStart,
    /// `UserPromptSubmit`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "UserPromptSubmit", until = "0.135.0")]
    UserPromptSubmit,
    /// `PreToolUse`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "PreToolUse", until = "0.135.0")]
    PreToolUse,
    /// `PermissionRequest`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "PermissionRequest", until = "0.135.0")]
    PermissionRequest,
    /// `PostToolUse`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "PostToolUse", until = "0.135.0")]
    PostToolUse,
    /// `PreCompact`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "PreCompact", until = "0.135.0")]
    PreCompact,
    /// `PostCompact`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "PostCompact", until = "0.135.0")]
    PostCompact,
    /// Its own.
    #[wire(rename = "SubagentStart")]
    SubagentStart,
    /// `SubagentStop`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "SubagentStop", until = "0.135.0")]
    SubagentStop,
    /// `Stop`.
    ///
    /// Until 0.135.0.
    #[wire(rename = "Stop", until = "0.135.0")]
    Stop,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
