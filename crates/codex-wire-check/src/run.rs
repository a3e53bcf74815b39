//! Checks one input, line by line. This file has the way of a line; each submodule has one step of
//! it.
//!
//! In order: `pieces` (repeated deltas), framing (here), `quick` (fast path), `recorded`
//! (transcript records), `rpc` (requests and responses), release inference (here, with
//! `placement`), `findings` (validation, and how findings are made), `doubled` (duplicate keys),
//! `life` (sequences), `end` (the outcome).

mod doubled;
mod end;
mod findings;
mod identity;
mod live;
mod message;
mod pieces;
mod quick;
mod recorded;
mod rpc;
mod sequence;
mod unspoken;
mod watched;

use std::str::Utf8Error;

use codex_wire_base::lines::Line;
use codex_wire_base::shape::Lifetime;
use codex_wire_base::{ErrorKind, Release, ReleaseSet};
use codex_wire_program::{Keys, Outline, View};
use serde_json::Value;

use crate::checker::Checker;
use crate::finding::Writer;
use crate::foreign;
use crate::form::{Form, Search, Spec};
use crate::outcome::Outcome;
use crate::place::Places;
use crate::rpc::{Call, Rpc};
use crate::rules;
use crate::scan::{Doubled, is_cut, locate, scan};
use crate::tree::{Counts, Tree};
use crate::words::kind;
use message::Message;
use pieces::Around;
pub(crate) use quick::{Accepted, Ahead};
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
    possible: ReleaseSet,
    /// Those that could have written what Codex wrote so far.
    by_codex: ReleaseSet,
    /// Whether it wrote anything: until then the client's lines tell what they can.
    codex_wrote: bool,
    /// Lines read so far.
    lines: u64,
    /// Messages of a kind the form has.
    recognised: u64,
    /// Who wrote the message at hand, by its shape.
    writer: Option<Writer>,
    /// The form of messages that the stated release does not speak, once one has come.
    unspoken: Option<Form>,
    /// What the first line that is no message looks like, if that tells something.
    looks_like: Option<&'static str>,
    /// Order and pairing.
    sequence: sequence::Sequence,
    /// Requests and answers.
    rpc: Rpc,
    /// What they tell of the message at hand.
    call: Option<Call>,
    /// What the line at hand holds, where somebody wants to see it.
    watched: Option<Box<watched::Watched>>,
    /// Room for looking at a line, and at the recorded line it holds.
    outlines: [Outline; 2],
    /// What stands around the piece of a text, while it is told in pieces.
    around: Around,
    /// How much was searched for the release that a message of none is nearest to.
    search: Search,
    /// What is known of keys that Codex writes twice.
    seconds: Vec<doubled::Second>,
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
    /// How many characters these are; `None` where they are no text.
    skipped_characters: Option<u64>,
    text: &'a str,
    /// Whether the line is complete.
    ended: bool,
    /// Who wrote it, if a recording says so.
    from: Option<Writer>,
    /// Where things stand in the text, as far as anybody asked.
    places: Places,
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
            possible: ReleaseSet::EMPTY,
            by_codex: ReleaseSet::EMPTY,
            codex_wrote: false,
            lines: 0,
            recognised: 0,
            writer: None,
            unspoken: None,
            looks_like: None,
            sequence: sequence::Sequence::default(),
            rpc: Rpc::new(&checker.options.limits),
            call: None,
            watched: None,
            outlines: Default::default(),
            around: Around::default(),
            search: Search::default(),
            seconds: Vec::new(),
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
        self.life_line(line);
        if !self.further_piece(line, from) {
            self.frame(line, from);
        }
        self.is_hopeless()
    }

    /// Why the input is given up after the line at hand, if it is.
    fn is_hopeless(&self) -> Option<String> {
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
            skipped_characters: Some(0),
            text: "",
            ended: line.ended,
            from,
            places: Places::default(),
        };
        if line.number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            let message = "the stream begins with a byte order mark";
            self.at(&rules::BOM, &source, 0..3, message);
            (source.skipped, source.skipped_characters) = (3, Some(1));
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
            self.no_text(bytes);
            return self.at(
                &rules::NUL_BYTE,
                &source,
                at..at + 1,
                "the line holds a NUL byte",
            );
        }
        match text_of(bytes) {
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
                self.life_garbled();
                self.no_text(bytes);
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

    /// The line is not what a text holds.
    fn no_text(&mut self, bytes: &[u8]) {
        self.stray();
        if self.recognised == 0 {
            self.looks_like = foreign::bytes(bytes, self.looks_like);
        }
    }

    /// The line as JSON.
    fn text(&mut self, source: &Source<'_>) {
        // A recorded line is looked at while the line that holds it is.
        let room = usize::from(source.from.is_some());
        let mut outline = std::mem::take(&mut self.outlines[room]);
        self.value(source, &mut outline);
        self.outlines[room] = outline;
    }

    fn value(&mut self, source: &Source<'_>, outline: &mut Outline) {
        let text = source.text;
        if let Some((view, accepted)) = self.quick(source, outline) {
            return self.taken(source, view, accepted);
        }
        let doubled = match scan(text, self.checker.options.limits.depth) {
            Ok(doubled) => doubled,
            Err(error) => return self.malformed(source, &error),
        };
        let view = View::outlined(text, outline, Keys::Last);
        if source.from.is_none() && recorded::is_record(view) {
            return self.record(source, view);
        }
        match Message::scanned(view, text, self.checker.options.limits.values) {
            Ok(message) if view.is_object() => self.object(source, message, None, doubled),
            Ok(message) => self.no_object(source, message.tree()),
            Err(error) => self.malformed(source, &error),
        }
    }

    /// A message that a program has accepted.
    fn taken(&mut self, source: &Source<'_>, view: View<'_>, accepted: Accepted) {
        let message = Message::accepted(view, source.text, self.checker.options.limits.values);
        // The grammar is right, so there is no error.
        let doubled = match accepted.repeated {
            true => scan(source.text, self.checker.options.limits.depth).unwrap_or_default(),
            false => Vec::new(),
        };
        self.object(source, message, Some(accepted), doubled);
    }

    fn no_object(&mut self, source: &Source<'_>, value: &Value) {
        if value.is_array() && self.looks_like.is_none() {
            self.looks_like = Some(foreign::ARRAY);
        }
        if value.is_array() && self.array(source) {
            return;
        }
        self.stray();
        let message = format!("the line is {}, not an object", kind(value));
        self.at(
            &rules::NOT_AN_OBJECT,
            source,
            0..source.text.len(),
            &message,
        );
    }

    /// A message: its shape, and its place in the order. A program may have accepted it; keys
    /// may stand there more than once.
    fn object(
        &mut self,
        source: &Source<'_>,
        message: Message<'_>,
        accepted: Option<Accepted>,
        doubled: Vec<Doubled>,
    ) {
        self.outcome.messages += 1;
        let denied = self.outcome.counts.error;
        let found = self.outcome.counts.total();
        let view = message.view;
        let other = match accepted {
            // It is of a form that is spoken.
            Some(_) => None,
            None => self.unspoken(view),
        };
        if let Some(form) = other {
            self.tell_unspoken(source, form, &message);
            return self.passed(source, message);
        }
        self.message(source, &message, accepted, &doubled);
        let first = (!doubled.is_empty()).then(|| view.with(Keys::First));
        self.sequence_message(source, view, first, denied);
        if doubled.is_empty() && self.outcome.counts.total() == found {
            self.expect_pieces(source, view);
        }
        self.passed(source, message);
    }

    /// The message at hand is done with.
    fn passed(&mut self, source: &Source<'_>, message: Message<'_>) {
        if self.watched.is_some() {
            self.seen(source, message.into_tree());
        }
        self.writer = None;
        self.call = None;
    }

    fn malformed(&mut self, source: &Source<'_>, error: &codex_wire_base::Error) {
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
        if self.recognised == 0 {
            self.looks_like = foreign::text(source.text, self.looks_like);
        }
        if self.is_full() {
            return self.only_count(&rules::MALFORMED_JSON, source, 1);
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
        self.life_cut(source.from);
        let message = "the last line ends in the middle of a message";
        self.at(&rules::CUT_LINE, source, at..at, message);
    }

    /// The form of the stream, from this message if it is the first to tell.
    fn settle(&mut self, message: &Message<'_>, accepted: bool) -> &'c Spec {
        let checker = self.checker;
        // Such messages the stream has: it tells nothing new.
        if let (Some(form), true) = (self.form, accepted && self.recognised > 0) {
            self.recognised += 1;
            return checker.spec(form);
        }
        let view = message.view;
        // A member that core messages have does not make one of an event, where those may come.
        let may_be = self.form.is_none_or(|form| form == Form::Exec)
            && self.forms().any(|form| form == Form::Exec);
        let event = (may_be && Form::is_event(view)).then_some(Form::Exec);
        let found = event.or_else(|| Form::of(view)).map(|form| match form {
            // A legacy stream goes on with core events behind its two header lines.
            Form::Core if self.form == Some(Form::ExecLegacy) => Form::ExecLegacy,
            // So does one whose head is missing, if the user says it is one.
            Form::Core if self.forms().all(|form| form != Form::Core) => Form::ExecLegacy,
            form => form,
        });
        let allowed = found.filter(|form| self.forms().any(|allowed| allowed == *form));
        let sure = allowed.is_some_and(|form| form.is_sure_of(view));
        if !sure && self.looks_like.is_none() && self.recognised == 0 {
            self.looks_like = foreign::message(message.tree());
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
                if self.looks_like.is_none() && self.recognised == 0 {
                    self.looks_like = foreign::message(message.tree());
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
    fn at_first(&self, spec: &Spec) -> ReleaseSet {
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
    fn message(
        &mut self,
        source: &Source<'_>,
        message: &Message<'_>,
        accepted: Option<Accepted>,
        doubled: &[Doubled],
    ) {
        self.tell_form(message.view);
        let spec = self.settle(message, accepted.is_some());
        self.call = (spec.form == Form::AppServer).then(|| self.hear(source, spec, message));
        let call = self.call;
        let side = match &call {
            Some(call) => call.surface.map(|surface| spec.side(surface)),
            None => Some(spec.form.side_of(message.view, source.from)),
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
        // What is identified learns nothing more from what all its releases write, or from anything
        // once no release is left.
        if let Some(identity) = &self.identity
            && (identity.is_mixed() || accepted.is_some_and(|a| self.is_no_news(&a, side)))
        {
            return;
        }
        let by = self.possible;
        let is_right = accepted.is_some_and(|accepted| self.is_right(&accepted, side));
        if is_right && doubled.is_empty() && self.release().is_some() {
            return;
        }
        // Of what Codex writes nothing but the doubled keys is left to tell.
        if is_right && written && self.release().is_some() {
            return self.doubled_alone(source, spec, side, message, doubled);
        }
        let most = self.checker.options.limits.values;
        let last = message.looked_at();
        let message = &*dressed(call.as_ref(), &last.value);
        let place = |message: &Value, tree: &Tree| match tree.left.is_sound() {
            true => self.place(spec, side, message),
            // What is not there tells nothing.
            false => spec.all(),
        };
        let mut bits = place(message, last);
        let first = (!doubled.is_empty())
            .then(|| Tree::of(source.text, Counts::First, most).ok())
            .flatten();
        let also = first
            .as_ref()
            .map(|first| dressed(call.as_ref(), &first.value));
        if let (Some(also), Some(first)) = (&also, &first) {
            bits &= place(also, first);
        }
        if self.identity.is_some() {
            let weighed = identity::Weighed {
                side,
                writer: self.writer.unwrap_or(Writer::Codex),
                readings: [Some(message), also.as_deref()],
                bits,
            };
            self.weigh(source, spec, &weighed);
            return;
        }
        if self.release().is_none() && !bits.is_empty() && !self.narrow(written, bits) {
            let text = format!(
                "only {} write such a message, and the lines before come from {}",
                lifetime(spec, bits),
                lifetime(spec, self.possible)
            );
            let range = locate(source.text, "", false).unwrap_or(0..source.text.len());
            self.push(&rules::MIXED_RELEASES, source, range, "", text, |_| {});
            return self.doubled(source, spec, (side, bits), message, doubled);
        }
        // What a client writes tells nothing of Codex, but is right if one that is possible reads it.
        let kept = self.possible;
        if !written && !(kept & bits).is_empty() {
            self.possible &= bits;
        }
        let is_right = is_right && self.possible.newest() == by.newest();
        let may_be = doubled.is_empty() || last.left.first.is_some();
        let is_right = is_right || may_be && self.is_accepted(source, spec, side);
        if !is_right {
            let first = also.as_deref().zip(first.as_ref());
            self.shape(source, spec, (side, bits), ((message, last), first));
        }
        self.doubled(source, spec, (side, self.possible), message, doubled);
        self.possible = kept;
    }
}

/// A line as text.
fn text_of(bytes: &[u8]) -> Result<&str, Utf8Error> {
    // The fast way does not say where a fault is.
    simdutf8::basic::from_utf8(bytes).or_else(|_| str::from_utf8(bytes))
}

/// The releases of a set in words.
fn lifetime(spec: &Spec, bits: ReleaseSet) -> Lifetime {
    let span = spec.range(bits);
    Lifetime {
        since: Some(span.since),
        until: Some(span.until),
    }
}
