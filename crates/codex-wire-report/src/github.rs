//! Writes workflow commands of GitHub Actions: an annotation per finding, and one line of totals
//! for the log.
//!
//! GitHub shows the first ten errors, warnings and notices of each step; the others are only in the
//! log.

use std::io::{self, Write};

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome, Severity, Verdict};

use crate::checked_against::Groups;
use crate::escape::escaped;
use crate::numbers::{counted, sums};
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::totals::Totals;

pub(crate) struct Github {
    tool: String,
    against: Groups,
}

impl Github {
    pub(crate) fn new(settings: Settings) -> Self {
        Github {
            tool: settings.tool(),
            against: Groups::default(),
        }
    }
}

/// A command: a word, its properties, its text.
fn command(
    out: &mut dyn Write,
    word: &str,
    properties: &[(&str, String)],
    text: &str,
) -> io::Result<()> {
    let properties: Vec<String> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", property(value)))
        .collect();
    writeln!(out, "::{word} {}::{}", properties.join(","), data(text))
}

/// The text of a command. Line ends of the text stay line ends, everything else that steers
/// does not.
fn data(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(escaped).collect();
    let text = lines.join("\n");
    text.replace('%', "%25").replace('\n', "%0A")
}

/// The value of a property: a path may hold what separates properties.
fn property(text: &str) -> String {
    escaped(text)
        .replace('%', "%25")
        .replace(':', "%3A")
        .replace(',', "%2C")
}

/// Where an annotation goes. Standard input is not a file GitHub could show.
fn file(path: &str) -> Vec<(&'static str, String)> {
    let path = path.strip_prefix("./").unwrap_or(path);
    match path {
        "-" => Vec::new(),
        path => vec![("file", path.to_owned())],
    }
}

fn annotation(out: &mut dyn Write, path: &str, finding: &Finding) -> io::Result<()> {
    let word = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = &finding.place;
    let mut properties = file(path);
    properties.push(("line", place.line.to_string()));
    // In a recording, columns are those of the recorded line, not of the file.
    if let (Some(characters), None) = (place.characters, finding.writer) {
        properties.push(("col", characters.column.to_string()));
        if characters.length > 0 {
            let end = characters.column + characters.length;
            properties.push(("endColumn", end.to_string()));
        }
    }
    properties.push(("title", finding.rule.to_string()));
    let mut text = finding.message.clone();
    if !place.pointer.is_empty() {
        text += &format!("\nat {}", place.pointer);
    }
    if let Some(earlier) = &finding.earlier {
        text += &format!("\nsee line {}: {}", earlier.line, earlier.what);
    }
    if let Some(releases) = finding.releases {
        text += &format!("\nvalid in: {releases}");
    }
    if let Some(help) = &finding.help {
        text += &format!("\nhelp: {help}");
    }
    command(out, word, &properties, &text)
}

impl Renderer for Github {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn outcome(&mut self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        self.against.add(outcome);
        let path = outcome.path.as_str();
        // What is expected is no news.
        let findings = outcome.findings.iter();
        for finding in findings.filter(|finding| finding.expected.is_none()) {
            annotation(out, path, finding)?;
        }
        let titled = |title: &str| {
            let mut properties = file(path);
            properties.push(("title", title.to_owned()));
            properties
        };
        let dropped = outcome.dropped();
        if dropped > 0 {
            let word = if outcome.counts.error > 0 {
                "error"
            } else {
                "warning"
            };
            let text = counted(dropped, "more finding", "more findings");
            command(out, word, &titled("beyond the limit"), &text)?;
        }
        match outcome.verdict {
            Verdict::Conforms | Verdict::Findings => Ok(()),
            Verdict::NotExercised => {
                let text = "holds no messages, so nothing was checked";
                command(out, "warning", &titled("not exercised"), text)
            }
            Verdict::Unreadable => {
                let text = outcome.error.as_deref().unwrap_or("unreadable");
                command(out, "error", &titled("cannot be checked"), text)
            }
        }
    }

    fn baseline(&mut self, out: &mut dyn Write, path: &str, stale: &[Stale]) -> io::Result<()> {
        for entry in stale {
            let mut properties = file(path);
            properties.push(("line", entry.entry.line.to_string()));
            properties.push(("title", "stale baseline".to_owned()));
            let text = format!("{entry}\nexpected: {}", entry.entry.message);
            command(out, "error", &properties, &text)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        // Nothing here comes from the input: the log reads commands out of plain lines, too.
        writeln!(out, "{}: {}", self.tool, sums(totals))?;
        for (against, group) in self.against.iter() {
            let inputs = counted(group.inputs, "input", "inputs");
            let (how, releases) = (against.how(), against.releases());
            writeln!(out, "{inputs} {how} {releases}{}", against.schemas())?;
        }
        Ok(())
    }
}
