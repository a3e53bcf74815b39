//! The stage *framing*: takes a line from bytes to text to JSON, and unwraps lines of recordings.

pub(crate) mod frame;
pub(crate) mod mcp_event;
pub(crate) mod message;
mod number;
pub(crate) mod record;
pub(crate) mod scan;
pub(crate) mod tree;

crate::rule_macros::rule_files!(frame, record, tree);
