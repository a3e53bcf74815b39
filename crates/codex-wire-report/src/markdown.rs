//! Writes a short summary in Markdown: counts, findings by rule, what was checked against what, and
//! the first findings of the first inputs, folded.
//!
//! Text from the input is escaped, so that it cannot act as Markdown.

use std::fmt::Write as _;
use std::io::{self, Write};

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome, Verdict};

use crate::checked_against::Groups;
use crate::escape::escaped;
use crate::numbers::{counted, grouped, levels};
use crate::renderer::Renderer;
use crate::rule_counts::RuleCounts;
use crate::settings::Settings;
use crate::skipped::{Skipped, skipped_sums};
use crate::text::{display_path, locations, similar};
use crate::totals::Totals;

/// How many inputs are shown with their findings.
const INPUTS: usize = 20;

/// How many findings of an input are shown.
const FINDINGS: usize = 5;

#[derive(Default)]
pub(crate) struct Markdown {
    tool: String,
    against: Groups,
    /// Findings by rule. What is expected is counted apart.
    rules: RuleCounts,
    /// The inputs that are shown, as they are written.
    details: String,
    shown: usize,
    passed_over: u64,
    stale: String,
    /// What was not read.
    skipped: String,
}

impl Markdown {
    pub(crate) fn new(settings: Settings) -> Self {
        Markdown {
            tool: settings.tool(),
            ..Markdown::default()
        }
    }

    /// Shows an input with its first findings, unless enough are shown.
    fn show(&mut self, outcome: &Outcome) {
        let news: Vec<Finding> = outcome
            .findings
            .iter()
            .filter(|finding| finding.expected.is_none())
            .cloned()
            .collect();
        let verdict = match outcome.verdict {
            Verdict::Unreadable => "cannot be checked".to_owned(),
            Verdict::NotExercised if news.is_empty() && outcome.other_side => {
                "holds no messages of the side to check".to_owned()
            }
            Verdict::NotExercised if news.is_empty() => "holds no messages".to_owned(),
            _ if news.is_empty() => return,
            _ => levels(&outcome.counts).join(", "),
        };
        if self.shown == INPUTS {
            self.passed_over += 1;
            return;
        }
        self.shown += 1;
        let name = code(&display_path(&outcome.path));
        let out = &mut self.details;
        // Writing to a string cannot fail.
        let _ = write!(out, "<details><summary>{name}: {verdict}</summary>\n\n");
        if let Some(error) = &outcome.error {
            let _ = writeln!(out, "{}", prose(error));
        }
        let groups = similar(&news);
        for (finding, others) in groups.iter().take(FINDINGS) {
            let place = format!("{}:{}", finding.place.line, finding.place.column);
            let _ = write!(
                out,
                "- **{}** {} at {}",
                finding.severity,
                code(finding.rule.id),
                code(&place)
            );
            if !finding.place.pointer.is_empty() {
                let _ = write!(out, ", {}", code(&finding.place.pointer));
            }
            let _ = writeln!(out, "<br>{}", prose(&finding.message));
            if let Some(earlier) = &finding.earlier {
                let (line, what) = (earlier.line, earlier.what);
                let _ = writeln!(out, "  <br>see line {line}: {what}");
            }
            if let Some(releases) = finding.releases {
                let _ = writeln!(out, "  <br>valid in: {releases}");
            }
            if let Some(help) = &finding.help {
                let _ = writeln!(out, "  <br>help: {}", prose(help));
            }
            if !others.is_empty() {
                let _ = writeln!(out, "  <br>also at {}", locations(others));
            }
        }
        let listed: usize = groups.iter().take(FINDINGS).map(|(_, o)| o.len() + 1).sum();
        let more = (news.len() - listed) as u64 + outcome.dropped();
        if more > 0 {
            let _ = writeln!(out, "- … and {}", counted(more, "more", "more"));
        }
        out.push_str("\n</details>\n");
    }
}

