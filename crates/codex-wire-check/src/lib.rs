//! Checks transcripts of Codex's wire protocols: bytes → lines → messages → findings.
//!
//! Checking never fails. Whatever is wrong with a transcript becomes a [`Finding`] with its place,
//! and the rest is still checked.
//!
//! ```
//! use codex_wire_check::{Checker, Options, Verdict};
//!
//! let transcript = concat!(
//!     r#"{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}"#, "\n",
//!     r#"{"type":"turn.started"}"#, "\n",
//!     r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message"}}"#, "\n",
//!     r#"{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":1}}"#, "\n",
//! );
//! let checker = Checker::new(Options::new().release("0.98.0".parse()?))?;
//! let outcome = checker.check("run.jsonl", transcript.as_bytes());
//!
//! assert_eq!(outcome.verdict, Verdict::Findings);
//! let finding = &outcome.findings[0];
//! assert_eq!(finding.rule.id, "schema/missing-member");
//! assert_eq!((finding.place.line, finding.place.pointer.as_str()), (3, "/item"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A line goes through stages, each a module that uses only what comes before it: `framing` (bytes to
//! JSON), `attribution` (which dialect, who wrote it, which request it answers), `inference` (which
//! releases), `validation` (schemas), `sequence` (order and pairing) and `diagnostics` (findings).
//! `pipeline` calls one after the other, and `fast_path` skips most of them for valid lines. The
//! repository's ARCHITECTURE.md follows one line through them.
//!
//! This crate must not know protocol types, files, colours, report formats or command lines: it
//! takes bytes and returns data. It prints nothing. `codex-wire-testing` is the test harness for other
//! projects.

#![forbid(unsafe_code)]

mod attribution;
pub mod baseline;
mod bounded_map;
mod check;
mod checker;
mod convert;
mod diagnostics;
mod dialect;
mod error;
mod fast_path;
pub mod finding;
mod framing;
mod history_base;
mod home;
mod hook;
mod hook_effect;
mod hooks_file;
pub mod identify;
mod inference;
mod kind;
mod line;
mod observe;
pub mod options;
pub mod outcome;
mod phrasing;
mod pipeline;
mod pointer;
mod rpc;
mod rule;
mod rule_macros;
pub mod rule_names;
pub mod rules;
mod sequence;
mod severity;
mod similar;
mod step;
pub mod stream;
mod validation;
mod violation;
mod with_rollout;
mod writer;

pub use baseline::Baseline;
pub use checker::Checker;
pub use codex_wire_base::ReleaseRange;
pub use codex_wire_schema::Profile;
pub use convert::{Converted, Converter};
pub use error::Error;
pub use finding::{Characters, Excerpt, Finding, Location, Severity, Writer};
pub use history_base::{HistoryBase, LineEnds};
pub use home::{HomeComparison, HomeDatabase, HomeDifferences, HomeFile, HomeRows};
pub use hook::HookDocument;
pub use hook_effect::{HookDecision, HookEffect};
pub use hooks_file::{ConfiguredHooks, HookHandler, HookProblem, HooksSource};
pub use identify::{Identification, Identifier};
pub use observe::{Answered, Event};
pub use options::{Levels, Limits, Options};
pub use outcome::{Counts, Outcome, SchemaUsed, Verdict};
pub use rules::{Exception, Rule, Status};
pub use step::Step;
pub use stream::Stream;
pub use with_rollout::{RolloutFacts, StreamFacts};

/// The example of the page on schemas, held to compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/schemas.md")]
struct Schemas;
