//! Reads a session of Codex into one model, from any surface and any release.
//!
//! The stream of `codex exec --json`, connections of `codex app-server`, the events of core and session files
//! say the same in four ways, which change from release to release. [`Session`] says it in one: threads,
//! their turns, what happened in each, who approved it, and the tokens, each counted once.
//!
//! ```
//! use codex_wire_session::{Reader, TurnStatus};
//!
//! let stream = br#"{"type":"thread.started","thread_id":"t"}
//! {"type":"turn.started"}
//! {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hello."}}
//! {"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
//! "#;
//! let session = Reader::new().read("run.jsonl", &stream[..])?;
//! let turn = &session.threads[0].turns[0];
//! assert_eq!(turn.status, TurnStatus::Completed);
//! assert_eq!(turn.answer(), Some("Hello."));
//! assert_eq!(turn.tokens().output, 34);
//! // Each item names its lines.
//! assert_eq!(turn.items[0].lines.from, 3);
//! # Ok::<(), codex_wire_session::Error>(())
//! ```
//!
//! What a source cannot know is absent: `codex exec` names no models and no prompts, session files keep no
//! approvals. `docs/session.md` of the repository lists it.
//!
//! # Long inputs
//! [`Reader::each`] hands out one turn after the other, as soon as a turn can no longer change, so that memory
//! grows with the number of threads and of what stands outside of turns, and not with the turns. [`Watch`] hands out
//! one item after the other, for people who read along.
//!
//! This crate must not know files, schemas, findings, report formats or command lines: it takes bytes and
//! returns data. Which protocol a line is of, and who wrote it, `codex-wire-check` finds out.

#![forbid(unsafe_code)]

mod app_server;
mod base;
mod build;
mod compare;
mod copies;
mod core;
mod exec;
mod ids;
mod members;
mod model;
mod reader;
mod rollout;
mod source;
#[cfg(test)]
mod tests;
mod tokens;
pub mod usage;
mod values;
mod watch;

pub use base::is_base;
pub use compare::{
    COMPARISON_FORMAT, Comparison, Difference, MemberDifference, SessionLocation, compare,
};
pub use copies::mark_copies;
pub use model::*;
pub use reader::{Error, NoSession, Part, Parts, Reader, TurnOf};
pub use watch::{ItemOf, ThreadOf, Watch, WatchEvent};

/// The example of the page on sessions, held to compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/session.md")]
struct Page;
