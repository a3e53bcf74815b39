//! Scrubs one line: walks its tokens, keeps words of the protocol, and replaces the rest.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::cipher::{self, Chain, Key};
use crate::cuts::Cuts;
use crate::deltas::{Deltas, Place};
use crate::events;
use crate::places::{DEEPEST, Places};
use crate::pointer::Pointer;
use crate::record::{self, Head, Holds, Members};
use crate::replace::{
    around_marks, bare, data_url, escaped, escaped_as, is_blank, is_complete, is_json, is_open,
    is_value, place_in, with_escapes_of,
};
use crate::role::{self, AUTHORS, ENVELOPE, FIXED, LETTER, MCP_SERVER, Role, TOOLS, VERSION};
use crate::shape::{self, Shape};
use crate::survivors::Survivors;
use crate::tokens::{Token, decoded, is_whole, tokens};
use crate::words::{Context, Words};
use codex_wire_base::json::tokens::TokenKind;
use codex_wire_base::lines::BYTE_ORDER_MARK;

/// The marks of byte order, which stay.
const MARKS: [&[u8]; 3] = [BYTE_ORDER_MARK, b"\xff\xfe", b"\xfe\xff"];

/// How long a text may be that has a form by chance.
const LONGEST_SHAPED: usize = 64;

/// How often a placeholder is replaced again if it has a form. Nearly always once is enough.
const MOST_TURNS: usize = 100;

/// How deep JSON may stand in strings of JSON in strings. What is deeper is text.
const DEEPEST_VALUE: usize = 4;

/// What lines are scrubbed with, and what is known of those before.
pub(crate) struct Lines {
    pub(crate) key: Key,
    pub(crate) words: Words,
    pub(crate) keep: Vec<Pointer>,
    pub(crate) deltas: Deltas,
    /// Where texts of the model begin among their deltas, if all lines have been read before.
    pub(crate) cuts: Option<Cuts>,
    pub(crate) survivors: Survivors,
    pub(crate) number: u64,
    /// Whether the line at hand is one of a session file.
    pub(crate) is_of_session_file: bool,
    /// In how many strings the JSON stands that is being scrubbed.
    pub(crate) depth: usize,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A line of the input: a record, or a message.
    Line,
    /// The line in a record.
    Message,
    /// What a hook printed: its members are of whoever wrote the hook, if the protocol does not have them.
    Printed,
    /// JSON text in a string.
    Value,
}

/// An object or array that is open.
struct Frame {
    context: Context,
    role: Role,
    /// Where it begins.
    start: usize,
    is_object: bool,
    /// How many elements came before.
    index: usize,
    /// Whether it is within a kept value.
    kept: bool,
}

/// A text being scrubbed.
struct Walk<'l> {
    line: &'l [u8],
    frames: Vec<Frame>,
    /// How many objects and arrays are open within the last of the frames.
    deeper: u64,
    /// The names and numbers of what is open, if there are pointers.
    path: Vec<Vec<u8>>,
    /// What the next value is, after its key.
    next: (Context, Role),
    holds: Option<Holds>,
    /// The members it has if it is a recording's own line.
    record: Option<Members>,
    /// Whether it looks like JSON at all.
    is_json: bool,
    form: Form,
    /// The kind of the message.
    tag: Cow<'l, [u8]>,
    /// The texts that deltas continue, once there is one.
    places: Option<Places>,
}

impl Lines {
    /// Appends a scrubbed line to `out`.
    pub(crate) fn line(&mut self, line: &[u8], out: &mut Vec<u8>) {
        self.number += 1;
        let mark = MARKS.iter().find(|mark| line.starts_with(mark));
        let (mark, rest) = line.split_at(mark.map_or(0, |mark| mark.len()));
        out.extend_from_slice(mark);
        self.text(rest, Form::Line, out);
    }

