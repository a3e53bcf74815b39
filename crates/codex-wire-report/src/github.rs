//! Writes workflow commands of GitHub Actions: an annotation for each rule and input, and one line of totals
//! for the log.
//!
//! GitHub shows the first ten errors, warnings and notices of each step; the others are only in the
//! log. So findings of a rule in one input share an annotation, and all annotations are kept until the end, where
//! errors come first.

use std::cmp::Reverse;
use std::io::{self, Write};

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome, Severity, Verdict};

use crate::checked_against::Groups;
use crate::escape::{escaped, escaped_lines};
use crate::numbers::{counted, sums};
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::totals::Totals;
use crate::words::not_exercised;

pub(crate) struct Github {
    tool: String,
    against: Groups,
    /// The annotations so far.
    annotations: Vec<Annotation>,
}

/// An annotation that is yet to be written.
struct Annotation {
    severity: Severity,
    properties: Vec<(&'static str, String)>,
    text: String,
}

/// As many lines of further findings are named.
const LINES: usize = 10;

impl Github {
    pub(crate) fn new(settings: Settings) -> Self {
        Github {
            tool: settings.tool(),
            against: Groups::default(),
            annotations: Vec::new(),
        }
    }

    fn annotate(
        &mut self,
        severity: Severity,
        properties: Vec<(&'static str, String)>,
        text: impl Into<String>,
    ) {
        self.annotations.push(Annotation {
            severity,
            properties,
            text: text.into(),
        });
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
    let text = escaped_lines(text);
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

/// An annotation of findings of one rule, at the place of the first.
fn annotation(path: &str, finding: &Finding, others: &[&Finding]) -> Annotation {
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
    if !others.is_empty() {
        text += &format!("\n{}", further(others));
    }
    Annotation {
        severity: finding.severity,
        properties,
        text,
    }
}

/// How many findings of the rule there are beside the first, and where.
fn further(others: &[&Finding]) -> String {
    let mut lines: Vec<u64> = others.iter().map(|finding| finding.place.line).collect();
    lines.dedup();
    let named: Vec<String> = lines.iter().take(LINES).map(u64::to_string).collect();
    let more = match lines.len() > LINES {
        true => ", …",
        false => "",
    };
    let count = counted(
        others.len() as u64,
        "more finding of this rule",
        "more findings of this rule",
    );
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    format!("{count}: {noun} {}{more}", named.join(", "))
}

/// Findings by rule and severity, in the order of the first of each.
fn by_rule<'o>(findings: impl Iterator<Item = &'o Finding>) -> Vec<Vec<&'o Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let key = |finding: &Finding| (finding.rule.id, finding.severity);
        let group = groups
            .iter_mut()
            .find(|group| key(group[0]) == key(finding));
        match group {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

impl Renderer for Github {
    fn outcome(&mut self, _: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        self.against.add(outcome);
        let path = outcome.path.as_str();
        // What is expected is no news.
        let findings = outcome.findings.iter();
        for group in by_rule(findings.filter(|finding| finding.expected.is_none())) {
            if let [first, others @ ..] = group.as_slice() {
                self.annotations.push(annotation(path, first, others));
            }
        }
        let titled = |title: &str| {
            let mut properties = file(path);
            properties.push(("title", title.to_owned()));
            properties
        };
        let dropped = outcome.dropped();
        if dropped > 0 {
            let severity = match outcome.counts.error {
                0 => Severity::Warning,
                _ => Severity::Error,
            };
            let text = counted(dropped, "more finding", "more findings");
            self.annotate(severity, titled("beyond the limit"), text);
        }
        match outcome.verdict {
            Verdict::Conforms | Verdict::Findings => {}
            Verdict::NotExercised => {
                let text = not_exercised(outcome);
                self.annotate(Severity::Warning, titled("not exercised"), text);
            }
            Verdict::Unreadable => {
                let text = outcome.error.as_deref().unwrap_or("unreadable");
                self.annotate(Severity::Error, titled("cannot be checked"), text);
            }
        }
        Ok(())
    }

    fn baseline(&mut self, _: &mut dyn Write, path: &str, stale: &[Stale]) -> io::Result<()> {
        for entry in stale {
            let mut properties = file(path);
            properties.push(("line", entry.entry.line.to_string()));
            properties.push(("title", "stale baseline".to_owned()));
            let text = format!("{entry}\nexpected: {}", entry.entry.message);
            self.annotate(Severity::Error, properties, text);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        let annotations = &mut self.annotations;
        annotations.sort_by_key(|annotation| Reverse(annotation.severity));
        for annotation in annotations.drain(..) {
            let word = match annotation.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "notice",
            };
            command(out, word, &annotation.properties, &annotation.text)?;
        }
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
