//! Scrubs one line: walks its tokens, keeps words of the protocol, and replaces the rest.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::cipher::{self, Chain, Key};
use crate::cuts::Cuts;
use crate::deltas::{Deltas, Place};
use crate::pointer::Pointer;
use crate::record::{self, Holds, Members};
use crate::replace::{
    around_marks, bare, data_url, escaped, is_blank, is_json, is_open, is_value, place_in,
};
use crate::role::{self, AUTHORS, ENVELOPE, FIXED, LETTER, Role, TOOLS, VERSION};
use crate::shape::{self, Shape};
use crate::survivors::Survivors;
use crate::tokens::{Token, decoded, encode, tokens};
use crate::words::{Context, Words};
use codex_wire_base::json::tokens::TokenKind;

/// The marks of byte order, which stay.
const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];

/// How long a text may be that has a form by chance.
const LONGEST_SHAPED: usize = 64;

/// How often a placeholder is replaced again if it has a form. Nearly always once is enough.
const MOST_TURNS: usize = 100;

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
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A line of the input: a record, or a message.
    Line,
    /// The line in a record.
    Message,
    /// JSON text in a string.
    Value,
}

/// An object or array that is open.
struct Frame {
    context: Context,
    role: Role,
    /// Where it begins, among the tokens.
    token: usize,
    is_object: bool,
    /// How many elements came before.
    index: usize,
    /// Whether it is within a kept value.
    kept: bool,
}

