//! What changed on Codex's wire between two releases, and whom it breaks.
//!
//! Two [`Side`]s are compared: releases, by their projections, or schema documents of any
//! origin. What is found is a list of [`Difference`]s, each judged for whoever has to cope: of
//! what Codex writes its clients, of what clients write Codex. A type both sides write has both
//! verdicts.
//!
//! The structure says what changed and [`rules`] say what that means. A verdict of *breaking* is
//! given only with a message that the description of the one side accepts and that of the other
//! refuses, tried with a validator; where none is found the verdict is *unknown*. Sets of values
//! are compared only where structure cannot decide.
//!
//! ```
//! use codex_wire_base::{Release, Surface};
//! use codex_wire_diff::{Change, Side, Verdict, diff};
//! use codex_wire_schema::Stability;
//!
//! let side = |minor| {
//!     Side::release(&[Surface::Exec], Release::new(0, minor, 0), Stability::Experimental)
//! };
//! let comparison = diff(&side(50), &side(51))?;
//! let exit_code = comparison.differences.iter().find(|difference| {
//!     difference.place == "CommandExecutionItem.exit_code" && difference.change == Change::NullAdded
//! });
//! assert_eq!(exit_code.map(|difference| difference.verdict()), Some(Verdict::Breaking));
//! # Ok::<(), codex_wire_diff::Error>(())
//! ```
//!
//! This crate must not know transcripts, findings, files, command lines or colours.

#![forbid(unsafe_code)]

mod compare;
mod comparison;
mod corrections;
mod difference;
mod document;
mod ended;
mod example;
mod guard;
mod limits;
mod merge;
mod official;
mod prove;
mod reach;
mod render;
mod rules;
mod shapes;
mod side;

pub use comparison::{Comparison, diff};
pub use corrections::Corrected;
pub use difference::{
    Change, Counterexample, Difference, Direction, Judgement, Message, Verdict, Which,
};
pub use render::counts;
pub use render::json::DIFF_SCHEMA;
pub use render::pages::{Page, pages};
pub use rules::{Rule, rules};
pub use side::{Error, Side, surfaces};
