//! Patches: approval requests, application, changed files.

use crate::json::Extra;
use crate::{Map, Maybe, UnknownExternal, Wire};

/// The agent asks whether it may apply a patch. Answered with `patch_approval`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ApplyPatchApprovalRequestEvent {
    /// The model's call.
    pub call_id: String,
    /// What would change, by file. The order of the files is arbitrary.
    pub changes: Map<FileChange>,
    /// Why it asks.
    #[wire(optional)]
    pub reason: Maybe<String>,
    /// A folder it asks to write to for the rest of the session.
    #[wire(optional)]
    pub grant_root: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A patch is being applied.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PatchApplyBeginEvent {
    /// The model's call; the end carries it too.
    pub call_id: String,
    /// Whether it was approved without asking the user.
    pub auto_approved: bool,
    /// What changes, by file. The order of the files is arbitrary.
    pub changes: Map<FileChange>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A patch has been applied, or has not.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PatchApplyEndEvent {
    /// The call that began it.
    pub call_id: String,
    /// What the patch program printed: a list of the files.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// Whether the patch was applied.
    pub success: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// All changes of the turn so far, as one diff.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnDiffEvent {
    /// The diff.
    pub unified_diff: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a patch does to a file. Written as `{"kind": …}`; a deletion was bare up to 0.27.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged)]
#[non_exhaustive]
pub enum FileChange {
    /// It makes the file.
    Add(AddChange),
    /// It deletes the file; the bare word `delete`.
    ///
    /// Until 0.27.0.
    #[wire(rename = "delete", until = "0.27.0")]
    BareDelete,
    /// It deletes the file.
    ///
    /// Since 0.28.0.
    #[wire(since = "0.28.0")]
    Delete(DeleteChange),
    /// It changes the file, and may move it.
    Update(UpdateChange),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// A new file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AddChange {
    /// What it holds.
    pub content: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A deleted file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DeleteChange {
    /// What it held.
    pub content: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UpdateChange {
    /// The diff, without file names.
    pub unified_diff: String,
    /// Where the file moves.
    #[wire(nullable)]
    pub move_path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
