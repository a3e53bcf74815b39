//! The compiled schema: tables, and the functions that run them.

use std::sync::atomic::AtomicU16;

use serde_json::Value;

use crate::error::Error;
use crate::number::Range;
use crate::outline::{Nothing, Outline};
use crate::places::{Finder, Places, Seen};
use crate::run::Run;
use crate::scanner::Scanner;
use crate::view::View;
use crate::words::{Word, Words};

/// The deepest nesting that a program follows; it is the limit of serde_json.
pub const DEEPEST: usize = 127;

/// A compiled schema.
///
/// It can be shared between threads. It remembers the order of members, so threads whose lines
/// differ a lot should have one each.
#[derive(Debug)]
pub struct Program {
    pub(crate) root: Node,
    pub(crate) nodes: Box<[Node]>,
    /// The nodes of elements.
    pub(crate) arrays: Box<[u16]>,
    pub(crate) objects: Box<[Shape]>,
    pub(crate) ranges: Box<[Range]>,
    pub(crate) sets: Box<[Set]>,
    pub(crate) gaps: Vec<String>,
    pub(crate) scanner: Scanner,
    pub(crate) places: Places,
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

/// What may stand at a place, by the kind of value. Numbers lead into the tables of the program;
/// nought is nothing at all, one is anything of that kind.
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
    pub(crate) words: Words,
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
    pub(crate) names: Words,
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
    pub(crate) name: Word,
    pub(crate) value: Node,
    /// The column of its name among the [`Places`].
    pub(crate) column: u16,
    /// Which member came next in the last line.
    pub(crate) next: AtomicU16,
}

/// An object by its tag.
#[derive(Debug)]
pub(crate) struct Tagged {
    /// The name of the tag.
    pub(crate) tag: Words,
    /// Its values.
    pub(crate) kinds: Words,
    /// The object that each value leads to.
    pub(crate) arms: Box<[u16]>,
    /// Which value came last.
    pub(crate) last: AtomicU16,
}

impl Program {
    /// Compiles a schema, for the fastest instructions of this processor.
    ///
    /// # Errors
    /// When a reference leads nowhere, or the schema has more parts than the tables can hold.
    pub fn compile(schema: &Value) -> Result<Self, Error> {
        Self::compile_for(schema, Scanner::best())
    }

    /// Compiles a schema, for the given instructions.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn compile_for(schema: &Value, scanner: Scanner) -> Result<Self, Error> {
        let all = schema.get("$defs");
        crate::compile::compile(schema, &|name| all?.get(name), scanner)
    }

    /// Compiles a schema whose definitions stand somewhere else: whoever has many schemas with the
    /// same definitions need not put them together.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn compile_with<'s>(
        schema: &'s Value,
        definitions: &'s (dyn Fn(&str) -> Option<&'s Value> + 's),
    ) -> Result<Self, Error> {
        crate::compile::compile(schema, definitions, Scanner::best())
    }

    /// Makes the program look for these paths, given as JSON Pointers, in every line; see
    /// [`Self::look`].
    ///
    /// Values in arrays and in maps with arbitrary keys are searched only when asked for; so are
    /// paths beyond the 64th and paths below more than 16 names.
    #[must_use]
    pub fn looking_for(mut self, places: &[&str]) -> Self {
        self.places = Places::new(places);
        for shape in &mut self.objects {
            if let Shape::Members(Members { names, members, .. }) = shape {
                for (word, member) in names.list().iter().zip(members) {
                    member.column = self.places.column(names.text(word));
                }
            }
        }
        self
    }

    /// The parts of the schema, as JSON Pointers, where the program is never sure, because it does
    /// not know a keyword or a combination of keywords.
    pub fn gaps(&self) -> &[String] {
        &self.gaps
    }

    /// Checks one line.
    pub fn check(&self, line: &[u8]) -> Verdict {
        if simdutf8::basic::from_utf8(line).is_ok() {
            return self.check_utf8(line);
        }
        let error = std::str::from_utf8(line).err();
        Verdict::NotSure {
            at: error.map_or(0, |error| error.valid_up_to()),
        }
    }

    /// Checks one line that is known to be UTF-8.
    pub fn check_text(&self, line: &str) -> Verdict {
        self.check_utf8(line.as_bytes())
    }

    /// Checks one line that is known to be UTF-8. If it is accepted, returns a view of it, and
    /// whether an object may have a key twice, as in [`Verdict::Accepted`]; the last value counts.
    /// Otherwise returns the byte at which checking stopped.
    ///
    /// # Errors
    /// When a validator has to decide.
    #[inline]
    pub fn view<'a>(
        &self,
        line: &'a str,
        outline: &'a mut Outline,
    ) -> Result<(View<'a>, bool), usize> {
        outline.clear();
        let repeated = match u32::try_from(line.len()) {
            Ok(_) => Run::new(self, line.as_bytes(), &mut *outline).line()?,
            Err(_) => Run::new(self, line.as_bytes(), Nothing).line()?,
        };
        Ok((outline.view(line, repeated), repeated))
    }

    /// Checks one line that is known to be UTF-8. If it is accepted, returns the values at the
    /// projected paths. This is faster than a [`View`] if you need the same paths of every line.
    /// Otherwise returns the byte at which checking stopped.
    ///
    /// ```
    /// use codex_wire_program::{Outline, Program};
    /// use serde_json::json;
    ///
    /// let program = Program::compile(&json!({
    ///     "type": "object",
    ///     "properties": {"type": {"type": "string"}, "item": {"properties": {"id": {"type": "string"}}}},
    ///     "required": ["type"],
    /// }))?
    /// .looking_for(&["/type", "/item/id"]);
    /// let mut outline = Outline::new();
    /// let line = r#"{"type":"item.started","item":{"id":"item_0"}}"#;
    /// let seen = program.look(line, &mut outline).expect("it is accepted");
    /// assert_eq!((seen.get_str(0), seen.get_str(1)), (Some("item.started"), Some("item_0")));
    /// # Ok::<(), codex_wire_program::Error>(())
    /// ```
    ///
    /// # Errors
    /// When a validator has to decide.
    #[inline]
    pub fn look<'a>(&'a self, line: &'a str, outline: &'a mut Outline) -> Result<Seen<'a>, usize> {
        let mut finder = Finder::new(&self.places, line.as_bytes(), outline);
        let told = match u32::try_from(line.len()) {
            Ok(_) => {
                let repeated = Run::new(self, line.as_bytes(), &mut finder).line()?;
                (repeated, finder.is_unsure)
            }
            Err(_) => (Run::new(self, line.as_bytes(), Nothing).line()?, true),
        };
        Ok(Seen::new(line, &self.places, outline, told))
    }

    fn check_utf8(&self, line: &[u8]) -> Verdict {
        match Run::new(self, line, Nothing).line() {
            Ok(repeated) => Verdict::Accepted { repeated },
            Err(at) => Verdict::NotSure { at },
        }
    }
}
