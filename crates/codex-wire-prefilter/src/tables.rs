//! The tables of a compiled schema.

use std::sync::atomic::AtomicU16;

use crate::interner::{Interned, Interner};
use crate::number::Range;
use crate::paths::Paths;
use crate::scanner::Scanner;

/// The deepest nesting that a prefilter follows; it is the limit of serde_json.
pub const DEEPEST: usize = 127;

/// A compiled schema.
///
/// It can be shared between threads. It remembers the order of members, so threads whose lines
/// differ a lot should have one each.
#[derive(Debug)]
pub struct Prefilter {
    pub(crate) root: Node,
    pub(crate) nodes: Box<[Node]>,
    /// The nodes of elements.
    pub(crate) arrays: Box<[u16]>,
    pub(crate) objects: Box<[Shape]>,
    pub(crate) ranges: Box<[Range]>,
    pub(crate) sets: Box<[Set]>,
    pub(crate) gaps: Vec<String>,
    pub(crate) scanner: Scanner,
    pub(crate) paths: Paths,
}

/// The result of checking a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The line is JSON, and a validator accepts it, whichever value of a repeated key is kept.
    Accepted {
        /// Whether a key may stand twice in one object. `false` is certain; `true` is not where
        /// an object has very many members or names written with escapes.
        repeated: bool,
    },
    /// A validator has to decide.
    NotSure {
        /// The byte at which this was given up. What is wrong, if anything is, may stand
        /// elsewhere.
        at: usize,
    },
}

/// What may stand at a place, by the kind of value. Numbers lead into the tables of the prefilter;
/// zero is nothing at all, one is anything of that kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) string: u16,
    pub(crate) number: u16,
    pub(crate) array: u16,
    pub(crate) object: u16,
    pub(crate) null: bool,
    pub(crate) boolean: bool,
}

/// In a [`Node`]: nothing of that kind may stand there.
pub(crate) const NONE: u16 = 0;
/// In a [`Node`]: anything of that kind may stand there.
pub(crate) const ANY: u16 = 1;
/// In a [`Node`], of strings: base64.
pub(crate) const BASE64: u16 = 2;
/// In a [`Node`], of strings: at least one character.
pub(crate) const NOT_EMPTY: u16 = 3;
/// The node of any value.
pub(crate) const ANYTHING: u16 = 0;
/// What the first entry of each table is called. The table of objects holds nothing and anything
/// itself.
pub(crate) const FIRST_RANGE: u16 = 2;
pub(crate) const FIRST_ARRAY: u16 = 2;
pub(crate) const FIRST_SET: u16 = 4;

impl Node {
    /// Any value.
    pub(crate) const ANY: Node = Node {
        string: ANY,
        number: ANY,
        array: ANY,
        object: ANY,
        null: true,
        boolean: true,
    };

    /// No value.
    pub(crate) const NEVER: Node = Node {
        string: NONE,
        number: NONE,
        array: NONE,
        object: NONE,
        null: false,
        boolean: false,
    };
}

/// One of several strings.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) words: Interner,
    /// Which of them came last.
    pub(crate) last: AtomicU16,
}

/// What an object may be.
#[derive(Debug)]
pub(crate) enum Shape {
    /// One with these members.
    Members(Members),
    /// One of several, by a tag.
    Tagged(Tagged),
    /// One of several: each is tried.
    Tries(Box<[u16]>),
}

/// An object by its members.
#[derive(Debug)]
pub(crate) struct Members {
    pub(crate) names: Interner,
    /// The members themselves, each with its name once more: all that is needed lies together.
    pub(crate) members: Box<[Member]>,
    /// Which members must be there, as bits.
    pub(crate) required: u64,
    /// Sets of members, as bits, of which one must be there whole; empty where none must.
    pub(crate) choices: Box<[u64]>,
    /// The node of other members, if there may be any.
    pub(crate) others: Option<u16>,
    /// Which member came first in the last line.
    pub(crate) first: AtomicU16,
}

impl Members {
    /// Whether these members, as bits, are enough.
    #[inline(always)]
    pub(crate) fn are_met_by(&self, seen: u64) -> bool {
        seen & self.required == self.required
            && (self.choices.is_empty() || self.choices.iter().any(|set| seen & set == *set))
    }
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: Interned,
    pub(crate) value: Node,
    /// The column of its name among the [`Paths`].
    pub(crate) column: u16,
    /// Which member came next in the last line.
    pub(crate) next: AtomicU16,
}

/// An object by its tag.
#[derive(Debug)]
pub(crate) struct Tagged {
    /// The name of the tag.
    pub(crate) tag: Interner,
    /// Its values.
    pub(crate) kinds: Interner,
    /// The object that each value leads to.
    pub(crate) variants: Box<[u16]>,
    /// Which value came last.
    pub(crate) last: AtomicU16,
}
