//! Records where the members of a line are, while a prefilter walks along it.
//!
//! Only members of objects that the schema describes are recorded, and only outside arrays and maps
//! with arbitrary keys. A [`View`](crate::View) finds the others in the text.

use elsa::FrozenVec;

use crate::interner::Mark;
use crate::skip::{skip, skip_string, space};

/// What stands at a projected path, by where it begins and, if it is a string without escapes,
/// where it ends. Nothing begins at zero.
pub(crate) type Found = (u32, u32);

/// How many members are taken down of a line; of one that has more, none are.
const MANY: usize = 4096;

/// For how many of them room is kept from line to line. Messages have some ten.
const KEPT: usize = 64;

/// The memory that a [`View`](crate::View) needs beside the line. Reuse it for the next line to
/// avoid allocations.
///
/// It records the members of objects that the schema describes, outside arrays and maps with
/// arbitrary keys: tags, ids and states are there. A view searches the line for the rest.
#[derive(Default)]
pub struct Tape {
    entries: Vec<Entry>,
    /// What was found at the projected paths.
    found: Vec<Found>,
    /// Texts that are written with escapes, once somebody has asked for them.
    texts: FrozenVec<String>,
    /// How many arrays and objects with arbitrary keys are around what is read; with [`FULL`] where
    /// there are more members than are taken down. Otherwise nothing is taken down.
    around: u32,
}

/// Added to the arrays around: no line has as many.
const FULL: u32 = 1 << 31;

/// A value, in the order of the line; an object comes before its members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The name of the member, without its quotes.
    pub(crate) name: (u32, u32),
    pub(crate) mark: Mark,
    /// Where the value begins, or white space before it, and where it ends.
    pub(crate) value: (u32, u32),
    /// The entry behind this one and its members.
    pub(crate) next: u32,
    /// Whether it is a string without escapes; some are not known to be.
    pub(crate) is_plain: bool,
    /// Whether it is an object whose members are taken down.
    pub(crate) is_known: bool,
}

impl Tape {
    /// An empty one.
    pub fn new() -> Self {
        Tape::default()
    }

    /// The whole line and its members, if they were taken down.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What was found at the projected paths.
    pub(crate) fn found(&self) -> &[Found] {
        &self.found
    }

    /// Room for so many paths, of which none is found yet.
    pub(crate) fn room_for(&mut self, paths: usize) -> &mut [Found] {
        self.clear();
        self.found.resize(paths, (0, 0));
        &mut self.found
    }

    /// Keeps a text as long as views are in use.
    pub(crate) fn keep(&self, text: String) -> &str {
        self.texts.push_get(text)
    }

    /// Forgets the last line, and the strings that its views decoded. A prefilter does this before
    /// the next line. Call it yourself if another thread uses the tape next, so that each thread
    /// frees the memory it allocated.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.entries.shrink_to(KEPT);
        self.found.clear();
        self.texts.as_mut().clear();
        self.around = 0;
    }
}

impl std::fmt::Debug for Tape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tape")
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

/// What a walk reports of the values it passes.
pub(crate) trait Record {
    /// The line begins. Returns what the other functions want to know.
    fn whole(&mut self) -> usize;
    /// A member of an object begins, by the place, the mark and the column of its name. Returns
    /// what the other functions want to know.
    fn open(&mut self, name: (usize, usize), mark: Mark, column: u16, value: usize) -> usize;
    /// The same for an object that the schema does not describe.
    fn stranger(&mut self, name: (usize, usize), mark: Mark, value: usize) -> usize;
    /// It ends, and with it its own members.
    fn close(&mut self, entry: usize, end: usize);
    /// It is a string that ends here, with escapes or without.
    fn text(&mut self, entry: usize, end: usize, is_plain: bool);
    /// The members of the object that was opened last follow.
    fn known(&mut self);
    /// An array or an object with arbitrary keys begins.
    fn enter(&mut self);
    /// It ends.
    fn leave(&mut self);
    /// A place to come back to.
    fn mark(&self) -> (usize, u32);
    /// What was reported since then does not count.
    fn back(&mut self, mark: (usize, u32));
}

/// Takes nothing down.
pub(crate) struct Nothing;

impl Record for Nothing {
    #[inline(always)]
    fn whole(&mut self) -> usize {
        0
    }
    #[inline(always)]
    fn open(&mut self, _: (usize, usize), _: Mark, _: u16, _: usize) -> usize {
        0
    }
    #[inline(always)]
    fn stranger(&mut self, _: (usize, usize), _: Mark, _: usize) -> usize {
        0
    }
    #[inline(always)]
    fn close(&mut self, _: usize, _: usize) {}
    #[inline(always)]
    fn text(&mut self, _: usize, _: usize, _: bool) {}
    #[inline(always)]
    fn known(&mut self) {}
    #[inline(always)]
    fn enter(&mut self) {}
    #[inline(always)]
    fn leave(&mut self) {}
    #[inline(always)]
    fn mark(&self) -> (usize, u32) {
        (0, 0)
    }
    #[inline(always)]
    fn back(&mut self, _: (usize, u32)) {}
}

