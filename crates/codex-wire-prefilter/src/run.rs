//! Walks along one line.
//!
//! Every step takes a position in the line and returns the position after what it read. It fails
//! with the position from which nothing can be said for sure.
//!
//! Each member remembers which member followed it in the last line, so an expected name costs one
//! comparison. Any other name is found by hash; escapes and white space are handled.

use std::sync::atomic::{AtomicU16, Ordering};

use crate::interner::{Interner, Mark, digest};
use crate::number;
use crate::tables::{
    ANY, ANYTHING, BASE64, DEEPEST, FIRST_ARRAY, FIRST_RANGE, FIRST_SET, Members, NONE, NOT_EMPTY,
    Node, Prefilter, Set, Shape, Tagged,
};
use crate::tape::Record;
use crate::text::{self, LONGEST};

/// The place behind, or the place of doubt.
type Step = Result<usize, usize>;

/// How many times the length of the line may be read in vain, where variants are tried.
const PATIENCE: usize = 16;

/// One line on its way.
pub(crate) struct Run<'p, 'l, R> {
    prefilter: &'p Prefilter,
    line: &'l [u8],
    /// How much deeper values may be nested.
    depth: usize,
    /// How many bytes more may be read in vain.
    patience: usize,
    /// Whether a key may have come twice.
    repeated: bool,
    /// Who wants to know where what stands.
    record: R,
}

impl<'p, 'l, R: Record> Run<'p, 'l, R> {
    pub(crate) fn new(prefilter: &'p Prefilter, line: &'l [u8], record: R) -> Self {
        Run {
            prefilter,
            line,
            depth: DEEPEST,
            patience: line.len().saturating_mul(PATIENCE).saturating_add(4096),
            repeated: false,
            record,
        }
    }

    /// Walks along the whole line. Returns whether a key may have come twice.
    pub(crate) fn line(mut self) -> Result<bool, usize> {
        let whole = self.record.whole();
        let end = self.value(0, &self.prefilter.root)?;
        self.record.close(whole, end);
        let end = self.space(end);
        if end == self.line.len() {
            Ok(self.repeated)
        } else {
            Err(end)
        }
    }

    #[inline(always)]
    fn byte(&self, at: usize) -> Option<u8> {
        self.line.get(at).copied()
    }

    /// The place behind white space, of which there rarely is any.
    #[inline(always)]
    fn space(&self, at: usize) -> usize {
        match self.byte(at) {
            Some(..=b' ') => self.more_space(at),
            _ => at,
        }
    }

    #[cold]
    fn more_space(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte(at) {
            at += 1;
        }
        at
    }

    fn value(&mut self, at: usize, node: &'p Node) -> Step {
        match self.byte(at) {
            Some(b'"') => match node.string {
                ANY => self.prefilter.scanner.string(self.line, at + 1),
                NONE => Err(at),
                other => self.one_string(at, other).map(|(end, _)| end),
            },
            Some(b'{') if node.object != NONE => self.object(at, node.object),
            Some(b'-' | b'0'..=b'9') => match node.number {
                ANY => number::number(self.line, at, None),
                NONE => Err(at),
                other => {
                    let range = self.prefilter.ranges[usize::from(other - FIRST_RANGE)];
                    number::number(self.line, at, Some(range))
                }
            },
            Some(b'[') if node.array != NONE => self.array(at, node.array),
            Some(b'n') if node.null => self.literal(at, b"null"),
            Some(b't') if node.boolean => self.literal(at, b"true"),
            Some(b'f') if node.boolean => self.literal(at, b"false"),
            Some(b' ' | b'\t' | b'\n' | b'\r') => {
                let at = self.more_space(at);
                self.value(at, node)
            }
            _ => Err(at),
        }
    }

    #[inline(always)]
    fn literal(&self, at: usize, literal: &[u8]) -> Step {
        let end = at + literal.len();
        if self.line.get(at..end) == Some(literal) {
            Ok(end)
        } else {
            Err(at)
        }
    }

    /// A string of a certain sort. Also returns whether it has no escapes.
    fn one_string(&self, at: usize, sort: u16) -> Result<(usize, bool), usize> {
        if sort == BASE64 {
            let end = self.prefilter.scanner.string(self.line, at + 1)?;
            let is_base64 = base64(&self.line[at + 1..end - 1]);
            return if is_base64 { Ok((end, true)) } else { Err(at) };
        }
        if sort == NOT_EMPTY {
            let (end, is_plain) = self.prefilter.scanner.text(self.line, at + 1)?;
            return if end - at > 2 {
                Ok((end, is_plain))
            } else {
                Err(at)
            };
        }
        let Set { words, last } = &self.prefilter.sets[usize::from(sort - FIRST_SET)];
        let (word, end) = self.word(at, words, last)?;
        // With escapes it is longer than it would have to be.
        Ok((end, words.is_written_in(word, end - at)))
    }

