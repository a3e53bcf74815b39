//! Turns the violations of a line into findings: adds level, place and excerpt, and the words.
//!
//! The level of a violation may depend on the release. Until the release is known, such violations
//! wait; the end of the input settles their levels.

use std::collections::BTreeMap;
use std::ops::Range;

use codex_wire_base::Protocol;
use codex_wire_schema::{Profile, words};

use super::excerpt::{Shown, excerpt, tokens};
use super::pointers::{key_before, locate_all};
use super::redaction;
use crate::finding::{Characters, Earlier, Excerpt, Finding, Location};
use crate::inference::possible::Possible;
use crate::line::Text;
use crate::line::element::{characters_of, line_of};
use crate::line::positions::Positions;
use crate::options::Options;
use crate::outcome::Counts;
use crate::phrasing::is_name;
use crate::rule::Rule;
use crate::sequence::hooks::effects::refused;
use crate::severity::Severity;
use crate::validation::duplicates::DUPLICATE_KEY;
use crate::validation::explanation::{UNKNOWN_KIND, UNKNOWN_VALUE};
use crate::violation::{At, Violation};
use crate::writer::Writer;

/// The findings of one input.
pub(crate) struct Diagnostics<'c> {
    options: &'c Options,
    /// Whether nothing is reported, because the input is only identified.
    is_silent: bool,
    findings: Vec<Finding>,
    counts: Counts,
    /// Whether lines say who wrote them.
    pub(crate) is_recorded: bool,
    /// Violations whose severity the rest of the stream may still change.
    open: Vec<Open>,
    /// How many of these are nowhere yet.
    held: usize,
    /// The same beyond the limit of findings: their number, by what their severity depends on.
    counted: BTreeMap<Class, Counted>,
}

/// A line with violations, as far as findings show it.
#[derive(Clone, Copy)]
pub(crate) struct ReportedLine<'a> {
    pub(crate) text: Text<'a>,
    /// The protocol it is taken for: its words are shown.
    pub(crate) protocol: Protocol,
    /// Which message of the input it is, if it is one.
    pub(crate) message: Option<u64>,
    /// Who writes such messages, if that is known.
    pub(crate) writer: Option<Writer>,
}

impl ReportedLine<'_> {
    /// Who wrote it: by the recording, else by the message.
    fn written_by(&self) -> Option<Writer> {
        self.text.origin.stated_writer.or(self.writer)
    }
}

/// A violation whose severity depends on the release, while that is not settled.
struct Open {
    rule: &'static Rule,
    of: Option<String>,
    at: Listed,
}

/// What the severity of a violation depends on.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    /// The id of the rule.
    id: &'static str,
    /// Which of its exceptions it is about.
    of: Option<&'static str>,
    /// How it was counted at first, if it was.
    counted: Option<Severity>,
}

/// Violations that are only counted.
struct Counted {
    rule: &'static Rule,
    times: u64,
}

/// Where a finding is.
enum Listed {
    /// Among the findings.
    At(usize),
    /// Nowhere yet: of the releases so far, some do not forbid it.
    Held(Box<Finding>),
}

/// A violation that becomes a finding, and its severity in the releases so far.
struct Reported {
    violation: Violation,
    severity: Option<Severity>,
    /// Whether its severity may still change.
    varies: bool,
    /// The side at fault.
    blamed: Option<Writer>,
    /// The part of the text it is about.
    range: Range<usize>,
}

impl<'c> Diagnostics<'c> {
    pub(crate) fn new(options: &'c Options, is_silent: bool) -> Self {
        Diagnostics {
            options,
            is_silent,
            findings: Vec::new(),
            counts: Counts::default(),
            is_recorded: false,
            open: Vec::new(),
            held: 0,
            counted: BTreeMap::new(),
        }
    }

    /// What was found so far: a finding that was held stands behind those of later lines.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The findings, in the order of the lines, and how many there are.
    pub(crate) fn into_findings(mut self) -> (Vec<Finding>, Counts) {
        self.findings.sort_by_key(|finding| finding.place.line);
        (self.findings, self.counts)
    }

