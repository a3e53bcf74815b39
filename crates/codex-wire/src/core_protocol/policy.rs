//! Policies: what commands may do, and when the user is asked.

use std::fmt;
use std::str::FromStr;

use crate::core_protocol::path;
use crate::json::Extra;
use crate::{Error, Maybe, Unknown, Wire};

/// When the user is asked before a command runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum AskForApproval {
    /// Before every command that is not known to only read.
    #[wire(rename = "untrusted")]
    UnlessTrusted,
    /// When a command failed within its sandbox, before it runs without one.
    #[wire(rename = "on-failure")]
    OnFailure,
    /// When the model asks for it.
    #[default]
    #[wire(rename = "on-request")]
    OnRequest,
    /// Never; the model gets the failures.
    Never,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// The text names no approval policy this crate knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an approval policy; known: untrusted, on-failure, on-request, never")]
pub struct ParseApprovalError(String);

impl FromStr for AskForApproval {
    type Err = ParseApprovalError;

    /// Reads the name of a policy. Unlike the wire, it takes known names only.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match AskForApproval::from(text) {
            AskForApproval::Unknown(text) => Err(ParseApprovalError(text)),
            known => Ok(known),
        }
    }
}

/// What commands may do.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "mode")]
#[non_exhaustive]
pub enum SandboxPolicy {
    /// Everything.
    #[wire(rename = "danger-full-access")]
    DangerFullAccess(DangerFullAccessPolicy),
    /// Read everything, write nothing, no network.
    #[wire(rename = "read-only")]
    ReadOnly(ReadOnlyPolicy),
    /// Read everything, write below some folders.
    #[wire(rename = "workspace-write")]
    WorkspaceWrite(WorkspaceWritePolicy),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Everything is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DangerFullAccessPolicy {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Reading is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReadOnlyPolicy {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Reading is allowed, and writing below the working folder and some others.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WorkspaceWritePolicy {
    /// Further folders to write below; left out where there are none.
    #[wire(default, optional)]
    pub writable_roots: Maybe<Vec<String>>,
    /// Whether the network may be used; `false` where it is left out.
    #[wire(default)]
    pub network_access: Maybe<bool>,
    /// Whether the folder named by the environment variable `TMPDIR` stays read-only; `false`
    /// where it is left out.
    #[wire(default)]
    pub exclude_tmpdir_env_var: Maybe<bool>,
    /// Whether `/tmp` stays read-only; `false` where it is left out.
    #[wire(default)]
    pub exclude_slash_tmp: Maybe<bool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A folder a sandboxed command may write below, except for some parts of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WritableRoot {
    /// The folder.
    pub root: String,
    /// What lies below it and stays read-only: `.git`, where there is one.
    pub read_only_subpaths: Vec<String>,
}

impl WritableRoot {
    /// Whether a path lies below the folder and below none of its read-only parts. Paths are
    /// compared as text, name by name; links are not followed.
    pub fn is_path_writable(&self, path: &str) -> bool {
        path::lies_within(path, &self.root)
            && !self
                .read_only_subpaths
                .iter()
                .any(|read_only| path::lies_within(path, read_only))
    }
}

impl SandboxPolicy {
    /// The policy that allows everything.
    pub fn danger_full_access() -> Self {
        DangerFullAccessPolicy::new().into()
    }

    /// The policy that allows reading.
    pub fn read_only() -> Self {
        ReadOnlyPolicy::new().into()
    }

    /// The policy that allows reading and writing below the working folder and the temporary
    /// ones, without the network. Written in full, as Codex writes it.
    pub fn workspace_write() -> Self {
        let mut policy = WorkspaceWritePolicy::new();
        policy.network_access = Maybe::Value(false);
        policy.exclude_tmpdir_env_var = Maybe::Value(false);
        policy.exclude_slash_tmp = Maybe::Value(false);
        policy.into()
    }

    /// Whether commands may read everything: under all known policies, for none restricts
    /// reading.
    pub fn has_full_disk_read_access(&self) -> bool {
        !matches!(self, SandboxPolicy::Unknown(_))
    }

    /// Whether commands may write everything.
    pub fn has_full_disk_write_access(&self) -> bool {
        matches!(self, SandboxPolicy::DangerFullAccess(_))
    }

    /// Whether commands may use the network.
    pub fn has_full_network_access(&self) -> bool {
        match self {
            SandboxPolicy::DangerFullAccess(_) => true,
            SandboxPolicy::WorkspaceWrite(policy) => is_true(&policy.network_access),
            SandboxPolicy::ReadOnly(_) | SandboxPolicy::Unknown(_) => false,
        }
    }

    /// The folders a sandboxed command may write below, in the order Codex lists them: those
    /// the policy names, the working folder, `/tmp`, the folder `TMPDIR` names.
    ///
    /// Nothing for the other policies: one allows no writing, one knows no folders. This crate
    /// looks at no disk and no environment, so the caller says what `TMPDIR` is and answers
    /// which paths are folders; asked are `/tmp`, where the working folder is a Unix path, and
    /// `.git` below each root.
    ///
    /// ```
    /// use codex_wire::core_protocol::SandboxPolicy;
    ///
    /// let policy: SandboxPolicy =
    ///     r#"{"mode":"workspace-write","writable_roots":["/data"],"exclude_slash_tmp":true}"#.parse()?;
    /// let roots = policy.writable_roots("/home/me/project", None, |path| {
    ///     path == "/home/me/project/.git" // or std::path::Path::new(path).is_dir()
    /// });
    /// assert_eq!(roots[0].root, "/data");
    /// assert_eq!(roots[1].root, "/home/me/project");
    /// assert!(roots[1].is_path_writable("/home/me/project/src/main.rs"));
    /// assert!(!roots[1].is_path_writable("/home/me/project/.git/config"));
    /// # Ok::<(), codex_wire::Error>(())
    /// ```
    pub fn writable_roots(
        &self,
        cwd: &str,
        tmpdir: Option<&str>,
        is_folder: impl Fn(&str) -> bool,
    ) -> Vec<WritableRoot> {
        let SandboxPolicy::WorkspaceWrite(policy) = self else {
            return Vec::new();
        };
        let mut roots = policy.writable_roots.value().cloned().unwrap_or_default();
        roots.push(cwd.to_owned());
        if !is_true(&policy.exclude_slash_tmp) && path::is_unix(cwd) && is_folder("/tmp") {
            roots.push("/tmp".to_owned());
        }
        if let Some(tmpdir) = tmpdir
            && !tmpdir.is_empty()
            && !is_true(&policy.exclude_tmpdir_env_var)
        {
            roots.push(tmpdir.to_owned());
        }
        roots
            .into_iter()
            .map(|root| {
                let git = path::join(&root, ".git");
                WritableRoot {
                    root,
                    read_only_subpaths: Some(git)
                        .filter(|git| is_folder(git))
                        .into_iter()
                        .collect(),
                }
            })
            .collect()
    }
}

fn is_true(member: &Maybe<bool>) -> bool {
    matches!(member, Maybe::Value(true))
}

impl fmt::Display for SandboxPolicy {
    /// The name of the policy.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

impl FromStr for SandboxPolicy {
    type Err = Error;

    /// Reads a policy from its JSON, or from the bare name of a known one.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "danger-full-access" => Ok(SandboxPolicy::danger_full_access()),
            "read-only" => Ok(SandboxPolicy::read_only()),
            "workspace-write" => Ok(SandboxPolicy::workspace_write()),
            json => crate::from_str(json),
        }
    }
}