    /// A string that is one of the words, and which.
    #[inline(always)]
    fn word(&self, at: usize, words: &Interner, last: &AtomicU16) -> Result<(usize, usize), usize> {
        let guess = usize::from(last.load(Ordering::Relaxed));
        if let Some(end) = words.begins(guess, self.line, at) {
            return Ok((guess, end));
        }
        let end = self.prefilter.scanner.string(self.line, at + 1)?;
        let found = self.find(words, at + 1, end - 1).ok_or(at)?;
        last.store(found as u16, Ordering::Relaxed);
        Ok((found, end))
    }

    /// Which word stands there, between quotes.
    #[inline]
    fn find(&self, words: &Interner, from: usize, to: usize) -> Option<usize> {
        let written = &self.line[from..to];
        words.find_plain(written).or_else(|| {
            let mut buffer = [0; LONGEST];
            let escaped = written.contains(&b'\\');
            escaped.then(|| words.find(text::plain(written, &mut buffer)?))?
        })
    }

    fn enter(&mut self, at: usize) -> Result<(), usize> {
        self.depth = self.depth.checked_sub(1).ok_or(at)?;
        Ok(())
    }

    fn array(&mut self, at: usize, array: u16) -> Step {
        self.enter(at)?;
        self.record.enter();
        let element = match array {
            ANY => ANYTHING,
            other => self.prefilter.arrays[usize::from(other - FIRST_ARRAY)],
        };
        let element = &self.prefilter.nodes[usize::from(element)];
        let mut at = self.space(at + 1);
        if self.byte(at) == Some(b']') {
            self.depth += 1;
            self.record.leave();
            return Ok(at + 1);
        }
        loop {
            at = self.value(at, element)?;
            at = self.space(at);
            match self.byte(at) {
                Some(b',') => at += 1,
                Some(b']') => break,
                _ => return Err(at),
            }
        }
        self.depth += 1;
        self.record.leave();
        Ok(at + 1)
    }

    fn object(&mut self, at: usize, object: u16) -> Step {
        self.enter(at)?;
        let end = self.shaped(at + 1, object)?;
        self.depth += 1;
        Ok(end)
    }

    /// An object, from behind its brace.
    fn shaped(&mut self, at: usize, object: u16) -> Step {
        match &self.prefilter.objects[usize::from(object)] {
            Shape::Members(members) => self.members(at, members),
            Shape::Tagged(tagged) => self.tagged(at, tagged),
            Shape::Tries(objects) => self.tries(at, objects),
        }
    }

    /// So many bytes were read in vain, up to a place.
    #[inline(always)]
    fn lose(&mut self, read: usize, at: usize) -> Result<(), usize> {
        self.patience = self.patience.checked_sub(read).ok_or(at)?;
        Ok(())
    }

    fn tries(&mut self, at: usize, objects: &'p [u16]) -> Step {
        let (depth, mark) = (self.depth, self.record.mark());
        let mut doubt = at;
        for object in objects {
            match self.shaped(at, *object) {
                Ok(end) => return Ok(end),
                Err(place) => {
                    self.depth = depth;
                    self.record.back(mark);
                    doubt = doubt.max(place);
                    self.lose(place.saturating_sub(at) + 1, place)?;
                }
            }
        }
        Err(doubt)
    }

    /// Looks ahead for the tag, and takes the object it leads to from the beginning.
    fn tagged(&mut self, start: usize, tagged: &'p Tagged) -> Step {
        let mut at = self.space(start);
        let value = loop {
            if let Some(value) = tagged.tag.begins(0, self.line, at) {
                break self.space(value);
            }
            if self.byte(at) != Some(b'"') {
                return Err(at);
            }
            let end = self.prefilter.scanner.string(self.line, at + 1)?;
            let is_tag = self.find(&tagged.tag, at + 1, end - 1).is_some();
            let value = self.colon(end)?;
            if is_tag {
                break value;
            }
            let end = self.value(value, &self.prefilter.nodes[usize::from(ANYTHING)])?;
            at = self.space(end);
            if self.byte(at) != Some(b',') {
                return Err(at);
            }
            at = self.space(at + 1);
        };
        if self.byte(value) != Some(b'"') {
            return Err(value);
        }
        // What comes before the tag is read twice, and more often where variants are tried.
        self.lose(value - start, value)?;
        let (kind, _) = self.word(value, &tagged.kinds, &tagged.last)?;
        self.shaped(start, tagged.variants[kind])
    }

    /// The place of the value behind the colon that comes next.
    #[inline(always)]
    fn colon(&self, at: usize) -> Step {
        let at = self.space(at);
        if self.byte(at) != Some(b':') {
            return Err(at);
        }
        Ok(self.space(at + 1))
    }

