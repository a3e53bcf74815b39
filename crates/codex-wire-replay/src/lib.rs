//! A stand-in for Codex: plays recordings of any release to any client.
//!
//! Recordings go in; the lines that Codex would write come out. The client's command line is read by
//! [`arguments`], and [`script`] makes a stream without a recording.
//!
//! This crate must not know protocol types, files, sockets, processes, clocks, report formats, or the
//! command line of `codex-wire` itself. `codex-wire replay` moves the bytes and waits.

#![forbid(unsafe_code)]

pub mod arguments;
pub mod script;
