//! Turns violations into findings: adds level, place and excerpt.

use std::collections::HashSet;
use std::ops::Range;

use codex_wire_base::ReleaseSet;
use codex_wire_schema::words;
use serde_json::Value;

use super::{Run, Source, lifetime};
use crate::excerpt::{Shown, excerpt};
use crate::finding::{Finding, Place, Severity};
use crate::form::Spec;
use crate::judge::Fault;
use crate::place::locate_all;
use crate::rules::{self, Rule};
use crate::scan::key_before;
use crate::tree::Tree;
use crate::words::is_name;

impl Run<'_> {
    pub(super) fn fault(
        &mut self,
        source: &Source<'_>,
        range: Range<usize>,
        fault: Fault,
        elsewhere: Option<&str>,
    ) {
        let Some(severity) = self.checker.severity(fault.rule, fault.undeclared) else {
            return;
        };
        let help = match (fault.help, elsewhere) {
            (Some(help), Some(elsewhere)) => Some(format!("{elsewhere}; {help}")),
            (help, elsewhere) => help.or_else(|| elsewhere.map(str::to_owned)),
        };
        let releases = fault.releases;
        let asked = self.call.as_ref().and_then(|call| call.request);
        self.add(
            (fault.rule, severity),
            source,
            range,
            &fault.pointer,
            fault.message,
            |finding| {
                finding.help = help;
                finding.releases = releases;
                finding.earlier = asked.map(|seat| seat.line);
            },
        );
    }

    /// What is wrong with the shape of a message that these spans could have written: in either
    /// reading, where keys are doubled, and where numbers stand that no tree can hold.
    pub(super) fn shape(
        &mut self,
        source: &Source<'_>,
        spec: &Spec,
        (side, bits): (Option<usize>, ReleaseSet),
        ((last, of_last), first): (Reading<'_>, Option<Reading<'_>>),
    ) {
        // Of whoever is not judged there is nothing to say.
        if !self.is_judged(source) {
            return;
        }
        // Of doubled keys both readings are compared by what is said.
        self.search.is_brief.set(self.is_full() && first.is_none());
        let mut faults = self.faults(spec, side, last);
        self.search.is_brief.set(false);
        // Where something is missing that may have been needed, nothing can be said.
        faults.retain(|fault| of_last.left.is_whole_at(&fault.pointer));
        // Where there is a bound, that is the better thing to say.
        let bounded: HashSet<String> = faults.iter().map(|fault| fault.pointer.clone()).collect();
        let beyond = of_last.beyond.iter();
        let beyond: Vec<_> = beyond
            .filter(|beyond| !bounded.contains(&beyond.pointer))
            .collect();
        faults.extend(beyond.iter().map(|beyond| Fault::beyond(&beyond.pointer)));
        let last_ones = faults.len();
        if let Some((first, of_first)) = first {
            let known: HashSet<_> = faults.iter().map(Fault::key).collect();
            let mut more = self.faults(spec, side, first);
            more.retain(|fault| {
                of_first.left.is_whole_at(&fault.pointer) && !known.contains(&fault.key())
            });
            drop(known);
            faults.append(&mut more);
        }
        let elsewhere = (!bits.is_empty() && (self.possible & bits).is_empty())
            .then(|| format!("as a whole this is a message of {}", lifetime(spec, bits)));
        // It comes first, so that it is told however much else there is.
        if let Some(at) = of_last.left.first {
            let text = format!(
                "the message has more than {} values; those from here on are not looked at",
                self.checker.options.limits.values
            );
            self.at(&rules::TOO_MANY_VALUES, source, at..at, &text);
        }
        // Each place takes a look at the line: too much for what is only counted.
        let limit = self.checker.options.limits.findings;
        let room = limit.saturating_sub(self.outcome.findings.len());
        for fault in faults.drain(room.min(faults.len())..) {
            if let Some(severity) = self.checker.severity(fault.rule, fault.undeclared) {
                self.outcome.counts.add(severity);
            }
        }
        if faults.is_empty() {
            return;
        }
        let ranges = spans_of(source.text, &faults, last_ones);
        // Of a number beyond all others the place is known, however long its pointer.
        let from = last_ones - beyond.len();
        let known = |index: usize| beyond.get(index.checked_sub(from)?).map(|b| b.at.clone());
        let ranges = ranges.into_iter().enumerate();
        let ranges = ranges.map(|(index, range)| known(index).unwrap_or(range));
        let mut placed: Vec<_> = ranges.zip(faults).collect();
        placed.sort_by_key(|(range, _)| range.start);
        for (range, fault) in placed {
            self.fault(source, range, fault, elsewhere.as_deref());
        }
    }

    /// Whether there are as many findings as are kept. Further ones are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.outcome.findings.len() >= self.checker.options.limits.findings
    }

    /// Counts so many findings that are not kept.
    pub(super) fn only_count(&mut self, rule: &'static Rule, source: &Source<'_>, times: u64) {
        if let (Some(severity), true) = (self.checker.severity(rule, false), self.is_judged(source))
        {
            self.outcome.counts.add_many(severity, times);
        }
    }

    /// Whether the user asked to judge whoever wrote the line at hand.
    pub(super) fn is_judged(&self, source: &Source<'_>) -> bool {
        if self.identity.is_some() {
            return false;
        }
        let writer = source.from.or(self.writer);
        match (self.checker.options.side, writer) {
            (Some(side), Some(writer)) => side == writer,
            _ => true,
        }
    }

    /// A finding about a line that is not a message.
    pub(super) fn at(
        &mut self,
        rule: &'static Rule,
        source: &Source<'_>,
        range: Range<usize>,
        message: &str,
    ) {
        if self.is_full() {
            return self.only_count(rule, source, 1);
        }
        self.push(rule, source, range, "", message.to_owned(), |finding| {
            finding.place.message = None;
        });
    }

    pub(super) fn push(
        &mut self,
        rule: &'static Rule,
        source: &Source<'_>,
        range: Range<usize>,
        pointer: &str,
        message: String,
        finish: impl FnOnce(&mut Finding),
    ) {
        if let Some(severity) = self.checker.severity(rule, false) {
            self.add((rule, severity), source, range, pointer, message, finish);
        }
    }

    pub(super) fn add(
        &mut self,
        (rule, severity): (&'static Rule, Severity),
        source: &Source<'_>,
        range: Range<usize>,
        pointer: &str,
        message: String,
        finish: impl FnOnce(&mut Finding),
    ) {
        if !self.is_judged(source) {
            return;
        }
        self.outcome.counts.add(severity);
        if self.is_full() {
            return;
        }
        let mut finding = self.finding((rule, severity), source, range, pointer, message);
        finish(&mut finding);
        finding.bound();
        self.outcome.findings.push(finding);
    }

    /// A finding at a part of a line.
    pub(super) fn finding(
        &self,
        (rule, severity): (&'static Rule, Severity),
        source: &Source<'_>,
        range: Range<usize>,
        pointer: &str,
        message: String,
    ) -> Finding {
        let at = (source.skipped + range.start) as u64;
        let place = Place {
            line: source.line,
            column: at + 1,
            offset: source.offset + at,
            length: range.len() as u64,
            pointer: pointer.to_owned(),
            message: Some(self.outcome.messages),
            characters: source
                .skipped_characters
                .and_then(|skipped| source.places.characters(source.text, &range, skipped)),
        };
        let mut finding = Finding::new(rule, severity, place, message);
        finding.writer = source.from;
        if !source.text.is_empty() {
            let vocabulary = words(self.form_or_first().protocol());
            // What the message names may be seen in the excerpt too.
            let named = [rules::UNKNOWN_VALUE.id, rules::UNKNOWN_KIND.id].contains(&rule.id)
                && source
                    .text
                    .get(range.clone())
                    .is_some_and(|text| is_name(text.trim_matches('"')));
            let shown = Shown {
                vocabulary,
                values: self.checker.options.show_values,
                offender: named,
            };
            let pieces = || source.places.pieces(source.text);
            finding.excerpt = excerpt(source.text, pieces, range, &shown);
        }
        finding
    }
}

/// A message in one reading, and the tree it was made of.
pub(super) type Reading<'m> = (&'m Value, &'m Tree);

/// The bytes that faults are about: the value, or the name of a member that should not be there. Of
/// doubled keys the last one is meant, or behind so many faults the first.
fn spans_of(text: &str, faults: &[Fault], last_ones: usize) -> Vec<Range<usize>> {
    let (last, first) = faults.split_at(last_ones.min(faults.len()));
    let mut spans = Vec::with_capacity(faults.len());
    for (faults, first) in [(last, false), (first, true)] {
        let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        if pointers.is_empty() {
            continue;
        }
        let values = locate_all(text, &pointers, first).into_iter();
        let values = values.map(|value| value.unwrap_or(0..text.len()));
        spans.extend(
            values
                .zip(faults)
                .map(|(value, fault)| match fault.of_name {
                    true => key_before(text, value.start).unwrap_or(value),
                    false => value,
                }),
        );
    }
    spans
}
