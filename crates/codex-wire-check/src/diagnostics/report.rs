//! Turns violations into findings: adds level, place and excerpt.
//!
//! The level of a violation may depend on the release. Until the release is known, such violations
//! wait; the end of the input settles their levels.

use std::collections::BTreeMap;
use std::ops::Range;

use codex_wire_schema::words;

use super::excerpt::{Shown, excerpt, pieces};
use super::location::{key_before, locate, locate_all};
use crate::finding::{Finding, Location};
use crate::framing::frame::LineViolation;
use crate::framing::record::BAD_RECORD;
use crate::framing::tree::TOO_MANY_VALUES;
use crate::inference::possible::Possible;
use crate::line::LineContext;
use crate::line::element::{characters_of, line_of};
use crate::options::Options;
use crate::outcome::Counts;
use crate::phrasing::is_name;
use crate::rule::Rule;
use crate::rules;
use crate::severity::Severity;
use crate::validation::duplicates::DUPLICATE_KEY;
use crate::validation::duplicates::Duplicate;
use crate::validation::explanation::{UNKNOWN_KIND, UNKNOWN_VALUE};
use crate::validation::validate::Invalid;
use crate::validation::violation::SchemaViolation;
use crate::violation::Violation;

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
    counted: BTreeMap<Class, u64>,
}

/// A violation whose severity depends on the release, while that is not settled.
struct Open {
    rule: &'static Rule,
    of: Option<String>,
    at: Listed,
}

/// What the severity of a violation depends on: the rule, by its id, which of its exceptions it is
/// about, and how it was counted at first, if it was.
type Class = (&'static str, Option<&'static str>, Option<Severity>);

/// Where a finding is.
enum Listed {
    /// Among the findings.
    At(usize),
    /// Nowhere yet: of the releases so far, some do not forbid it.
    Held(Box<Finding>),
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

    /// What was found so far.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Adds a help to those findings from the one at `from` on that have this severity and no help. It
    /// is not about duplicate keys, of which readers take one.
    pub(crate) fn explain(&mut self, from: usize, severity: Severity, help: &str) {
        for finding in self.findings.iter_mut().skip(from) {
            let is_about_value = *finding.rule != DUPLICATE_KEY;
            if finding.severity == severity && finding.help.is_none() && is_about_value {
                finding.help = Some(help.to_owned());
            }
        }
    }

    /// How many findings there are.
    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// The findings, and how many there are.
    pub(crate) fn into_findings(self) -> (Vec<Finding>, Counts) {
        (self.findings, self.counts)
    }

