//! A stand-in for Codex: plays recordings of any release to any client.
//!
//! Recordings go in; the lines that Codex would write come out. The client's command line is read by
//! [`arguments`], [`script`] makes a stream without a recording, and [`faults`] are what can go wrong.
//!
//! This crate must not know protocol types, files, sockets, processes, clocks, report formats, or the
//! command line of `codex-wire` itself. `codex-wire replay` moves the bytes and waits.

#![forbid(unsafe_code)]

mod accepts;
pub mod arguments;
mod as_release;
mod compose;
mod conversation;
mod error;
mod exec;
pub mod faults;
mod matching;
mod message;
mod miss;
pub mod names;
mod player;
mod recording;
mod rewrite;
pub mod scenarios;
pub mod script;
mod synthesis;
mod track;

pub use as_release::as_release;
pub use conversation::{Conversation, Emission, OnMiss, Reaction, Remark};
pub use error::Error;
pub use exec::ExecPlay;
pub use matching::Difference;
pub use message::unread;
pub use miss::{Miss, Nearest, is_turn};
pub use player::{Player, PlayerOptions};
pub use recording::{About, Lines, RecordedLine, Recording, Writer, manifest};
