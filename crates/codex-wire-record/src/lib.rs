//! Runs a real Codex against a scripted model on loopback, with its own home folder and a client.
//!
//! [`Model`] speaks the Responses API over SSE and answers from a list or a [`Dialogue`]. [`Home`] holds
//! the [`Configuration`] that connects a release of Codex to that model and to nothing else. [`binary`]
//! finds a release among those fetched before, and a [`Program`] is one that the user has installed; [`version()`] asks a program which release it is. [`Client`] exchanges lines with the process.
//! [`converse`] is a client of `codex app-server` that sends prompts and accepts what is asked.
//! [`tools`] is a tool server (MCP) that returns what it is told. [`left()`] reads the session files that
//! Codex leaves. [`scenes`] are complete sessions, which [`Recording`]s are made of; `cargo xtask record`
//! writes them to files.
//!
//! This crate must not know schemas, checks or reports: it only records.

#![forbid(unsafe_code)]

mod answer;
mod binaries;
mod client;
mod configuration;
mod converse;
mod dialogue;
mod error;
mod events;
mod home;
mod hooks;
mod http;
mod left;
mod model;
mod program;
mod requests;
pub mod scenes;
pub mod tools;
mod version;

pub use answer::{Answer, End, Item, Tokens};
pub use binaries::{CACHE_VARIABLE, binary};
pub use client::{Client, LoggedLine};
pub use configuration::Configuration;
pub use converse::{Talk, converse};
pub use dialogue::Dialogue;
pub use error::Error;
pub use home::Home;
pub use left::{Left, left};
pub use model::{Billed, Model};
pub use program::{Program, own_cache};
pub use scenes::{Recording, Scene};
pub use version::version;
