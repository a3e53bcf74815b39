//! The stage *diagnostics*: turns violations into findings.

mod excerpt;
pub(crate) mod pointers;
mod redaction;
pub(crate) mod report;