/// Text as it is: whatever Markdown or HTML could read into it is written as its number.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escaped(text).chars() {
        // Letters, digits, blanks and what never means anything between them.
        if c.is_alphanumeric() || " ,;%=/.-'…".contains(c) || !c.is_ascii() {
            out.push(c);
        } else {
            let _ = write!(out, "&#{};", u32::from(c));
        }
    }
    // An address is made a link even where nothing asks for it.
    out.replace("www.", "www&#46;")
}

/// Text in the letters of code.
fn code(text: &str) -> String {
    format!("<code>{}</code>", literal(text))
}

/// A message: what stands between backticks is code.
fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return literal(text);
    }
    let parts = parts.iter().enumerate().map(|(at, part)| {
        if at % 2 == 1 {
            code(part)
        } else {
            literal(part)
        }
    });
    parts.collect()
}

impl Renderer for Markdown {
    fn outcome(&mut self, _: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        self.against.add(outcome);
        self.rules.add(outcome);
        self.show(outcome);
        Ok(())
    }

    fn skipped(&mut self, _: &mut dyn Write, files: &[Skipped]) -> io::Result<()> {
        self.skipped = skipped_sums(files);
        Ok(())
    }

    fn baseline(&mut self, _: &mut dyn Write, path: &str, stale: &[Stale]) -> io::Result<()> {
        for entry in stale {
            let place = format!("{path}:{}", entry.entry.line);
            let _ = writeln!(
                self.stale,
                "- {}: {}<br>expected: {}",
                code(&place),
                prose(&entry.to_string()),
                prose(&entry.entry.message)
            );
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        let sign = totals.verdict();
        writeln!(out, "## codex-wire: {sign}\n")?;
        writeln!(
            out,
            "| inputs | messages | conform | do not | not exercised | unreadable | errors | warnings | notes | expected | stale |"
        )?;
        writeln!(out, "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")?;
        let row = [
            totals.inputs,
            totals.messages,
            totals.conforms,
            totals.findings,
            totals.not_exercised,
            totals.unreadable,
            totals.counts.error,
            totals.counts.warning,
            totals.counts.note,
            totals.counts.expected,
            totals.stale,
        ];
        writeln!(out, "| {} |\n", row.map(grouped).join(" | "))?;
        if !self.skipped.is_empty() {
            writeln!(out, "Not read: {}.\n", self.skipped)?;
        }
        if !self.rules.is_empty() {
            writeln!(
                out,
                "| rule | errors | warnings | notes | expected | inputs |\n|---|--:|--:|--:|--:|--:|"
            )?;
            for row in self.rules.iter() {
                let counts = row.counts;
                let numbers = [
                    counts.error,
                    counts.warning,
                    counts.note,
                    counts.expected,
                    row.inputs,
                ];
                let numbers = numbers.map(grouped).join(" | ");
                writeln!(out, "| {} | {numbers} |", code(row.rule.id))?;
            }
            let more = self.rules.beyond(totals);
            if more > 0 {
                let more = counted(more, "finding", "findings");
                writeln!(out, "\n{more} beyond the limit are counted above only.")?;
            }
            writeln!(out)?;
        }
        if !self.stale.is_empty() {
            writeln!(out, "### Stale entries in the baseline\n\n{}", self.stale)?;
        }
        out.write_all(self.details.as_bytes())?;
        if self.passed_over > 0 {
            let more = counted(self.passed_over, "more input", "more inputs");
            writeln!(out, "\n… and {more} with something to say.")?;
        }
        if !self.details.is_empty() {
            writeln!(out)?;
        }
        for (against, group) in self.against.iter() {
            let inputs = counted(group.inputs, "input", "inputs");
            writeln!(
                out,
                "- {inputs} {} {}{}",
                against.how(),
                against.releases(),
                against.schemas()
            )?;
        }
        writeln!(out, "\n<sub>{}</sub>", literal(&self.tool))
    }
}
