//! Writes the report as a page for a browser: the verdict, the findings by rule, and for each input its findings, folded.
//!
//! Inputs are written when they are finished. What is known only at the end, such as the verdict, is written last; the style
//! sheet puts it first.

mod finding;
mod overview;

use std::io::{self, Write};

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Outcome, Severity, Verdict};

use crate::checked_against::CheckedAgainst;
#[cfg(feature = "timeline")]
use crate::drawing::{Note, Noted, Tracks};
use crate::html::{self, prose, text};
use crate::numbers::{counted, levels};
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::skipped::{Skipped, skipped_names};
use crate::text::{display_path, similar};
use crate::totals::Totals;
use overview::Overview;

/// How many findings a browser lays out at a time.
const GROUP: usize = 50;

/// How many inputs are drawn.
#[cfg(feature = "timeline")]
const DRAWN: u64 = 50;

/// How many findings of the page are unfolded.
const UNFOLDED: usize = 5;

pub(crate) struct Page {
    tool: String,
    overview: Overview,
    /// How many inputs were written.
    inputs: u64,
    /// How many findings were written unfolded.
    unfolded: usize,
    /// What is drawn of the next input.
    #[cfg(feature = "timeline")]
    tracks: Option<Tracks>,
}

impl Page {
    pub(crate) fn new(settings: Settings) -> Self {
        Page {
            tool: text(&settings.tool()),
            overview: Overview::default(),
            inputs: 0,
            unfolded: 0,
            #[cfg(feature = "timeline")]
            tracks: None,
        }
    }

    /// The tracks of an input as HTML. Bars with findings lead to them.
    #[cfg(feature = "timeline")]
    fn drawn(&mut self, outcome: &Outcome, id: &str) -> String {
        let Some(tracks) = self.tracks.take().filter(|_| self.inputs <= DRAWN) else {
            return String::new();
        };
        let groups = similar(&outcome.findings);
        let ids: Vec<String> = (1..=groups.len()).map(|at| finding_id(id, at)).collect();
        let mut notes = Vec::new();
        for ((finding, others), id) in groups.iter().zip(&ids) {
            let (class, words) = match (&finding.expected, finding.severity) {
                (None, Severity::Error) => ("bad", " · an error"),
                (None, Severity::Warning) => ("noted", " · a warning"),
                _ => continue,
            };
            let rank = u8::from(class == "bad");
            let note = Note {
                class,
                words,
                id,
                rank,
            };
            let lines = others.iter().map(|location| location.line);
            notes.extend(lines.chain([finding.place.line]).map(|line| (line, note)));
        }
        tracks.html(&Noted::of_lines(notes))
    }

    /// The findings of an input, in groups.
    fn findings(&mut self, out: &mut dyn Write, outcome: &Outcome, id: &str) -> io::Result<()> {
        if outcome.findings.is_empty() {
            return Ok(());
        }
        writeln!(out, "<div class=\"items\">")?;
        for (at, (finding, others)) in similar(&outcome.findings).into_iter().enumerate() {
            if at > 0 && at.is_multiple_of(GROUP) {
                writeln!(out, "</div><div class=\"items\">")?;
            }
            let id = finding_id(id, at + 1);
            self.overview.finding(finding, &id);
            let is_open = finding.expected.is_none() && self.unfolded < UNFOLDED;
            self.unfolded += usize::from(is_open);
            let html = finding::html(finding, &others, &id, is_open);
            out.write_all(html.as_bytes())?;
        }
        writeln!(out, "</div>")
    }
}

/// The id of a finding of an input.
fn finding_id(input: &str, number: usize) -> String {
    format!("{input}-finding-{number}")
}