/// The number of an entry that was not taken down.
const NOT_TAKEN: usize = usize::MAX;

impl Record for &mut Tape {
    #[inline(always)]
    fn whole(&mut self) -> usize {
        self.stranger((0, 0), Mark::NONE, 0)
    }

    #[inline(always)]
    fn stranger(&mut self, name: (usize, usize), mark: Mark, value: usize) -> usize {
        self.open(name, mark, 0, value)
    }

    #[inline(always)]
    fn open(&mut self, name: (usize, usize), mark: Mark, _: u16, value: usize) -> usize {
        if self.around != 0 {
            return NOT_TAKEN;
        }
        let entry = self.entries.len();
        if entry == MANY {
            return self.give_up();
        }
        // A line that is recorded is not as long as that.
        self.entries.push(Entry {
            name: (name.0 as u32, name.1 as u32),
            mark,
            value: (value as u32, 0),
            next: entry as u32 + 1,
            is_plain: false,
            is_known: false,
        });
        entry
    }

    #[inline(always)]
    fn close(&mut self, entry: usize, end: usize) {
        let next = self.entries.len() as u32;
        if let Some(entry) = self.entries.get_mut(entry) {
            entry.next = next;
            entry.value.1 = end as u32;
        }
    }

    #[inline(always)]
    fn text(&mut self, entry: usize, end: usize, is_plain: bool) {
        if let Some(entry) = self.entries.get_mut(entry) {
            entry.value.1 = end as u32;
            entry.is_plain = is_plain;
        }
    }

    #[inline(always)]
    fn known(&mut self) {
        if self.around == 0
            && let Some(last) = self.entries.last_mut()
        {
            last.is_known = true;
        }
    }

    #[inline(always)]
    fn enter(&mut self) {
        self.around += 1;
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.around -= 1;
    }

    fn mark(&self) -> (usize, u32) {
        (self.entries.len(), self.around)
    }

    fn back(&mut self, (entries, around): (usize, u32)) {
        self.around = around | self.around & FULL;
        if self.around == 0 {
            self.entries.truncate(entries);
            if let Some(last) = self.entries.last_mut() {
                last.is_known = false;
            }
        }
    }
}

/// How many objects around a member are taken down of a line that no prefilter has walked along: as
/// many as tags, ids and states have.
const LEVELS: u32 = 3;

impl Tape {
    /// Takes down the members of a line that no prefilter has walked along. Returns whether it did.
    pub(crate) fn take_down(&mut self, line: &str) -> bool {
        let bytes = line.as_bytes();
        // Paths are as long as that.
        if u32::try_from(bytes.len()).is_err() {
            return false;
        }
        let start = space(bytes, 0);
        let mut out = &mut *self;
        let whole = out.whole();
        out.value(bytes, start, LEVELS)
            .map(|end| out.close(whole, end))
            .is_some()
            && self.around == 0
    }

    /// Takes down the members of a value, whose entry is the last one. The place behind it; `None`
    /// where it is not JSON or too much is in it.
    fn value(&mut self, bytes: &[u8], at: usize, levels: u32) -> Option<usize> {
        if bytes.get(at) != Some(&b'{') || levels == 0 {
            return Some(skip(bytes, at));
        }
        let mut out = self;
        out.known();
        let mut at = space(bytes, at + 1);
        while *bytes.get(at)? == b'"' {
            let name = at + 1;
            at = skip_string(bytes, name)?;
            let written = bytes.get(name..at - 1)?;
            let mark = match memchr::memchr(b'\\', written) {
                None => Mark::of(written),
                Some(_) => Mark::NONE,
            };
            at = space(bytes, at);
            if *bytes.get(at)? != b':' {
                return None;
            }
            let start = space(bytes, at + 1);
            let entry = out.stranger((name, name + written.len()), mark, start);
            if entry == NOT_TAKEN {
                return None;
            }
            at = out.value(bytes, start, levels - 1)?;
            out.close(entry, at);
            at = space(bytes, at);
            if bytes.get(at) == Some(&b',') {
                at = space(bytes, at + 1);
            }
        }
        (*bytes.get(at)? == b'}').then_some(at + 1)
    }

    #[cold]
    fn give_up(&mut self) -> usize {
        self.around |= FULL;
        self.entries.clear();
        NOT_TAKEN
    }
}
