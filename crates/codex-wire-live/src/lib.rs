//! Moves bytes between live programs: between a client and Codex, or a client and a stand-in for Codex.
//!
//! - [`tap`] runs a command, or connects clients to an app-server, passes every byte on, and records and checks
//!   what both sides say.
//! - [`record`] runs a real Codex with a scripted model.
//! - [`stand_in`] plays Codex to a client, from recordings or a script, with faults.
//! - [`conformance`] runs a client against a stand-in that misbehaves.
//! - [`hooks`] runs handlers of hooks as Codex does.
//! - [`Follow`] checks a file that grows, and [`Growing`] reads one.
//!
//! A stand-in plays a script to a client that reads a file:
//!
//! ```
//! use std::fs::{self, File};
//!
//! use codex_wire_base::Protocol;
//! use codex_wire_live::Stop;
//! use codex_wire_live::stand_in::{Environment, Host, Repertoire, ScriptFile, Settings, Streams};
//! use codex_wire_replay::arguments::Listen;
//!
//! let folder = tempfile::tempdir()?;
//! let path = |name: &str| folder.path().join(name);
//! fs::write(path("hello.toml"), "[[step]]\nsay = \"There is one file.\"\n")?;
//! let script = ScriptFile::read(&path("hello.toml"))?;
//! let repertoire = Repertoire::of_script(script, Some(Protocol::Exec), Some("0.125.0".parse()?));
//!
//! let input = tempfile::tempfile()?;
//! let streams = Streams::new(input, File::create(path("out"))?, File::create(path("err"))?);
//! let host = Host::new(streams, Environment::within(folder.path()), &Stop::new());
//! let played = repertoire.play(&Settings::new(), None, &Listen::Stdio, "hello", host)?;
//!
//! assert_eq!(played.status, 0);
//! assert!(fs::read_to_string(path("out"))?.contains("There is one file."));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate may know processes, sockets, clocks and the files that it is handed. It must not know the
//! command line of `codex-wire`, colours, report formats or `codex-wire.toml`, and it prints nothing: findings
//! are data, and what a user should know is a [`Notice`].

#![forbid(unsafe_code)]

pub mod conformance;
mod differences;
mod error;
mod follow;
mod growing;
pub mod hooks;
mod mask;
mod notice;
mod process;
pub mod record;
mod recorder;
mod sockets;
pub mod stand_in;
mod tail;
pub mod tap;

pub use codex_wire_inputs::Stop;
pub use error::{Error, NoRun};
pub use follow::{Follow, Followed};
pub use growing::Growing;
pub use mask::Mask;
pub use notice::{Notice, Notices};
pub use recorder::Recorder;
pub use tail::Gone;

/// The rules whose findings are about a client that runs: `conformance/…` and `replay/…`. The rules about messages are
/// those of `codex-wire-check`.
pub fn rules() -> impl Iterator<Item = &'static codex_wire_check::Rule> {
    let all = [conformance::RULES, stand_in::RULES].into_iter().flatten();
    all.copied()
}
