//! Writes the text report for people: findings with place, excerpt and caret, as compilers print
//! them.
//!
//! Similar findings are grouped, totals come last, and inputs without findings are not mentioned.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Write};

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Counts, Excerpt, Finding, Location, Outcome, Verdict, Writer};
use unicode_width::UnicodeWidthStr;

use crate::checked_against::Groups;
use crate::escape::{escaped, replaced};
use crate::fit::fit;
use crate::numbers::{counted, grouped};
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::skipped::{Skipped, skipped_names};
use crate::statistics::Statistics;
use crate::styles::Styles;
use crate::totals::Totals;
use crate::words::{not_exercised, unreadable_as};

pub(crate) struct Text {
    styles: Styles,
    /// The program with its version.
    tool: String,
    /// What inputs were checked against.
    against: Groups,
    /// What was not read.
    skipped: String,
    /// What was written last. It decides whether a blank line comes next.
    last: Last,
    /// Whether the findings of the current input were already written.
    already_written: bool,
    /// How many columns excerpts may use.
    width: Option<usize>,
    /// Whether nothing is written if nothing was found.
    quiet: bool,
    statistics: Option<Statistics>,
}

/// What was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    /// Something on one line.
    Line,
    /// A finding, on several lines.
    Finding,
}

impl Text {
    pub(crate) fn new(settings: Settings) -> Self {
        Text {
            tool: settings.tool(),
            width: settings.width,
            quiet: settings.quiet,
            statistics: None,
            styles: settings.styles,
            against: Groups::default(),
            skipped: String::new(),
            last: Last::Nothing,
            already_written: false,
        }
    }

    /// An outcome as text without colours: its findings, and the totals.
    pub(crate) fn of_outcome(outcome: &Outcome) -> String {
        let mut text = Text::new(Settings::new("", ""));
        let mut totals = Totals::default();
        totals.add(outcome);
        let mut out = Vec::new();
        // Writing into memory cannot fail.
        let _ = text
            .outcome(&mut out, outcome)
            .and_then(|()| match text.last {
                Last::Nothing => Ok(()),
                _ => writeln!(out),
            })
            .and_then(|()| text.verdict(&mut out, &totals));
        String::from_utf8_lossy(&out).into_owned()
    }

