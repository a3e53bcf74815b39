//! Dialects: kinds of stream, and which one a stream is. The stage *attribution* asks.

pub(crate) mod detect;
pub(crate) mod dialects;
pub(crate) mod foreign;
pub(crate) mod json_rpc;
pub(crate) mod mcp_server;
pub(crate) mod ranges;
pub(crate) mod session_file;

pub(crate) use self::dialects::Dialect;
