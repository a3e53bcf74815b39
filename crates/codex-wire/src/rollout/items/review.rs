//! Items that are the ends of a review.

use crate::core_protocol::ReviewOutputEvent;
use crate::json::Extra;
use crate::rollout::parts::ReviewTarget;
use crate::{Maybe, Wire};

/// A review begins.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EnteredReviewModeTurnItem {
    /// The item's id.
    pub id: String,
    /// What is reviewed.
    pub target: ReviewTarget,
    /// What is reviewed, in words for people.
    #[wire(optional)]
    pub user_facing_hint: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A review ends.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExitedReviewModeTurnItem {
    /// The item's id.
    pub id: String,
    /// What was found; nothing if the review was stopped.
    #[wire(optional, nullable)]
    pub review_output: Maybe<ReviewOutputEvent>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
