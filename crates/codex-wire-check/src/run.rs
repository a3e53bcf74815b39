//! One input on its way through the checker: its lines, its messages, its findings.

mod recorded;

use std::ops::Range;

use codex_wire::lines::Line;
use codex_wire::shape::Lifetime;
use codex_wire::{ErrorKind, Release};
use serde_json::Value;

use crate::checker::Checker;
use crate::excerpt::{Shown, excerpt};
use crate::finding::{Finding, Place, Severity, Writer};
use crate::foreign;
use crate::form::{Form, Spec};
use crate::judge::Fault;
use crate::outcome::{Outcome, ReleaseRange, Verdict};
use crate::placement::Bits;
use crate::rules::{self, Rule};
use crate::scan::{Counts, Doubled, is_cut, key_before, locate, push_segment, scan, tree};
use crate::words::{is_name, kind, member};

/// How many lines without a single message are read before an input is given up as something
/// else.
const GIVE_UP_AFTER: u64 = 1000;

/// One input on its way through the checker.
pub(crate) struct Run<'c> {
    checker: &'c Checker,
    outcome: Outcome,
    /// The form of the stream, once a message has told it.
    form: Option<Form>,
    /// The release the user or the recording states.
    stated: Option<Release>,
    /// The spans that could have written everything so far; by the form, once it is known.
    possible: Bits,
    /// Lines read so far.
    lines: u64,
    /// Messages of a kind the form has.
    recognised: u64,
    /// Who wrote the message at hand, by its shape.
    writer: Option<Writer>,
    /// What the first line that is no message looks like, if that tells something.
    looks_like: Option<&'static str>,
}

/// A line that is text, and where it stands.
struct Source<'a> {
    /// The number of the line.
    line: u64,
    /// The byte offset in the input of the line.
    offset: u64,
    /// How many bytes of the line come before the text.
    skipped: usize,
    text: &'a str,
    /// Whether the line is complete.
    ended: bool,
    /// Who wrote it, if a recording says so.
    from: Option<Writer>,
}

impl<'c> Run<'c> {
    pub(crate) fn new(checker: &'c Checker, path: &str) -> Self {
        let mut outcome = Outcome::new(path);
        outcome.protocol = checker.options.protocol;
        outcome.identified = checker.options.release.is_none();
        Run {
            checker,
            outcome,
            form: None,
            stated: checker.options.release,
            possible: 0,
            lines: 0,
            recognised: 0,
            writer: None,
            looks_like: None,
        }
    }

    /// Checks one line. Returns a reason to give the input up.
    pub(crate) fn line(&mut self, line: &Line<'_>) -> Option<String> {
        self.lines += 1;
        let utf16 = line.bytes.starts_with(b"\xff\xfe") || line.bytes.starts_with(b"\xfe\xff");
        if self.lines == 1 && utf16 {
            return Some(
                "UTF-16 text, not UTF-8; some Windows shells write it when output is redirected"
                    .to_owned(),
            );
        }
        self.frame(line);
        let hopeless = self.lines == GIVE_UP_AFTER && self.recognised == 0;
        (hopeless && self.outcome.identified).then(|| self.not_a_transcript())
    }

