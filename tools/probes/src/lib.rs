//! Asks releases of Codex what they read and what they refuse, and holds what they answered.
//!
//! | what | where |
//! |---|---|
//! | a line of a client with one value that is tried | [`Question`] |
//! | what there is to ask, by the model of a release | `walk` |
//! | messages that show a breaking change | [`examples`] |
//! | a program that is asked | [`Subject`] |
//! | what it reads, before anyone has greeted it | [`server`] |
//! | what its methods do, what it makes of hooks, how its runs end | [`calls`], [`hooks`], [`exec`] |
//! | all of this for one release | [`rounds`] |
//! | the answers as text, and the files in `probes` | [`Log`], [`Probes`] |
//! | where our schemas say otherwise | [`compare`] |
//!
//! This crate must not know transcripts, findings or reports.

#![forbid(unsafe_code)]

pub mod answer;
pub mod calls;
pub mod compare;
pub mod error;
pub mod examples;
pub mod exec;
pub mod folder;
pub mod hooks;
pub mod log;
pub mod question;
pub mod rounds;
mod sample;
pub mod server;
mod walk;

pub use answer::Answer;
pub use error::Error;
pub use folder::Probes;
pub use log::Log;
pub use question::{Put, Question, Slot, Step};
pub use server::Subject;
