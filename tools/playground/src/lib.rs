//! The checker of the site's playground: a transcript goes in, and comes out as pages, in one pass.
//!
//! Compiled to WebAssembly ([`build`]), it runs in a worker of the page, which hands it the bytes of a file. It is the
//! checker of `codex-wire check`, and writes the pages of `check --format html` and `show --format html`: so the playground
//! finds what the program finds.
//!
//! This crate must not know protocol types, rules, command lines, or anything of the page but the functions in `page.rs`.

#[cfg(not(target_arch = "wasm32"))]
pub mod build;
#[cfg(target_arch = "wasm32")]
mod page;

use std::io::{self, BufRead, Write};

use codex_wire_check::{Checker, Error, Options, Outcome};
use codex_wire_report::conversation::{Form, begin_html, end_html};
pub use codex_wire_report::style_source;
use codex_wire_report::{Conversation, ConversationOptions, Format, Report, Settings};

/// Checks files, one after the other.
#[derive(Debug)]
pub struct Playground {
    checker: Checker,
    options: ConversationOptions,
}

/// Where the outputs go.
pub struct Outputs<'o> {
    /// The report as JSON, as `check --format json` writes it.
    pub json: &'o mut dyn Write,
    /// The report as a page, as `check --format html` writes it.
    pub report: &'o mut dyn Write,
    /// The session as a page, as `show --format html` writes it, with the findings where they occur.
    pub session: &'o mut dyn Write,
}

impl Playground {
    /// A playground for any protocol and release. `mask` hides texts in the outputs, so that they can be passed on.
    ///
    /// # Errors
    /// None that is known: these options contradict nothing.
    pub fn new(mask: bool) -> Result<Self, Error> {
        let mut checking = Options::new();
        checking.show_values = !mask;
        let mut options = ConversationOptions::new();
        options.form = Form::Html;
        options.mask = mask;
        options.findings = true;
        Ok(Playground {
            checker: Checker::new(checking)?,
            options,
        })
    }

    /// Checks an input. `name` is its name in the outputs; nothing is opened.
    ///
    /// # Errors
    /// When writing fails. That the input cannot be read is an outcome.
    pub fn run(&self, name: &str, input: impl BufRead, out: Outputs<'_>) -> io::Result<()> {
        begin_html(out.session, name)?;
        let mut conversation = Conversation::new(name, &self.options, out.session);
        let outcome = self
            .checker
            .observe(name, input, |step| conversation.step(step))?;
        conversation.finish(&outcome)?;
        end_html(out.session)?;
        report(Format::Json, &outcome, out.json)?;
        report(Format::Html, &outcome, out.report)
    }
}

fn report(format: Format, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let settings = Settings::new("codex-wire", env!("CARGO_PKG_VERSION"));
    let mut report = Report::begin(format, settings, out)?;
    report.outcome(outcome)?;
    report.finish()?;
    Ok(())
}
