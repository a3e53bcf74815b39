//! Parses a line into a tree with a limited number of values: a tree takes many times the memory of
//! its text.
//!
//! The tree knows what it leaves out (see `Limits::values`), and no rule reports on those parts.

use std::collections::HashSet;
use std::ops::Range;

use codex_wire_base::Error;
use codex_wire_base::json::{Cursor, Kind};
use serde_json::{Map, Value};

use super::number;
use crate::pointer::{bounded, push_segment};
use crate::rule_macros::rules;

/// Which value of a duplicate key counts. A line with duplicate keys has to be valid in both readings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// The first one.
    First,
    /// The last one, as in the trees of serde_json.
    Last,
}

/// A line as a tree.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) value: Value,
    /// Numbers that no tree can hold; of each the greatest there is was kept.
    pub(crate) beyond: Vec<Beyond>,
    pub(crate) omitted: Omitted,
}

/// A number beyond all floating-point numbers.
#[derive(Debug)]
pub(crate) struct Beyond {
    /// Its JSON Pointer; see [`bounded`].
    pub(crate) pointer: String,
    /// Where it stands.
    pub(crate) at: Range<usize>,
}

/// What a tree has not of its text.
#[derive(Debug, Default)]
pub(crate) struct Omitted {
    /// Where the first value stands that is not in the tree.
    pub(crate) first: Option<usize>,
    /// Objects and arrays of which something is missing that they may have needed: nothing can
    /// be said of them.
    partial: HashSet<String>,
}

impl Omitted {
    /// Whether nothing is left out. Arrays may have lost their last elements.
    pub(crate) fn is_sound(&self) -> bool {
        self.partial.is_empty()
    }

    /// Whether something can be said of what stands at a place.
    pub(crate) fn is_whole_at(&self, pointer: &str) -> bool {
        self.partial.is_empty() || !self.partial.contains(&*bounded(pointer))
    }
}

/// How many members of an object are examined when no further values are.
const RESERVE: usize = 64;

impl Tree {
    /// The tree of `text`, of at most about `most` values, also where serde_json refuses to make
    /// one.
    ///
    /// Half of a surrogate pair in a string is an error: JSON's grammar has it, text does not.
    pub(crate) fn of(text: &str, counts: Counts, most: usize) -> Result<Self, Error> {
        if counts == Counts::Last
            && !may_have_more(text, most)
            && let Ok(value) = serde_json::from_str(text)
            && !number::may_be_other(&value)
        {
            return Ok(Tree {
                value,
                ..Tree::default()
            });
        }
        let mut reading = Reading {
            counts,
            room: most,
            path: String::new(),
            beyond: Vec::new(),
            omitted: Omitted::default(),
        };
        let mut cursor = Cursor::with_depth(text, usize::MAX);
        let value = reading.value(&mut cursor)?;
        Ok(Tree {
            value,
            beyond: reading.beyond,
            omitted: reading.omitted,
        })
    }
}

/// Whether a text may have more than that many values: before each there is one of these.
fn may_have_more(text: &str, most: usize) -> bool {
    text.len() / 2 > most
        && memchr::memchr3_iter(b',', b':', b'[', text.as_bytes())
            .nth(most)
            .is_some()
}

struct Reading {
    counts: Counts,
    /// How many values more there may be.
    room: usize,
    path: String,
    beyond: Vec<Beyond>,
    omitted: Omitted,
}

