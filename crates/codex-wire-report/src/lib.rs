//! Writes the outcomes of checks: text and pages for people; JSON, JUnit, SARIF and others for machines.
//!
//! [`Outcome`](codex_wire_check::Outcome)s go in; a [`Report`] writes them in the chosen [`Format`]. Each format has a file of
//! its own. If the format allows it, a report is a stream: every input is written when it is
//! finished, and only totals are kept. JUnit puts totals first, so its test cases are kept until
//! the end; SARIF keeps one line of facts per input.
//!
//! Every report names the program and its version, the protocol and the releases of each input, the
//! digest of the schema it was checked against, and counts.
//!
//! ```
//! use codex_wire_check::Outcome;
//! use codex_wire_report::{Format, Report, Settings};
//!
//! let mut out = Vec::new();
//! let mut report = Report::begin(Format::Text, Settings::new("demo", "1.0.0"), &mut out)?;
//! report.outcome(&Outcome::unreadable("a.jsonl", "no such file"))?;
//! let totals = report.finish()?;
//! assert_eq!(totals.unreadable, 1);
//! assert!(out.starts_with(b"error: cannot read a.jsonl: no such file\n"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! What else the program prints about its subject is written here too, as text or JSON: [`Identifications`] of inputs,
//! [`differences`], [`changes`] of releases, [`parts`] of messages, [`rules`] and [`usage`].
//!
//! # Features
//! - `differences`: what differs between releases or sessions, and where parts of messages stand
//! - `html` (on by default): pages for a browser
//! - `junit` (on by default): the JUnit format
//! - `timeline` (on by default): a transcript as people read it, as a conversation and as a timeline of its lines
//!
//! This crate must not know files, processes or command lines. It decides no exit code, asks
//! no terminal whether it has colours, and prints nothing on its own: it writes into what it is
//! given.

#![forbid(unsafe_code)]

pub mod changes;
mod checked_against;
#[cfg(feature = "timeline")]
pub mod conversation;
#[cfg(feature = "differences")]
pub mod differences;
#[cfg(feature = "timeline")]
mod drawing;
mod escape;
mod fit;
mod format;
mod github;
#[cfg(feature = "html")]
mod html;
mod identification;
pub mod json;
pub mod jsonl;
#[cfg(feature = "junit")]
mod junit;
mod markdown;
mod numbers;
mod object;
#[cfg(feature = "html")]
mod page;
#[cfg(feature = "differences")]
pub mod parts;
mod release_ranges;
mod renderer;
mod report;
mod rule_counts;
pub mod rules;
mod sarif;
mod settings;
mod skipped;
mod statistics;
mod styles;
mod text;
#[cfg(feature = "timeline")]
pub mod timeline;
mod totals;
#[cfg(feature = "timeline")]
mod track_watch;
pub mod usage;
mod words;
mod wrap;

#[cfg(feature = "timeline")]
pub use conversation::{Conversation, ConversationOptions};
#[cfg(feature = "timeline")]
pub use drawing::Tracks;
pub use escape::{escaped, escaped_json, escaped_lines, is_terminal_control, write_json};
pub use format::{Format, ParseFormatError};
#[cfg(feature = "html")]
pub use html::style_source;
pub use identification::{Identifications, Identified};
pub use json::REPORT_SCHEMA;
pub use jsonl::REPORT_LINES_SCHEMA;
use renderer::Renderer as _;
pub use report::Report;
pub use settings::Settings;
pub use skipped::{SkipReason, Skipped, skipped_names, skipped_sums};
pub use statistics::{Kinds, Statistics};
pub use styles::Styles;
#[cfg(feature = "timeline")]
pub use timeline::{Timeline, TimelineOptions};
pub use totals::Totals;
#[cfg(feature = "timeline")]
pub use track_watch::TrackWatch;
pub use words::unreadable;
pub use wrap::wrapped;

/// An outcome as [`Format::Text`] shows it, without colours: its findings, and the totals.
pub fn describe(outcome: &codex_wire_check::Outcome) -> String {
    text::Text::of_outcome(outcome)
}

/// An entry of the baseline at `path` that no longer occurs, as [`Format::Text`] shows it, without colours.
pub fn describe_stale(path: &str, stale: &codex_wire_check::baseline::Stale) -> String {
    text::Text::of_stale(path, stale)
}

/// Writes the findings of an input as [`Format::Text`] shows them, with a blank line between two of them.
///
/// # Errors
/// When writing fails.
pub fn write_findings(
    out: &mut dyn std::io::Write,
    path: &str,
    findings: &[codex_wire_check::Finding],
    settings: &Settings,
) -> std::io::Result<()> {
    text::Text::new(settings.clone()).findings(out, path, findings)
}
