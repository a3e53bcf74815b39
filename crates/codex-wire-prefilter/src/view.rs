//! Reads members of a line in place, without building a tree.
//!
//! After a prefilter has accepted the line, the places of most members are known from the tape;
//! others are searched in the text. A test holds that views show what serde_json reads, for valid
//! lines and for any text.

use crate::interner::Mark;
use crate::pointer::unescaped;
use crate::skip::{skip, skip_string, space};
use crate::tape::{Entry, Tape};
use crate::text;

/// A value in a line, read in place. It is as small as a few pointers. Only strings with escapes
/// are copied, when you ask for them.
///
/// [`Prefilter::view`](crate::Prefilter::view) makes a view of an accepted line, in which the places of
/// most members are known. [`View::of`] makes a view of any line, and searches for its members.
///
/// ```
/// use codex_wire_prefilter::{Tape, Prefilter};
/// use serde_json::json;
///
/// let prefilter = Prefilter::compile(&json!({
///     "type": "object",
///     "properties": {"type": {"const": "turn.completed"}, "usage": {"type": "object"}},
///     "required": ["type"],
/// }))?;
/// let mut tape = Tape::new();
/// let line = r#"{"type":"turn.completed","usage":{"input_tokens":24763}}"#;
/// let (view, _) = prefilter.view(line, &mut tape).expect("it is accepted");
/// assert_eq!(view.get("type").and_then(|tag| tag.as_str()), Some("turn.completed"));
/// assert_eq!(view.pointer("/usage/input_tokens").and_then(|n| n.as_u64()), Some(24763));
/// # Ok::<(), codex_wire_prefilter::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct View<'a> {
    text: &'a str,
    tape: &'a Tape,
    /// Where the value begins.
    start: usize,
    /// Its entry, if it was taken down.
    entry: Option<u32>,
    keys: Keys,
}

/// Which value of a repeated key is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// The first.
    First,
    /// The last, as serde_json has it.
    #[default]
    Last,
}

impl Tape {
    /// Makes another view of the line that [`Prefilter::view`](crate::Prefilter::view) last accepted
    /// with this tape. With any other line the view is meaningless, but safe.
    pub fn view<'a>(&'a self, line: &'a str, repeated: bool) -> View<'a> {
        let keys = if repeated { Keys::Last } else { Keys::First };
        View::recorded(line, self, keys)
    }
}

impl<'a> View<'a> {
    /// A view of an unchecked line. If the line is not JSON, members may be missing or meaningless;
    /// nothing worse happens.
    pub fn of(text: &'a str, tape: &'a mut Tape, keys: Keys) -> Self {
        tape.clear();
        Self::among(text, tape, keys)
    }

    /// A view of a line that is known to be JSON and of which many members will be asked for: those
    /// of the object and of objects in it are taken down, as far as no array is around them. What
    /// it shows is what [`View::of`] does.
    pub fn outlined(text: &'a str, tape: &'a mut Tape, keys: Keys) -> Self {
        tape.clear();
        if tape.take_down(text) {
            return Self::recorded(text, tape, keys);
        }
        tape.clear();
        Self::among(text, tape, keys)
    }

    /// Another view that shares the tape with views in use.
    pub fn among(text: &'a str, tape: &'a Tape, keys: Keys) -> Self {
        View {
            text,
            tape,
            start: space(text.as_bytes(), 0),
            entry: None,
            keys,
        }
    }

    /// A view of a line that was taken down.
    pub(crate) fn recorded(text: &'a str, tape: &'a Tape, keys: Keys) -> Self {
        View {
            entry: (!tape.entries().is_empty()).then_some(0),
            ..Self::among(text, tape, keys)
        }
    }

    /// The same view, with other values of repeated keys.
    #[must_use]
    pub fn with(self, keys: Keys) -> Self {
        View { keys, ..self }
    }

    /// Which value of a repeated key is used.
    pub fn keys(self) -> Keys {
        self.keys
    }

    fn bytes(self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The byte the value begins with.
    #[inline]
    fn first(self) -> Option<u8> {
        self.bytes().get(self.start).copied()
    }

    pub(crate) fn at(self, start: usize, entry: Option<u32>) -> Self {
        View {
            start: space(self.bytes(), start),
            entry,
            ..self
        }
    }

    /// The member of that name, if this is an object that has it.
    #[inline(always)]
    pub fn get(self, name: &str) -> Option<View<'a>> {
        match self.known() {
            Some((next, end)) => self.get_known(name, Mark::of(name.as_bytes()), next, end),
            None => self.look_up(name),
        }
    }

    /// The entries of the members, if they were taken down.
    #[inline]
    fn known(self) -> Option<(u32, u32)> {
        let at = self.entry?;
        let entry = self.tape.entries().get(at as usize)?;
        entry.is_known.then_some((at + 1, entry.next))
    }