    /// Whether there are as many findings as are kept. Further ones are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.findings.len() >= self.options.limits.findings
    }

    /// Whether the user wants the writer of this line checked.
    pub(crate) fn is_checked(&self, context: &LineContext<'_>) -> bool {
        if self.is_silent {
            return false;
        }
        match (self.options.side, context.written_by()) {
            (Some(side), Some(writer)) => side == writer,
            _ => true,
        }
    }

    /// Reports what is wrong with a line that is not a message.
    pub(crate) fn report_line(&mut self, context: &LineContext<'_>, violation: &LineViolation) {
        let text = || violation.message.text();
        self.report_range(context, violation.rule, violation.range.clone(), text);
    }

    /// Reports what is wrong with a part of a line that is not a message.
    pub(crate) fn report_range(
        &mut self,
        context: &LineContext<'_>,
        rule: &'static Rule,
        range: Range<usize>,
        message: impl FnOnce() -> String,
    ) {
        if self.is_full() {
            return self.only_count(rule, context, 1);
        }
        self.push(rule, context, range, "", message(), |finding| {
            finding.place.message = None;
        });
    }

    /// Reports what is wrong with a line of a recording: at a pointer, or behind no byte where that
    /// leads nowhere.
    pub(crate) fn report_record(
        &mut self,
        context: &LineContext<'_>,
        pointer: &str,
        message: &str,
    ) {
        let range = match pointer {
            "" => 0..context.text.len(),
            pointer => locate(context.text, pointer, false).unwrap_or(0..0),
        };
        self.report_range(context, &BAD_RECORD, range, || message.to_owned());
    }

    /// Reports a violation of a rule whose level is the same in all releases.
    pub(crate) fn report(&mut self, context: &LineContext<'_>, violation: Violation) {
        let text = context.text;
        let range = locate(text, &violation.pointer, false).unwrap_or(0..text.len());
        let Violation {
            rule,
            pointer,
            message,
            releases,
            ..
        } = violation;
        self.push(rule, context, range, &pointer, message, |finding| {
            finding.releases = releases;
        });
    }

    /// Reports a duplicate key.
    pub(crate) fn report_duplicate(
        &mut self,
        context: &LineContext<'_>,
        duplicate: &Duplicate<'_>,
    ) {
        self.only_count(&DUPLICATE_KEY, context, duplicate.key.further);
        if self.is_full() {
            return self.only_count(duplicate.rule, context, 1);
        }
        let range = duplicate.key.second.clone();
        let pointer = duplicate.pointer();
        let finish = |finding: &mut Finding| {
            finding.releases = duplicate.releases;
            finding.help = duplicate.help.map(str::to_owned);
        };
        self.push(
            duplicate.rule,
            context,
            range,
            &pointer,
            duplicate.text(),
            finish,
        );
    }

    /// Reports what is wrong with a message.
    pub(crate) fn report_invalid(&mut self, context: &LineContext<'_>, invalid: Invalid) {
        let Invalid {
            mut violations,
            of_last,
            numbers,
            elsewhere,
            unread,
        } = invalid;
        // It comes first, so that it is reported however much else there is.
        if let Some(at) = unread {
            let limit = self.options.limits.values;
            self.report_range(context, &TOO_MANY_VALUES, at..at, || {
                format!(
                    "the message has more than {limit} values; the values from here on are not checked"
                )
            });
        }
        // Each place takes a look at the line: too much for what is only counted.
        let room = self
            .options
            .limits
            .findings
            .saturating_sub(self.findings.len());
        for violation in violations.drain(room.min(violations.len())..) {
            let severity = self.options.severity(violation.rule, violation.undeclared);
            if let Some(severity) = severity {
                self.counts.add(severity);
            }
        }
        if violations.is_empty() {
            return;
        }
        let ranges = ranges_of(context.text, &violations, of_last);
        // Of a number beyond all others the place is known, however long its pointer.
        let from = of_last - numbers.len();
        let known = |index: usize| numbers.get(index.checked_sub(from)?).cloned();
        let ranges = ranges.into_iter().enumerate();
        let ranges = ranges.map(|(index, range)| known(index).unwrap_or(range));
        let mut placed: Vec<_> = ranges.zip(violations).collect();
        placed.sort_by_key(|(range, _)| range.start);
        for (range, violation) in placed {
            self.report_schema(context, range, violation, elsewhere.as_deref());
        }
    }

    fn report_schema(
        &mut self,
        context: &LineContext<'_>,
        range: Range<usize>,
        violation: SchemaViolation,
        elsewhere: Option<&str>,
    ) {
        let Some(severity) = self.options.severity(violation.rule, violation.undeclared) else {
            return;
        };
        let help = match (violation.help, elsewhere) {
            (Some(help), Some(elsewhere)) => Some(format!("{elsewhere}; {help}")),
            (help, elsewhere) => help.or_else(|| elsewhere.map(str::to_owned)),
        };
        let releases = violation.releases;
        let request = context.call.as_ref().and_then(|call| call.request);
        self.add(
            (violation.rule, severity),
            context,
            range,
            &violation.pointer,
            violation.message,
            |finding| {
                finding.help = help;
                finding.releases = releases;
                finding.earlier = request.map(|request| request.line);
            },
        );
    }

    /// Counts so many findings that are not kept.
    fn only_count(&mut self, rule: &'static Rule, context: &LineContext<'_>, times: u64) {
        if let (Some(severity), true) =
            (self.options.severity(rule, false), self.is_checked(context))
        {
            self.counts.add_many(severity, times);
        }
    }

    fn push(
        &mut self,
        rule: &'static Rule,
        context: &LineContext<'_>,
        range: Range<usize>,
        pointer: &str,
        message: String,
        finish: impl FnOnce(&mut Finding),
    ) {
        if let Some(severity) = self.options.severity(rule, false) {
            self.add((rule, severity), context, range, pointer, message, finish);
        }
    }

    fn add(
        &mut self,
        (rule, severity): (&'static Rule, Severity),
        context: &LineContext<'_>,
        range: Range<usize>,
        pointer: &str,
        message: String,
        finish: impl FnOnce(&mut Finding),
    ) {
        if !self.is_checked(context) {
            return;
        }
        self.counts.add(severity);
        if self.is_full() {
            return;
        }
        let mut finding = self.finding((rule, severity), context, range, pointer, message);
        finish(&mut finding);
        finding.bound();
        self.findings.push(finding);
    }

    /// A finding at a part of a line.
    fn finding(
        &self,
        (rule, severity): (&'static Rule, Severity),
        context: &LineContext<'_>,
        range: Range<usize>,
        pointer: &str,
        message: String,
    ) -> Finding {
        let text = context.text;
        let at = (context.skipped + range.start) as u64;
        let newline = context.newline_before(range.start);
        let characters = || {
            let skipped = context.skipped_characters?;
            context.positions.characters(text, &range, skipped)
        };
        let place = Location {
            line: context.line + newline.map_or(0, |(lines, _)| lines),
            column: match newline {
                Some((_, newline)) => (range.start - newline) as u64,
                None => at + 1,
            },
            offset: context.offset + at,
            length: range.len() as u64,
            pointer: pointer.to_owned(),
            message: Some(context.message),
            characters: match newline {
                Some((_, newline)) => characters_of(text, newline + 1, &range),
                None => characters(),
            },
        };
        let mut finding = Finding::new(rule, severity, place, message);
        finding.writer = context.recorded;
        if !text.is_empty() {
            let vocabulary = words(context.protocol);
            // What the message names may be seen in the excerpt too.
            let named = [UNKNOWN_VALUE.id, UNKNOWN_KIND.id].contains(&rule.id)
                && text
                    .get(range.clone())
                    .is_some_and(|text| is_name(text.trim_matches('"')));
            let shown = Shown {
                vocabulary,
                values: self.options.show_values,
                offender: named,
            };
            finding.excerpt = match context.is_element {
                true => {
                    let (line, range) = line_of(text, range);
                    let found = std::cell::OnceCell::new();
                    excerpt(line, || found.get_or_init(|| pieces(line)), range, &shown)
                }
                false => {
                    let pieces = || context.positions.pieces(text, pieces);
                    excerpt(text, pieces, range, &shown)
                }
            };
        }
        finding
    }

    /// Reports a violation of a rule about requests or sequences, whose level may depend on the
    /// release: by the message at hand, or at a place between messages.
    pub(crate) fn report_sequence(
        &mut self,
        context: &LineContext<'_>,
        violation: Violation,
        of_message: bool,
        releases: &Possible<'_>,
    ) {
        if self.is_silent {
            return;
        }
        let blamed = violation.blame.or(context.written_by());
        if let (Some(side), Some(writer)) = (self.options.side, blamed)
            && side != writer
        {
            return;
        }
        let severity = self.severity_of(violation.rule, violation.of.as_deref(), releases);
        let varies = violation.rule.varies() && !releases.is_settled();
        if severity.is_none() && !varies {
            return;
        }
        if let Some(severity) = severity {
            self.counts.add(severity);
        }
        // Finding the place takes a pass over the line: too much for what is only counted.
        let is_full = match severity {
            Some(_) => self.is_full(),
            None => self.held >= self.options.limits.findings,
        };
        if is_full {
            if varies {
                self.count(&violation, severity);
            }
            return;
        }
        let text = context.text;
        let range = match of_message {
            true => locate(text, &violation.pointer, true)
                .or_else(|| locate(text, "", false))
                .unwrap_or(0..text.len()),
            false => 0..0,
        };
        let pointer = if of_message { &*violation.pointer } else { "" };
        let shown = severity.unwrap_or(Severity::Note);
        let parts = (violation.rule, shown);
        let mut finding = self.finding(parts, context, range, pointer, violation.message);
        if !of_message {
            finding.place.message = None;
            finding.excerpt = None;
        }
        finding.help = violation.help;
        finding.earlier = violation.earlier.map(|earlier| earlier.line);
        if self.is_recorded {
            finding.writer = blamed;
        }
        finding.bound();
        let at = match severity {
            Some(_) => {
                self.findings.push(finding);
                Listed::At(self.findings.len() - 1)
            }
            None => {
                self.held += 1;
                Listed::Held(Box::new(finding))
            }
        };
        if varies {
            self.open.push(Open {
                rule: violation.rule,
                of: violation.of,
                at,
            });
        }
    }

    /// Takes note of a violation that is only counted.
    fn count(&mut self, violation: &Violation, severity: Option<Severity>) {
        let exceptions = violation.rule.exceptions.iter().flat_map(|e| e.of);
        let of = exceptions
            .copied()
            .find(|of| Some(*of) == violation.of.as_deref());
        let class = (violation.rule.id, of, severity);
        *self.counted.entry(class).or_default() += 1;
    }

    /// Settles the severities at the end: the whole stream may show that the release is one in which a
    /// violation is more severe.
    pub(crate) fn settle(&mut self, releases: &Possible<'_>) {
        let mut held = false;
        for ((rule, of, before), times) in std::mem::take(&mut self.counted) {
            let after = rules::find(rule).and_then(|rule| self.severity_of(rule, of, releases));
            for _ in 0..times {
                match (before, after) {
                    (_, None) => {}
                    (Some(before), Some(after)) => self.counts.replace(before, after),
                    (None, Some(after)) => self.counts.add(after),
                }
            }
        }
        for open in std::mem::take(&mut self.open) {
            let severity = self.severity_of(open.rule, open.of.as_deref(), releases);
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
                    if self.findings.len() < self.options.limits.findings {
                        self.findings.push(*finding);
                        held = true;
                    }
                }
            }
        }
        if held {
            self.findings.sort_by_key(|f| f.place.line);
        }
    }

    /// The severity of a rule in the releases that are left: the mildest of theirs, unless the
    /// user says otherwise of what is a violation at all.
    fn severity_of(
        &self,
        rule: &'static Rule,
        of: Option<&str>,
        releases: &Possible<'_>,
    ) -> Option<Severity> {
        let own = match rule.varies() {
            true => rule.level_among(releases.iter(), of)?,
            false => rule.level,
        };
        match self.options.levels.get(rule) {
            Some(level) => level,
            None => Some(own),
        }
    }
}

/// The bytes that violations are about: the value, or the name of a member that should not be there.
/// Of duplicate keys the last one is meant, or behind so many violations the first.
fn ranges_of(text: &str, violations: &[SchemaViolation], of_last: usize) -> Vec<Range<usize>> {
    let (last, first) = violations.split_at(of_last.min(violations.len()));
    let mut ranges = Vec::with_capacity(violations.len());
    for (violations, first) in [(last, false), (first, true)] {
        let pointers: Vec<&str> = violations.iter().map(|v| v.pointer.as_str()).collect();
        if pointers.is_empty() {
            continue;
        }
        let values = locate_all(text, &pointers, first).into_iter();
        let values = values.map(|value| value.unwrap_or(0..text.len()));
        ranges.extend(
            values
                .zip(violations)
                .map(|(value, violation)| match violation.of_name {
                    true => key_before(text, value.start).unwrap_or(value),
                    false => value,
                }),
        );
    }
    ranges
}