    /// The line as a line: encoding and ends.
    fn frame(&mut self, line: &Line<'_>) {
        let mut bytes = line.bytes;
        let mut source = Source {
            line: line.number,
            offset: line.offset,
            skipped: 0,
            text: "",
            ended: line.ended,
            from: None,
        };
        if line.number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            let message = "the stream begins with a byte order mark";
            self.at(&rules::BOM, &source, 0..3, message);
            source.skipped = 3;
            bytes = &bytes[3..];
        }
        if line.is_cut_off() {
            let message = format!(
                "the line has {} bytes, more than the limit of {}; it is passed over",
                line.length, self.checker.options.limits.line_bytes
            );
            return self.at(&rules::LINE_TOO_LONG, &source, 0..0, &message);
        }
        if let Some(shorter) = bytes.strip_suffix(b"\r") {
            let at = shorter.len()..bytes.len();
            self.at(
                &rules::CRLF,
                &source,
                at,
                "the line ends with a carriage return",
            );
            bytes = shorter;
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return self.at(
                &rules::BLANK_LINE,
                &source,
                0..bytes.len(),
                "the line is blank",
            );
        }
        if let Some(at) = memchr::memchr(0, bytes) {
            return self.at(
                &rules::NUL_BYTE,
                &source,
                at..at + 1,
                "the line holds a NUL byte",
            );
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                source.text = text;
                self.text(&source);
            }
            Err(error) => {
                let at = error.valid_up_to();
                // A character of several bytes may be cut as everything else may.
                if error.error_len().is_none() && !line.ended {
                    return self.cut(&source, bytes.len());
                }
                let length = error.error_len().unwrap_or(bytes.len() - at);
                self.at(
                    &rules::INVALID_UTF8,
                    &source,
                    at..at + length,
                    "invalid UTF-8",
                );
            }
        }
    }

    /// The line as JSON.
    fn text(&mut self, source: &Source<'_>) {
        let text = source.text;
        let doubled = match scan(text, self.checker.options.limits.depth) {
            Ok(doubled) => doubled,
            Err(error) => return self.malformed(source, &error),
        };
        let mut beyond = Vec::new();
        let message = match serde_json::from_str::<Value>(text) {
            Ok(message) => message,
            Err(_) => match tree(text, Counts::Last, &mut beyond) {
                Ok(message) => message,
                Err(error) => return self.malformed(source, &error),
            },
        };
        if !message.is_object() {
            if message.is_array() && self.looks_like.is_none() {
                self.looks_like = Some(foreign::ARRAY);
            }
            let message = format!("the line is {}, not an object", kind(&message));
            return self.at(&rules::NOT_AN_OBJECT, source, 0..text.len(), &message);
        }
        if source.from.is_none() && recorded::is_record(&message) {
            return self.record(source, &message);
        }
        self.outcome.messages += 1;
        self.message(source, &message, &doubled, &beyond);
        self.writer = None;
    }

    fn malformed(&mut self, source: &Source<'_>, error: &codex_wire::Error) {
        let at = error.offset().min(source.text.len());
        if matches!(error.kind(), ErrorKind::TooDeep) {
            let limit = self.checker.options.limits.depth;
            let message = format!("values are nested deeper than {limit}");
            return self.at(&rules::TOO_DEEP, source, at..at, &message);
        }
        if !source.ended && is_cut(source.text, at) {
            return self.cut(source, source.text.len());
        }
        if self.looks_like.is_none() {
            self.looks_like = foreign::text(source.text);
        }
        let begins = source.text.len() - source.text.trim_start().len();
        let message = match error.kind() {
            ErrorKind::Syntax(_) if at == begins => "the line is not JSON".to_owned(),
            ErrorKind::Syntax(message) => format!("malformed JSON: {message}"),
            other => other.to_string(),
        };
        self.at(&rules::MALFORMED_JSON, source, at..at, &message);
    }

    /// The last line ends at `at` without having come to an end.
    fn cut(&mut self, source: &Source<'_>, at: usize) {
        let message = "the last line ends in the middle of a message";
        self.at(&rules::CUT_LINE, source, at..at, message);
    }

    /// The form of the stream, from this message if it is the first to tell.
    fn settle(&mut self, message: &Value) -> &'c Spec {
        let checker = self.checker;
        let found = Form::of(message).map(|form| match form {
            // A legacy stream goes on with core events behind its two header lines.
            Form::Core if self.form == Some(Form::ExecLegacy) => Form::ExecLegacy,
            // So does one whose head is missing, if the user says it is one.
            Form::Core if self.forms().all(|form| form != Form::Core) => Form::ExecLegacy,
            form => form,
        });
        let allowed = found.filter(|form| self.forms().any(|allowed| allowed == *form));
        match (self.form, allowed) {
            (Some(form), Some(found)) if form == found => self.recognised += 1,
            (None, Some(found)) => {
                self.recognised += 1;
                self.form = Some(found);
                self.possible = self.at_first(checker.spec(found));
                self.outcome.protocol = Some(found.protocol());
            }
            (_, None) | (Some(_), Some(_)) => {
                if self.looks_like.is_none() {
                    self.looks_like = foreign::message(message);
                }
            }
        }
        let spec = checker.spec(self.form_or_first());
        if self.form.is_none() {
            self.possible = self.at_first(spec);
        }
        spec
    }

    /// The forms the stream can have: of the protocol that is stated, if any is.
    fn forms(&self) -> impl Iterator<Item = Form> {
        let forms = self.checker.forms.as_slice();
        let fits = |form: &Form| Some(form.protocol()) == self.outcome.protocol;
        let stated = forms.iter().any(fits);
        let protocol = self.outcome.protocol.filter(|_| stated);
        let of_protocol = move |form: &Form| protocol.is_none_or(|p| p == form.protocol());
        forms.iter().copied().filter(of_protocol)
    }

    /// The form of the stream, or the one it is taken for until a message tells.
    fn form_or_first(&self) -> Form {
        let first = || self.forms().next();
        self.form.or_else(first).unwrap_or(self.checker.forms[0])
    }

    /// The spans that can have written a stream of which nothing has been read.
    fn at_first(&self, spec: &Spec) -> Bits {
        match self.stated {
            Some(release) => spec.only(release),
            None => spec.all(),
        }
    }

    /// The line as a message: which releases write such messages, and what is wrong with it.
    fn message(
        &mut self,
        source: &Source<'_>,
        message: &Value,
        doubled: &[Doubled],
        beyond: &[String],
    ) {
        let spec = self.settle(message);
        let side = spec.form.side_of(message, source.from);
        self.writer = Some(match spec.form.surfaces()[side].is_written() {
            true => Writer::Codex,
            false => Writer::Client,
        });
        self.direction(source, spec, side);
        let mut bits = spec.place(side, message);
        let first = (!doubled.is_empty())
            .then(|| tree(source.text, Counts::First, &mut Vec::new()).ok())
            .flatten();
        if let Some(first) = &first {
            bits &= spec.place(side, first);
        }
        let together = self.possible & bits;
        if self.stated.is_none() && bits != 0 {
            if together == 0 {
                let text = format!(
                    "only {} write such a message, and the lines before come from {}",
                    lifetime(spec, bits),
                    lifetime(spec, self.possible)
                );
                let range = locate(source.text, "", false).unwrap_or(0..source.text.len());
                self.push(&rules::MIXED_RELEASES, source, range, "", text, |_| {});
                return self.doubled(source, spec, (side, bits), message, doubled);
            }
            self.possible = together;
        }
        let mut faults = spec.faults(side, self.possible, message);
        for pointer in beyond {
            // Where there is a bound, that is the better thing to say.
            let said = |fault: &Fault| fault.pointer == *pointer;
            if !faults.iter().any(said) {
                faults.push(Fault::beyond(pointer));
            }
        }
        let of_last = faults.len();
        if let Some(first) = &first {
            for fault in spec.faults(side, self.possible, first) {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
        let elsewhere = (bits != 0 && together == 0)
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
        self.doubled(source, spec, (side, self.possible), message, doubled);
    }

    fn fault(
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
        self.add(
            (fault.rule, severity),
            source,
            range,
            &fault.pointer,
            fault.message,
            |finding| {
                finding.help = help;
                finding.releases = releases;
            },
        );
    }

    fn doubled(
        &mut self,
        source: &Source<'_>,
        spec: &Spec,
        (side, by): (usize, Bits),
        message: &Value,
        doubled: &[Doubled],
    ) {
        for double in doubled {
            let mut pointer = double.object.clone();
            push_segment(&mut pointer, &double.key);
            let range = double.second.clone();
            let key = member(&double.key);
            let life = spec
                .doubled(side, by, message, &double.object, &double.key)
                .filter(|_| double.times == 2);
            if !life.is_some_and(|life| life.contains(spec.range(by).until)) {
                let text = match double.times {
                    2 => format!("the key {key} stands here twice"),
                    times => format!("the key {key} stands here {times} times"),
                };
                let finish = |finding: &mut Finding| finding.releases = life;
                self.push(&rules::DUPLICATE_KEY, source, range, &pointer, text, finish);
                continue;
            }
            let text = format!("the key {key} stands here twice");
            self.push(
                &rules::DOUBLED_ID,
                source,
                range,
                &pointer,
                text,
                |finding| {
                    finding.help = Some(
                    "a defect of Codex since 0.92.0: the first is the item's id, the second the \
                     search's; most JSON readers keep only the second"
                        .to_owned(),
                );
                },
            );
        }
    }

    /// Whether the user asked to judge whoever wrote the line at hand.
    fn is_judged(&self, source: &Source<'_>) -> bool {
        let writer = source.from.or(self.writer);
        match (self.checker.options.side, writer) {
            (Some(side), Some(writer)) => side == writer,
            _ => true,
        }
    }

    /// A finding about a line that is not a message.
    fn at(&mut self, rule: &'static Rule, source: &Source<'_>, range: Range<usize>, message: &str) {
        self.push(rule, source, range, "", message.to_owned(), |finding| {
            finding.place.message = None;
        });
    }

    fn push(
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

    fn add(
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
        let options = &self.checker.options;
        if self.outcome.findings.len() >= options.limits.findings {
            return;
        }
        let at = (source.skipped + range.start) as u64;
        let place = Place {
            line: source.line,
            column: at + 1,
            offset: source.offset + at,
            length: range.len() as u64,
            pointer: pointer.to_owned(),
            message: Some(self.outcome.messages),
        };
        let mut finding = Finding::new(rule, severity, place, message);
        finding.writer = source.from;
        if !source.text.is_empty() {
            let vocabulary = &self.checker.spec(self.form_or_first()).vocabulary;
            // What the message names may be seen in the excerpt too.
            let named = [rules::UNKNOWN_VALUE.id, rules::UNKNOWN_KIND.id].contains(&rule.id)
                && source
                    .text
                    .get(range.clone())
                    .is_some_and(|text| is_name(text.trim_matches('"')));
            let shown = Shown {
                vocabulary,
                values: options.show_values,
                offender: named,
            };
            finding.excerpt = excerpt(source.text, range, &shown);
        }
        finish(&mut finding);
        self.outcome.findings.push(finding);
    }

    pub(crate) fn finish(mut self) -> Outcome {
        if self.outcome.identified && self.recognised == 0 && self.lines > 0 {
            let path = std::mem::take(&mut self.outcome.path);
            return Outcome::unreadable(path, self.not_a_transcript());
        }
        self.outcome.verdict = if self.outcome.counts.deny > 0 {
            Verdict::Findings
        } else if self.outcome.messages == 0 {
            Verdict::NotExercised
        } else {
            Verdict::Conforms
        };
        if self.outcome.messages > 0 {
            self.outcome.releases = Some(self.releases());
        }
        self.outcome
    }

    pub(crate) fn broken(self, error: &std::io::Error) -> Outcome {
        Outcome::unreadable(self.outcome.path, format!("reading failed: {error}"))
    }

    fn not_a_transcript(&self) -> String {
        let of = match self.checker.options.protocol {
            Some(protocol) => format!("of {protocol}"),
            None => "of a known protocol".to_owned(),
        };
        match self.looks_like {
            Some(what) => format!("not a transcript {of}: it looks like {what}"),
            None => format!("not a transcript {of}: no line is one of its messages"),
        }
    }

    fn releases(&self) -> ReleaseRange {
        let (since, until) = match self.stated {
            Some(release) => (release, release),
            None => {
                let span = self.checker.spec(self.form_or_first()).range(self.possible);
                (span.since, span.until)
            }
        };
        ReleaseRange { since, until }
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

/// The releases of a set in words.
fn lifetime(spec: &Spec, bits: Bits) -> Lifetime {
    let span = spec.range(bits);
    Lifetime {
        since: Some(span.since),
        until: Some(span.until),
    }
}
