//! One input on its way through the checker: its lines, its messages, its findings.

mod findings;
mod identity;
mod life;
mod live;
mod quick;
mod recorded;
mod rpc;
mod watched;

use std::ops::Range;

use codex_wire::lines::Line;
use codex_wire::shape::Lifetime;
use codex_wire::{ErrorKind, Release};
use serde_json::Value;

use crate::checker::Checker;
use crate::finding::Writer;
use crate::foreign;
use crate::form::{Form, Spec};
use crate::judge::Fault;
use crate::outcome::{Outcome, ReleaseRange, SchemaUsed};
use crate::placement::Bits;
use crate::rpc::{Call, Rpc};
use crate::rules;
use crate::scan::{Counts, Doubled, is_cut, key_before, locate, scan, tree};
use crate::words::kind;
use rpc::dressed;

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
    /// The release Codex itself says it is.
    told: Option<Release>,
    /// The spans that could have written everything so far; by the form, once it is known.
    possible: Bits,
    /// Those that could have written what Codex wrote so far.
    by_codex: Bits,
    /// Whether it wrote anything: until then the client's lines tell what they can.
    codex_wrote: bool,
    /// Lines read so far.
    lines: u64,
    /// Messages of a kind the form has.
    recognised: u64,
    /// Who wrote the message at hand, by its shape.
    writer: Option<Writer>,
    /// What the first line that is no message looks like, if that tells something.
    looks_like: Option<&'static str>,
    /// Order and pairing.
    life: life::Life,
    /// Requests and answers.
    rpc: Rpc,
    /// What they tell of the message at hand.
    call: Option<Call>,
    /// What the line at hand holds, where somebody wants to see it.
    watched: Option<Box<watched::Watched>>,
    /// What the input is, where nothing but that is to be found out.
    identity: Option<Box<identity::Identity>>,
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
            told: None,
            possible: 0,
            by_codex: 0,
            codex_wrote: false,
            lines: 0,
            recognised: 0,
            writer: None,
            looks_like: None,
            life: life::Life::default(),
            rpc: Rpc::new(&checker.options.limits),
            call: None,
            watched: None,
            identity: None,
        }
    }

    /// Checks one line, which that side wrote if it is known. Returns a reason to give the input
    /// up.
    pub(crate) fn line(&mut self, line: &Line<'_>, from: Option<Writer>) -> Option<String> {
        self.lines += 1;
        let utf16 = line.bytes.starts_with(b"\xff\xfe") || line.bytes.starts_with(b"\xfe\xff");
        if self.lines == 1 && utf16 {
            return Some(
                "UTF-16 text, not UTF-8; some Windows shells write it when output is redirected"
                    .to_owned(),
            );
        }
        self.life_line(line.number, line.offset, line.bytes.len() as u64);
        self.frame(line, from);
        let hopeless = self.lines == GIVE_UP_AFTER && self.recognised == 0;
        (hopeless && self.outcome.identified).then(|| self.not_a_transcript())
    }

    /// The line as a line: encoding and ends.
    fn frame(&mut self, line: &Line<'_>, from: Option<Writer>) {
        let mut bytes = line.bytes;
        let mut source = Source {
            line: line.number,
            offset: line.offset,
            skipped: 0,
            text: "",
            ended: line.ended,
            from,
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
            self.life_lost(from);
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
            self.life_lost(from);
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
                self.life_lost(from);
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
        let mut beyond = Vec::new();
        let (message, doubled) = match self.plain(text) {
            Some(message) => (message, None),
            None => {
                let doubled = match scan(text, self.checker.options.limits.depth) {
                    Ok(doubled) => doubled,
                    Err(error) => return self.malformed(source, &error),
                };
                let message =
                    serde_json::from_str(text).or_else(|_| tree(text, Counts::Last, &mut beyond));
                match message {
                    Ok(message) => (message, Some(doubled)),
                    Err(error) => return self.malformed(source, &error),
                }
            }
        };
        if !message.is_object() {
            if message.is_array() && self.looks_like.is_none() {
                self.looks_like = Some(foreign::ARRAY);
            }
            if message.is_array() && self.array(source) {
                return;
            }
            self.stray();
            let message = format!("the line is {}, not an object", kind(&message));
            return self.at(&rules::NOT_AN_OBJECT, source, 0..text.len(), &message);
        }
        if source.from.is_none() && recorded::is_record(&message) {
            return self.record(source, &message);
        }
        self.outcome.messages += 1;
        let denied = self.outcome.counts.deny;
        let first = self.message(source, &message, doubled, &beyond);
        self.life_message(source, &message, first.as_ref(), denied);
        self.seen(source, message);
        self.writer = None;
        self.call = None;
    }

    fn malformed(&mut self, source: &Source<'_>, error: &codex_wire::Error) {
        let at = error.offset().min(source.text.len());
        if matches!(error.kind(), ErrorKind::TooDeep) {
            self.life_lost(source.from);
            let limit = self.checker.options.limits.depth;
            let message = format!("values are nested deeper than {limit}");
            return self.at(&rules::TOO_DEEP, source, at..at, &message);
        }
        if !source.ended && is_cut(source.text, at) {
            return self.cut(source, source.text.len());
        }
        self.life_lost(source.from);
        self.stray();
        self.looks_like = foreign::text(source.text, self.looks_like);
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
        self.life_cut(source.from);
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
        let sure = allowed.is_some_and(|form| form.is_sure_of(message));
        if !sure && self.looks_like.is_none() {
            self.looks_like = foreign::message(message);
        }
        match (self.form, allowed) {
            (Some(form), Some(found)) if form == found => self.recognised += u64::from(sure),
            (None, Some(found)) => {
                self.recognised += u64::from(sure);
                self.form = Some(found);
                self.possible = self.at_first(checker.spec(found));
                self.by_codex = self.possible;
                self.outcome.protocol = Some(found.protocol());
            }
            (_, None) => {}
            (Some(_), Some(_)) => {
                if self.looks_like.is_none() {
                    self.looks_like = foreign::message(message);
                }
            }
        }
        let spec = checker.spec(self.form_or_first());
        if self.form.is_none() {
            self.possible = self.at_first(spec);
            self.by_codex = self.possible;
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

    /// The release that is known, from the user, the recording or Codex itself.
    fn release(&self) -> Option<Release> {
        self.stated.or(self.told)
    }

    /// The line as a message: which releases write such messages, and what is wrong with it.
    /// Where keys are doubled, returns it with the first of each. Which are, if any, is not yet
    /// known of most messages.
    fn message(
        &mut self,
        source: &Source<'_>,
        message: &Value,
        doubled: Option<Vec<Doubled>>,
        beyond: &[String],
    ) -> Option<Value> {
        self.tell_form(message);
        let spec = self.settle(message);
        self.call = (spec.form == Form::AppServer).then(|| self.hear(source, spec, message));
        let call = self.call.clone();
        let side = match &call {
            Some(call) => call.surface.map(|surface| spec.side(surface)),
            None => Some(spec.form.side_of(message, source.from)),
        };
        let written = match (&call, side) {
            (Some(call), _) => call.writer == Writer::Codex,
            (None, side) => side.is_none_or(|side| spec.form.surfaces()[side].is_written()),
        };
        self.writer = Some(match written {
            true => Writer::Codex,
            false => Writer::Client,
        });
        self.direction(source, written);
        let by = self.possible;
        let (is_right, doubled) = match doubled {
            Some(doubled) => (false, doubled),
            None => self.quick(spec, side, message, source.text),
        };
        if is_right && doubled.is_empty() && self.release().is_some() {
            return None;
        }
        let message = &*dressed(call.as_ref(), message);
        let place = |message: &Value| self.place(spec, side, message);
        let mut bits = place(message);
        let first = (!doubled.is_empty())
            .then(|| tree(source.text, Counts::First, &mut Vec::new()).ok())
            .flatten();
        let also = first.as_ref().map(|first| dressed(call.as_ref(), first));
        if let Some(first) = &also {
            bits &= place(first);
        }
        if self.identity.is_some() {
            let weighed = identity::Weighed {
                side,
                writer: self.writer.unwrap_or(Writer::Codex),
                readings: [Some(message), also.as_deref()],
                bits,
            };
            self.weigh(source, spec, &weighed);
            return None;
        }
        if self.release().is_none() && bits != 0 && !self.narrow(written, bits) {
            let text = format!(
                "only {} write such a message, and the lines before come from {}",
                lifetime(spec, bits),
                lifetime(spec, self.possible)
            );
            let range = locate(source.text, "", false).unwrap_or(0..source.text.len());
            self.push(&rules::MIXED_RELEASES, source, range, "", text, |_| {});
            self.doubled(source, spec, (side, bits), message, &doubled);
            return first;
        }
        // What a client writes tells nothing of Codex, but is right if one that is possible reads it.
        let kept = self.possible;
        if !written && kept & bits != 0 {
            self.possible &= bits;
        }
        if is_right && self.possible.leading_zeros() == by.leading_zeros() {
            self.doubled(source, spec, (side, self.possible), message, &doubled);
            self.possible = kept;
            return first;
        }
        let mut faults = self.faults(spec, side, message);
        for pointer in beyond {
            // Where there is a bound, that is the better thing to say.
            let said = |fault: &Fault| fault.pointer == *pointer;
            if !faults.iter().any(said) {
                faults.push(Fault::beyond(pointer));
            }
        }
        let of_last = faults.len();
        if let Some(first) = &also {
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
        self.doubled(source, spec, (side, self.possible), message, &doubled);
        self.possible = kept;
        first
    }

    pub(crate) fn finish(mut self) -> Outcome {
        if self.outcome.identified && self.recognised == 0 && self.lines > 0 {
            let path = std::mem::take(&mut self.outcome.path);
            return Outcome::unreadable(path, self.not_a_transcript());
        }
        self.life_end();
        self.outcome.judge();
        if self.outcome.messages > 0 {
            let releases = self.releases();
            self.outcome.releases = Some(releases);
            let surfaces = self.form_or_first().surfaces().iter();
            self.outcome.schemas = surfaces
                .map(|surface| SchemaUsed::of(*surface, releases.until))
                .collect();
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
        let (since, until) = match self.release() {
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
