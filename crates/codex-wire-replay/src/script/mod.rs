//! Scripts: short descriptions of a run, from which a stream of any release is made.
//!
//! A script says what the *model* does: it writes a message, runs a command, asks, fails. What Codex
//! writes then differs from release to release, and is made from the schema of the release: a member
//! that the release always writes is there, and one that it does not have is not.
//!
//! The order of the files: `model` and `read` (what a script says), then the protocols. Their messages are
//! made of what stands in `compose`.

mod answers;
mod app_server;
pub(crate) mod decision;
mod events;
mod exec;
mod kinds;
mod legacy;
pub mod model;
mod output;
mod patch;
mod play;
mod proto;
mod read;
mod read_json;
mod refuse;
mod run;
pub(crate) mod sense;
#[cfg(test)]
mod tests;
mod words;

pub use crate::compose::settings::Settings;
pub use app_server::AppServer;
pub use model::Script;
pub use play::{ExecRun, ResumedThread};
pub use proto::Proto;
pub use run::exec;
