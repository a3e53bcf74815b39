//! The stage *diagnostics*: turns violations into findings.

mod excerpt;
pub(crate) mod location;
mod redaction;
pub(crate) mod report;
