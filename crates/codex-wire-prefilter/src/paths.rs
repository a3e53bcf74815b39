//! Finds the same projected paths in every line, during the walk.
//!
//! The paths are given beforehand as JSON Pointers
//! ([`Prefilter::projecting`](crate::Prefilter::projecting)). The walk follows the tree of their
//! names, so that a known name costs one table lookup. Some values are searched in the text only
//! when they are asked for: values in arrays and maps with arbitrary keys, values that a repeated key or
//! a rejected variant makes doubtful, paths beyond the 64th, and paths below more than 16 names.

use crate::interner::Mark;
use crate::pointer::unescaped;
use crate::tape::{Found, Record, Tape};
use crate::view::{Keys, View};

/// How many paths are found on the way. Those beyond are looked up when they are asked for.
const MOST: usize = 64;
/// How many names may lead to a path that is found on the way.
const LONGEST: usize = 16;

/// What a prefilter looks for: JSON Pointers, as a tree of names.
#[derive(Debug)]
pub(crate) struct Paths {
    pointers: Box<[Pointer]>,
    /// Where names lead: a row for each object on the way to a path, a column for each of
    /// `names`, and the first column for all others.
    steps: Box<[Step]>,
    /// In order.
    names: Box<[String]>,
}

#[derive(Debug)]
struct Pointer {
    text: String,
    /// Whether it is found on the way.
    is_found: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Step {
    /// Where the row of the members below begins: the first row, if no paths are there.
    row: u32,
    /// Which path this is, counted from 1; zero if it is none.
    slot: u32,
    /// The bit of that row: more rows than bits share some.
    bit: u64,
}

impl Paths {
    pub(crate) fn new(pointers: &[&str]) -> Self {
        let paths: Vec<Vec<String>> = pointers.iter().map(|pointer| path(pointer)).collect();
        let is_short = |path: &&Vec<String>| path.len() <= LONGEST;
        let found = paths.iter().take(MOST).filter(is_short);
        let mut names: Vec<&String> = found.flatten().collect();
        names.sort();
        names.dedup();
        let width = names.len() + 1;
        let column = |name: &String| names.binary_search(&name).map_or(0, |at| at + 1);
        // The first row leads nowhere, the second is that of the line.
        let mut steps = vec![Step::default(); 2 * width];
        let mut is_found = vec![false; pointers.len()];
        for (index, path) in paths.iter().enumerate().take(MOST) {
            let Some((last, above)) = path.split_last().filter(|_| is_short(&path)) else {
                continue;
            };
            let mut row = width;
            for name in above {
                let at = row + column(name);
                if steps[at].row == 0 {
                    steps[at].row = steps.len() as u32;
                    steps[at].bit = 1 << (steps.len() / width % 64);
                    steps.resize(steps.len() + width, Step::default());
                }
                row = steps[at].row as usize;
            }
            // A path given twice is looked up the second time.
            let step = &mut steps[row + column(last)];
            if step.slot == 0 {
                step.slot = index as u32 + 1;
                is_found[index] = true;
            }
        }
        let pointer = |(text, is_found): (&&str, bool)| Pointer {
            text: (*text).to_owned(),
            is_found,
        };
        Paths {
            pointers: pointers.iter().zip(is_found).map(pointer).collect(),
            steps: steps.into(),
            names: names.into_iter().cloned().collect(),
        }
    }

    /// The column of a name.
    pub(crate) fn column(&self, name: &[u8]) -> u16 {
        let cmp = |known: &String| known.as_bytes().cmp(name);
        let found = self.names.binary_search_by(cmp);
        found.map_or(0, |at| at as u16 + 1)
    }

    #[inline(always)]
    fn step(&self, row: u32, column: u16) -> Step {
        let step = self.steps.get(row as usize + usize::from(column));
        step.copied().unwrap_or_default()
    }
}

impl Default for Paths {
    fn default() -> Self {
        Paths::new(&[])
    }
}

/// The names on the way to a path; none if it is the whole line, or the pointer is none.
fn path(pointer: &str) -> Vec<String> {
    match pointer.strip_prefix('/') {
        Some(tokens) => tokens.split('/').map(unescaped).collect(),
        None => Vec::new(),
    }
}

/// Records where the values at the paths begin.
pub(crate) struct Finder<'f> {
    paths: &'f Paths,
    line: &'f [u8],
    /// What is found, by the numbers of the paths, and before that what is none of them.
    found: &'f mut [Found],
    /// Where the row of the members begins that may come.
    row: u32,
    /// How many arrays and objects with arbitrary keys are around: what is in them is looked up.
    around: u32,
    /// The row behind the outermost of them.
    behind: u32,
    /// The bits of the rows that were on the way.
    passed: u64,
    /// A value that is not found may be there all the same; and where keys are repeated, what is
    /// found may not count.
    pub(crate) is_unsure: bool,
}

