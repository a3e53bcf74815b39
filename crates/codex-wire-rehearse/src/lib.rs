//! A real Codex on a stage: a scripted model on loopback, a home of its own, and a client.
//!
//! [`Model`] speaks the Responses API over SSE and says what its script says. [`Home`] holds the
//! configuration that makes a release of Codex talk to that model and to nobody else. [`binary`]
//! finds the release among those fetched before. [`Client`] talks to the process in lines.
//! [`scenes`] are whole performances, which [`Recording`]s are made of.
//!
//! This crate must not know what is checked or reported: it makes Codex speak, and others judge.

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
pub use client::{Client, Said};
pub use home::Home;
pub use model::Model;
pub use scenes::{Recording, Scene};
