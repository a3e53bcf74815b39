//! Who may do what: approvals, permissions, ways of working.

use crate::json::Extra;
use crate::{Maybe, Unknown, UnknownExternal, Wire};

/// When somebody is asked before a command runs: a word, or `{"granular": …}`. Recorded: the words.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged, rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AskForApproval {
    /// Before every command that is not known to only read.
    Untrusted,
    /// When a command failed within its sandbox. The end is that of the official schemas.
    ///
    /// Until 0.142.5.
    #[wire(until = "0.142.5")]
    OnFailure,
    /// When the model asks for it.
    OnRequest,
    /// Never; the model gets the failures.
    Never,
    /// Some requests are refused. Not recorded: from the official schemas of the app-server.
    ///
    /// From 0.105.0 to 0.114.0.
    #[wire(since = "0.105.0", until = "0.114.0")]
    Reject(RejectedApprovals),
    /// Some requests are passed on. Not recorded: from the official schemas of the app-server.
    ///
    /// Since 0.115.0.
    #[wire(since = "0.115.0")]
    Granular(GranularApprovals),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// Which requests are refused.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RejectedApprovals {
    /// Questions of MCP servers.
    pub mcp_elicitations: bool,
    /// Those of rules.
    pub rules: bool,
    /// Those to leave the sandbox.
    pub sandbox_approval: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Which requests are passed on.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct GranularApprovals {
    /// Questions of MCP servers.
    pub mcp_elicitations: bool,
    /// Requests for permissions.
    #[wire(optional)]
    pub request_permissions: Maybe<bool>,
    /// Those of rules.
    pub rules: bool,
    /// Those to leave the sandbox.
    pub sandbox_approval: bool,
    /// Those of skills.
    #[wire(optional)]
    pub skill_approval: Maybe<bool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Who is asked. Recorded: `user`; the rest is from the official schemas of the app-server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum ApprovalsReviewer {
    /// The user.
    User,
    /// Another agent.
    GuardianSubagent,
    /// Another agent, by its later name.
    ///
    /// Since 0.124.0.
    #[wire(since = "0.124.0")]
    AutoReview,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// What commands may touch; snake_case, where the app-server has camelCase.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum PermissionProfile {
    /// Everything: there is no sandbox.
    Disabled(DisabledPermissions),
    /// There is a sandbox that Codex does not know. Not recorded.
    External(ExternalPermissions),
    /// What the profile says.
    Managed(ManagedPermissions),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Everything may be touched.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DisabledPermissions {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a sandbox that Codex does not know lets through.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExternalPermissions {
    /// Whether the network may be used.
    pub network: NetworkPolicy,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the sandbox of Codex lets through.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ManagedPermissions {
    /// Which files.
    pub file_system: FileSystemPermissions,
    /// Whether the network may be used.
    pub network: NetworkPolicy,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Whether the network may be used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum NetworkPolicy {
    /// It may.
    Enabled,
    /// It may not, or only as rules say.
    Restricted,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// Which files may be touched.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum FileSystemPermissions {
    /// Those of the list.
    Restricted(RestrictedFileSystem),
    /// All. Not recorded.
    Unrestricted(UnrestrictedFileSystem),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// The files that may be touched.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RestrictedFileSystem {
    /// The files, and how they may be touched.
    pub entries: Vec<FileSystemEntry>,
    /// How deep patterns are looked for. Not recorded.
    #[wire(optional)]
    pub glob_scan_max_depth: Maybe<u32>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// All files may be touched.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UnrestrictedFileSystem {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Files, and how they may be touched.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FileSystemEntry {
    /// The files.
    pub path: FileSystemPath,
    /// How they may be touched.
    pub access: FileSystemAccess,
    /// What becomes of the entry if there is no such file; recorded: `skip`, from 0.146.1.
    ///
    /// Since 0.140.0.
    #[wire(since = "0.140.0", optional)]
    pub missing_path_behavior: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How files may be touched.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum FileSystemAccess {
    /// They may be read.
    Read,
    /// They may be written too.
    Write,
    /// They may not be touched, by its earlier name. Not recorded.
    ///
    /// Until 0.132.0.
    #[wire(until = "0.132.0")]
    None,
    /// They may not be touched. Not recorded.
    ///
    /// Since 0.133.0.
    #[wire(since = "0.133.0")]
    Deny,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// Files.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum FileSystemPath {
    /// A file or folder.
    Path(PlainPath),
    /// All that match a pattern. Not recorded.
    GlobPattern(GlobPath),
    /// A place that the session knows.
    Special(SpecialPath),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PlainPath {
    /// The path.
    pub path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// All that match a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct GlobPath {
    /// The pattern.
    pub pattern: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A place that the session knows.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SpecialPath {
    /// The place.
    pub value: SpecialPlace,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A place that the session knows.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "kind")]
#[non_exhaustive]
pub enum SpecialPlace {
    /// All files.
    Root(RootPlace),
    /// What programs need to run.
    Minimal(MinimalPlace),
    /// The folders of the workspace.
    ProjectRoots(ProjectRootsPlace),
    /// The folder named by `TMPDIR`.
    Tmpdir(TmpdirPlace),
    /// `/tmp`.
    SlashTmp(SlashTmpPlace),
    /// The working folder. Not recorded.
    ///
    /// Until 0.125.0.
    #[wire(until = "0.125.0")]
    CurrentWorkingDirectory(WorkingFolderPlace),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// All files.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RootPlace {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What programs need to run.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct MinimalPlace {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The folders of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ProjectRootsPlace {
    /// Something below them.
    #[wire(optional, nullable)]
    pub subpath: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The folder named by `TMPDIR`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TmpdirPlace {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// `/tmp`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SlashTmpPlace {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The working folder.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WorkingFolderPlace {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How the agent works with the user, and the settings that go with it; from 0.92.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollaborationMode {
    /// The mode.
    pub mode: ModeKind,
    /// Its settings.
    pub settings: CollaborationSettings,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How the agent works with the user.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum ModeKind {
    /// As usual.
    Default,
    /// As the client says; the usual mode up to 0.94.0.
    ///
    /// Until 0.94.0.
    #[wire(until = "0.94.0")]
    Custom,
    /// It makes a plan before it does anything.
    Plan,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// The settings of a way of working.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollaborationSettings {
    /// The model.
    pub model: String,
    /// How hard the model thinks; `null` for as usual.
    #[wire(nullable)]
    pub reasoning_effort: Maybe<String>,
    /// What the model is told on top; `null` for nothing.
    #[wire(nullable)]
    pub developer_instructions: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How the agent talks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum Personality {
    /// Kindly.
    Friendly,
    /// To the point. Recorded.
    Pragmatic,
    /// In no special way.
    ///
    /// Since 0.97.0.
    #[wire(since = "0.97.0")]
    None,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
