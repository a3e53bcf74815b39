//! Whether a transcript, and the client that read it, work with another release.

use std::collections::BTreeMap;
use std::io::{self, Write};

use codex_wire_base::{Protocol, Release};
use codex_wire_check::Finding;
use codex_wire_diff::{Comparison, Message};
use serde_json::{Value, json};

use super::comparison::write_comparison;
use crate::escape::{escaped, escaped_lines};
use crate::numbers::counted_plainly;
use crate::settings::Settings;
use crate::styles::Styles;
use crate::write_findings;

/// Whether a transcript, or several of one protocol, and the client that read them work with another release.
#[derive(Clone, Debug)]
pub struct Compatibility {
    /// What was named: a file or a folder.
    pub path: String,
    /// How many transcripts there are.
    pub inputs: usize,
    /// Their protocol.
    pub protocol: Protocol,
    /// The oldest release that could have written one of them.
    pub release: Release,
    /// The other release, as the user names it.
    pub to: String,
    /// How many messages the transcripts have.
    pub messages: u64,
    /// Their kinds of message.
    pub kinds: BTreeMap<Message, KindLines>,
    /// Findings in lines that the other release neither writes nor reads, by path.
    pub unmatched: Vec<(String, Vec<Finding>)>,
    /// What differs between the releases in what the transcripts contain.
    pub comparison: Comparison,
}

/// Where messages of one kind are in transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindLines {
    /// How many lines are of the kind.
    pub lines: u64,
    /// The number of the first of them.
    pub first: u64,
}

impl Compatibility {
    /// Writes it for people. Excerpts use at most `width` columns, if it is given.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_text(
        &self,
        out: &mut dyn Write,
        styles: &Styles,
        width: Option<usize>,
    ) -> io::Result<()> {
        let Styles {
            error: bad,
            good,
            place,
            ..
        } = *styles;
        writeln!(out, "{place}{}{place:#}\n", escaped(&self.summary()))?;
        let style = if self.unmatched.is_empty() { good } else { bad };
        writeln!(out, "the transcript: {style}{}{style:#}", self.stream())?;
        let mut settings = Settings::new("", "").with_styles(*styles);
        settings.width = width;
        let mut left = self.findings();
        let mut room = LISTED;
        for (path, findings) in &self.unmatched {
            let listed = &findings[..findings.len().min(room)];
            if !listed.is_empty() {
                writeln!(out)?;
            }
            write_findings(out, path, listed, &settings)?;
            room -= listed.len();
            left -= listed.len();
        }
        if left > 0 {
            writeln!(out, "\n… and {left} more")?;
        }
        writeln!(
            out,
            "\nthe client: changes in what these messages contain\n"
        )?;
        write_comparison(out, self.protocol.as_str(), &self.comparison, styles)
    }

    /// Writes it as Markdown.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = self.comparison.to_markdown(&escaped(&self.summary()));
        let page = escaped_lines(&text);
        let (head, rest) = page.split_once("\n\n").unwrap_or((&page, ""));
        writeln!(
            out,
            "{head}\n\nThe transcript: {}.\n\nThe client: changes in what these messages contain:\n\n{rest}",
            self.stream()
        )
    }

    /// As JSON: the document of `codex_wire_schema::own::DIFF_TRANSCRIPT`.
    pub fn to_json(&self) -> Value {
        let kinds: Vec<Value> = self
            .kinds
            .iter()
            .map(|(message, kind)| {
                json!({
                    "part": message.part,
                    "name": message.name,
                    "lines": kind.lines,
                    "first": kind.first,
                })
            })
            .collect();
        let unmatched = self.unmatched.iter();
        let unmatched = unmatched.flat_map(|(path, findings)| {
            let findings = findings.iter();
            findings.map(move |finding| (path, finding))
        });
        let unmatched: Vec<Value> = unmatched
            .map(|(path, finding)| {
                json!({
                    "path": path,
                    "line": finding.place.line,
                    "rule": finding.rule.id,
                    "message": finding.message,
                })
            })
            .collect();
        json!({
            "version": 1,
            "transcript": {
                "path": self.path,
                "inputs": self.inputs,
                "protocol": self.protocol.as_str(),
                "release": self.release.to_string(),
                "messages": self.messages,
                "kinds": kinds,
            },
            "to": self.to,
            "unmatched": {"count": unmatched.len(), "list": unmatched},
            "differences": self.comparison.to_json(),
        })
    }

    fn summary(&self) -> String {
        format!(
            "{}: {}{} as of {}, {} of {}, checked against {}",
            self.path,
            match self.inputs {
                1 => String::new(),
                several => format!("{several} transcripts, "),
            },
            self.protocol,
            self.release,
            counted_plainly(self.messages, "message"),
            counted_plainly(self.kinds.len() as u64, "kind"),
            self.to
        )
    }

    /// How many findings there are.
    fn findings(&self) -> usize {
        let each = self.unmatched.iter().map(|(_, findings)| findings.len());
        each.sum()
    }

    /// How many recorded lines are invalid, in a phrase.
    fn stream(&self) -> String {
        match self.findings() {
            0 => format!("every line is valid in {}", self.to),
            1 => format!("1 finding in {}", self.to),
            many => format!("{many} findings in {}", self.to),
        }
    }
}

/// How many unmatched lines are listed.
const LISTED: usize = 20;
