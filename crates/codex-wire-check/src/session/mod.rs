//! Checks one input, line by line: drives the stages, which are framing, dialect, RPC, release
//! inference, validation, sequence and diagnostics.

mod drive;
mod end;
pub(crate) mod hook;
mod mcp_server;
pub(crate) mod observed;
mod record;
mod stages;
mod state;

pub(crate) use self::state::Session;
