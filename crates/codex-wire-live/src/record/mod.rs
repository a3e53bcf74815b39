//! Runs a real Codex on a stage, and keeps what it writes.
//!
//! The stage is a folder that is removed at the end: a home of its own for Codex, a configuration that
//! connects it to one model and to nothing else, and a project. The model is a script on a loopback
//! port, or an endpoint of the user. The run itself is [tapped](crate::tap).
//!
//! This is not in `codex-wire-record`, which makes a Codex speak and knows neither schemas nor checks: a script has
//! the words of the schemas, and what is recorded is checked.

mod codex_command;
mod keep;
mod plot;
mod run;
mod stage;

pub use codex_command::CodexCommand;
pub use run::{Key, Run, Source, protocol};
pub use stage::{Ended, Recording, Stage};
