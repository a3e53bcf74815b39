//! The texts of a line, with the places in the input that their bytes come from: strings, strings in JSON in
//! strings, and JSON itself, in which a name says what a value is.

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codex_wire_base::json::tokens::TokenKind;
use codex_wire_base::lines::without_mark;

use super::places::{At, Origin, Places};
use crate::cipher::Key;
use crate::deltas::{Deltas, Place};
use crate::events;
use crate::line::byte;
use crate::places::{self, DEEPEST};
use crate::replace::{data_url, is_value};
use crate::role::{self, Role};
use crate::shape::{self, Shape};
use crate::tokens::{NO_CHARACTER, Part, Token, decoded, parts, tokens};

/// How deep JSON may stand in strings of JSON in strings. What is deeper is text.
const DEEPEST_VALUE: usize = 6;

/// Members whose own members may be deltas.
const DELTAS: [&[u8]; 3] = [b"msg", b"params", b"payload"];

/// A reader of texts.
pub(super) trait Reader {
    /// A string.
    fn text(&mut self, text: &[u8], origin: Origin<'_>);
    /// JSON, and where its strings are.
    fn json(&mut self, text: &[u8], origin: Origin<'_>, strings: &[Range<usize>]);
    /// Base64, which stands there. Returns its number, if its bytes can be overwritten.
    fn base64(&mut self, digits: &[u8], origin: Origin<'_>) -> Option<usize>;
    /// A delta of a text, and whether the text begins with it.
    fn delta(&mut self, place: Place, begins: bool, text: &[u8], places: &Places);
}

/// The texts of lines, one after another.
pub(super) struct Texts {
    /// The texts that come in deltas and have not ended.
    running: Deltas,
}

impl Texts {
    pub(super) fn new() -> Self {
        Texts {
            running: Deltas::default(),
        }
    }

    /// Reads a line that begins there in the input. Says whether it is JSON.
    pub(super) fn line(&mut self, line: &[u8], start: usize, reader: &mut impl Reader) -> bool {
        let marked = line.len();
        let line = without_mark(line);
        let start = start + marked - line.len();
        let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
        match is_json {
            true => self.value(line, Origin::From(start), 0, reader),
            // A line that is not JSON is one text.
            false => reader.text(line, Origin::From(start)),
        }
        is_json
    }

    fn value(&mut self, text: &[u8], origin: Origin<'_>, depth: usize, reader: &mut impl Reader) {
        let mut strings = Vec::new();
        let mut walk = Walk::of(text, &mut self.running);
        for token in tokens(text, 0) {
            let Some((role, object)) = walk.step(text, token) else {
                continue;
            };
            let raw = token.of(text);
            if token.kind == TokenKind::Bare {
                // Output may come as numbers. They have to stay the numbers that others are.
                if let Some(byte) = byte(raw).filter(|_| role == Role::Bytes) {
                    let at = match origin.at(token.start) {
                        At::Byte(start) => At::Number(start, raw.len()),
                        _ => At::Nowhere,
                    };
                    let place = walk.place(text, object);
                    reader.delta(place, self.begins(place), &[byte], &Places::of(at, 1));
                }
                continue;
            }
            let (bytes, places) = read(raw, token.start, origin);
            if role == Role::Bytes
                && let Ok(output) = STANDARD.decode(&bytes)
            {
                let place = walk.place(text, object);
                let number = reader.base64(&bytes, Origin::Of(&places));
                let of = |at: fn(usize) -> At, length| {
                    Places::of(number.map_or(At::Nowhere, at), length)
                };
                let decoded = of(|number| At::Base64(number, 0), output.len());
                reader.delta(place, self.begins(place), &output, &decoded);
                // A text may be base64 by chance.
                let digits = of(|number| At::Base64Digit(number, 0), bytes.len());
                reader.text(&bytes, Origin::Of(&digits));
                continue;
            }
            // Ids and times say nothing secret, and have to stay what they are; so have images. What a delta looks like
            // is chance.
            let is_name = token.kind == TokenKind::Key;
            let has_form = !is_name && role != Role::Delta;
            let stays = has_form && shape::of(&bytes, role == Role::Id) != Shape::Plain;
            if stays || data_url(&bytes).is_some() {
                continue;
            }
            strings.push(token.start..token.end);
            if role == Role::Delta {
                let place = walk.place(text, object);
                reader.delta(place, self.begins(place), &bytes, &places);
            } else if !is_name && depth < DEEPEST_VALUE && is_value(bytes.trim_ascii_start()) {
                self.value(&bytes, Origin::Of(&places), depth + 1, reader);
            } else {
                reader.text(&bytes, Origin::Of(&places));
            }
        }
        let places = written(text, origin, &strings);
        reader.json(text, Origin::Of(&places), &strings);
    }

    /// Whether a text begins with the delta at hand.
    fn begins(&mut self, place: Place) -> bool {
        let begins = self.running.take(place).is_none();
        // How far it was replaced by a key does not matter here.
        self.running.put(place, Key::new([0; 16]).chain());
        begins
    }
}

/// An object or array that is not closed yet.
struct Open {
    start: usize,
    is_object: bool,
    /// Whether its members may be deltas.
    has_deltas: bool,
    /// What its elements are, if it is an array.
    role: Role,
}

/// Where in JSON a token stands.
struct Walk {
    open: Vec<Open>,
    deeper: u64,
    /// What the value is that follows.
    next: Role,
    /// Whether the members of that value may be deltas.
    has_deltas: bool,
    tag: Vec<u8>,
    places: Option<places::Places>,
}

impl Walk {
    fn of(text: &[u8], running: &mut Deltas) -> Self {
        let tag = events::follow(text, running, &mut None);
        Walk {
            open: Vec::new(),
            deeper: 0,
            next: Role::Other,
            has_deltas: false,
            tag: tag.into_owned(),
            places: None,
        }
    }

    /// What a token is, if it is a string or a number, and where the innermost object begins.
    fn step(&mut self, text: &[u8], token: Token) -> Option<(Role, Option<usize>)> {
        let is_object = token.kind == TokenKind::Object;
        match token.kind {
            TokenKind::Object | TokenKind::Array if self.open.len() == DEEPEST => self.deeper += 1,
            TokenKind::Object | TokenKind::Array => {
                let open = Open {
                    start: token.start,
                    is_object,
                    has_deltas: std::mem::take(&mut self.has_deltas),
                    role: self.role(),
                };
                self.open.push(open);
            }
            TokenKind::Close if self.deeper > 0 => self.deeper -= 1,
            TokenKind::Close => {
                self.open.pop();
            }
            TokenKind::Key => {
                let name = decoded(token.of(text));
                self.has_deltas = DELTAS.contains(&&*name);
                self.next = match role::of(str::from_utf8(&name).unwrap_or_default()) {
                    // Any argument of a tool may have the name of a delta.
                    Role::Delta | Role::Bytes
                        if !self.open.last().is_some_and(|open| open.has_deltas) =>
                    {
                        Role::Other
                    }
                    role => role,
                };
                return Some((Role::Other, None));
            }
            TokenKind::String | TokenKind::Bare => {
                let object = self.open.iter().rfind(|open| open.is_object);
                let object = object.map(|open| open.start);
                return Some((self.role(), object));
            }
            TokenKind::Cut | TokenKind::Between => {}
        }
        None
    }

    /// What the value is that begins: a member by its name, an element as its array.
    fn role(&mut self) -> Role {
        match self.open.last() {
            Some(open) if !open.is_object => open.role,
            _ => std::mem::replace(&mut self.next, Role::Other),
        }
    }

    fn place(&mut self, text: &[u8], object: Option<usize>) -> Place {
        let places = self
            .places
            .get_or_insert_with(|| places::Places::of(text, &self.tag));
        places.at(object)
    }
}

/// A string without its escapes, and where its bytes come from. `start` is where it begins in the text around it.
fn read<'r>(raw: &'r [u8], start: usize, origin: Origin<'_>) -> (Cow<'r, [u8]>, Places) {
    if memchr::memchr(b'\\', raw).is_none() {
        return (raw.into(), origin.within(start..start + raw.len()));
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut places = Places::default();
    let mut at = start;
    for part in parts(raw) {
        match part {
            Part::Bytes(plain) => {
                bytes.extend_from_slice(plain);
                places.extend(origin, at..at + plain.len());
                at += plain.len();
            }
            Part::Escape(escape, character) => {
                let mut text = [0; 4];
                let text = character.unwrap_or(NO_CHARACTER).encode_utf8(&mut text);
                bytes.extend_from_slice(text.as_bytes());
                places.push(digits(escape, character, at, origin), text.len());
                at += escape.len();
            }
        }
    }
    (bytes.into(), places)
}

/// The four digits of an escape that begins there, if it has some and they are plain bytes of the input.
fn digits(escape: &[u8], character: Option<char>, start: usize, origin: Origin<'_>) -> At {
    let is_digits = character.is_some() && escape.len() == 6 && escape[1] == b'u';
    match origin.at(start + 2) {
        At::Byte(first) if is_digits && origin.at(start + 5) == At::Byte(first + 3) => {
            At::Digits(first)
        }
        _ => At::Nowhere,
    }
}

/// Where the bytes of JSON come from as it is written. Of an escape in one of its strings only digits can be
/// overwritten, and only at once.
fn written(text: &[u8], origin: Origin<'_>, strings: &[Range<usize>]) -> Places {
    let mut places = Places::default();
    let mut done = 0;
    for string in strings {
        places.extend(origin, done..string.start);
        let mut at = string.start;
        for part in parts(&text[string.clone()]) {
            match part {
                Part::Bytes(plain) => {
                    places.extend(origin, at..at + plain.len());
                    at += plain.len();
                }
                Part::Escape(escape, character) => {
                    let is_letter = character.is_some_and(|character| {
                        !character.is_ascii() || character.is_ascii_alphanumeric()
                    });
                    match digits(escape, character, at, origin) {
                        first @ At::Digits(_) if is_letter => {
                            places.push(At::Nowhere, 2);
                            places.push(first, 4);
                        }
                        _ => places.push(At::Nowhere, escape.len()),
                    }
                    at += escape.len();
                }
            }
        }
        done = string.end;
    }
    places.extend(origin, done..text.len());
    places
}
