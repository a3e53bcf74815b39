//! The second stage: decides which dialect a stream is.

pub(crate) mod detect;
pub(crate) mod dialects;
pub(crate) mod foreign;
pub(crate) mod json_rpc;
pub(crate) mod ranges;

pub(crate) use self::dialects::Dialect;
