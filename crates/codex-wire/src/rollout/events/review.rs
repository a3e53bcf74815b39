//! Reviews of code, in the file of the thread that asked for them. The reviewer's work has a file
//! of its own from 0.63.0.

use crate::core::ReviewOutputEvent;
use crate::json::Extra;
use crate::{Maybe, Unknown, Wire};

/// A review begins.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EnteredReviewModeEvent {
    /// What is reviewed. Recorded from 0.72.0; dated by the official schemas of the app-server.
    ///
    /// Since 0.65.0.
    #[wire(since = "0.65.0")]
    pub target: Maybe<ReviewTarget>,
    /// The task, for the reviewing model.
    ///
    /// Until 0.64.0.
    #[wire(until = "0.64.0")]
    pub prompt: Maybe<String>,
    /// What is reviewed, in words for people.
    ///
    /// May be left out since 0.65.0.
    #[wire(optional(since = "0.65.0"))]
    pub user_facing_hint: Maybe<String>,
    /// Whether the review goes on in this thread. Recorded in 0.63.0.
    ///
    /// From 0.59.0 to 0.63.0.
    #[wire(since = "0.59.0", until = "0.63.0")]
    pub append_to_original_thread: Maybe<bool>,
    /// The turn of the review.
    ///
    /// Since 0.144.0.
    #[wire(since = "0.144.0")]
    pub turn_id: Maybe<String>,
    /// The item that stands for it.
    ///
    /// Since 0.144.0.
    #[wire(since = "0.144.0")]
    pub item_id: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

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

/// A review ends. What it found is [`ReviewOutputEvent`](crate::core::ReviewOutputEvent), which has not changed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExitedReviewModeEvent {
    /// The turn of the review.
    ///
    /// Since 0.144.0.
    #[wire(since = "0.144.0")]
    pub turn_id: Maybe<String>,
    /// The item that stands for it.
    ///
    /// Since 0.144.0.
    #[wire(since = "0.144.0")]
    pub item_id: Maybe<String>,
    /// What was found; `null` if the review was stopped.
    #[wire(nullable)]
    pub review_output: Maybe<ReviewOutputEvent>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