    /// How many more findings are kept. Further ones are only counted.
    pub(crate) fn room(&self) -> usize {
        let limit = self.options.limits.findings;
        limit.saturating_sub(self.findings.len())
    }

    /// Whether the user wants the lines of a side checked.
    pub(crate) fn checks_side(&self, written_by: Option<Writer>) -> bool {
        if self.is_silent {
            return false;
        }
        match (self.options.side, written_by) {
            (Some(side), Some(writer)) => side == writer,
            _ => true,
        }
    }

    /// Whether one of these violations is an error.
    pub(crate) fn has_error(&self, violations: &[Violation], releases: &Possible<'_>) -> bool {
        let mut severities = violations.iter().map(|v| self.severity(v, releases));
        severities.any(|severity| severity == Some(Severity::Error))
    }

    /// Whether one of these violations is a finding.
    pub(crate) fn has_finding(&self, violations: &[Violation], releases: &Possible<'_>) -> bool {
        let mut severities = violations.iter().map(|v| self.severity(v, releases));
        severities.any(|severity| severity.is_some())
    }

    /// Reports the violations of a line, which one of these releases wrote. Within a line, findings have
    /// the order of their places.
    pub(crate) fn report(
        &mut self,
        line: ReportedLine<'_>,
        violations: Vec<Violation>,
        releases: &Possible<'_>,
    ) {
        if violations.is_empty() || self.is_silent {
            return;
        }
        let mut room = self.room();
        let reported: Vec<Reported> = violations
            .into_iter()
            .filter_map(|violation| self.examine(line, violation, releases, &mut room))
            .collect();
        if reported.is_empty() {
            return;
        }
        let mut reported = located(line.text, reported);
        reported.sort_by_key(|one| one.range.start);
        let positions = Positions::default();
        for one in reported {
            self.push(line, &positions, one);
        }
    }

    /// Counts a violation. Returns it if it becomes a finding, for which there is still `room`: it takes a
    /// pass over the line to find its place, too much for what is only counted.
    fn examine(
        &mut self,
        line: ReportedLine<'_>,
        violation: Violation,
        releases: &Possible<'_>,
        room: &mut usize,
    ) -> Option<Reported> {
        let blamed = violation.blame.or(line.written_by());
        if !self.checks_side(blamed) {
            return None;
        }
        let severity = self.severity(&violation, releases);
        let varies = violation.rule.varies() && !releases.is_settled();
        if severity.is_none() && !varies {
            return None;
        }
        let is_full = match severity {
            Some(severity) => {
                self.counts.add_many(severity, 1 + violation.further);
                let is_full = *room == 0;
                *room = room.saturating_sub(1);
                is_full
            }
            None => {
                let is_full = self.held >= self.options.limits.findings;
                self.held += usize::from(!is_full);
                is_full
            }
        };
        if is_full {
            if varies {
                self.count(&violation, severity);
            }
            return None;
        }
        Some(Reported {
            violation,
            severity,
            varies,
            blamed,
            range: 0..0,
        })
    }

    /// Makes the finding of a violation.
    fn push(&mut self, line: ReportedLine<'_>, positions: &Positions, one: Reported) {
        let shown = one.severity.unwrap_or(Severity::Note);
        let mut finding = match &one.violation.at {
            At::Between => self.between(line, &one.violation, shown),
            _ => self.finding(line, positions, &one, shown),
        };
        let violation = one.violation;
        finding.help = violation.help.map(Into::into);
        // Of a duplicate key, readers take one: nothing is refused.
        let is_refused = shown == Severity::Error && *violation.rule != DUPLICATE_KEY;
        if let Some(event) = line.text.hook.filter(|_| is_refused) {
            finding.help.get_or_insert_with(|| refused(event));
        }
        let written = line.text.text.get(one.range.clone());
        if matches!(violation.at, At::Message(_)) && written.is_some_and(redaction::is_mark) {
            finding.help = Some(redaction::HELP.into());
        }
        finding.releases = violation.releases;
        finding.earlier = violation.earlier.map(|earlier| Earlier {
            line: earlier.message_ref.line,
            message: earlier.message_ref.message,
            offset: earlier.message_ref.offset,
            length: earlier.message_ref.length,
            what: earlier.what,
        });
        finding.writer = match self.is_recorded {
            true => one.blamed,
            false => line.text.origin.stated_writer,
        };
        finding.bound();
        let at = match one.severity {
            Some(_) => {
                self.findings.push(finding);
                Listed::At(self.findings.len() - 1)
            }
            None => Listed::Held(Box::new(finding)),
        };
        if one.varies {
            self.open.push(Open {
                rule: violation.rule,
                of: violation.of,
                at,
            });
        }
    }

