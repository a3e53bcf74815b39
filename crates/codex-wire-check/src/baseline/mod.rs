//! Compares findings with a baseline: a list of expected findings, each with a reason.
//!
//! A baseline is strict in both directions. A finding that it lists is reported as expected, and
//! does not count as an error, warning or note. An entry without its finding is stale: the finding is gone, or has another
//! message, or the input was not checked. A stale entry is a failure; otherwise baselines would
//! only ever grow.
//!
//! An entry has a rule, the path of an input as it was given, a JSON Pointer into the message (any
//! place if it has none) and the exact message. In a path, `*` matches one whole name between slashes,
//! not a part of a name or several names. An entry that covers more than [`WIDEST`] inputs is stale,
//! because it would hide findings that were not reviewed.
//!
//! This module knows no files. With the feature `baseline` it reads and rewrites the text of
//! one, which is TOML:
//!
//! ```toml
//! [[expected]]
//! rule = "schema/unknown-value"
//! path = "recordings/*/run.jsonl"
//! place = "/item/status"
//! message = "`status` has the value `paused`, which no release writes"
//! reason = "our fork pauses commands"
//! ```

#[cfg(feature = "baseline")]
mod document;
mod entries;
#[cfg(feature = "baseline")]
mod revision;

pub use self::entries::{Baseline, BaselineError, Comparison, Expected, Stale, WIDEST, Why};
#[cfg(feature = "baseline")]
pub use revision::{Refusal, Revised, Revision};
