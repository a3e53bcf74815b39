//! Outcomes of checks as bytes: text for people, JSON for machines.
//!
//! One kind of diagnostic goes in, [`Outcome`]; a [`Report`] writes it in the chosen
//! [`Format`], each in a file of its own. A report is a stream: every input is written when it
//! is finished, and only sums are kept, so memory does not grow with the number of inputs.
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

mod format;
pub mod json;
mod plain;
mod styles;
mod text;
mod totals;

use std::io;

use codex_wire_check::Outcome;

pub use format::{Format, ParseFormatError};
pub use json::REPORT_SCHEMA;
pub use styles::Styles;
pub use totals::Totals;

/// What a report needs to know besides the outcomes.
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
    /// Begins a report.
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
        };
        renderer.begin(out)?;
        Ok(Report {
            out,
            renderer,
            totals: Totals::default(),
        })
    }

    /// Writes what was found in one input, and flushes, so that it can be read while the next
    /// input is being checked.
    ///
    /// # Errors
    /// When writing fails.
    pub fn outcome(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.totals.add(outcome);
        self.renderer.outcome(self.out, outcome)?;
        self.out.flush()
    }

    /// Writes the sums.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<Totals> {
        self.renderer.finish(self.out, &self.totals)?;
        self.out.flush()?;
        Ok(self.totals)
    }
}

/// A format: the one thing a new one has to implement.
trait Renderer {
    /// Writes what comes before all inputs.
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()>;

    /// Writes one input.
    fn outcome(&mut self, out: &mut dyn io::Write, outcome: &Outcome) -> io::Result<()>;

    /// Writes what comes after all inputs.
    fn finish(&mut self, out: &mut dyn io::Write, totals: &Totals) -> io::Result<()>;
}
