//! Runs a real Codex against a scripted model on loopback, with its own home folder and a client.
//!
//! [`Model`] speaks the Responses API over SSE and answers from a script. [`Home`] holds the
//! configuration that connects a release of Codex to that model and to nothing else. [`binary`]
//! finds a release among those fetched before. [`Client`] exchanges lines with the process.
//! [`scenes`] are complete sessions, which [`Recording`]s are made of; `cargo xtask record`
//! writes them to files.
//!
//! This crate must not know schemas, checks or reports: it only records.

#![forbid(unsafe_code)]

mod answer;
mod binaries;
mod client;
mod events;
mod home;
mod http;
mod model;
pub mod scenes;

pub use answer::{Answer, End, Item};
pub use binaries::{CACHE_VARIABLE, binary};
pub use client::{Client, LoggedLine};
pub use home::Home;
pub use model::Model;
pub use scenes::{Recording, Scene};