impl Renderer for Page {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let tool = &self.tool;
        html::begin(out, "Report of a check", tool)?;
        writeln!(
            out,
            "<article class=\"session\"><h1><small>{tool}</small>Report of a check</h1>\
             <p class=\"jump\"><a href=\"#overview\">To the overview</a></p>\n\
             <div class=\"inputs\">"
        )
    }

    #[cfg(feature = "timeline")]
    fn tracks(&mut self, tracks: &Tracks) {
        self.tracks = Some(tracks.clone());
    }

    fn outcome(&mut self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        self.inputs += 1;
        let id = format!("input-{}", self.inputs);
        let (class, word) = html::verdict_of(outcome);
        let is_quiet = outcome.verdict == Verdict::Conforms && outcome.counts.total() == 0;
        let quiet = if is_quiet { " quiet" } else { "" };
        let path = display_path(&outcome.path);
        let (folder, name) = match path.rsplit_once('/') {
            Some((folder, name)) if !name.is_empty() => {
                (format!("<small>{}/</small>", text(folder)), name)
            }
            _ => (String::new(), &*path),
        };
        write!(
            out,
            "<section class=\"report {class}{quiet}\" id=\"{id}\"><h2><a href=\"#{id}\">{folder}{}</a></h2>\
             <p class=\"verdict {class}\"><b>{word}</b>",
            text(name)
        )?;
        let counts = levels(&outcome.counts).join(", ");
        let mut facts = Vec::new();
        if !counts.is_empty() {
            facts.push(counts.clone());
        }
        if outcome.counts.expected > 0 {
            facts.push(counted(outcome.counts.expected, "expected", "expected"));
        }
        if outcome.messages > 0 {
            facts.push(counted(outcome.messages, "message", "messages"));
        }
        for fact in &facts {
            write!(out, " <span>{fact}</span>")?;
        }
        if let Some(against) = CheckedAgainst::of(outcome) {
            let (how, releases) = (against.how(), against.releases());
            let schemas = against.schemas().trim_start_matches(", ");
            write!(out, " <span title=\"{schemas}\">{how} {releases}</span>")?;
        }
        writeln!(out, "</p>")?;
        if let Some(error) = &outcome.error {
            writeln!(out, "<p class=\"error\">{}</p>", prose(error))?;
        }
        #[cfg(feature = "timeline")]
        {
            let drawn = self.drawn(outcome, &id);
            let open = if is_quiet { "" } else { " open" };
            if !drawn.is_empty() {
                writeln!(
                    out,
                    "<details class=\"drawn\"{open}><summary>when it ran</summary>{drawn}</details>"
                )?;
            }
        }
        self.findings(out, outcome, &id)?;
        let dropped = outcome.dropped();
        if dropped > 0 {
            let more = counted(dropped, "more finding", "more findings");
            writeln!(
                out,
                "<p class=\"note\">… and {more}, counted but not listed</p>"
            )?;
        }
        writeln!(out, "</section>")?;
        if !is_quiet {
            self.overview.entry(class, &id, name, &counts);
        }
        self.overview.add(outcome);
        Ok(())
    }

    fn skipped(&mut self, _: &mut dyn Write, files: &[Skipped]) -> io::Result<()> {
        self.overview.skipped = skipped_names(files);
        Ok(())
    }

    fn baseline(&mut self, out: &mut dyn Write, path: &str, stale: &[Stale]) -> io::Result<()> {
        if stale.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "<section class=\"report bad stale\"><h2>Stale entries in the baseline</h2><ul>"
        )?;
        for entry in stale {
            let place = format!("{}:{}", display_path(path), entry.entry.line);
            writeln!(
                out,
                "<li><code>{}</code> {}<br><small>expected: {}</small><br><small>because: {}</small></li>",
                text(&place),
                prose(&entry.to_string()),
                prose(&entry.entry.message),
                text(entry.entry.reason.trim())
            )?;
        }
        writeln!(out, "</ul></section>")
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        let rules = self.overview.rules();
        out.write_all(rules.as_bytes())?;
        writeln!(out, "</div>")?;
        let overview = self.overview.html(totals);
        out.write_all(overview.as_bytes())?;
        writeln!(out, "</article>")?;
        html::end(out)
    }
}
