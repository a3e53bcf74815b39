//! Feeds messages to the state machine of the stream, and turns the violations it returns into
//! findings.
//!
//! The level of a violation may depend on the release. Until the release is known, such violations
//! wait; the end of the input settles their levels.

use std::collections::BTreeMap;

use bytecount::num_chars;
use codex_wire_base::lines::Line;
use codex_wire_base::transcript;
use codex_wire_program::View;

use super::{Run, Source};
use crate::finding::{Finding, Severity, Writer};
use crate::place::Places;
use crate::rules::{self, Rule};
use crate::scan::locate;
use crate::sequence::{self, Breach, End, Exit, Machine, Possible, Seat, Seen};

/// The lifecycle of one input.
#[derive(Default)]
pub(super) struct Sequence {
    /// Made with the first message that tells the form.
    pub(super) machine: Option<Box<dyn Machine>>,
    /// Breaches whose severity the rest of the stream may still change.
    open: Vec<Open>,
    /// How many of these are nowhere yet.
    held: usize,
    /// The same beyond the limit of findings: their number, by what their severity depends on.
    counted: BTreeMap<Class, u64>,
    last: Last,
    /// Whether a line could not be read before there was a machine to tell.
    lost: bool,
    /// The connection of the recorded line at hand.
    pub(super) connection: Option<u32>,
    /// Whether lines say who wrote them.
    recorded: bool,
    pub(super) end: End,
}

/// Where the last line stands.
#[derive(Clone, Copy, Default)]
struct Last {
    line: u64,
    offset: u64,
    /// How many bytes it has, and how many characters.
    length: u64,
    characters: u64,
    /// Whether it is no text.
    garbled: bool,
}

/// A breach whose severity depends on the release, while that is not settled.
struct Open {
    rule: &'static Rule,
    of: Option<String>,
    at: At,
}

/// What the severity of a breach depends on: the rule, which of its exceptions it is about, and
/// how it was counted at first, if it was.
type Class = (&'static str, Option<&'static str>, Option<Severity>);

/// Where the finding is.
enum At {
    /// Among the findings of the outcome.
    Listed(usize),
    /// Nowhere yet: of the releases so far, some do not forbid it.
    Held(Box<Finding>),
}

impl Sequence {
    /// The input does not end where it is no longer read.
    pub(super) fn goes_on(&mut self) {
        self.machine = None;
    }
}