    fn text(&mut self, line: &[u8], form: Form, out: &mut Vec<u8>) {
        let head = (form != Form::Value).then(|| Head::of(line));
        let record = match &head {
            Some(head) if form == Form::Line => head.record(),
            _ => None,
        };
        let mut walk = Walk {
            line,
            frames: Vec::new(),
            deeper: 0,
            path: Vec::new(),
            next: match form {
                Form::Value => (Context::Free, Role::Other),
                _ => (self.words.root(), Role::Other),
            },
            holds: None,
            record,
            is_json: is_json(line),
            form,
            tag: Cow::Borrowed(b""),
            places: None,
        };
        if let Some(head) = head.filter(|_| record.is_none()) {
            walk.tag = events::follow(line, &mut self.deltas, &mut self.cuts);
            self.is_of_session_file = head.has("payload");
        }
        let mut copied = 0;
        for token in tokens(line, 0) {
            out.extend_from_slice(&line[copied..token.start]);
            copied = token.end;
            self.token(&mut walk, token, out);
        }
        out.extend_from_slice(&line[copied..]);
    }

    fn token(&mut self, walk: &mut Walk<'_>, token: Token, out: &mut Vec<u8>) {
        let raw = token.of(walk.line);
        match token.kind {
            TokenKind::Object | TokenKind::Array if walk.frames.len() == DEEPEST => {
                walk.deeper += 1;
                out.extend_from_slice(raw);
            }
            TokenKind::Close if walk.deeper > 0 => {
                walk.deeper -= 1;
                out.extend_from_slice(raw);
            }
            TokenKind::Close => {
                walk.frames.pop();
                walk.path.truncate(walk.frames.len());
                out.extend_from_slice(raw);
            }
            TokenKind::Between => out.extend_from_slice(raw),
            TokenKind::Key => self.key(walk, raw, out),
            TokenKind::Object | TokenKind::Array => {
                let (mut context, mut role, kept) = self.begin(walk);
                // What a record has beside lines is its recorder's.
                if let Some(Holds::Payload | Holds::Text) = walk.holds.take() {
                    context = Context::Free;
                }
                // Output comes as one list of numbers.
                if role == Role::Bytes && walk.frames.last().is_some_and(|frame| !frame.is_object) {
                    role = Role::Other;
                }
                walk.frames.push(Frame {
                    context,
                    role,
                    start: token.start,
                    is_object: token.kind == TokenKind::Object,
                    index: 0,
                    kept,
                });
                out.extend_from_slice(raw);
            }
            TokenKind::String | TokenKind::Cut => {
                let (context, role, kept) = self.begin(walk);
                let text = decoded(raw);
                if kept {
                    self.survivors.kept(&text, self.number);
                    out.extend_from_slice(raw);
                    return;
                }
                match walk.holds.take() {
                    Some(holds) if token.kind == TokenKind::String => {
                        self.recorded(holds, raw, &text, out);
                    }
                    _ if role == Role::Delta || role == Role::Bytes => {
                        let place = walk.place();
                        self.delta(&walk.tag, place, (role, raw, &text), out);
                    }
                    _ => self.string(context, role, raw, &text, out),
                }
            }
            TokenKind::Bare => {
                let (context, role, kept) = self.begin(walk);
                let holds = walk.holds.take();
                if kept {
                    out.extend_from_slice(raw);
                } else if role == Role::Bytes
                    && let Some(byte) = byte(raw)
                {
                    let place = walk.place();
                    let mut chain = self.chain(place);
                    let new = chain.next(byte);
                    self.deltas.put(place, chain);
                    out.extend_from_slice(new.to_string().as_bytes());
                } else {
                    let is_payload = !walk.is_json
                        || holds.is_some_and(|holds| holds != Holds::Count)
                        || role == Role::Bytes && is_no_byte(raw)
                        || self.is_free(walk, context);
                    bare(self.key, raw, is_payload, out);
                }
            }
        }
    }

    /// Whether a number there is payload: none is declared.
    fn is_free(&self, walk: &Walk<'_>, context: Context) -> bool {
        match context {
            Context::Declared(place) => !self.words.is_number(place),
            Context::Free => true,
            // A newer Codex may count with it, if it is in a message.
            Context::Unknown => {
                walk.form == Form::Printed || walk.frames.iter().all(|frame| !frame.is_object)
            }
        }
    }

