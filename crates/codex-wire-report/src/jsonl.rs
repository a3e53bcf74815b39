//! Writes the JSON Lines report: one object per line, each with a `kind`, readable while it grows.
//! The lines are an API; [`REPORT_LINES_SCHEMA`] is the JSON Schema of each.
//!
//! | `kind` | when | members |
//! |---|---|---|
//! | `start` | first | `version`, which is 2; `tool`, with `name` and `version` |
//! | `finding` | one for each finding | `path`, the input it was found in, and the members of a finding in the [JSON report](crate::json) |
//! | `input` | one for each input, behind its findings | the members of an input in the JSON report, except `findings` |
//! | `skipped` | one for each file of a folder that was not read, behind all inputs | `path` and `reason`, as in the JSON report |
//! | `baseline` | where there is one, behind all inputs | `path` and `stale`, as in the JSON report |
//! | `statistics` | before the last, where the user asks for them | the members of the statistics in the JSON report |
//! | `totals` | last | the members of the totals in the JSON report |
//!
//! Until `totals` is there, the check is not finished.

use std::io::{self, Write};

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome};
use serde::Serialize;

use crate::escape::write_json;
use crate::json;
use crate::object::object;
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::skipped::Skipped;
use crate::statistics::Statistics;
use crate::totals::Totals;

/// The JSON Schema of a line of the report, draft 2020-12. It is closed: it allows exactly the
/// fields this release of the crate writes.
pub const REPORT_LINES_SCHEMA: &str = codex_wire_schema::own::REPORT_LINES;

pub(crate) struct JsonLines {
    settings: Settings,
    /// Whether the findings of the input at hand were written already.
    reported: bool,
    statistics: Option<Statistics>,
}

impl JsonLines {
    pub(crate) fn new(settings: Settings) -> Self {
        JsonLines {
            settings,
            reported: false,
            statistics: None,
        }
    }
}

fn line(out: &mut dyn Write, kind: &str, members: impl Serialize) -> io::Result<()> {
    let line = object! { kind: kind, #[serde(flatten)] members: members };
    write_json(out, &line)?;
    out.write_all(b"\n")
}

impl Renderer for JsonLines {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let members = object! { version: 2, tool: json::tool(&self.settings) };
        line(out, "start", members)
    }

    fn findings(
        &mut self,
        out: &mut dyn Write,
        path: &str,
        findings: &[Finding],
    ) -> io::Result<()> {
        self.reported = true;
        for finding in findings {
            let members = object! { path: path, #[serde(flatten)] finding: json::finding(finding) };
            line(out, "finding", members)?;
        }
        Ok(())
    }

    fn outcome(&mut self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        if !self.reported {
            self.findings(out, &outcome.path, &outcome.findings)?;
        }
        self.reported = false;
        line(out, "input", json::input(outcome, None))
    }

    fn skipped(&mut self, out: &mut dyn Write, files: &[Skipped]) -> io::Result<()> {
        for file in files {
            line(out, "skipped", file)?;
        }
        Ok(())
    }

    fn baseline(&mut self, out: &mut dyn Write, path: &str, stale: &[Stale]) -> io::Result<()> {
        line(out, "baseline", json::baseline(path, stale))
    }

    fn statistics(&mut self, statistics: Statistics) {
        self.statistics = Some(statistics);
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        if let Some(statistics) = &self.statistics {
            line(out, "statistics", statistics.to_json())?;
        }
        line(out, "totals", totals)
    }
}