impl Run<'_> {
    /// Takes note of a line, whatever it is.
    pub(super) fn life_line(&mut self, line: &Line<'_>) {
        self.sequence.last = Last {
            line: line.number,
            offset: line.offset,
            length: line.length,
            characters: num_chars(line.bytes) as u64,
            garbled: line.is_cut_off(),
        };
    }

    /// The line at hand is no text.
    pub(super) fn life_garbled(&mut self) {
        self.sequence.last.garbled = true;
    }

    /// A line could not be read.
    pub(super) fn life_lost(&mut self, from: Option<Writer>) {
        let connection = self.sequence.connection;
        self.rpc.lost(connection);
        match &mut self.sequence.machine {
            Some(machine) => machine.lost(from, connection),
            None => self.sequence.lost = true,
        }
    }

    /// The last line is cut.
    pub(super) fn life_cut(&mut self, from: Option<Writer>) {
        self.sequence.end.cut = true;
        self.life_lost(from);
    }

    /// A message, after its shape was judged.
    pub(super) fn sequence_message(
        &mut self,
        source: &Source<'_>,
        message: View<'_>,
        first: Option<View<'_>>,
        denied_before: u64,
    ) {
        if self.identity.is_some() {
            return;
        }
        let Some(form) = self.form else {
            // Nothing is known of the stream yet; what this was may be missed.
            self.sequence.lost = true;
            return;
        };
        self.sequence.recorded |= source.from.is_some();
        if self.sequence.machine.is_none() {
            self.sequence.machine = sequence::machine(form, &self.checker.options.limits);
            if let (Some(machine), true) = (&mut self.sequence.machine, self.sequence.lost) {
                machine.lost(None, None);
            }
        }
        let Some(mut machine) = self.sequence.machine.take() else {
            return;
        };
        let mut out = Vec::new();
        let seen = Seen {
            message,
            first: first.unwrap_or(message),
            writer: self.writer.unwrap_or(Writer::Codex),
            seat: Seat {
                line: source.line,
                message: self.outcome.messages,
            },
            releases: self.possible_releases(),
            connection: self.sequence.connection,
            recorded: source.from.is_some(),
            misshaped: self.outcome.counts.error > denied_before,
            call: self.call.as_ref(),
        };
        machine.message(&seen, &mut out);
        self.sequence.machine = Some(machine);
        for breach in out {
            self.breach(source, breach, true);
        }
    }

    /// A client connects.
    pub(super) fn life_connected(&mut self, source: &Source<'_>, record: &transcript::Connected) {
        self.rpc.connected(record.connection);
        self.life_event(source, |machine, out| {
            machine.connected(record.connection, out);
        });
    }

    /// A connection ends.
    pub(super) fn life_closed(&mut self, source: &Source<'_>, record: &transcript::Closed) {
        let by = match record.by.value() {
            Some(transcript::Side::Codex) => Some(Writer::Codex),
            Some(transcript::Side::Client) => Some(Writer::Client),
            _ => None,
        };
        let connection = record.connection.value().copied();
        self.life_event(source, |machine, out| machine.closed(connection, by, out));
    }

    /// Codex exits.
    pub(super) fn life_exit(&mut self, record: &transcript::Exit) {
        self.sequence.end.exit = Some(Exit {
            status: record.status.value().copied(),
            signal: record.signal.value().cloned(),
        });
    }

    fn life_event(
        &mut self,
        source: &Source<'_>,
        tell: impl FnOnce(&mut dyn Machine, &mut Vec<Breach>),
    ) {
        let mut out = Vec::new();
        if let Some(machine) = &mut self.sequence.machine {
            tell(machine.as_mut(), &mut out);
        }
        for breach in out {
            self.breach(source, breach, false);
        }
    }

    /// The end of the input: what is missing is missing now, and every severity is settled.
    pub(super) fn life_end(&mut self) {
        let mut out = Vec::new();
        if let Some(mut machine) = self.sequence.machine.take() {
            machine.end(&self.sequence.end, &mut out);
        }
        self.rpc.end(&self.sequence.end, &mut out);
        let last = self.sequence.last;
        let source = Source {
            line: last.line,
            offset: last.offset,
            skipped: usize::try_from(last.length).unwrap_or(0),
            skipped_characters: (!last.garbled).then_some(last.characters),
            text: "",
            ended: true,
            from: None,
            places: Places::default(),
        };
        for breach in out {
            self.breach(&source, breach, false);
        }
        self.settle_severities();
    }

    /// Makes a finding of a breach, by a message or at a place between messages.
    pub(super) fn breach(&mut self, source: &Source<'_>, breach: Breach, of_message: bool) {
        if self.identity.is_some() {
            return;
        }
        let blamed = breach.blame.or(source.from).or(self.writer);
        if let (Some(side), Some(writer)) = (self.checker.options.side, blamed)
            && side != writer
        {
            return;
        }
        let severity = self.severity_of(breach.rule, breach.of.as_deref());
        let varies = breach.rule.varies() && !self.possible_releases().is_settled();
        if severity.is_none() && !varies {
            return;
        }
        if let Some(severity) = severity {
            self.outcome.counts.add(severity);
        }
        // Finding the place takes a pass over the line: too much for what is only counted.
        let limit = self.checker.options.limits.findings;
        let is_full = match severity {
            Some(_) => self.is_full(),
            None => self.sequence.held >= limit,
        };
        if is_full {
            if varies {
                self.count_breach(&breach, severity);
            }
            return;
        }
        let range = match of_message {
            true => locate(source.text, &breach.pointer, true)
                .or_else(|| locate(source.text, "", false))
                .unwrap_or(0..source.text.len()),
            false => 0..0,
        };
        let pointer = if of_message { &*breach.pointer } else { "" };
        let shown = severity.unwrap_or(Severity::Note);
        let parts = (breach.rule, shown);
        let mut finding = self.finding(parts, source, range, pointer, breach.message);
        if !of_message {
            finding.place.message = None;
            finding.excerpt = None;
        }
        finding.help = breach.help;
        finding.earlier = breach.earlier.map(|seat| seat.line);
        if self.sequence.recorded {
            finding.writer = blamed;
        }
        finding.bound();
        let at = match severity {
            Some(_) => {
                self.outcome.findings.push(finding);
                At::Listed(self.outcome.findings.len() - 1)
            }
            None => {
                self.sequence.held += 1;
                At::Held(Box::new(finding))
            }
        };
        if varies {
            self.sequence.open.push(Open {
                rule: breach.rule,
                of: breach.of,
                at,
            });
        }
    }

    /// Takes note of a breach that is only counted.
    fn count_breach(&mut self, breach: &Breach, severity: Option<Severity>) {
        let exceptions = breach.rule.exceptions.iter().flat_map(|e| e.of);
        let of = exceptions
            .copied()
            .find(|of| Some(*of) == breach.of.as_deref());
        let class = (breach.rule.id, of, severity);
        *self.sequence.counted.entry(class).or_default() += 1;
    }

    /// What the whole stream tells of the release may make a breach more severe than it was
    /// when it was noticed.
    fn settle_severities(&mut self) {
        let mut held = false;
        for ((rule, of, before), times) in std::mem::take(&mut self.sequence.counted) {
            let after = rules::find(rule).and_then(|rule| self.severity_of(rule, of));
            for _ in 0..times {
                match (before, after) {
                    (_, None) => {}
                    (Some(before), Some(after)) => self.outcome.counts.replace(before, after),
                    (None, Some(after)) => self.outcome.counts.add(after),
                }
            }
        }
        for open in std::mem::take(&mut self.sequence.open) {
            let Some(severity) = self.severity_of(open.rule, open.of.as_deref()) else {
                continue;
            };
            match open.at {
                At::Listed(index) => {
                    let before = self.outcome.findings[index].severity;
                    if severity != before {
                        self.outcome.findings[index].severity = severity;
                        self.outcome.counts.replace(before, severity);
                    }
                }
                At::Held(mut finding) => {
                    finding.severity = severity;
                    self.outcome.counts.add(severity);
                    if self.outcome.findings.len() < self.checker.options.limits.findings {
                        self.outcome.findings.push(*finding);
                        held = true;
                    }
                }
            }
        }
        if held {
            self.outcome.findings.sort_by_key(|f| f.place.line);
        }
    }

    /// The severity of a rule in the releases that are left: the mildest of theirs, unless the
    /// user says otherwise of what is a breach at all.
    fn severity_of(&self, rule: &'static Rule, of: Option<&str>) -> Option<Severity> {
        let own = match rule.varies() {
            true => rule.level_among(self.possible_releases().iter(), of)?,
            false => rule.level,
        };
        match self.checker.options.levels.get(rule) {
            Some(level) => level,
            None => Some(own),
        }
    }

    pub(super) fn possible_releases(&self) -> Possible<'_> {
        let spec = self.checker.spec(self.form_or_first());
        Possible::new(
            spec.form.timeline(),
            self.release(),
            &spec.spans,
            self.possible,
        )
    }
}