    /// What the value is that begins here, and whether it stays.
    fn begin(&mut self, walk: &mut Walk<'_>) -> (Context, Role, bool) {
        let mut kept = false;
        let (context, role) = match walk.frames.last_mut() {
            Some(frame) if walk.deeper > 0 => {
                return (Context::Unknown, Role::Other, frame.kept);
            }
            Some(frame) if !frame.is_object => {
                kept = frame.kept;
                if !self.keep.is_empty() {
                    walk.path.truncate(walk.frames.len() - 1);
                    let index = walk.frames.last().map_or(0, |frame| frame.index);
                    walk.path.push(index.to_string().into_bytes());
                }
                match walk.frames.last_mut() {
                    Some(frame) => {
                        frame.index += 1;
                        (self.words.element(frame.context), frame.role)
                    }
                    None => walk.next,
                }
            }
            Some(frame) => {
                kept = frame.kept;
                // What has no key is not a member.
                std::mem::replace(&mut walk.next, (Context::Unknown, Role::Other))
            }
            None => walk.next,
        };
        kept |= walk.form != Form::Value && !kept && self.is_kept(&walk.path);
        (context, role, kept)
    }

    /// Whether a pointer leads there.
    fn is_kept(&self, path: &[Vec<u8>]) -> bool {
        self.keep.iter().any(|pointer| {
            pointer.len() == path.len()
                && path
                    .iter()
                    .enumerate()
                    .all(|(at, name)| pointer.is_at(at, name))
        })
    }

    fn key(&mut self, walk: &mut Walk<'_>, raw: &[u8], out: &mut Vec<u8>) {
        let text = decoded(raw);
        let name = str::from_utf8(&text).unwrap_or_default();
        let (context, kept) = match walk.frames.last() {
            Some(frame) if walk.deeper > 0 => (Context::Unknown, frame.kept),
            Some(frame) => (frame.context, frame.kept),
            None => (Context::Unknown, false),
        };
        if !self.keep.is_empty() && walk.deeper == 0 {
            walk.path.truncate(walk.frames.len().saturating_sub(1));
            walk.path.push(text.to_vec());
        }
        let (next, mut is_known) = self.words.member(context, name);
        walk.next = match role::of(name) {
            // Any member may have the name of a delta.
            Role::Delta | Role::Bytes if self.words.is_any(next) => (next, Role::Other),
            role => (next, role),
        };
        is_known |= ENVELOPE.contains(&name);
        walk.holds = None;
        if let Some(members) = walk.record.filter(|_| walk.frames.len() == 1) {
            let known = members.iter().find(|(other, _)| *other == name);
            walk.holds = known.map(|(_, holds)| *holds);
            walk.next = (Context::Unknown, Role::Other);
            is_known = known.is_some();
        }
        if is_known {
            out.extend_from_slice(raw);
        } else if kept {
            self.survivors.kept(&text, self.number);
            out.extend_from_slice(raw);
        } else {
            self.string(Context::Unknown, Role::Other, raw, &text, out);
        }
    }

    /// A member of a record.
    fn recorded(&mut self, holds: Holds, raw: &[u8], text: &[u8], out: &mut Vec<u8>) {
        match holds {
            // What is not text is not a line either.
            Holds::Line if is_whole(raw) => {
                let mut inner = Vec::with_capacity(text.len());
                self.text(text, Form::Message, &mut inner);
                escaped_as(raw, text, &inner, out);
            }
            Holds::Bytes => match STANDARD.decode(text) {
                Ok(line) => {
                    let mut inner = Vec::with_capacity(line.len());
                    self.text(&line, Form::Message, &mut inner);
                    escaped_as(raw, text, STANDARD.encode(inner).as_bytes(), out);
                }
                Err(_) => self.base64(raw, text, out),
            },
            Holds::Printed if is_open(text) && is_whole(raw) => {
                let mut inner = Vec::with_capacity(text.len());
                self.text(text, Form::Printed, &mut inner);
                escaped_as(raw, text, &inner, out);
            }
            Holds::Printed | Holds::Text => self.told(raw, text, out),
            Holds::Event if str::from_utf8(text).is_ok_and(|text| self.words.is_event(text)) => {
                out.extend_from_slice(raw);
            }
            holds => {
                let value = str::from_utf8(text).unwrap_or_default();
                match record::is_open(holds, value) {
                    true => out.extend_from_slice(raw),
                    false => self.string(Context::Unknown, Role::Other, raw, text, out),
                }
            }
        }
    }

    /// How far the text of a delta has been replaced.
    fn chain(&mut self, place: Place) -> Chain {
        let begun = self.deltas.take(place);
        begun.unwrap_or_else(|| self.key.chain())
    }