    /// A finding that no part of a message shows.
    fn between(
        &self,
        line: ReportedLine<'_>,
        violation: &Violation,
        severity: Severity,
    ) -> Finding {
        let origin = &line.text.origin;
        let at = origin.skipped as u64;
        let place = Location {
            line: origin.line,
            column: at + 1,
            offset: origin.offset + at,
            length: 0,
            pointer: String::new(),
            message: None,
            characters: origin.skipped_characters.map(|characters| Characters {
                column: characters + 1,
                length: 0,
            }),
        };
        Finding::new(violation.rule, severity, place, violation.how.to_string())
    }

    /// A finding at a part of a line.
    fn finding(
        &self,
        line: ReportedLine<'_>,
        positions: &Positions,
        one: &Reported,
        severity: Severity,
    ) -> Finding {
        let (text, origin) = (line.text.text, &line.text.origin);
        let (violation, range) = (&one.violation, one.range.clone());
        // A byte order mark stands before the text.
        let before = match &violation.at {
            At::Line(bytes) if bytes.start < origin.skipped => Some(bytes.clone()),
            _ => None,
        };
        let at = match &before {
            Some(bytes) => bytes.start as u64,
            None => (origin.skipped + range.start) as u64,
        };
        let newline = line.text.newline_before(range.start);
        let characters = || {
            let skipped = origin.skipped_characters?;
            positions.characters(text, &range, skipped)
        };
        let (pointer, message) = match &violation.at {
            At::Message(place) => (place.pointer.to_string(), line.message),
            _ => (String::new(), None),
        };
        let place = Location {
            line: origin.line + newline.map_or(0, |(lines, _)| lines),
            column: match newline {
                Some((_, newline)) => (range.start - newline) as u64,
                None => at + 1,
            },
            offset: origin.offset + at,
            length: before.as_ref().unwrap_or(&range).len() as u64,
            pointer,
            message,
            characters: match (newline, &before) {
                (Some((_, newline)), _) => characters_of(text, newline + 1, &range),
                (None, Some(_)) => None,
                (None, None) => characters(),
            },
        };
        let message = violation.how.to_string();
        let mut finding = Finding::new(violation.rule, severity, place, message);
        if !text.is_empty() && before.is_none() {
            finding.excerpt = self.excerpt(line, positions, violation.rule, range);
        }
        finding
    }

    fn excerpt(
        &self,
        line: ReportedLine<'_>,
        positions: &Positions,
        rule: &Rule,
        range: Range<usize>,
    ) -> Option<Excerpt> {
        let text = line.text.text;
        // What the message names may be seen in the excerpt too.
        let named = [UNKNOWN_VALUE.id, UNKNOWN_KIND.id].contains(&rule.id)
            && text
                .get(range.clone())
                .is_some_and(|text| is_name(text.trim_matches('"')));
        let shown = Shown {
            vocabulary: words(line.protocol),
            values: self.options.show_values,
            offender: named,
        };
        if line.text.origin.is_element {
            let (line, range) = line_of(text, range);
            let found = std::cell::OnceCell::new();
            return excerpt(line, || found.get_or_init(|| tokens(line)), range, &shown);
        }
        excerpt(text, || positions.tokens(text, tokens), range, &shown)
    }

    /// Takes note of a violation that is only counted.
    fn count(&mut self, violation: &Violation, severity: Option<Severity>) {
        let exceptions = violation.rule.exceptions.iter().flat_map(|e| e.of);
        let of = exceptions
            .copied()
            .find(|of| Some(*of) == violation.of.as_deref());
        let class = Class {
            id: violation.rule.id,
            of,
            counted: severity,
        };
        let counted = self.counted.entry(class).or_insert(Counted {
            rule: violation.rule,
            times: 0,
        });
        counted.times += 1;
    }

