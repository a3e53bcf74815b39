//! Checks transcripts of Codex's wire protocols: bytes → lines → messages → findings.
//!
//! Checking never fails. Whatever is wrong with a transcript becomes a [`Finding`] with its place,
//! and the rest is still checked.
//!
//! The repository's ARCHITECTURE.md follows one line through the modules of this crate.
//!
//! This crate must not know protocol types, files, colours, report formats or command lines: it
//! takes bytes and returns data. It prints nothing. `codex-wire-testing` is the test harness for other
//! projects.

#![forbid(unsafe_code)]

mod alike;
pub mod baseline;
mod checker;
mod excerpt;
pub mod finding;
mod follow;
mod foreign;
mod form;
mod head;
pub mod identify;
mod judge;
mod number;
pub mod options;
pub mod outcome;
mod pipeline;
mod place;
mod placement;
mod rpc;
pub mod rules;
mod run;
mod scan;
mod sequence;
pub mod stream;
mod tree;
mod watch;
mod words;

pub use baseline::Baseline;
pub use checker::{Checker, Error};
pub use codex_wire_schema::Profile;
pub use finding::{Characters, Excerpt, Finding, Place, Severity, Writer};
pub use identify::{Identification, Identifier};
pub use options::{Levels, Limits, Options};
pub use outcome::{Counts, Outcome, ReleaseRange, SchemaUsed, Verdict};
pub use rules::{Exception, Rule, Status};
pub use stream::Stream;
pub use watch::{Answered, Sight, Step};

/// The example of the page on schemas, held to compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/schemas.md")]
struct Schemas;
