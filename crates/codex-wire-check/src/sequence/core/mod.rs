//! Checks the order of `codex proto`: one session, its submissions, and its tasks one after
//! another.
//!
//! The legacy exec stream is checked here too: after two lines of its own it consists of the same
//! events.
//!
//! A recording may hold one side only. What follows from a submission is checked only if lines of
//! the client were seen and none was lost.

pub(crate) mod calls;
pub(crate) mod client;
mod evidence;
pub(crate) mod outside;
mod session;
mod state;
pub(crate) mod task;
pub(crate) mod texts;
pub(crate) mod tokens;

pub(super) use self::state::Core;

crate::rule_macros::rule_files!(calls, client, outside, session, task, tokens);
