//! The stage *inference*: infers which releases could have written a message, and with it the stream.

pub(crate) mod identification;
pub(crate) mod identity;
pub(crate) mod infer;
pub(crate) mod parts;
pub(crate) mod possible;
pub(crate) mod releases;
pub(crate) mod runs;
pub(crate) mod state;
pub(crate) mod unspoken;
pub(crate) mod walk;

crate::rule_macros::rule_files!(state, unspoken);
