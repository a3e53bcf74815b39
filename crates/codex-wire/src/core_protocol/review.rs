//! Reviews of code.

use crate::json::{Extra, Number};
use crate::{Maybe, Wire};

/// What to review.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReviewRequest {
    /// The task, for the reviewing model.
    pub prompt: String,
    /// What is reviewed, in words for people.
    pub user_facing_hint: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A review begins.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EnteredReviewModeEvent {
    /// The task, for the reviewing model.
    pub prompt: String,
    /// What is reviewed, in words for people.
    pub user_facing_hint: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A review ends.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExitedReviewModeEvent {
    /// What was found; `null` if the review was stopped.
    #[wire(nullable)]
    pub review_output: Maybe<ReviewOutputEvent>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a review found. A reviewer that does not answer in this form gives no findings and
/// its text as the explanation.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReviewOutputEvent {
    /// The findings.
    pub findings: Vec<ReviewFinding>,
    /// The verdict, in the reviewer's words: `patch is correct`, `patch is incorrect`.
    pub overall_correctness: String,
    /// Why.
    pub overall_explanation: String,
    /// How sure the reviewer is, from 0 to 1.
    pub overall_confidence_score: Number,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReviewFinding {
    /// In a few words.
    pub title: String,
    /// In full.
    pub body: String,
    /// How sure the reviewer is, from 0 to 1.
    pub confidence_score: Number,
    /// How much it matters; 0 most.
    pub priority: i32,
    /// Where.
    pub code_location: ReviewCodeLocation,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A place in the code.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReviewCodeLocation {
    /// The file, absolute.
    pub absolute_file_path: String,
    /// The lines.
    pub line_range: ReviewLineRange,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Lines of a file, both ends included.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReviewLineRange {
    /// The first line.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