    /// The same as [`Self::look_up`], without reading anything but names.
    fn get_known(self, name: &str, mark: Mark, first: u32, end: u32) -> Option<View<'a>> {
        let entries = self.tape.entries().get(..end as usize)?;
        let (mut at, mut found) = (first as usize, None);
        while let Some(entry) = entries.get(at) {
            let is_it = (entry.mark == mark || entry.mark == Mark::NONE) && self.is(entry, name);
            if is_it {
                found = Some(at);
                if self.keys == Keys::First {
                    break;
                }
            }
            at = entry.next as usize;
        }
        let found = found?;
        Some(self.at(entries[found].value.0 as usize, Some(found as u32)))
    }

    /// Whether that is the name of a member.
    #[inline(always)]
    fn is(self, entry: &Entry, name: &str) -> bool {
        let written = entry.name.0 as usize..entry.name.1 as usize;
        match (entry.mark, self.bytes().get(written)) {
            (Mark::NONE, _) | (_, None) => self.name(entry).is(name),
            (_, Some(written)) => is(written, name),
        }
    }

    fn name(self, entry: &Entry) -> Name<'a> {
        let (from, to) = (entry.name.0 as usize, entry.name.1 as usize);
        Name {
            is_plain: entry.mark != Mark::NONE,
            written: self.text.get(from..to).unwrap_or_default(),
            tape: self.tape,
        }
    }

    fn look_up(self, name: &str) -> Option<View<'a>> {
        let mut named = self.members().filter(|(found, _)| found.is(name));
        match self.keys {
            Keys::First => named.next(),
            Keys::Last => named.last(),
        }
        .map(|(_, value)| value)
    }

    /// The member of that name, if it is a string.
    #[inline(always)]
    pub fn get_str(self, name: &str) -> Option<&'a str> {
        self.get(name)?.as_str()
    }

    /// The value at a JSON Pointer.
    pub fn pointer(self, pointer: &str) -> Option<View<'a>> {
        let bytes = pointer.as_bytes();
        let (mut at, mut place) = (self, 0);
        while place < bytes.len() {
            if bytes[place] != b'/' {
                return None;
            }
            let start = place + 1;
            let (mut end, mut is_escaped) = (start, false);
            while end < bytes.len() && bytes[end] != b'/' {
                is_escaped |= bytes[end] == b'~';
                end += 1;
            }
            let token = &pointer[start..end];
            at = match at.first()? {
                b'[' => at.element(token)?,
                _ if is_escaped => at.get(&unescaped(token))?,
                _ => at.get(token)?,
            };
            place = end;
        }
        Some(at)
    }

    /// The element with the number that a JSON Pointer writes so.
    fn element(self, token: &str) -> Option<View<'a>> {
        let is_index = token == "0" || !token.starts_with(['0', '+']);
        let index = token.parse().ok().filter(|_| is_index)?;
        self.elements().nth(index)
    }

    /// The members in the order of the line, repeated ones included; none if this is not an object.
    pub fn members(self) -> Members<'a> {
        let known = self.known();
        Members {
            of: self,
            known,
            next: match known {
                None if self.first() == Some(b'{') => Next::First(self.start + 1),
                _ => Next::Nothing,
            },
        }
    }

    /// The elements; none if this is not an array.
    pub fn elements(self) -> Elements<'a> {
        Elements {
            of: self,
            next: match self.first() {
                Some(b'[') => Next::First(self.start + 1),
                _ => Next::Nothing,
            },
        }
    }

    /// The text, if this is a string.
    pub fn as_str(self) -> Option<&'a str> {
        if self.first() != Some(b'"') {
            return None;
        }
        let (bytes, from) = (self.bytes(), self.start + 1);
        let (end, is_plain) = match self.end() {
            Some((end, is_plain)) => (end - 1, is_plain),
            None => {
                let stop = from + memchr::memchr2(b'"', b'\\', bytes.get(from..)?)?;
                match bytes[stop] {
                    b'"' => (stop, true),
                    _ => (skip_string(bytes, stop)? - 1, false),
                }
            }
        };
        let written = self.text.get(from..end)?;
        if is_plain || memchr::memchr(b'\\', written.as_bytes()).is_none() {
            return Some(written);
        }
        Some(self.tape.keep(text::decoded(written)?))
    }

    /// The place behind the value, and whether it is a string without escapes for sure, if that
    /// was taken down.
    #[inline]
    fn end(self) -> Option<(usize, bool)> {
        let entry = self.tape.entries().get(self.entry? as usize)?;
        let (end, is_plain) = (entry.value.1 as usize, entry.is_plain);
        (end > self.start).then_some((end, is_plain))
    }

    /// The value as it is written.
    pub fn as_written(self) -> &'a str {
        let end = match self.end() {
            Some((end, _)) => end,
            None => skip(self.bytes(), self.start),
        };
        // Nothing but quotes, brackets and the like ends a value.
        self.text.get(self.start..end).unwrap_or_default()
    }

    /// Whether this is `true` or `false`, and which.
    pub fn as_bool(self) -> Option<bool> {
        match self.first()? {
            b't' => Some(true),
            b'f' => Some(false),
            _ => None,
        }
    }

    /// The number, if it is an integer written without point and exponent, and fits.
    pub fn as_i64(self) -> Option<i64> {
        let text = self.number()?;
        // That is a float to serde_json.
        text.parse().ok().filter(|_| text != "-0")
    }

    /// The number, if it is an integer written without sign, point and exponent, and fits.
    pub fn as_u64(self) -> Option<u64> {
        let bytes = self.bytes();
        let (mut at, mut number) = (self.start, 0_u64);
        loop {
            match bytes.get(at) {
                Some(digit @ b'0'..=b'9') => {
                    let digit = u64::from(digit - b'0');
                    number = number.checked_mul(10)?.checked_add(digit)?;
                    at += 1;
                }
                // Where something else follows, it is a fraction, or no number at all.
                None | Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r') => break,
                Some(_) => return None,
            }
        }
        (at > self.start).then_some(number)
    }

    fn number(self) -> Option<&'a str> {
        matches!(self.first()?, b'-' | b'0'..=b'9').then(|| self.as_written())
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        self.first() == Some(b'n')
    }

    /// Whether this is an object.
    pub fn is_object(self) -> bool {
        self.first() == Some(b'{')
    }

    /// Whether this is an array.
    pub fn is_array(self) -> bool {
        self.first() == Some(b'[')
    }

    /// Whether this is a string.
    pub fn is_string(self) -> bool {
        self.first() == Some(b'"')
    }
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_written())
    }
}