impl<'f> Finder<'f> {
    pub(crate) fn new(paths: &'f Paths, line: &'f [u8], tape: &'f mut Tape) -> Self {
        Finder {
            paths,
            line,
            found: tape.room_for(paths.pointers.len().min(MOST) + 1),
            row: paths.names.len() as u32 + 1,
            around: 0,
            behind: 0,
            passed: 0,
            is_unsure: false,
        }
    }

    #[inline(always)]
    fn step(&mut self, column: u16, value: usize) -> usize {
        let Step { row, slot, bit } = self.paths.step(self.row, column);
        let above = std::mem::replace(&mut self.row, row);
        self.is_unsure |= self.passed & bit != 0;
        self.passed |= bit;
        if let Some(found) = self.found.get_mut(slot as usize) {
            // What is on no path goes to the first. A line that is examined like this is not longer.
            *found = (value as u32, 0);
        }
        (above as usize) << 8 | slot as usize
    }
}

impl Record for &mut Finder<'_> {
    #[inline(always)]
    fn whole(&mut self) -> usize {
        0
    }

    #[inline(always)]
    fn open(&mut self, _: (usize, usize), _: Mark, column: u16, value: usize) -> usize {
        self.step(column, value)
    }

    fn stranger(&mut self, name: (usize, usize), mark: Mark, value: usize) -> usize {
        // With escapes it may be one of the names too.
        self.is_unsure |= mark == Mark::NONE && self.row != 0;
        let column = match self.row {
            0 => 0,
            _ => self.paths.column(&self.line[name.0..name.1]),
        };
        self.step(column, value)
    }

    #[inline(always)]
    fn close(&mut self, member: usize, _: usize) {
        self.row = (member >> 8) as u32;
    }

    #[inline(always)]
    fn text(&mut self, member: usize, end: usize, is_plain: bool) {
        self.row = (member >> 8) as u32;
        if is_plain && let Some(found) = self.found.get_mut(member & 0xff) {
            found.1 = end as u32;
        }
    }

    #[inline(always)]
    fn known(&mut self) {}

    #[inline(always)]
    fn enter(&mut self) {
        if self.around == 0 {
            self.is_unsure |= self.row != 0;
            self.behind = std::mem::take(&mut self.row);
        }
        self.around += 1;
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.around -= 1;
        if self.around == 0 {
            self.row = self.behind;
        }
    }

    fn mark(&self) -> (usize, u32) {
        (self.around as usize, self.row)
    }

    fn back(&mut self, (around, row): (usize, u32)) {
        // What was found stands there whichever variant is right.
        (self.around, self.row) = (around as u32, row);
    }
}

/// The values at the projected paths of a prefilter, in a line that it accepted; see
/// [`Prefilter::project`](crate::Prefilter::project).
#[derive(Clone, Copy)]
pub struct Projected<'a> {
    line: &'a str,
    paths: &'a Paths,
    tape: &'a Tape,
    repeated: bool,
    is_unsure: bool,
}

impl<'a> Projected<'a> {
    pub(crate) fn new(
        line: &'a str,
        paths: &'a Paths,
        tape: &'a Tape,
        (repeated, is_unsure): (bool, bool),
    ) -> Self {
        Projected {
            line,
            paths,
            tape,
            repeated,
            is_unsure,
        }
    }

    /// The value at the path with this number, if there is one. Paths are counted from 0, in the
    /// order given to [`Prefilter::projecting`](crate::Prefilter::projecting).
    #[inline]
    pub fn get(self, path: usize) -> Option<View<'a>> {
        match self.found(path) {
            Some((start, _)) => Some(self.line().at(start as usize, None)),
            None => self.look_up(path),
        }
    }

    /// The string at a path, if there is one.
    #[inline]
    pub fn get_str(self, path: usize) -> Option<&'a str> {
        match self.found(path) {
            Some((start, end)) if end != 0 => self.line.get(start as usize + 1..end as usize - 1),
            Some(_) => self.get(path)?.as_str(),
            None => self.look_up(path)?.as_str(),
        }
    }

    #[inline(always)]
    fn found(self, path: usize) -> Option<Found> {
        let found = self.tape.found().get(path + 1)?;
        (found.0 != 0 && !(self.repeated && self.is_unsure)).then_some(*found)
    }

    /// The number of projected paths.
    pub fn paths(self) -> usize {
        self.paths.pointers.len()
    }

    /// The whole line.
    pub fn line(self) -> View<'a> {
        View::among(self.line, self.tape, Keys::Last)
    }

    /// Whether an object may have a key twice, as in [`Verdict::Accepted`](crate::Verdict); the
    /// last value counts.
    pub fn repeated(self) -> bool {
        self.repeated
    }

    fn look_up(self, path: usize) -> Option<View<'a>> {
        let pointer = self.paths.pointers.get(path)?;
        if pointer.is_found && !self.is_unsure {
            return None;
        }
        self.line().pointer(&pointer.text)
    }
}

impl<'a> std::fmt::Debug for Projected<'a> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seen =
            |(path, pointer): (usize, &'a Pointer)| Some((pointer.text.as_str(), self.get(path)?));
        let all = self.paths.pointers.iter().enumerate();
        f.debug_map().entries(all.filter_map(seen)).finish()
    }
}
