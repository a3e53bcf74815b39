//! Patches the agent applies.

use crate::Wire;
use crate::json::Extra;

/// A patch, with the files it touches. Started from 0.117.0 on, before only completed. A patch
/// that does not even parse leaves no item.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FileChangeItem {
    /// The files.
    pub changes: Vec<FileUpdateChange>,
    /// Whether the patch was applied.
    pub status: PatchApplyStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// One file of a patch.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FileUpdateChange {
    /// The absolute path. Of a moved file, the old one; where it went is not said.
    pub path: String,
    /// What happens to the file. A bare string here in every release, unlike the app-server's.
    pub kind: PatchChangeKind,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a patch does to a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum PatchChangeKind {
    /// It is created.
    Add,
    /// It is removed.
    Delete,
    /// Its contents change, or it moves.
    Update,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// Whether a patch was applied.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum PatchApplyStatus {
    /// Not yet. In the type since 0.62.0, on the wire from 0.117.0.
    ///
    /// Since 0.62.0.
    #[wire(since = "0.62.0")]
    InProgress,
    /// It was.
    Completed,
    /// It was not, or it was declined.
    Failed,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