    /// A stale entry of a baseline as text without colours.
    pub(crate) fn of_stale(path: &str, stale: &Stale) -> String {
        let mut out = Vec::new();
        // Writing into memory cannot fail.
        let _ = Text::new(Settings::new("", "")).stale(&mut out, path, stale);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// A finding as text without colours.
    #[cfg(feature = "junit")]
    pub(crate) fn of_finding(path: &str, finding: &Finding, others: &[&Location]) -> String {
        let text = Text::new(Settings::new("", ""));
        let mut out = Vec::new();
        // Writing into memory cannot fail.
        let _ = text.finding(&mut out, path, finding, others);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Writes a finding, and the locations of similar ones.
    fn finding(
        &self,
        out: &mut dyn Write,
        path: &str,
        finding: &Finding,
        others: &[&Location],
    ) -> io::Result<()> {
        let place = self.styles.place;
        let (severity, word) = match finding.expected {
            Some(_) => (self.styles.good, "expected"),
            None => (
                self.styles.severity(finding.severity),
                finding.severity.as_str(),
            ),
        };
        writeln!(
            out,
            "{severity}{word}[{}]{severity:#} {place}{path}:{}:{}{place:#}: {}",
            finding.rule,
            finding.place.line,
            finding.place.column,
            escaped(&finding.message),
        )?;
        let line = finding.place.line.to_string();
        let margin = " ".repeat(line.len());
        let frame = self.styles.frame;
        if let Some(reason) = &finding.expected {
            if !others.is_empty() {
                let others = locations(others);
                writeln!(out, " {margin} {frame}={frame:#} also at {others}")?;
            }
            // The user who listed it has seen it. Only the reason is worth printing.
            let reason = escaped(reason.trim());
            return writeln!(out, " {margin} {frame}={frame:#} because: {reason}");
        }
        if let Some(excerpt) = &finding.excerpt {
            self.excerpt(out, &line, &margin, excerpt, finding)?;
        }
        if let Some(at) = at(finding) {
            writeln!(out, " {margin} {frame}={frame:#} {at}")?;
        }
        if !others.is_empty() {
            let others = locations(others);
            writeln!(out, " {margin} {frame}={frame:#} also at {others}")?;
        }
        if let Some(earlier) = &finding.earlier {
            let (line, what) = (earlier.line, earlier.what);
            writeln!(
                out,
                " {margin} {frame}={frame:#} see {place}{path}:{line}{place:#}: {what}"
            )?;
        }
        if let Some(releases) = finding.releases {
            writeln!(out, " {margin} {frame}={frame:#} valid in: {releases}")?;
        }
        if let Some(help) = &finding.help {
            let help = escaped(help);
            writeln!(out, " {margin} {frame}={frame:#} help: {help}")?;
        }
        Ok(())
    }

    /// Writes an entry of a baseline that no longer occurs.
    fn stale(&self, out: &mut dyn Write, path: &str, stale: &Stale) -> io::Result<()> {
        let Styles {
            error: bad,
            place,
            frame,
            ..
        } = self.styles;
        let entry = &stale.entry;
        let (path, line) = (display_path(path), entry.line);
        let text = stale.to_string();
        let text = escaped(&text);
        writeln!(
            out,
            "{bad}stale[baseline]{bad:#} {place}{path}:{line}{place:#}: {text}"
        )?;
        let margin = " ".repeat(line.to_string().len());
        let message = escaped(&entry.message);
        writeln!(out, " {margin} {frame}={frame:#} expected: {message}")?;
        let reason = escaped(entry.reason.trim());
        writeln!(out, " {margin} {frame}={frame:#} because: {reason}")
    }

    fn excerpt(
        &self,
        out: &mut dyn Write,
        line: &str,
        margin: &str,
        excerpt: &Excerpt,
        finding: &Finding,
    ) -> io::Result<()> {
        let (frame, severity) = (self.styles.frame, self.styles.severity(finding.severity));
        // Before the excerpt come the number of the line, and four more columns.
        let fitted = self
            .width
            .map(|width| fit(excerpt, width.saturating_sub(margin.len() + 4)));
        let excerpt = fitted.as_ref().unwrap_or(excerpt);
        let text = replaced(&excerpt.text);
        // The columns of a screen, not bytes: characters may be wide or have no width.
        let width = |from: usize, to: usize| {
            let part = excerpt.text.get(from..to).unwrap_or_default();
            replaced(part).width()
        };
        let before = " ".repeat(width(0, excerpt.start));
        let carets = "^".repeat(width(excerpt.start, excerpt.end).max(1));
        writeln!(out, " {margin} {frame}|{frame:#}")?;
        writeln!(out, " {frame}{line} |{frame:#} {text}")?;
        writeln!(
            out,
            " {margin} {frame}|{frame:#} {before}{severity}{carets}{severity:#}"
        )
    }

    /// The totals: inputs by verdict, and findings by severity.
    fn totals(&self, totals: &Totals) -> String {
        let Styles {
            error: bad,
            warning: warn,
            good,
            ..
        } = self.styles;
        if totals.checked() == 0 {
            let mut text = match totals.unreadable {
                1.. if totals.messages > 0 => {
                    format!("{bad}not everything was read{bad:#}")
                }
                _ => format!("{warn}nothing was checked{warn:#}"),
            };
            if totals.unreadable > 0 && totals.inputs > 1 {
                text += &format!(", {bad}{} unreadable{bad:#}", grouped(totals.unreadable));
            }
            return text + &self.counts(totals);
        }
        let mut parts = Vec::new();
        if totals.conforms == totals.inputs {
            let all = if totals.inputs == 1 {
                "conforms"
            } else {
                "all conform"
            };
            parts.push(format!("{good}{all}{good:#}"));
        } else if totals.inputs == 1 {
            parts.push(format!("{bad}does not conform{bad:#}"));
        } else {
            if totals.conforms > 0 {
                let conform = counted(totals.conforms, "conforms", "conform");
                parts.push(format!("{good}{conform}{good:#}"));
            }
            if totals.findings > 0 {
                let not = counted(totals.findings, "does not conform", "do not conform");
                parts.push(format!("{bad}{not}{bad:#}"));
            }
            if totals.not_exercised > 0 {
                let empty = counted(totals.not_exercised, "holds", "hold");
                parts.push(format!("{warn}{empty} no messages{warn:#}"));
            }
            if totals.unreadable > 0 {
                let unreadable = grouped(totals.unreadable);
                parts.push(format!("{bad}{unreadable} unreadable{bad:#}"));
            }
        }
        parts.join(", ") + &self.counts(totals)
    }

    fn counts(&self, totals: &Totals) -> String {
        let Styles {
            error: bad,
            warning: warn,
            note,
            good,
            ..
        } = self.styles;
        let counts = totals.counts;
        let parts: Vec<String> = [
            (counts.error, bad, "error", "errors"),
            (counts.warning, warn, "warning", "warnings"),
            (counts.note, note, "note", "notes"),
            (counts.expected, good, "expected", "expected"),
            (
                totals.stale,
                bad,
                "stale entry in the baseline",
                "stale entries in the baseline",
            ),
        ]
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, style, one, many)| {
            let counted = counted(number, one, many);
            format!("{style}{counted}{style:#}")
        })
        .collect();
        if parts.is_empty() {
            return String::new();
        }
        format!("; {}", parts.join(", "))
    }
}

