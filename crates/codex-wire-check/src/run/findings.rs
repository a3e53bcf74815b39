//! From faults to findings: levels, places, excerpts.

use std::ops::Range;

use codex_wire_schema::words;
use serde_json::Value;

use super::{Run, Source, lifetime};
use crate::excerpt::{Shown, excerpt};
use crate::finding::{Characters, Finding, Place, Severity};
use crate::form::Spec;
use crate::judge::Fault;
use crate::placement::Bits;
use crate::rules::{self, Rule};
use crate::scan::{key_before, locate};
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
        (side, bits): (Option<usize>, Bits),
        (last, first, beyond): (&Value, Option<&Value>, &[String]),
    ) {
        let mut faults = self.faults(spec, side, last);
        for pointer in beyond {
            // Where there is a bound, that is the better thing to say.
            let said = |fault: &Fault| fault.pointer == *pointer;
            if !faults.iter().any(said) {
                faults.push(Fault::beyond(pointer));
            }
        }
        let of_last = faults.len();
        if let Some(first) = first {
            for fault in self.faults(spec, side, first) {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
        let elsewhere = (bits != 0 && self.possible & bits == 0)
            .then(|| format!("as a whole this is a message of {}", lifetime(spec, bits)));
        // Each place takes a pass over the line: too much for what is only counted.
        let limit = self.checker.options.limits.findings;
        let room = limit.saturating_sub(self.outcome.findings.len());
        let judged = self.is_judged(source);
        for fault in faults.drain(room.min(faults.len())..) {
            let severity = self.checker.severity(fault.rule, fault.undeclared);
            if let (Some(severity), true) = (severity, judged) {
                self.outcome.counts.add(severity);
            }
        }
        let mut placed: Vec<_> = faults
            .into_iter()
            .enumerate()
            .map(|(index, fault)| (span_of(source.text, &fault, index >= of_last), fault))
            .collect();
        placed.sort_by_key(|(range, _)| range.start);
        for (range, fault) in placed {
            self.fault(source, range, fault, elsewhere.as_deref());
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
        if self.outcome.findings.len() >= self.checker.options.limits.findings {
            return;
        }
        let mut finding = self.finding((rule, severity), source, range, pointer, message);
        finish(&mut finding);
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
                .and_then(|skipped| Characters::of(source.text, &range, skipped)),
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
            finding.excerpt = excerpt(source.text, range, &shown);
        }
        finding
    }
}

/// The bytes a fault is about: the value, or the name of a member that should not be there. Of
/// doubled keys the last one is meant, or the first.
fn span_of(text: &str, fault: &Fault, first: bool) -> Range<usize> {
    let value = locate(text, &fault.pointer, first).unwrap_or(0..text.len());
    if fault.of_name {
        key_before(text, value.start).unwrap_or(value)
    } else {
        value
    }
}
