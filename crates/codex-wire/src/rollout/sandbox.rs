//! What commands may do, as each turn states it.
//!
//! From 0.125.0 a permission profile stands beside it, which says more; see
//! [`PermissionProfile`](crate::rollout::PermissionProfile).

use crate::core_protocol;
use crate::json::{Extra, Raw};
use crate::rollout::{FileSystemEntry, NetworkPolicy};
use crate::{Maybe, Unknown, Wire};

/// What commands may do.
///
/// Tagged by `mode` up to 0.58.0, as in the core protocol, and by `type` from 0.59.0. 0.59.0 is
/// the date of the official schema of the app-server; recordings have `mode` in 0.58.0 and `type`
/// in 0.63.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum TurnSandboxPolicy {
    /// Tagged by `type`.
    ///
    /// Since 0.59.0.
    #[wire(since = "0.59.0")]
    Typed(TypedSandboxPolicy),
    /// Tagged by `mode`.
    ///
    /// Until 0.58.0.
    #[wire(until = "0.58.0")]
    Moded(core_protocol::SandboxPolicy),
    /// A shape that this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

/// What commands may do, from 0.59.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TypedSandboxPolicy {
    /// Everything.
    DangerFullAccess(DangerFullAccessSandbox),
    /// Read, and write nothing.
    ReadOnly(ReadOnlySandbox),
    /// What a sandbox around Codex lets through. Not recorded; official schema of the app-server.
    ///
    /// Since 0.77.0.
    #[wire(since = "0.77.0")]
    ExternalSandbox(ExternalSandbox),
    /// Read, and write below some folders.
    WorkspaceWrite(WorkspaceWriteSandbox),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Everything is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DangerFullAccessSandbox {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Reading is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReadOnlySandbox {
    /// What may be read, where that is not everything. Not recorded; official schema of the
    /// app-server.
    ///
    /// From 0.100.0 to 0.125.0.
    #[wire(since = "0.100.0", until = "0.125.0", optional)]
    pub access: Maybe<Raw>,
    /// Whether the network may be used; left out where it may not. Not recorded; official schema of
    /// the app-server.
    ///
    /// Since 0.110.0.
    #[wire(since = "0.110.0", optional)]
    pub network_access: Maybe<bool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// There is a sandbox around Codex.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExternalSandbox {
    /// Whether the network may be used.
    #[wire(optional)]
    pub network_access: Maybe<NetworkPolicy>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Reading is allowed, and writing below the working folder and some others.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WorkspaceWriteSandbox {
    /// Further folders to write below; left out where there are none.
    #[wire(optional)]
    pub writable_roots: Maybe<Vec<String>>,
    /// What may be read, where that is not everything. Not recorded; official schema of the
    /// app-server.
    ///
    /// From 0.100.0 to 0.125.0.
    #[wire(since = "0.100.0", until = "0.125.0", optional)]
    pub read_only_access: Maybe<Raw>,
    /// Whether the network may be used.
    pub network_access: bool,
    /// Whether the folder named by the environment variable `TMPDIR` stays read-only.
    pub exclude_tmpdir_env_var: bool,
    /// Whether `/tmp` stays read-only.
    pub exclude_slash_tmp: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Which files commands may touch, where a sandbox policy cannot say it.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FileSystemSandboxPolicy {
    /// How files are kept from commands.
    pub kind: FileSystemSandboxKind,
    /// How deep patterns are looked for. Not recorded; official schema of the app-server.
    #[wire(optional)]
    pub glob_scan_max_depth: Maybe<u32>,
    /// The files, and how they may be touched.
    #[wire(optional)]
    pub entries: Maybe<Vec<FileSystemEntry>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How files are kept from commands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[wire(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FileSystemSandboxKind {
    /// As the entries say.
    Restricted,
    /// Not at all. Not recorded; upstream's type has it.
    Unrestricted,
    /// By a sandbox around Codex. Not recorded; upstream's type has it.
    ExternalSandbox,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
