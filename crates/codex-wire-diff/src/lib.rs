//! Compares two releases, or two schema documents, and says whom each change breaks.
//!
//! ```
//! use codex_wire_base::{MessageSet, Release};
//! use codex_wire_diff::{Change, Side, Verdict, diff};
//! use codex_wire_schema::Stability;
//!
//! let side = |minor| {
//!     Side::release(&[MessageSet::Exec], Release::new(0, minor, 0), Stability::Experimental)
//! };
//! let comparison = diff(&side(50), &side(51))?;
//! // A client that takes a number fails on `null`: a message proves it.
//! let exit_code = comparison.differences.iter().find(|difference| {
//!     difference.place == "CommandExecutionItem.exit_code" && difference.change == Change::NullAdded
//! });
//! assert_eq!(exit_code.map(|difference| difference.verdict()), Some(Verdict::Breaking));
//! # Ok::<(), codex_wire_diff::Error>(())
//! ```
//!
//! Two [`Side`]s are compared: releases, by their projections, or schema documents of any origin.
//! The result is a list of [`Difference`]s. Each is decided from the reader's side: clients read
//! what Codex writes, and Codex reads what clients write. A type that both sides write has both
//! verdicts.
//!
//! The structure of the schemas says what changed, and [`rules`] say what that means. The verdict
//! *breaking* is given only with a message that one description accepts and the other refuses, as
//! tried with a validator. If no such message is found, the verdict is *unknown*. Sets of values
//! are compared only if the structure cannot decide.
//!
//! [`Behaviour`] says what no schema says: what releases do in the same scene.
//!
//! An [`Upgrade`] puts together what a client has to expect of another release.
//!
//! This crate must not know transcripts, findings, files, command lines or colours.

#![forbid(unsafe_code)]

mod behaviour;
mod change;
mod compare;
mod comparison;
mod corrections;
mod difference;
mod document;
mod ended;
mod evidence;
mod example;
mod filter;
mod guard;
mod hidden;
mod limits;
mod merge;
mod nodes;
mod observed;
mod official;
mod pair;
mod probed;
mod prove;
mod ranges;
mod reach;
mod render;
mod rules;
mod shapes;
mod side;
mod upgrade;

pub use behaviour::{
    BEHAVIOUR_SCHEMA, Behaviour, BehaviourChange, BehaviourDiff, BehaviourError, BehaviourKind,
    BehaviourStep, Near, ProtocolBehaviour, RecordedBehaviour,
};
pub use change::{Change, Direction, Verdict};
pub use comparison::{Comparison, diff, diff_observed};
pub use corrections::Corrected;
pub use difference::{Counterexample, Difference, Judgement, Message, Which};
pub use evidence::{Evidence, EvidenceKind, Probed};
pub use hidden::Hidden;
pub use probed::{Asked, asked_about};
pub use render::counts;
pub use render::json::DIFF_SCHEMA;
pub use render::pages::{Page, history, pages};
pub use rules::{Rule, rules};
pub use side::{Error, Side, message_sets};
pub use upgrade::{
    ClientFailure, ClientResult, ClientRun, ClientTrial, RestOfChanges, Shows, UPGRADE_SCHEMA,
    UnwrittenLine, Upgrade, UpgradeVerdict, UsedChanges,
};
