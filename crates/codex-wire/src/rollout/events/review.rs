//! Reviews of code, in the file of the thread that asked for them. The reviewer's work has a file
//! of its own from 0.63.0.

use crate::core_protocol::ReviewOutputEvent;
use crate::json::Extra;
use crate::rollout::parts::ReviewTarget;
use crate::{Maybe, Wire};

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

/// A review ends. What it found is the [`ReviewOutputEvent`](crate::core_protocol::ReviewOutputEvent) of `codex proto`,
/// which has not changed.
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
