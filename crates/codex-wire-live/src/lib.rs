//! Moves bytes between live programs: stands between a client and Codex, and records and checks what they say.
//!
//! [`tap`] runs a command, or connects clients to an app-server, and passes every byte on. [`record`] runs a real
//! Codex with a scripted model. [`Follow`] checks a file that grows.
//!
//! This crate may know processes, sockets, clocks and the files that it is handed. It must not know the
//! command line of `codex-wire`, colours, report formats or `codex-wire.toml`, and it prints nothing: findings
//! are data, and what a user should know is a [`Notice`].

#![forbid(unsafe_code)]

mod error;
mod follow;
mod mask;
mod notice;
pub mod record;
mod recorder;
#[doc(hidden)]
pub mod sockets;
pub mod tap;

pub use codex_wire_inputs::Stop;
pub use error::Error;
pub use follow::{Follow, Followed, Gone};
pub use mask::Mask;
pub use notice::{Notice, Notices};
pub use recorder::Recorder;