    /// A delta of a text.
    fn delta(
        &mut self,
        tag: &[u8],
        place: Place,
        (role, raw, text): (Role, &[u8], &[u8]),
        out: &mut Vec<u8>,
    ) {
        if role == Role::Bytes {
            let Ok(bytes) = STANDARD.decode(text) else {
                return self.base64(raw, text, out);
            };
            let mut chain = self.chain(place);
            let mut new = Vec::new();
            chain.push(&bytes, &mut new);
            self.deltas.put(place, chain);
            self.survivors.replaced(&bytes, &new, self.number);
            escaped_as(raw, text, STANDARD.encode(new).as_bytes(), out);
            return;
        }
        let mut chain = self.chain(place);
        let start = out.len();
        let mut rest = raw;
        let cuts = self.cuts.as_mut().map(|cuts| cuts.delta(tag, text));
        let mut before = 0;
        for cut in cuts.into_iter().flatten() {
            let (begin, end) = rest.split_at(place_in(rest, cut - before));
            escaped(&mut chain, begin, out);
            (chain, rest, before) = (self.key.chain(), end, cut);
        }
        escaped(&mut chain, rest, out);
        self.deltas.put(place, chain);
        let new = decoded(&out[start..]);
        self.survivors.replaced(text, &new, self.number);
    }

    /// A text in base64, or one that should be.
    fn base64(&mut self, raw: &[u8], text: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        match STANDARD.decode(text) {
            Ok(_) => {
                let mut new = Vec::with_capacity(text.len());
                cipher::base64(self.key, text, &mut new);
                with_escapes_of(raw, &new, out);
            }
            // It does not become base64 either.
            Err(_) => self.turned(raw, out, |new| STANDARD.decode(new).is_err()),
        }
        let new = decoded(&out[start..]);
        self.survivors.replaced(text, &new, self.number);
    }

    /// A string that is not a delta.
    fn string(&mut self, context: Context, role: Role, raw: &[u8], text: &[u8], out: &mut Vec<u8>) {
        let words = str::from_utf8(text).ok();
        let stays = words.is_some_and(|words| match role {
            Role::Methods => self.words.is_method(words),
            Role::Version => words.len() <= VERSION,
            Role::Author => AUTHORS.contains(&words),
            Role::Tool => TOOLS.contains(&words),
            // Rules ask whether there is a reason. Deltas of blank text may join to one that is not.
            Role::Other | Role::Id | Role::Arguments if is_blank(text) => true,
            Role::Other | Role::Arguments if MCP_SERVER.contains(&words) => true,
            _ => self.words.is_word(context, words),
        });
        if stays {
            return out.extend_from_slice(raw);
        }
        let start = out.len();
        if self.words.is_base64(context) {
            return self.base64(raw, text, out);
        } else if let Some(begin) = data_url(text) {
            let (before, data) = raw.split_at(place_in(raw, begin));
            out.extend_from_slice(before);
            return self.base64(data, &text[begin..], out);
        } else if role == Role::Text && !(text.starts_with(LETTER) && is_value(text)) {
            if FIXED.contains(&text.trim_ascii()) {
                return out.extend_from_slice(raw);
            }
            match self.is_of_session_file {
                true => around_marks(&mut self.key.chain(), raw, text, out),
                false => escaped(&mut self.key.chain(), raw, out),
            }
        } else if role == Role::Agent
            && let Some(release) = shape::release_in(text)
        {
            let release = place_in(raw, release.start)..place_in(raw, release.end);
            return self.agent(raw, release, out);
        } else if self.depth < DEEPEST_VALUE
            && (is_value(text) || role == Role::Arguments && is_complete(text))
            && is_whole(raw)
        {
            let mut inner = Vec::with_capacity(text.len());
            self.depth += 1;
            self.text(text, Form::Value, &mut inner);
            self.depth -= 1;
            return escaped_as(raw, text, &inner, out);
        } else {
            let is_id = role == Role::Id;
            let mut new = Vec::new();
            match shape::of(text, is_id) {
                Shape::Open => return out.extend_from_slice(raw),
                Shape::Uuid => shape::uuid(self.key, text, &mut new),
                Shape::Time => shape::moved(self.key, text, &mut new),
                Shape::Plain => {
                    let domain = words.and_then(|words| self.words.domain(context, words));
                    let begin = domain.map_or_else(|| shape::drive(text), str::len);
                    let (before, rest) = raw.split_at(place_in(raw, begin));
                    out.extend_from_slice(before);
                    return self.plain(context, is_id, (rest, &text[begin..]), out);
                }
            }
            with_escapes_of(raw, &new, out);
            return self.survivors.replaced_whole(text);
        }
        let new = decoded(&out[start..]);
        self.survivors.replaced(text, &new, self.number);
    }

