//! Reads connections of `codex app-server`: both directions, all clients, all threads.
//!
//! History that a response repeats (`thread/resume`, `thread/read`) is not read again: the connection on which
//! it happened, or the session file, has it.

mod header;
mod item;
mod reader;
mod request;
mod thread;

pub(crate) use reader::{AppServerReader, Sender};
