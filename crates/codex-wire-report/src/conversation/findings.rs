//! Counts what breaks the protocol: each rule once.

use std::collections::BTreeMap;
use std::io::{self, Write};

use codex_wire_check::{Finding, Outcome, Severity};

use super::block::{Block, Part, Tone};
use super::options::{ConversationOptions, Form, Topic};
use crate::numbers::{counted, grouped};

/// A finding, where it occurs.
pub(super) fn block(finding: &Finding) -> Block {
    let mut block = Block::new(Topic::Errors, finding.severity.as_str(), "");
    block.tone = match finding.severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Plain,
    };
    block.title.clone_from(&finding.message);
    block.notes.push(finding.rule.id.to_owned());
    if let Some(excerpt) = &finding.excerpt {
        block.parts.push(Part::Output(excerpt.text.clone()));
    }
    block
}

/// How often each rule has spoken.
pub(super) struct Findings<'a> {
    pub(super) rules: BTreeMap<&'static str, Spoken<'a>>,
    /// Findings beyond the limit, of which the rule is not known.
    unlisted: u64,
}

/// How often a rule has spoken.
pub(super) struct Spoken<'a> {
    pub(super) severity: Severity,
    pub(super) times: u64,
    /// The line of the first time, and what it said there.
    pub(super) first: u64,
    pub(super) message: &'a str,
}

impl<'a> Findings<'a> {
    /// Those of an outcome, which knows the final severities.
    pub(super) fn of(outcome: &'a Outcome) -> Self {
        let mut rules = BTreeMap::new();
        for finding in &outcome.findings {
            let spoken = rules.entry(finding.rule.id).or_insert(Spoken {
                severity: finding.severity,
                times: 0,
                first: finding.place.line,
                message: &finding.message,
            });
            spoken.times += 1;
            spoken.severity = spoken.severity.max(finding.severity);
        }
        Findings {
            rules,
            unlisted: outcome.dropped(),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> String {
        counted(self.listed() + self.unlisted, "finding", "findings")
    }

    fn listed(&self) -> u64 {
        self.rules.values().map(|spoken| spoken.times).sum()
    }

    /// What to say of findings beyond the limit, if there are some.
    pub(super) fn more(&self) -> Option<String> {
        let (more, listed) = (grouped(self.unlisted), grouped(self.listed()));
        (self.unlisted > 0)
            .then(|| format!("{more} more, beyond the {listed} whose rules are counted"))
    }

    /// One line for each rule.
    pub(super) fn write(
        self,
        out: &mut dyn Write,
        options: &ConversationOptions,
        gap: &str,
    ) -> io::Result<()> {
        if self.rules.is_empty() || !options.takes(Topic::Errors) {
            return Ok(());
        }
        let found = self.count();
        match options.form {
            Form::Markdown => writeln!(out, "{gap}*{found} of `codex-wire check`*\n")?,
            _ => writeln!(out, "{gap}{found}, as `codex-wire check` lists:")?,
        }
        let more = self.more();
        for (rule, spoken) in self.rules {
            let often = spoken.often();
            let severity = spoken.severity;
            let style = options.styles.severity(severity);
            match options.form {
                Form::Markdown => writeln!(out, "- {severity}: `{rule}` {often}")?,
                _ => writeln!(out, "  {style}{severity}{style:#}: {rule} {often}")?,
            }
        }
        match (more, options.form) {
            (Some(more), Form::Markdown) => writeln!(out, "- {more}")?,
            (Some(more), _) => writeln!(out, "  {more}")?,
            (None, _) => {}
        }
        Ok(())
    }
}

impl Spoken<'_> {
    /// How often, and where first.
    pub(super) fn often(&self) -> String {
        let first = self.first;
        match self.times {
            1 => format!("on line {first}"),
            times => format!("{} times, first on line {first}", grouped(times)),
        }
    }
}