impl Renderer for Text {
    fn findings(
        &mut self,
        out: &mut dyn Write,
        path: &str,
        findings: &[Finding],
    ) -> io::Result<()> {
        self.already_written = true;
        let name = display_path(path);
        for (finding, others) in similar(findings) {
            // A blank line separates findings, which take several lines each.
            if self.last != Last::Nothing {
                writeln!(out)?;
            }
            self.finding(out, &name, finding, &others)?;
            self.last = Last::Finding;
        }
        Ok(())
    }

    fn outcome(&mut self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        self.against.add(outcome);
        if !self.already_written {
            self.findings(out, &outcome.path, &outcome.findings)?;
        }
        self.already_written = false;
        let name = display_path(&outcome.path);
        let Styles {
            error: bad,
            warning: warn,
            place,
            ..
        } = self.styles;
        let dropped = outcome.dropped();
        if dropped > 0 {
            let more = counted(dropped, "more finding", "more findings");
            writeln!(out, "{place}{name}{place:#}: … and {more}, counted below")?;
        }
        let text = match outcome.verdict {
            Verdict::Conforms | Verdict::Findings => return Ok(()),
            Verdict::Unreadable => {
                let name = format!("{place}{name}{place:#}");
                format!("{bad}error{bad:#}: {}", unreadable_as(outcome, &name))
            }
            Verdict::NotExercised => format!(
                "{place}{name}{place:#}: {warn}{}{warn:#}",
                not_exercised(outcome)
            ),
        };
        if self.last == Last::Finding {
            writeln!(out)?;
        }
        self.last = Last::Line;
        writeln!(out, "{text}")
    }

    fn skipped(&mut self, _: &mut dyn Write, files: &[Skipped]) -> io::Result<()> {
        self.skipped = format!("  not read: {}\n", skipped_names(files));
        Ok(())
    }

    fn baseline(&mut self, out: &mut dyn Write, path: &str, stale: &[Stale]) -> io::Result<()> {
        for entry in stale {
            if self.last != Last::Nothing {
                writeln!(out)?;
            }
            self.last = Last::Finding;
            self.stale(out, path, entry)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        let is_clean = totals.conforms == totals.inputs && totals.counts == Counts::default();
        if !self.quiet || !is_clean || totals.stale > 0 || totals.inputs == 0 {
            if self.last != Last::Nothing {
                writeln!(out)?;
            }
            self.summary(out, totals)?;
        }
        match &self.statistics {
            Some(statistics) => statistics.write(out, &self.styles),
            None => Ok(()),
        }
    }

    fn statistics(&mut self, statistics: Statistics) {
        self.statistics = Some(statistics);
    }
}

impl Text {
    /// Writes the totals, and what all inputs were checked against if that is the same.
    fn verdict(&self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        write!(
            out,
            "{}, {}: {}",
            counted(totals.inputs, "input", "inputs"),
            counted(totals.messages, "message", "messages"),
            self.totals(totals),
        )?;
        let Some(only) = self.against.only() else {
            return Ok(());
        };
        let how = if only.is_identified() {
            "identified as "
        } else {
            ""
        };
        write!(out, " ({how}{})", only.releases())
    }