/// The name of a member.
#[derive(Clone, Copy)]
pub struct Name<'a> {
    /// Whether it is surely written without escapes.
    is_plain: bool,
    written: &'a str,
    tape: &'a Tape,
}

impl<'a> Name<'a> {
    /// Whether it is this one.
    #[inline]
    pub fn is(self, name: &str) -> bool {
        match self.is_plain() {
            true => self.written == name,
            // An escape has up to six bytes for one, and a pair of them twelve for four.
            false if self.written.len() > 6 * name.len() => false,
            // Whoever asks many times does not make many texts.
            false => match text::decoded(self.written) {
                Some(text) => text == name,
                None => self.written == name,
            },
        }
    }

    #[inline]
    fn is_plain(self) -> bool {
        self.is_plain || !self.written.contains('\\')
    }

    /// The name as text.
    pub fn as_str(self) -> &'a str {
        if self.is_plain() {
            return self.written;
        }
        match text::decoded(self.written) {
            Some(text) => self.tape.keep(text),
            None => self.written,
        }
    }
}

impl std::fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.written)
    }
}

/// Where the next member or element is looked for.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// Here, unless there is none at all.
    First(usize),
    /// Behind the value that begins here.
    Behind(usize),
    Nothing,
}

impl Next {
    /// The place where the next one begins.
    fn step(self, bytes: &[u8], close: u8) -> Option<usize> {
        match self {
            Next::Nothing => None,
            Next::First(at) => {
                let at = space(bytes, at);
                (*bytes.get(at)? != close).then_some(at)
            }
            Next::Behind(at) => {
                let at = space(bytes, skip(bytes, at));
                (*bytes.get(at)? == b',').then(|| space(bytes, at + 1))
            }
        }
    }
}

/// The members of an object; see [`View::members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    of: View<'a>,
    /// The entries to come, and the end of them.
    known: Option<(u32, u32)>,
    next: Next,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Name<'a>, View<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let View { text, tape, .. } = self.of;
        if let Some((at, end)) = &mut self.known {
            let entry = tape.entries().get(*at as usize).filter(|_| at < end)?;
            let value = self.of.at(entry.value.0 as usize, Some(*at));
            *at = entry.next;
            return Some((self.of.name(entry), value));
        }
        let bytes = text.as_bytes();
        let at = self.next.step(bytes, b'}');
        self.next = Next::Nothing;
        let at = at.filter(|at| bytes.get(*at) == Some(&b'"'))?;
        let end = skip_string(bytes, at + 1)?;
        let colon = space(bytes, end);
        if bytes.get(colon) != Some(&b':') {
            return None;
        }
        let value = self.of.at(colon + 1, None);
        self.next = Next::Behind(value.start);
        let name = Name {
            is_plain: false,
            written: text.get(at + 1..end - 1).unwrap_or_default(),
            tape,
        };
        Some((name, value))
    }
}

/// The elements of an array; see [`View::elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    of: View<'a>,
    next: Next,
}

impl<'a> Iterator for Elements<'a> {
    type Item = View<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.next.step(self.of.bytes(), b']');
        self.next = Next::Nothing;
        let value = self.of.at(at?, None);
        self.next = Next::Behind(value.start);
        Some(value)
    }
}

/// Whether bytes as many as those of a name are the name. Names are short: a call that compares
/// memory costs more than comparing.
#[inline]
fn is(written: &[u8], name: &str) -> bool {
    let name = name.as_bytes();
    if written.len() != name.len() {
        return false;
    }
    match name.len() {
        0..4 => written.iter().zip(name).all(|(one, other)| one == other),
        4..8 => {
            written.first_chunk::<4>() == name.first_chunk::<4>()
                && written.last_chunk::<4>() == name.last_chunk::<4>()
        }
        8..=16 => {
            written.first_chunk::<8>() == name.first_chunk::<8>()
                && written.last_chunk::<8>() == name.last_chunk::<8>()
        }
        _ => written == name,
    }
}
