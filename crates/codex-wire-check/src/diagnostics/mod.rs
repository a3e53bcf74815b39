//! The last stage: turns violations into findings.

mod excerpt;
pub(crate) mod location;
pub(crate) mod report;