    /// Writes the totals, and what inputs were checked against.
    fn summary(&self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        let tool = &self.tool;
        if totals.inputs == 0 {
            let warn = self.styles.warning;
            writeln!(out, "no inputs: {warn}nothing was checked{warn:#}")?;
            return writeln!(out, "{}  by {tool}", self.skipped);
        }
        self.verdict(out, totals)?;
        writeln!(out)?;
        if self.against.only().is_some() {
            let schemas = self.against.schemas();
            return writeln!(out, "{}  by {tool}{schemas}", self.skipped);
        }
        let widths = self.against.iter().map(|(against, _)| against.releases());
        let width = widths.map(|releases| releases.len()).max();
        let width = width.unwrap_or_default();
        for (against, group) in self.against.iter() {
            let inputs = match group.inputs {
                1 => display_path(&group.first),
                inputs => format!("{} inputs", grouped(inputs)).into(),
            };
            let (how, releases) = (against.how(), against.releases());
            writeln!(out, "  {how} {releases:width$}  {inputs}")?;
        }
        let schemas = self.against.schemas();
        writeln!(out, "{}  by {tool}{schemas}", self.skipped)
    }
}

/// Groups findings of one input that have the same message for the same member of different lines: a
/// program that writes one line wrong writes all lines of its kind wrong, and one excerpt is enough.
/// The groups have the order of their first findings.
pub(crate) fn similar(findings: &[Finding]) -> Vec<(&Finding, Vec<&Location>)> {
    let mut seen: HashMap<_, usize> = HashMap::new();
    let mut out: Vec<(&Finding, Vec<&Location>)> = Vec::new();
    for finding in findings {
        let Finding {
            rule,
            severity,
            place,
            message,
            help,
            releases,
            writer,
            expected,
            ..
        } = finding;
        let what = (rule.id, severity, message, help, releases);
        let kind = (what, writer, &place.pointer, expected);
        match seen.entry(kind) {
            Entry::Occupied(index) => out[*index.get()].1.push(place),
            Entry::Vacant(entry) => {
                entry.insert(out.len());
                out.push((finding, Vec::new()));
            }
        }
    }
    out
}

/// Where in its message a finding is, and who wrote that.
pub(crate) fn at(finding: &Finding) -> Option<String> {
    let at = match (finding.place.pointer.as_str(), finding.place.message) {
        ("", None) => None,
        ("", Some(message)) => Some(format!("message {}", grouped(message))),
        (pointer, None) => Some(escaped(pointer).into_owned()),
        (pointer, Some(message)) => {
            let pointer = escaped(pointer);
            Some(format!("{pointer}, message {}", grouped(message)))
        }
    };
    let by = finding.writer.map(|writer| match writer {
        Writer::Codex => "written by Codex",
        Writer::Client => "written by the client",
    });
    match (at, by) {
        (Some(at), Some(by)) => Some(format!("at {at}, {by}")),
        (Some(at), None) => Some(format!("at {at}")),
        (None, by) => by.map(str::to_owned),
    }
}

/// Locations as `line:column`, up to a limit.
pub(crate) fn locations(places: &[&Location]) -> String {
    let listed: Vec<String> = places
        .iter()
        .take(LOCATIONS)
        .map(|place| format!("{}:{}", place.line, place.column))
        .collect();
    let mut out = listed.join(", ");
    if let Some(more @ 1..) = places.len().checked_sub(LOCATIONS) {
        out += &format!(" and {}", counted(more as u64, "more place", "more places"));
    }
    out
}

/// How many locations are listed.
const LOCATIONS: usize = 8;

/// The path of an input, safe to print.
pub(crate) fn display_path(path: &str) -> std::borrow::Cow<'_, str> {
    if path == "-" {
        "<stdin>".into()
    } else {
        escaped(path)
    }
}
