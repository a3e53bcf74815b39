//! Defines what a comparison finds.

use crate::rule::Rule;

/// A difference between the two sides.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) rule: &'static Rule,
    /// The kind of item it is about, as exceptions of the rule call it.
    pub(super) of: Option<&'static str>,
    /// The line of the stream.
    pub(super) line: u64,
    /// The line of the session file, if it has one.
    pub(super) file_line: Option<u64>,
    pub(super) message: String,
}