    fn members(&mut self, start: usize, of: &'p Members) -> Step {
        if of.members.is_empty() {
            return self.map(start, of);
        }
        self.record.known();
        let mut at = self.space(start);
        let (mut seen, mut twice) = (0_u64, 0);
        if self.byte(at) == Some(b'}') {
            return if of.are_met_by(0) {
                Ok(at + 1)
            } else {
                Err(at)
            };
        }
        let mut strangers = None;
        let mut next = &of.first;
        loop {
            let guess = usize::from(next.load(Ordering::Relaxed));
            let mut member = &of.members[guess];
            let mut index = guess;
            let (name, value) =
                if let Some(value) = of.names.begins_with(&member.name, self.line, at) {
                    // The name is followed by a quote and a colon.
                    ((at + 1, value - 2), value)
                } else {
                    at = self.space(at);
                    let (found, quote, value) = self.name(at, of)?;
                    let Some(found) = found else {
                        let other = of.others.ok_or(at)?;
                        let strangers = strangers.get_or_insert_with(Few::default);
                        let name = &self.line[at + 1..quote];
                        self.repeated |= strangers.met(name);
                        let mark = match name.contains(&b'\\') {
                            true => Mark::NONE,
                            false => Mark::of(name),
                        };
                        let entry = self.record.stranger((at + 1, quote), mark, value);
                        at = self.value(value, &self.prefilter.nodes[usize::from(other)])?;
                        self.record.close(entry, at);
                        match self.next(at)? {
                            Some(next) => at = next,
                            None => break,
                        }
                        continue;
                    };
                    next.store(found as u16, Ordering::Relaxed);
                    (member, index) = (&of.members[found], found);
                    ((at + 1, quote), value)
                };
            let mark = member.name.mark(name.1 - name.0);
            let entry = self.record.open(name, mark, member.column, value);
            twice |= seen & 1 << index;
            seen |= 1 << index;
            at = match self.byte(value) {
                Some(b'"') => {
                    let (end, is_plain) = match member.value.string {
                        ANY => self.prefilter.scanner.text(self.line, value + 1)?,
                        NONE => return Err(value),
                        other => self.one_string(value, other)?,
                    };
                    self.record.text(entry, end, is_plain);
                    end
                }
                _ => {
                    let end = self.value(value, &member.value)?;
                    self.record.close(entry, end);
                    end
                }
            };
            next = &member.next;
            match self.next(at)? {
                Some(next) => at = next,
                None => break,
            }
        }
        let end = self.space(at);
        self.repeated |= twice != 0;
        if of.are_met_by(seen) {
            Ok(end + 1)
        } else {
            Err(end)
        }
    }

    /// The place behind the comma, if one comes next, and not the closing brace.
    #[inline(always)]
    fn next(&self, at: usize) -> Result<Option<usize>, usize> {
        match self.byte(at) {
            Some(b',') => Ok(Some(at + 1)),
            Some(b'}') => Ok(None),
            _ => {
                let at = self.space(at);
                match self.byte(at) {
                    Some(b',') => Ok(Some(at + 1)),
                    Some(b'}') => Ok(None),
                    _ => Err(at),
                }
            }
        }
    }

    /// A name that was not expected: which it is, where its closing quote stands, where the
    /// value begins.
    fn name(&self, at: usize, of: &Members) -> Result<(Option<usize>, usize, usize), usize> {
        if self.byte(at) != Some(b'"') {
            return Err(at);
        }
        let end = self.prefilter.scanner.string(self.line, at + 1)?;
        let found = self.find(&of.names, at + 1, end - 1);
        Ok((found, end - 1, self.colon(end)?))
    }

    /// An object all of whose members are alike.
    fn map(&mut self, start: usize, members: &'p Members) -> Step {
        let mut at = self.space(start);
        if self.byte(at) == Some(b'}') {
            return Ok(at + 1);
        }
        let node = &self.prefilter.nodes[usize::from(members.others.ok_or(at)?)];
        let mut met = Few::default();
        self.record.enter();
        loop {
            at = self.space(at);
            if self.byte(at) != Some(b'"') {
                return Err(at);
            }
            let end = self.prefilter.scanner.string(self.line, at + 1)?;
            self.repeated |= met.met(&self.line[at + 1..end - 1]);
            let value = self.colon(end)?;
            at = self.value(value, node)?;
            match self.next(at)? {
                Some(next) => at = next,
                None => break,
            }
        }
        self.record.leave();
        Ok(self.space(at) + 1)
    }
}

/// The names of one object, as long as they are few.
#[derive(Default)]
struct Few {
    digests: [u32; 24],
    count: usize,
}

impl Few {
    /// Whether the name, as it is written, may have come before.
    #[inline]
    fn met(&mut self, name: &[u8]) -> bool {
        let digest = digest(name);
        let Some(free) = self.digests.get_mut(self.count) else {
            return true;
        };
        *free = digest;
        let before = &self.digests[..self.count];
        let again = before.contains(&digest);
        self.count += 1;
        // With escapes it may be another spelling of one of them.
        again || name.contains(&b'\\')
    }
}

/// Whether a text is base64: standard alphabet, padded, without stray bits.
fn base64(text: &[u8]) -> bool {
    let digit = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/');
    let (quads, []) = text.as_chunks::<4>() else {
        return false;
    };
    let Some((last, quads)) = quads.split_last() else {
        return true;
    };
    let end = match last {
        [a, b, b'=', b'='] => digit(a) && b"AQgw".contains(b),
        [a, b, c, b'='] => digit(a) && digit(b) && b"AEIMQUYcgkosw048".contains(c),
        quad => quad.iter().all(digit),
    };
    end && quads.as_flattened().iter().all(digit)
}
