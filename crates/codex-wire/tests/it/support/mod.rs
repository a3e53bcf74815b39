//! What several test modules need.

pub(crate) mod edits;
pub(crate) mod files;
pub(crate) mod recordings;
pub(crate) mod samples;
pub(crate) mod texts;
pub(crate) mod tree;
pub(crate) mod types;
pub(crate) mod unknowns;
