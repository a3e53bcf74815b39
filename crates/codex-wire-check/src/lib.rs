//! Checks transcripts of Codex's wire protocols: bytes → lines → messages → findings.
//!
//! Reading a transcript never fails: whatever is wrong with it becomes a [`Finding`] with its
//! place, and the rest is still checked.
//!
//! This crate must not know files, colours, report formats or command lines: it takes bytes and
//! gives data. It prints nothing.

#![forbid(unsafe_code)]

pub mod finding;
pub mod options;
pub mod outcome;
pub mod rules;

pub use finding::{Excerpt, Finding, Place, Severity};
pub use options::{Levels, Limits, Options};
pub use outcome::{Counts, Outcome, ReleaseRange, Verdict};
pub use rules::Rule;