/// A text being scrubbed.
struct Walk<'l> {
    line: &'l [u8],
    tokens: &'l [Token],
    frames: Vec<Frame>,
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
    tag: &'l [u8],
    /// The text that deltas of the object at a token continue.
    place: Option<(usize, Place)>,
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
        let mut found = Vec::new();
        tokens(line, &mut found);
        let record = match form {
            Form::Line => record::members(line, &found),
            _ => None,
        };
        let mut walk = Walk {
            line,
            tokens: &found,
            frames: Vec::new(),
            path: Vec::new(),
            next: match form {
                Form::Value => (Context::Free, Role::Other),
                _ => (self.words.root(), Role::Other),
            },
            holds: None,
            record,
            is_json: is_json(line, &found),
            form,
            tag: b"",
            place: None,
        };
        if form != Form::Value && record.is_none() {
            walk.tag = self.events(line, &found);
            self.is_of_session_file = record::member(line, &found, "payload").is_some();
        }
        let mut copied = 0;
        for (at, token) in found.iter().enumerate() {
            out.extend_from_slice(&line[copied..token.start]);
            copied = token.end;
            self.token(&mut walk, at, out);
        }
        out.extend_from_slice(&line[copied..]);
    }

    /// Takes note of what begins and ends with a message. Returns its kind.
    fn events<'l>(&mut self, line: &'l [u8], tokens: &[Token]) -> &'l [u8] {
        let mut path: Vec<&[u8]> = Vec::new();
        let mut name: &[u8] = b"";
        let (mut tag, mut event, mut call): (&[u8], &[u8], &[u8]) = (b"", b"", b"");
        let mut text: &[u8] = b"";
        for token in tokens {
            match token.kind {
                TokenKind::Object | TokenKind::Array => path.push(std::mem::take(&mut name)),
                TokenKind::Close => {
                    path.pop();
                }
                TokenKind::Between => {}
                TokenKind::Key => name = token.of(line),
                TokenKind::String | TokenKind::Bare | TokenKind::Cut => {
                    let value = token.of(line);
                    let within = path.get(1..).unwrap_or_default();
                    match (within, name) {
                        ([], b"method") => tag = value,
                        ([b"msg"] | [b"params", b"msg"], b"type") => event = value,
                        ([b"msg"] | [b"params", b"msg"], b"call_id") => call = value,
                        ([b"msg"] | [b"params", b"msg"], b"text" | b"message") => text = value,
                        ([b"params" | b"item"] | [b"params", b"item"], b"id")
                        | ([b"params", b"msg", b"item"], b"id") => {
                            self.deltas.end(&decoded(value));
                        }
                        _ => {}
                    }
                    name = b"";
                }
            }
        }
        if !event.is_empty() {
            match &mut self.cuts {
                Some(cuts) => cuts.event(event, &decoded(text)),
                None => self.deltas.event(event),
            }
            if event.ends_with(b"_begin") || event.ends_with(b"_end") {
                self.deltas.end(&decoded(call));
            }
        }
        match event.is_empty() {
            true => tag,
            false => event,
        }
    }

    fn token(&mut self, walk: &mut Walk<'_>, at: usize, out: &mut Vec<u8>) {
        let token = walk.tokens[at];
        let raw = token.of(walk.line);
        match token.kind {
            TokenKind::Close => {
                walk.frames.pop();
                walk.path.truncate(walk.frames.len());
                out.extend_from_slice(raw);
            }
            TokenKind::Between => out.extend_from_slice(raw),
            TokenKind::Key => self.key(walk, raw, out),
            TokenKind::Object | TokenKind::Array => {
                let (context, mut role, kept) = self.begin(walk);
                // Output comes as one list of numbers.
                if role == Role::Bytes && walk.frames.last().is_some_and(|frame| !frame.is_object) {
                    role = Role::Other;
                }
                walk.frames.push(Frame {
                    context,
                    role,
                    token: at,
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
                        self.delta(walk.tag, place, (role, raw, &text), out);
                    }
                    _ => self.string(context, role, raw, &text, out),
                }
            }
            TokenKind::Bare => {
                let (context, role, kept) = self.begin(walk);
                walk.holds = None;
                if kept {
                    out.extend_from_slice(raw);
                } else if role == Role::Bytes
                    && let Some(byte) = str::from_utf8(raw).ok().and_then(|raw| raw.parse().ok())
                {
                    let place = walk.place();
                    let mut chain = self.chain(place);
                    let new = chain.next(byte);
                    self.deltas.put(place, chain);
                    out.extend_from_slice(new.to_string().as_bytes());
                } else {
                    let is_payload = !walk.is_json || self.words.is_free(context);
                    bare(self.key, raw, is_payload, out);
                }
            }
        }
    }

    /// What the value is that begins here, and whether it stays.
    fn begin(&mut self, walk: &mut Walk<'_>) -> (Context, Role, bool) {
        let mut kept = false;
        let (context, role) = match walk.frames.last_mut() {
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
            Some(frame) => (frame.context, frame.kept),
            None => (Context::Unknown, false),
        };
        if !self.keep.is_empty() {
            walk.path.truncate(walk.frames.len().saturating_sub(1));
            walk.path.push(text.to_vec());
        }
        let (next, mut is_known) = self.words.member(context, name);
        walk.next = (next, role::of(name));
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
            Holds::Line => {
                let mut inner = Vec::with_capacity(text.len());
                self.text(text, Form::Message, &mut inner);
                encode(&inner, out);
            }
            Holds::Bytes => match STANDARD.decode(text) {
                Ok(line) => {
                    let mut inner = Vec::with_capacity(line.len());
                    self.text(&line, Form::Message, &mut inner);
                    out.extend_from_slice(STANDARD.encode(inner).as_bytes());
                }
                Err(_) => cipher::base64(self.key, raw, out),
            },
            Holds::Printed if is_open(text) => {
                self.recorded(Holds::Line, raw, text, out);
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
                return cipher::base64(self.key, raw, out);
            };
            let mut chain = self.chain(place);
            let mut new = Vec::new();
            chain.push(&bytes, &mut new);
            self.deltas.put(place, chain);
            self.survivors.replaced(&bytes, &new, self.number);
            out.extend_from_slice(STANDARD.encode(new).as_bytes());
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

    /// A string that is no delta.
    fn string(&mut self, context: Context, role: Role, raw: &[u8], text: &[u8], out: &mut Vec<u8>) {
        let words = str::from_utf8(text).ok();
        let stays = words.is_some_and(|words| match role {
            Role::Methods => self.words.is_method(words),
            Role::Version => words.len() <= VERSION,
            Role::Author => AUTHORS.contains(&words),
            Role::Tool => TOOLS.contains(&words),
            // Rules ask whether there is a reason. Deltas of blank text may join to one that is not.
            Role::Other | Role::Id if is_blank(text) => true,
            _ => self.words.is_word(context, words),
        });
        if stays {
            return out.extend_from_slice(raw);
        }
        let start = out.len();
        if self.words.is_base64(context) {
            cipher::base64(self.key, raw, out);
        } else if let Some(begin) = data_url(raw) {
            out.extend_from_slice(&raw[..begin]);
            cipher::base64(self.key, &raw[begin..], out);
            return self
                .survivors
                .replaced(&raw[begin..], &out[start + begin..], self.number);
        } else if role == Role::Text && !(text.starts_with(LETTER) && is_value(text)) {
            if FIXED.contains(&text.trim_ascii()) {
                return out.extend_from_slice(raw);
            }
            match self.is_of_session_file {
                true => around_marks(&mut self.key.chain(), raw, out),
                false => escaped(&mut self.key.chain(), raw, out),
            }
        } else if role == Role::Agent
            && let Some(release) = shape::release_in(raw)
        {
            return self.agent(raw, release, out);
        } else if is_value(text) {
            let mut inner = Vec::with_capacity(text.len());
            self.text(text, Form::Value, &mut inner);
            return encode(&inner, out);
        } else {
            let is_id = role == Role::Id;
            match shape::of(text, is_id) {
                Shape::Open => return out.extend_from_slice(raw),
                Shape::Uuid if raw == text => {
                    shape::uuid(self.key, raw, out);
                    return self.survivors.replaced_whole(text);
                }
                Shape::Time if raw == text => {
                    shape::moved(self.key, raw, out);
                    return self.survivors.replaced_whole(text);
                }
                _ => {}
            }
            let domain = words.and_then(|words| self.words.domain(context, words));
            let begin = domain.filter(|_| raw == text).map_or(0, str::len);
            out.extend_from_slice(&raw[..begin]);
            self.plain(context, is_id, &raw[begin..], out);
            return self
                .survivors
                .replaced(&text[begin..], &out[start + begin..], self.number);
        }
        let new = decoded(&out[start..]);
        self.survivors.replaced(text, &new, self.number);
    }

    /// A string without a form. Its placeholder has none either, so that no other value has it.
    fn plain(&mut self, context: Context, is_id: bool, raw: &[u8], out: &mut Vec<u8>) {
        if raw.len() > LONGEST_SHAPED || raw.contains(&b'\\') {
            return self.turned(raw, out, |new| !is_blank(new));
        }
        self.turned(raw, out, |new| {
            let is_word = str::from_utf8(new).is_ok_and(|new| self.words.is_word(context, new));
            let has_form = is_value(new) || shape::of(new, is_id) != Shape::Plain;
            !is_word && !has_form && !is_blank(new)
        });
    }

    /// What a hook said that is not JSON. It does not become JSON, and stays blank or does not.
    fn told(&mut self, raw: &[u8], text: &[u8], out: &mut Vec<u8>) {
        if is_blank(text) {
            return out.extend_from_slice(raw);
        }
        let start = out.len();
        self.turned(raw, out, |new| !is_blank(new) && !is_open(&decoded(new)));
        let new = decoded(&out[start..]);
        self.survivors.replaced(text, &new, self.number);
    }

    /// Replaces an escaped string until the placeholder fits.
    fn turned(&self, raw: &[u8], out: &mut Vec<u8>, fits: impl Fn(&[u8]) -> bool) {
        let start = out.len();
        escaped(&mut self.key.chain(), raw, out);
        for _ in 0..MOST_TURNS {
            if fits(&out[start..]) {
                break;
            }
            let old = out.split_off(start);
            escaped(&mut self.key.chain(), &old, out);
        }
    }

    /// What a Codex calls itself: its release stays.
    fn agent(&mut self, raw: &[u8], release: std::ops::Range<usize>, out: &mut Vec<u8>) {
        let (before, after) = (&raw[..release.start], &raw[release.end..]);
        let mut new = Vec::new();
        escaped(&mut self.key.chain(), before, &mut new);
        // Nothing before the release may look like what follows it.
        while new.windows(2).any(|pair| pair == b" (") {
            let old = std::mem::take(&mut new);
            escaped(&mut self.key.chain(), &old, &mut new);
        }
        self.survivors.replaced(before, &new, self.number);
        out.extend_from_slice(&new);
        out.extend_from_slice(&raw[release]);
        new.clear();
        escaped(&mut self.key.chain(), after, &mut new);
        self.survivors.replaced(after, &new, self.number);
        out.extend_from_slice(&new);
    }
}

impl Walk<'_> {
    /// Which text the delta continues that stands in the innermost object.
    fn place(&mut self) -> Place {
        let mut place = Place::new(self.tag);
        let Some(frame) = self.frames.iter().rfind(|frame| frame.is_object) else {
            return place;
        };
        if let Some((token, place)) = self.place
            && token == frame.token
        {
            return place;
        }
        let mut depth = 0;
        let mut tokens = self.tokens[frame.token..].iter();
        while let Some(token) = tokens.next() {
            match token.kind {
                TokenKind::Object | TokenKind::Array => depth += 1,
                TokenKind::Close if depth == 1 => break,
                TokenKind::Close => depth -= 1,
                TokenKind::Key if depth == 1 => {
                    let value = tokens.as_slice().first();
                    if let Some(value) = value
                        && matches!(value.kind, TokenKind::String | TokenKind::Bare)
                    {
                        place.add(token.of(self.line), &decoded(value.of(self.line)));
                    }
                }
                _ => {}
            }
        }
        self.place = Some((frame.token, place));
        place
    }
}
