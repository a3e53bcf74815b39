//! Builds the tables of a prefilter while it is compiled.

use std::collections::HashMap;
use std::sync::atomic::AtomicU16;

use crate::error::Error;
use crate::interner::{Ending, Interned, Interner};
use crate::number::Range;
use crate::paths::Paths;
use crate::scanner::Scanner;
use crate::tables::{
    ANY, ANYTHING, FIRST_ARRAY, FIRST_RANGE, FIRST_SET, Member, Members, NONE, Node, Prefilter,
    Set, Shape, Tagged,
};
use crate::text::LONGEST;

/// How many entries a table may have.
const MOST: usize = 60_000;

/// How many members an object may name: one bit for each.
const MOST_MEMBERS: usize = 64;

/// What waits to be compiled.
pub(super) enum Place {
    /// The element of an array.
    Array(usize),
    /// The members of an object.
    Object(usize),
}

/// An object as it goes into the table.
pub(super) enum Object {
    Members(Members),
    Tagged(Tagged),
    Tries(Vec<u16>),
}

impl Object {
    /// One with these members; `None` if they are too many or a name is too long.
    pub(super) fn of(
        names: &[&str],
        values: Vec<Node>,
        required: &[usize],
        choices: &[Vec<usize>],
        others: Option<u16>,
    ) -> Option<Self> {
        if names.len() > MOST_MEMBERS || names.iter().any(|name| name.len() > LONGEST) {
            return None;
        }
        let bits = |members: &[usize]| members.iter().fold(0, |bits, member| bits | 1 << member);
        let names = Interner::new(names, Ending::Name);
        let member = |(name, value): (&Interned, Node)| Member {
            name: name.clone(),
            value,
            column: 0,
            next: AtomicU16::new(0),
        };
        Some(Object::Members(Members {
            members: names.list().iter().zip(values).map(member).collect(),
            names,
            first: AtomicU16::new(0),
            required: bits(required),
            choices: choices.iter().map(|set| bits(set)).collect(),
            others,
        }))
    }

    /// One of which nothing is sure.
    pub(super) fn never() -> Self {
        Object::Tries(Vec::new())
    }
}

#[derive(Default)]
pub(super) struct Tables {
    nodes: Vec<Node>,
    numbers: HashMap<Node, u16>,
    pub(super) arrays: Vec<u16>,
    pub(super) objects: Vec<Option<Object>>,
    ranges: Vec<Range>,
    sets: Vec<Vec<String>>,
}

impl Tables {
    pub(super) fn new() -> Self {
        let anything = Object::of(&[], Vec::new(), &[], &[], Some(ANYTHING));
        let mut tables = Tables {
            objects: vec![Some(Object::never()), anything],
            ..Tables::default()
        };
        tables.nodes.push(Node::ANY);
        tables.numbers.insert(Node::ANY, ANYTHING);
        tables
    }

    /// The number of a node.
    pub(super) fn node(&mut self, node: Node) -> Result<u16, Error> {
        if let Some(number) = self.numbers.get(&node) {
            return Ok(*number);
        }
        let number = number(self.nodes.len(), 0, "different values")?;
        self.nodes.push(node);
        self.numbers.insert(node, number);
        Ok(number)
    }

    /// A place for an array, by its number and its index.
    pub(super) fn array(&mut self) -> Result<(u16, usize), Error> {
        let index = self.arrays.len();
        self.arrays.push(ANYTHING);
        Ok((number(index, FIRST_ARRAY, "arrays")?, index))
    }

    /// A place for an object, by its number and its index.
    pub(super) fn object(&mut self) -> Result<(u16, usize), Error> {
        let index = self.objects.len();
        self.objects.push(None);
        Ok((number(index, 0, "objects")?, index))
    }

    /// The number of an object that waits for nothing.
    pub(super) fn finished(&mut self, object: Object) -> Result<u16, Error> {
        let (number, index) = self.object()?;
        self.objects[index] = Some(object);
        Ok(number)
    }

    /// The number of a range of integers.
    pub(super) fn range(&mut self, range: Range) -> Result<u16, Error> {
        let known = self.ranges.iter().position(|other| *other == range);
        let index = known.unwrap_or_else(|| {
            self.ranges.push(range);
            self.ranges.len() - 1
        });
        number(index, FIRST_RANGE, "ranges of integers")
    }

    /// The number of the range that holds what both hold, if there is one.
    pub(super) fn either_range(&mut self, one: u16, other: u16) -> Result<Option<u16>, Error> {
        let range = |number: u16| self.ranges[usize::from(number - FIRST_RANGE)];
        match range(one).or(range(other)) {
            Some(both) => self.range(both).map(Some),
            None => Ok(None),
        }
    }

    /// The number of a set of strings; `None` if one is too long.
    pub(super) fn set(&mut self, texts: &[&str]) -> Result<Option<u16>, Error> {
        if texts.is_empty() {
            return Ok(Some(NONE));
        }
        if texts.iter().any(|text| text.len() > LONGEST) || texts.len() > MOST / 2 {
            return Ok(None);
        }
        let mut set: Vec<String> = Vec::new();
        for text in texts {
            if !set.iter().any(|known| known == text) {
                set.push((*text).to_owned());
            }
        }
        let known = self.sets.iter().position(|other| *other == set);
        let index = known.unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        });
        number(index, FIRST_SET, "lists of strings").map(Some)
    }

    /// Whether a set has the empty string.
    pub(super) fn has_empty(&self, set: u16) -> bool {
        self.sets[usize::from(set - FIRST_SET)]
            .iter()
            .any(String::is_empty)
    }

    /// The number of the set of the strings of both.
    pub(super) fn either_set(&mut self, one: u16, other: u16) -> Result<Option<u16>, Error> {
        let set = |number: u16| self.sets[usize::from(number - FIRST_SET)].clone();
        let both: Vec<String> = set(one).into_iter().chain(set(other)).collect();
        let both: Vec<&str> = both.iter().map(String::as_str).collect();
        self.set(&both)
    }

    pub(super) fn finish(
        self,
        root: Node,
        gaps: Vec<String>,
        scanner: Scanner,
    ) -> Result<Prefilter, Error> {
        let shape = |object: Option<Object>| match object.unwrap_or_else(Object::never) {
            Object::Members(members) => Shape::Members(members),
            Object::Tagged(tagged) => Shape::Tagged(tagged),
            Object::Tries(objects) => Shape::Tries(objects.into()),
        };
        let set = |texts: Vec<String>| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            Set {
                words: Interner::new(&texts, Ending::Value),
                last: AtomicU16::new(0),
            }
        };
        Ok(Prefilter {
            root,
            nodes: self.nodes.into(),
            arrays: self.arrays.into(),
            objects: self.objects.into_iter().map(shape).collect(),
            ranges: self.ranges.into(),
            sets: self.sets.into_iter().map(set).collect(),
            gaps,
            scanner,
            paths: Paths::default(),
        })
    }
}

/// The number of the entry at an index of a table whose first entry is called `first`.
fn number(index: usize, first: u16, what: &'static str) -> Result<u16, Error> {
    debug_assert!(first > ANY || first == 0);
    if index >= MOST {
        return Err(Error::TooLarge { what, limit: MOST });
    }
    Ok(index as u16 + first)
}
