//! Writes the outcomes of checks: text for people; JSON, JUnit, SARIF and others for machines.
//!
//! [`Outcome`]s go in; a [`Report`] writes them in the chosen [`Format`]. Each format has a file of
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
//! assert!(out.starts_with(b"error: a.jsonl: no such file\n"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! This crate must not know files, processes or command lines. It decides no exit code, asks
//! no terminal whether it has colours, and prints nothing on its own: it writes into what it is
//! given.

#![forbid(unsafe_code)]

mod against;
mod escapes;
mod format;
mod github;
pub mod json;
pub mod jsonl;
mod junit;
mod markdown;
mod plain;
mod sarif;
mod styles;
mod text;
pub mod timeline;
mod totals;

use std::io;

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome};

pub use escapes::write_json;
pub use format::{Format, ParseFormatError};
pub use json::REPORT_SCHEMA;
pub use jsonl::REPORT_LINES_SCHEMA;
pub use plain::{escaped, steers};
pub use styles::Styles;
pub use timeline::{Timeline, View};
pub use totals::Totals;

/// Settings of a report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The name of the program that reports.
    pub tool_name: String,
    /// Its version.
    pub tool_version: String,
    /// The colours of formats that have any.
    pub styles: Styles,
}

impl Settings {
    /// Settings of a program, without colours.
    pub fn new(tool_name: impl Into<String>, tool_version: impl Into<String>) -> Self {
        Settings {
            tool_name: tool_name.into(),
            tool_version: tool_version.into(),
            styles: Styles::plain(),
        }
    }

    /// The program with its version.
    pub(crate) fn tool(&self) -> String {
        format!("{} {}", self.tool_name, self.tool_version)
    }

    /// The same with colours.
    #[must_use]
    pub fn with_styles(mut self, styles: Styles) -> Self {
        self.styles = styles;
        self
    }
}

/// A report being written.
pub struct Report<'w> {
    out: &'w mut dyn io::Write,
    renderer: Box<dyn Renderer>,
    totals: Totals,
}

impl<'w> Report<'w> {
    /// Begins a report, and flushes.
    ///
    /// # Errors
    /// When writing fails.
    pub fn begin(
        format: Format,
        settings: Settings,
        out: &'w mut dyn io::Write,
    ) -> io::Result<Self> {
        let mut renderer: Box<dyn Renderer> = match format {
            Format::Text => Box::new(text::Text::new(settings)),
            Format::Json => Box::new(json::Json::new(settings)),
            Format::JsonLines => Box::new(jsonl::JsonLines::new(settings)),
            Format::Junit => Box::new(junit::Junit::new(settings)),
            Format::Sarif => Box::new(sarif::Sarif::new(settings)),
            Format::Github => Box::new(github::Github::new(settings)),
            Format::Markdown => Box::new(markdown::Markdown::new(settings)),
        };
        renderer.begin(out)?;
        out.flush()?;
        Ok(Report {
            out,
            renderer,
            totals: Totals::default(),
        })
    }

    /// Writes findings of an input that is still being written, and flushes. [`Text`](Format::Text)
    /// and [`JsonLines`](Format::JsonLines) write them now and not with the outcome, so pass every
    /// finding of such an input to this method. The other formats wait for the outcome. `path` is
    /// the name of the input; nothing is opened.
    ///
    /// # Errors
    /// When writing fails.
    pub fn findings(&mut self, path: &str, findings: &[Finding]) -> io::Result<()> {
        if findings.is_empty() {
            return Ok(());
        }
        self.renderer.findings(self.out, path, findings)?;
        self.out.flush()
    }

    /// Writes the outcome of one input, and flushes, so that it can be read while the next input is
    /// being checked.
    ///
    /// # Errors
    /// When writing fails.
    pub fn outcome(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.totals.add(outcome);
        self.renderer.outcome(self.out, outcome)?;
        self.out.flush()
    }

    /// Writes the stale entries of the baseline. Call it at most once, after all inputs. `path` is
    /// the name of the baseline; nothing is opened.
    ///
    /// # Errors
    /// When writing fails.
    pub fn baseline(&mut self, path: &str, stale: &[Stale]) -> io::Result<()> {
        self.totals.stale += stale.len() as u64;
        self.renderer.baseline(self.out, path, stale)
    }

    /// Writes the totals.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<Totals> {
        self.renderer.finish(self.out, &self.totals)?;
        self.out.flush()?;
        Ok(self.totals)
    }
}

/// A format. A new format implements this trait.
trait Renderer {
    /// Writes what comes before all inputs.
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()>;

    /// Writes some findings before the rest of their input, where the format allows it.
    fn findings(&mut self, _: &mut dyn io::Write, _: &str, _: &[Finding]) -> io::Result<()> {
        Ok(())
    }

    /// Writes one input.
    fn outcome(&mut self, out: &mut dyn io::Write, outcome: &Outcome) -> io::Result<()>;

    /// Writes the stale entries of the baseline, if there is one.
    fn baseline(&mut self, out: &mut dyn io::Write, path: &str, stale: &[Stale]) -> io::Result<()>;

    /// Writes what comes after all inputs.
    fn finish(&mut self, out: &mut dyn io::Write, totals: &Totals) -> io::Result<()>;
}
