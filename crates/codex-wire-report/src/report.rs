//! A report in one of the formats.

use std::{fmt, io};

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome};

#[cfg(feature = "timeline")]
use crate::drawing::Tracks;
use crate::format::Format;
#[cfg(feature = "junit")]
use crate::junit;
#[cfg(feature = "html")]
use crate::page;
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::skipped::Skipped;
use crate::statistics::Statistics;
use crate::totals::Totals;
use crate::{github, json, jsonl, markdown, sarif, text};

/// A report being written.
pub struct Report<'w> {
    out: &'w mut dyn io::Write,
    renderer: Box<dyn Renderer>,
    totals: Totals,
}

impl fmt::Debug for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Report");
        out.field("totals", &self.totals).finish_non_exhaustive()
    }
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
            #[cfg(feature = "junit")]
            Format::Junit => Box::new(junit::Junit::new(settings)),
            Format::Sarif => Box::new(sarif::Sarif::new(settings)),
            Format::Github => Box::new(github::Github::new(settings)),
            Format::Markdown => Box::new(markdown::Markdown::new(settings)),
            #[cfg(feature = "html")]
            Format::Html => Box::new(page::Page::new(settings)),
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

    /// Draws when the threads, turns and items of the next input ran, and the tokens of its turns. Call it before
    /// [`outcome`](Self::outcome). Only the format `Html` has a place for it.
    #[cfg(feature = "timeline")]
    pub fn tracks(&mut self, tracks: &Tracks) {
        self.renderer.tracks(tracks);
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

    /// Writes the files that were not read, and why. Call it at most once, after all inputs and before
    /// the baseline. The formats `Junit`, [`Sarif`](Format::Sarif) and
    /// [`Github`](Format::Github) have no place for them.
    ///
    /// # Errors
    /// When writing fails.
    pub fn skipped(&mut self, files: &[Skipped]) -> io::Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        self.renderer.skipped(self.out, files)
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

    /// Adds statistics to the end of the report, in the formats [`Text`](Format::Text),
    /// [`Json`](Format::Json) and [`JsonLines`](Format::JsonLines).
    pub fn statistics(&mut self, statistics: &Statistics) {
        self.renderer.statistics(statistics.clone());
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