    /// Settles the severities at the end of a run: all of it may show that the release is one in which a
    /// violation is more severe. Whoever looks on knows the findings by their numbers, so none is moved.
    pub(crate) fn settle(&mut self, releases: &Possible<'_>) {
        for (class, counted) in std::mem::take(&mut self.counted) {
            let after = self.severity_of(counted.rule, class.of, false, releases);
            for _ in 0..counted.times {
                match (class.counted, after) {
                    (_, None) => {}
                    (Some(before), Some(after)) => self.counts.replace(before, after),
                    (None, Some(after)) => self.counts.add(after),
                }
            }
        }
        for open in std::mem::take(&mut self.open) {
            let severity = self.severity_of(open.rule, open.of.as_deref(), false, releases);
            let Some(severity) = severity else {
                continue;
            };
            match open.at {
                Listed::At(index) => {
                    let before = self.findings[index].severity;
                    if severity != before {
                        self.findings[index].severity = severity;
                        self.counts.replace(before, severity);
                    }
                }
                Listed::Held(mut finding) => {
                    finding.severity = severity;
                    self.counts.add(severity);
                    if self.room() > 0 {
                        self.findings.push(*finding);
                    }
                }
            }
        }
    }

    /// The severity of a violation in the releases that are left; `None`: it is allowed.
    fn severity(&self, violation: &Violation, releases: &Possible<'_>) -> Option<Severity> {
        let Violation {
            rule,
            of,
            is_undeclared,
            ..
        } = violation;
        self.severity_of(rule, of.as_deref(), *is_undeclared, releases)
    }

    /// The mildest severity of a rule in the releases that are left, unless the user says otherwise of
    /// what is a violation at all.
    fn severity_of(
        &self,
        rule: &'static Rule,
        of: Option<&str>,
        is_undeclared: bool,
        releases: &Possible<'_>,
    ) -> Option<Severity> {
        let own = match rule.varies() {
            true => rule.level_among(releases.iter(), of)?,
            false => rule.level,
        };
        if let Some(level) = self.options.levels.get(rule) {
            return level;
        }
        let is_warning = match self.options.profile {
            Profile::Exact => false,
            Profile::Known => is_undeclared,
            Profile::Open => {
                let open = [&UNKNOWN_KIND, &UNKNOWN_VALUE];
                is_undeclared || open.iter().any(|unknown| unknown.id == rule.id)
            }
        };
        Some(if is_warning { Severity::Warning } else { own })
    }
}

/// Finds the bytes of the text that violations are about, in few passes over it.
fn located(line: Text<'_>, mut reported: Vec<Reported>) -> Vec<Reported> {
    let (text, skipped) = (line.text, line.origin.skipped);
    let whole = 0..text.len();
    for is_first in [false, true] {
        let mut wanted = Vec::new();
        for (index, one) in reported.iter().enumerate() {
            if let At::Message(place) = &one.violation.at
                && place.range.is_none()
                && place.is_first == is_first
            {
                wanted.push((index, &*place.pointer));
            }
        }
        if wanted.is_empty() {
            continue;
        }
        let pointers: Vec<&str> = wanted.iter().map(|(_, pointer)| *pointer).collect();
        let indices: Vec<usize> = wanted.iter().map(|(index, _)| *index).collect();
        let found = locate_all(text, &pointers, is_first);
        for (index, value) in indices.into_iter().zip(found) {
            let one = &mut reported[index];
            let value = value.unwrap_or(whole.clone());
            let At::Message(place) = &one.violation.at else {
                continue;
            };
            one.range = match place.is_name {
                true => key_before(text, value.start).unwrap_or(value),
                false => value,
            };
        }
    }
    for one in &mut reported {
        match &one.violation.at {
            At::Line(bytes) => {
                let at = |byte: usize| byte.saturating_sub(skipped);
                one.range = at(bytes.start)..at(bytes.end);
            }
            At::Message(place) => {
                if let Some(range) = &place.range {
                    one.range = range.clone();
                }
            }
            At::Between => {}
        }
    }
    reported
}
