//! What is reviewed.

use crate::json::Extra;
use crate::{Maybe, Unknown, Wire};

/// What is reviewed; its tag is camelCase. Recorded: `uncommittedChanges` and `custom`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum ReviewTarget {
    /// Everything in the working tree that is not committed.
    UncommittedChanges(UncommittedChangesTarget),
    /// What the current branch changes against another.
    BaseBranch(BaseBranchTarget),
    /// What a commit changes.
    Commit(CommitTarget),
    /// Whatever the instructions say.
    Custom(CustomTarget),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Everything in the working tree that is not committed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UncommittedChangesTarget {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the current branch changes against another.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct BaseBranchTarget {
    /// The branch to compare with.
    pub branch: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a commit changes.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CommitTarget {
    /// The commit.
    pub sha: String,
    /// Its title, for people.
    #[wire(optional, nullable)]
    pub title: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Whatever the instructions say.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CustomTarget {
    /// The instructions.
    pub instructions: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
