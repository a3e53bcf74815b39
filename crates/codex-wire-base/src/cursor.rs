//! A cursor reads one value after another from a line and knows the byte it is at.
//!
//! It looks ahead for a tag and comes back, so members may come in any order and errors still name
//! the exact byte. It accepts the grammar that serde_json accepts;
//! `crates/codex-wire/tests/it/grammar.rs` compares the two.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::escape::{escape, hex};
use crate::kind::Kind;

/// Nesting a [`Cursor`] follows before it gives up, by default.
pub const DEFAULT_DEPTH: usize = 127;

/// Nesting no [`Cursor`] goes beyond, so that no input can exhaust the stack.
pub const DEEPEST: usize = 512;

/// A position in a JSON text that moves forward by one token or one value at a time.
///
/// Every method either moves the cursor past what it read or returns an [`Error`] with a byte
/// offset. Offsets count in the text the cursor was made from.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    unknown: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `text`, following at most [`DEFAULT_DEPTH`] levels of nesting.
    pub fn new(text: &'a str) -> Self {
        Self::with_depth(text, DEFAULT_DEPTH)
    }

    /// A cursor at the start of `text` that follows at most `depth` levels of nesting, and no
    /// more than [`DEEPEST`].
    pub fn with_depth(text: &'a str, depth: usize) -> Self {
        let depth = depth.min(DEEPEST);
        Cursor {
            text,
            at: 0,
            depth,
            unknown: 0,
        }
    }

    /// The byte offset of the next unread byte.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// How much has been read that no type knows. Of the variants of an untagged union, the one
    /// with the least of it is chosen.
    pub(crate) fn unknown(&self) -> usize {
        self.unknown
    }

    #[doc(hidden)]
    pub fn met_unknown(&mut self) {
        self.unknown += 1;
    }

    /// Skips white space and returns which kind of value comes next.
    #[inline]
    pub fn kind(&mut self) -> Result<Kind, Error> {
        self.skip_space();
        Ok(match self.byte() {
            Some(b'"') => Kind::String,
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            Some(_) => return Err(self.syntax("expected a value")),
            None => return Err(self.syntax("expected a value, found the end of the text")),
        })
    }

    /// Requires that nothing but white space follows.
    pub fn end(&mut self) -> Result<(), Error> {
        self.skip_space();
        match self.byte() {
            None => Ok(()),
            Some(_) => Err(self.syntax("unexpected text after the value")),
        }
    }

    /// Enters an object, calls `member` once per member with the cursor at its value, and
    /// leaves the object. `member` must consume exactly that value.
    #[inline]
    pub fn object<F>(&mut self, mut member: F) -> Result<(), Error>
    where
        F: FnMut(&mut Cursor<'a>, &str) -> Result<(), Error>,
    {
        self.expect_kind(Kind::Object)?;
        self.enter()?;
        self.at += 1;
        self.skip_space();
        if self.byte() == Some(b'}') {
            self.at += 1;
            self.depth += 1;
            return Ok(());
        }
        loop {
            let key = self.key()?;
            member(self, &key)?;
            self.skip_space();
            match self.byte() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    self.depth += 1;
                    return Ok(());
                }
                _ => return Err(self.syntax("expected `,` or `}`")),
            }
        }
    }

    /// Enters an array, calls `element` once per element with its index, and leaves the array.
    #[inline]
    pub fn array<F>(&mut self, mut element: F) -> Result<(), Error>
    where
        F: FnMut(&mut Cursor<'a>, usize) -> Result<(), Error>,
    {
        self.expect_kind(Kind::Array)?;
        self.enter()?;
        self.at += 1;
        self.skip_space();
        if self.byte() == Some(b']') {
            self.at += 1;
            self.depth += 1;
            return Ok(());
        }
        for index in 0.. {
            self.skip_space();
            element(self, index)?;
            self.skip_space();
            match self.byte() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    self.depth += 1;
                    break;
                }
                _ => return Err(self.syntax("expected `,` or `]`")),
            }
        }
        Ok(())
    }

    /// Looks ahead for the first member called `key` of the object that comes next and returns
    /// its value if it is a string. The cursor does not move.
    ///
    /// `Ok(None)` means the object has no such member.
    pub fn peek_tag(&self, key: &str) -> Result<Option<Cow<'a, str>>, Error> {
        let mut ahead = self.clone();
        ahead.expect_kind(Kind::Object)?;
        ahead.enter()?;
        ahead.at += 1;
        ahead.skip_space();
        if ahead.byte() == Some(b'}') {
            return Ok(None);
        }
        loop {
            if ahead.key()? == key {
                return ahead.string().map(Some).map_err(|e| e.in_member(key));
            }
            ahead.skip()?;
            ahead.skip_space();
            match ahead.byte() {
                Some(b',') => ahead.at += 1,
                Some(b'}') => return Ok(None),
                _ => return Err(ahead.syntax("expected `,` or `}`")),
            }
        }
    }

    /// Looks ahead for the names of the first two members of the object that comes next, as far
    /// as it has them and nothing before them is malformed. The cursor does not move.
    pub fn peek_names(&self) -> [Option<Cow<'a, str>>; 2] {
        let mut ahead = self.clone();
        let first = ahead.name_behind(b'{');
        if first.is_none() || ahead.skip().is_err() {
            return [first, None];
        }
        [first, ahead.name_behind(b',')]
    }

    /// The name that follows a brace or comma.
    fn name_behind(&mut self, before: u8) -> Option<Cow<'a, str>> {
        self.skip_space();
        if self.byte() != Some(before) {
            return None;
        }
        self.at += 1;
        self.key().ok()
    }

    /// Reads a string; borrowed from the text when it holds no escapes.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        self.expect_kind(Kind::String)?;
        self.string_here()
    }

    /// Reads `true` or `false`.
    pub fn bool(&mut self) -> Result<bool, Error> {
        self.expect_kind(Kind::Bool)?;
        if self.byte() == Some(b't') {
            self.literal("true").map(|()| true)
        } else {
            self.literal("false").map(|()| false)
        }
    }

    /// Reads `null` if it comes next.
    #[inline]
    pub fn null(&mut self) -> Result<bool, Error> {
        if self.kind()? == Kind::Null {
            self.literal("null")?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Reads a number and returns its text.
    #[inline]
    pub fn number(&mut self) -> Result<&'a str, Error> {
        self.expect_kind(Kind::Number)?;
        let start = self.at;
        self.number_here()?;
        Ok(&self.text[start..self.at])
    }

    /// Reads any value and returns its text without surrounding white space.
    pub fn raw(&mut self) -> Result<&'a str, Error> {
        self.skip_space();
        let start = self.at;
        self.skip()?;
        Ok(&self.text[start..self.at])
    }

    /// Skips any value. Its grammar is checked.
    pub fn skip(&mut self) -> Result<(), Error> {
        match self.kind()? {
            Kind::Null => self.literal("null"),
            Kind::Bool => self.bool().map(drop),
            Kind::Number => self.number_here(),
            Kind::String => self.skip_string(),
            Kind::Array => self.array(|c, _| c.skip()),
            Kind::Object => self.skip_object(),
        }
    }

    /// As [`Self::object`], without decoding names: half of a surrogate pair is not a fault in a
    /// name that is not asked for.
    fn skip_object(&mut self) -> Result<(), Error> {
        self.enter()?;
        self.at += 1;
        self.skip_space();
        if self.byte() == Some(b'}') {
            self.at += 1;
            self.depth += 1;
            return Ok(());
        }
        loop {
            self.skip_space();
            if self.byte() != Some(b'"') {
                return Err(self.syntax("expected a member name in double quotes"));
            }
            self.skip_string()?;
            self.skip_space();
            if self.byte() != Some(b':') {
                return Err(self.syntax("expected `:`"));
            }
            self.at += 1;
            self.skip()?;
            self.skip_space();
            match self.byte() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    self.depth += 1;
                    return Ok(());
                }
                _ => return Err(self.syntax("expected `,` or `}`")),
            }
        }
    }

    /// An error of `kind` at the next value.
    pub fn fault(&mut self, kind: ErrorKind) -> Error {
        self.skip_space();
        Error::at(kind, self.at)
    }

    /// Demands that the next value is of one kind.
    #[inline]
    pub fn expect_kind(&mut self, expected: Kind) -> Result<(), Error> {
        let found = self.kind()?;
        if found == expected {
            return Ok(());
        }
        Err(self.mismatch(expected, found))
    }

    /// What stands here is of another kind, or only looks like it: stray text that begins with
    /// `n` is not `null`.
    #[cold]
    fn mismatch(&mut self, expected: Kind, found: Kind) -> Error {
        let mut ahead = self.clone();
        match ahead.skip() {
            Err(error) if matches!(error.kind(), ErrorKind::Syntax(_)) => error,
            // A word that goes on is not a value: a time stamp is not a number.
            Ok(())
                if !matches!(
                    ahead.byte(),
                    None | Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}')
                ) =>
            {
                ahead.syntax("unexpected text after the value")
            }
            _ => self.fault(ErrorKind::WrongType {
                expected: expected.with_article(),
                found,
            }),
        }
    }

    fn enter(&mut self) -> Result<(), Error> {
        match self.depth.checked_sub(1) {
            Some(left) => {
                self.depth = left;
                Ok(())
            }
            None => Err(self.fault(ErrorKind::TooDeep)),
        }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
    }

    fn syntax(&self, message: &'static str) -> Error {
        Error::at(ErrorKind::Syntax(message), self.at)
    }

    #[inline]
    fn key(&mut self) -> Result<Cow<'a, str>, Error> {
        self.skip_space();
        if self.byte() != Some(b'"') {
            return Err(self.syntax("expected a member name in double quotes"));
        }
        let key = self.string_here()?;
        self.skip_space();
        if self.byte() != Some(b':') {
            return Err(self.syntax("expected `:`"));
        }
        self.at += 1;
        self.skip_space();
        Ok(key)
    }

    fn literal(&mut self, literal: &'static str) -> Result<(), Error> {
        if self.text[self.at..].starts_with(literal) {
            self.at += literal.len();
            return Ok(());
        }
        Err(self.syntax("expected `true`, `false` or `null`"))
    }

    /// Moves past plain string bytes, to the closing quote or the next backslash.
    // Runs are short, so the call would cost as much as the work.
    #[inline(always)]
    fn string_run(&mut self) -> Result<u8, Error> {
        self.at += plain_run(&self.text.as_bytes()[self.at..]);
        match self.byte() {
            Some(stop @ (b'"' | b'\\')) => Ok(stop),
            _ => Err(self.string_fault()),
        }
    }

    /// What is wrong with a string that stops here. That it never ends comes before what it
    /// contains.
    #[cold]
    fn string_fault(&mut self) -> Error {
        if memchr::memchr2(b'"', b'\\', &self.text.as_bytes()[self.at..]).is_some() {
            return self.syntax("control character in a string");
        }
        self.at = self.text.len();
        self.syntax("the text ends inside a string")
    }

    #[inline]
    fn string_here(&mut self) -> Result<Cow<'a, str>, Error> {
        self.at += 1;
        let start = self.at;
        if self.string_run()? == b'"' {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        self.string_with_escapes(start).map(Cow::Owned)
    }

    fn string_with_escapes(&mut self, start: usize) -> Result<String, Error> {
        let mut out = String::with_capacity(self.at - start + 32);
        out.push_str(&self.text[start..self.at]);
        loop {
            self.escape(&mut out)?;
            let run = self.at;
            let stop = self.string_run()?;
            out.push_str(&self.text[run..self.at]);
            if stop == b'"' {
                self.at += 1;
                return Ok(out);
            }
        }
    }

    #[inline]
    fn escape(&mut self, out: &mut String) -> Result<(), Error> {
        let found = escape(&self.text.as_bytes()[self.at..]);
        let Some(character) = found.character else {
            return Err(self.escape_fault());
        };
        out.push(character);
        self.at += found.length;
        Ok(())
    }

    /// What is wrong with the escape that begins here.
    #[cold]
    fn escape_fault(&self) -> Error {
        let rest = &self.text.as_bytes()[self.at..];
        let is_pair = rest.get(6..8) == Some(b"\\u");
        self.syntax(match rest.get(1) {
            Some(b'u') if hex(rest, 2).is_none() => "invalid \\u escape",
            Some(b'u') if is_pair && hex(rest, 8).is_none() => "invalid \\u escape",
            Some(b'u') => "lone surrogate in a string",
            _ => "invalid escape",
        })
    }

    fn skip_string(&mut self) -> Result<(), Error> {
        self.at += 1;
        while self.string_run()? == b'\\' {
            let start = self.at;
            self.at += 2;
            match self.text.as_bytes().get(start + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                Some(b'u') if hex(self.text.as_bytes(), self.at).is_some() => self.at += 4,
                Some(b'u') => {
                    return Err(Error::at(ErrorKind::Syntax("invalid \\u escape"), start));
                }
                _ => return Err(Error::at(ErrorKind::Syntax("invalid escape"), start)),
            }
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn number_here(&mut self) -> Result<(), Error> {
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let first = self.at + usize::from(bytes[self.at] == b'-');
        let mut at = digits(first);
        if at == first || (bytes[first] == b'0' && at > first + 1) {
            self.at = first;
            return Err(self.syntax("invalid number"));
        }
        if bytes.get(at) == Some(&b'.') {
            let fraction = at + 1;
            at = digits(fraction);
            if at == fraction {
                self.at = at;
                return Err(self.syntax("invalid number"));
            }
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            at += 1;
            if let Some(b'+' | b'-') = bytes.get(at) {
                at += 1;
            }
            let exponent = at;
            at = digits(exponent);
            if at == exponent {
                self.at = at;
                return Err(self.syntax("invalid number"));
            }
        }
        self.at = at;
        Ok(())
    }
}

/// How many bytes come before the first quote, backslash or control character.
#[inline]
fn plain_run(bytes: &[u8]) -> usize {
    // Eight bytes at a time: text comes in short runs, too short for a search to pay off.
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let stops = stops(u64::from_le_bytes(*word));
        if stops != 0 {
            return index * 8 + stops.trailing_zeros() as usize / 8;
        }
    }
    let is_stop = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
    words.len() * 8 + rest.iter().position(is_stop).unwrap_or(rest.len())
}

/// Marks quotes, backslashes and control characters in eight bytes by their highest bits. The
/// lowest mark is right; above it a borrow may mark a byte that is none of these.
#[inline]
fn stops(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word;
    let equal = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    (equal(b'"') | equal(b'\\') | below(word, 0x20)) & (EACH * 0x80)
}