impl Reading {
    fn value(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, Error> {
        self.room = self.room.saturating_sub(1);
        Ok(match cursor.kind()? {
            Kind::Object => self.object(cursor)?,
            Kind::Array => self.array(cursor)?,
            Kind::String => Value::String(cursor.string()?.into_owned()),
            Kind::Bool => Value::Bool(cursor.bool()?),
            Kind::Null => {
                cursor.null()?;
                Value::Null
            }
            Kind::Number => self.number(cursor)?,
        })
    }

    fn number(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, Error> {
        let written = cursor.number()?;
        Ok(number::value(written).unwrap_or_else(|| {
            let end = cursor.offset();
            self.beyond.push(Beyond {
                pointer: bounded(&self.path).into_owned(),
                at: end - written.len()..end,
            });
            let sign = if written.starts_with('-') { -1.0 } else { 1.0 };
            Value::from(sign * f64::MAX)
        }))
    }

    fn array(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, Error> {
        let mut array = Vec::new();
        cursor.array(|cursor, index| {
            // What elements are does not depend on those behind them.
            if self.room == 0 {
                return self.skip(cursor);
            }
            let length = self.path.len();
            push_segment(&mut self.path, &index.to_string());
            array.push(self.value(cursor)?);
            self.path.truncate(length);
            Ok(())
        })?;
        Ok(Value::Array(array))
    }

    fn object(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, Error> {
        let mut map = Map::new();
        let mut reserve = RESERVE;
        cursor.object(|cursor, key| {
            let is_full = self.room == 0;
            if is_full && reserve == 0 {
                self.partial();
                return self.skip(cursor);
            }
            reserve -= usize::from(is_full);
            let length = self.path.len();
            push_segment(&mut self.path, key);
            let value = match (cursor.kind()?, is_full) {
                (kind @ (Kind::Array | Kind::Object), true) => {
                    self.partial();
                    self.skip(cursor)?;
                    match kind {
                        Kind::Array => Value::Array(Vec::new()),
                        _ => Value::Object(Map::new()),
                    }
                }
                _ => self.value(cursor)?,
            };
            self.path.truncate(length);
            if self.counts == Counts::Last || !map.contains_key(key) {
                map.insert(key.to_owned(), value);
            }
            Ok(())
        })?;
        Ok(Value::Object(map))
    }

    fn skip(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        self.omitted.first.get_or_insert(cursor.offset());
        cursor.skip()
    }

    fn partial(&mut self) {
        let pointer = bounded(&self.path);
        if !self.omitted.partial.contains(&*pointer) {
            self.omitted.partial.insert(pointer.into_owned());
        }
    }
}

rules! {
    TOO_MANY_VALUES {
        summary: "an invalid message has at most as many values as the limit (`--max-values`, \
            16,384 by default)",
        id: "framing/too-many-values",
        explanation: "The limit protects the memory of the checker. A valid message can have any \
            number of values. In an invalid message, only the first values are checked, up to \
            the limit, so the message can have more errors than the report shows. Fix the other \
            findings of the message first, or raise the limit.",
        evidence: "The recorded message with the most values has 1,725 of them.",
    } => {
        TooManyValues { limit: usize }: "the message has more than {limit} values; the values from here on are not checked",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, most: usize) -> Tree {
        Tree::of(text, Counts::Last, most).unwrap()
    }

    #[test]
    fn makes_trees_that_serde_json_refuses() {
        let text = r#"{"a":[1,1e400],"b":{"c/d":-9e999},"e":"\ud83d\ude00","e":null}"#;
        let tree = Tree::of(text, Counts::First, 100).unwrap();
        let beyond: Vec<_> = tree
            .beyond
            .iter()
            .map(|beyond| (beyond.pointer.as_str(), &text[beyond.at.clone()]))
            .collect();
        assert_eq!(beyond, [("/a/1", "1e400"), ("/b/c~1d", "-9e999")]);
        assert_eq!(tree.value["a"][1], f64::MAX);
        assert_eq!(tree.value["b"]["c/d"], f64::MIN);
        assert_eq!(tree.value["e"], "😀");
        assert!(tree.omitted.first.is_none() && tree.omitted.is_sound());
        let half = Tree::of(r#"["\ud83d"]"#, Counts::Last, 100).unwrap_err();
        assert_eq!(half.offset(), 2);
    }

    #[test]
    fn of_an_array_the_first_elements_are_looked_at() {
        let text = r#"{"a":[1,2,3,4,5,6,7,8],"b":"x","c":[1],"d":{"e":1}}"#;
        let tree = of(text, 6);
        assert_eq!(
            tree.value,
            serde_json::json!({"a": [1, 2, 3, 4], "b": "x", "c": [], "d": {}})
        );
        assert_eq!(tree.omitted.first, text.find('5'));
        assert!(!tree.omitted.is_sound());
        for (pointer, whole) in [
            ("", true),
            ("/a", true),
            ("/b", true),
            ("/c", false),
            ("/d", false),
        ] {
            assert_eq!(tree.omitted.is_whole_at(pointer), whole, "{pointer}");
        }
        assert_eq!(
            of(text, 100).value,
            serde_json::from_str::<Value>(text).unwrap()
        );
        let array = of("[1,2,3,4]", 3);
        assert_eq!(array.value, serde_json::json!([1, 2]));
        assert!(array.omitted.is_sound());
    }

    #[test]
    fn an_object_of_very_many_members_is_not_checked_as_a_whole() {
        let members: Vec<String> = (0..200).map(|n| format!("\"k{n:03}\":{n}")).collect();
        let tree = of(&format!("{{{}}}", members.join(",")), 10);
        let found = tree.value.as_object().map_or(0, Map::len);
        assert_eq!(found, 9 + RESERVE);
        assert!(!tree.omitted.is_whole_at(""));
        assert!(tree.omitted.is_whole_at("/k000"));
    }

    #[test]
    fn values_are_never_fewer_than_what_stands_before_them() {
        for text in ["1", "[]", "[1]", "{}", r#"{"a":[{},[],1,2]}"#, r#"[",:["]"#] {
            let values = text.len();
            assert!(!may_have_more(text, values), "{text}");
            let tree = of(text, values);
            assert!(tree.omitted.first.is_none(), "{text}");
        }
        assert!(may_have_more("[1,1,1,1,1,1]", 3));
    }
}