    /// A string without a form. Its placeholder has none either, so that no other value has it.
    fn plain(
        &mut self,
        context: Context,
        is_id: bool,
        (raw, text): (&[u8], &[u8]),
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        if text.len() > LONGEST_SHAPED {
            self.turned(raw, out, |new| !is_blank(new));
        } else {
            self.turned(raw, out, |new| {
                let is_word = str::from_utf8(new).is_ok_and(|new| self.words.is_word(context, new));
                let has_form = is_value(new) || shape::of(new, is_id) != Shape::Plain;
                !is_word && !has_form && !is_blank(new)
            });
        }
        let new = decoded(&out[start..]);
        self.survivors.replaced(text, &new, self.number);
    }

    /// What a hook said that is not JSON. It does not become JSON, and stays blank or does not.
    fn told(&mut self, raw: &[u8], text: &[u8], out: &mut Vec<u8>) {
        if is_blank(text) {
            return out.extend_from_slice(raw);
        }
        let start = out.len();
        self.turned(raw, out, |new| !is_blank(new) && !is_open(new));
        let new = decoded(&out[start..]);
        self.survivors.replaced(text, &new, self.number);
    }

    /// Replaces an escaped string until the placeholder, as text, fits.
    fn turned(&self, raw: &[u8], out: &mut Vec<u8>, fits: impl Fn(&[u8]) -> bool) {
        let start = out.len();
        escaped(&mut self.key.chain(), raw, out);
        for _ in 0..MOST_TURNS {
            if fits(&decoded(&out[start..])) {
                break;
            }
            let old = out.split_off(start);
            escaped(&mut self.key.chain(), &old, out);
        }
    }

    /// What a Codex calls itself: its release stays.
    fn agent(&mut self, raw: &[u8], release: std::ops::Range<usize>, out: &mut Vec<u8>) {
        let (before, after) = (&raw[..release.start], &raw[release.end..]);
        let text = decoded(before);
        let mut name = Vec::new();
        self.key.chain().push(&text, &mut name);
        // Nothing before the release may look like what follows it.
        let is_mark = |name: &[u8]| memchr::memmem::find(name, b" (").is_some();
        let mut turns = match text.len() > LONGEST_SHAPED {
            true => 0,
            false => MOST_TURNS,
        };
        while turns > 0 && is_mark(&name) {
            let old = std::mem::take(&mut name);
            self.key.chain().push(&old, &mut name);
            turns -= 1;
        }
        // In a long name there is always some.
        for at in 1..name.len() {
            if name[at - 1..=at] == *b" (" {
                name[at] = b')';
            }
        }
        let mut new = Vec::new();
        with_escapes_of(before, &name, &mut new);
        let number = self.number;
        self.survivors
            .replaced(&decoded(before), &decoded(&new), number);
        out.extend_from_slice(&new);
        out.extend_from_slice(&raw[release]);
        new.clear();
        escaped(&mut self.key.chain(), after, &mut new);
        self.survivors
            .replaced(&decoded(after), &decoded(&new), number);
        out.extend_from_slice(&new);
    }
}

impl Walk<'_> {
    /// Which text the delta continues that stands in the innermost object.
    fn place(&mut self) -> Place {
        let objects = self.frames.iter().rfind(|frame| frame.is_object);
        let start = objects.map(|frame| frame.start);
        let places = self
            .places
            .get_or_insert_with(|| Places::of(self.line, &self.tag));
        places.at(start)
    }
}

/// A number that is a byte of output.
pub(crate) fn byte(raw: &[u8]) -> Option<u8> {
    let byte: u8 = str::from_utf8(raw).ok()?.parse().ok()?;
    // Not `+1` or `01`, which are not JSON.
    (byte.to_string().as_bytes() == raw).then_some(byte)
}

/// Whether a number is not a byte, whatever its digits are.
fn is_no_byte(raw: &[u8]) -> bool {
    raw.len() > 3 && raw.iter().all(u8::is_ascii_digit)
}
