//! What a line says of itself before anyone asks what it means: grammar, depth, doubled keys,
//! and where in its text each value stands.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use codex_wire::Error;
use codex_wire::json::{Cursor, Kind};
use serde_json::{Map, Value};

use crate::number;

/// A key that stands more than once in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubled {
    /// The JSON Pointer of the object.
    pub(crate) object: String,
    /// The key.
    pub(crate) key: String,
    /// How often it stands there.
    pub(crate) times: usize,
    /// Where the second value stands.
    pub(crate) second: Range<usize>,
}

/// Checks that `text` is one JSON value nested no deeper than `depth`, and finds doubled keys.
pub(crate) fn scan(text: &str, depth: usize) -> Result<Vec<Doubled>, Error> {
    let mut cursor = Cursor::with_depth(text, depth);
    let mut scan = Scan::default();
    scan.value(&mut cursor)?;
    cursor.end()?;
    Ok(scan.doubled)
}

/// What is known on the way along a line.
#[derive(Default)]
struct Scan {
    /// The keys so far of the objects around, one behind the other.
    names: String,
    /// Where each of them ends.
    ends: Vec<usize>,
    path: Vec<Segment>,
    doubled: Vec<Doubled>,
}

/// A step on the way to a value.
enum Segment {
    /// The key with that number.
    Key(usize),
    Index(usize),
}

/// Above this many keys an object's keys are looked up in a set rather than in a list.
const FEW: usize = 24;

impl Scan {
    fn value(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        match cursor.kind()? {
            Kind::Object => self.object(cursor),
            Kind::Array => cursor.array(|cursor, index| {
                self.path.push(Segment::Index(index));
                let result = self.value(cursor);
                self.path.pop();
                result
            }),
            _ => cursor.skip(),
        }
    }

    fn object(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let first = self.ends.len();
        let mut many: HashSet<String> = HashSet::new();
        let mut here: HashMap<String, Doubled> = HashMap::new();
        cursor.object(|cursor, key| {
            let number = self.ends.len();
            let seen = if number - first < FEW {
                (first..number).any(|before| self.key(before) == key)
            } else {
                if many.is_empty() {
                    many.extend((first..number).map(|before| self.key(before).to_owned()));
                }
                !many.insert(key.to_owned())
            };
            self.names.push_str(key);
            self.ends.push(self.names.len());
            let start = cursor.offset();
            self.path.push(Segment::Key(number));
            self.value(cursor)?;
            self.path.pop();
            if seen {
                let found = here.entry(key.to_owned()).or_insert_with(|| Doubled {
                    object: self.pointer(),
                    key: key.to_owned(),
                    times: 1,
                    second: start..cursor.offset(),
                });
                found.times += 1;
            }
            Ok(())
        })?;
        self.ends.truncate(first);
        self.names.truncate(self.ends.last().copied().unwrap_or(0));
        let mut here: Vec<Doubled> = here.into_values().collect();
        here.sort_by_key(|d| d.second.start);
        self.doubled.append(&mut here);
        Ok(())
    }

    fn key(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.names[start..self.ends[number]]
    }

    /// Where the walk is, as a JSON Pointer.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.path {
            match segment {
                Segment::Key(number) => push_segment(&mut pointer, self.key(*number)),
                Segment::Index(index) => push_segment(&mut pointer, &index.to_string()),
            }
        }
        pointer
    }
}

/// Where the value at `pointer` stands in `text`. Of doubled keys the last one counts, as it
/// does for the tree that was judged; with `first`, the first one.
pub(crate) fn locate(text: &str, pointer: &str, first: bool) -> Option<Range<usize>> {
    let mut cursor = Cursor::with_depth(text, usize::MAX);
    cursor.kind().ok()?;
    let mut range = cursor.offset()..cursor.clone().raw().ok()?.len() + cursor.offset();
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        let mut inside = Cursor::with_depth(&text[range.clone()], usize::MAX);
        let base = range.start;
        let mut found: Option<Range<usize>> = None;
        let mut visit = |cursor: &mut Cursor<'_>, matches: bool| {
            let start = base + cursor.offset();
            cursor.skip()?;
            if matches && !(first && found.is_some()) {
                found = Some(start..base + cursor.offset());
            }
            Ok(())
        };
        match inside.kind().ok()? {
            Kind::Object => inside.object(|c, key| visit(c, key == segment)).ok()?,
            Kind::Array => {
                let index: usize = segment.parse().ok()?;
                inside.array(|c, at| visit(c, at == index)).ok()?;
            }
            _ => return None,
        }
        range = found?;
    }
    Some(range)
}

/// Where the name of the member stands whose value begins at `value`.
pub(crate) fn key_before(text: &str, value: usize) -> Option<Range<usize>> {
    let before = text[..value].trim_end().strip_suffix(':')?.trim_end();
    let inside = before.strip_suffix('"')?;
    let bytes = inside.as_bytes();
    // The opening quote is the first one going back that is not escaped.
    let open = (0..bytes.len()).rev().find(|at| {
        let backslashes = bytes[..*at]
            .iter()
            .rev()
            .take_while(|b| **b == b'\\')
            .count();
        bytes[*at] == b'"' && backslashes % 2 == 0
    })?;
    Some(open..before.len())
}

/// Which of doubled keys counts. A line with doubled keys has to be right in both readings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// The first one.
    First,
    /// The last one, as in the trees of serde_json.
    Last,
}

/// The tree of `text`, also where serde_json refuses to make one: of a number beyond all
/// floating-point numbers the greatest of them is kept, and its JSON Pointer goes to `beyond`.
///
/// Half of a surrogate pair in a string is an error: JSON's grammar has it, text does not.
pub(crate) fn tree(text: &str, counts: Counts, beyond: &mut Vec<String>) -> Result<Value, Error> {
    fn read(
        cursor: &mut Cursor<'_>,
        counts: Counts,
        path: &mut String,
        beyond: &mut Vec<String>,
    ) -> Result<Value, Error> {
        Ok(match cursor.kind()? {
            Kind::Object => {
                let mut map = Map::new();
                cursor.object(|cursor, key| {
                    let length = path.len();
                    push_segment(path, key);
                    let value = read(cursor, counts, path, beyond)?;
                    path.truncate(length);
                    if counts == Counts::Last || !map.contains_key(key) {
                        map.insert(key.to_owned(), value);
                    }
                    Ok(())
                })?;
                Value::Object(map)
            }
            Kind::Array => {
                let mut array = Vec::new();
                cursor.array(|cursor, index| {
                    let length = path.len();
                    push_segment(path, &index.to_string());
                    array.push(read(cursor, counts, path, beyond)?);
                    path.truncate(length);
                    Ok(())
                })?;
                Value::Array(array)
            }
            Kind::String => Value::String(cursor.string()?.into_owned()),
            Kind::Bool => Value::Bool(cursor.bool()?),
            Kind::Null => {
                cursor.null()?;
                Value::Null
            }
            Kind::Number => {
                let written = cursor.number()?;
                number::value(written).unwrap_or_else(|| {
                    beyond.push(path.clone());
                    let sign = if written.starts_with('-') { -1.0 } else { 1.0 };
                    Value::from(sign * f64::MAX)
                })
            }
        })
    }
    let mut cursor = Cursor::with_depth(text, usize::MAX);
    read(&mut cursor, counts, &mut String::new(), beyond)
}

/// Whether a text that is no JSON because of what stands at `at` could have become JSON if it
/// had gone on.
pub(crate) fn is_cut(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let is_hex = |digits: &str| digits.bytes().all(|b| b.is_ascii_hexdigit());
    let is_escape = |text: &str| match text.strip_prefix('\\') {
        Some("") => true,
        Some(escape) => escape
            .strip_prefix('u')
            .is_some_and(|digits| digits.len() < 4 && is_hex(digits)),
        None => text.is_empty(),
    };
    // The second half of a surrogate pair may be what is cut.
    let after_first = rest
        .split_at_checked(6)
        .filter(|(first, _)| first.starts_with("\\u") && is_hex(&first[2..]));
    let is_literal = ["true", "false", "null"]
        .iter()
        .any(|literal| literal.starts_with(rest));
    is_literal || is_escape(after_first.map_or(rest, |(_, second)| second))
}

/// Adds a segment to a JSON Pointer.
pub(crate) fn push_segment(pointer: &mut String, segment: &str) {
    pointer.push('/');
    if memchr::memchr2(b'~', b'/', segment.as_bytes()).is_none() {
        pointer.push_str(segment);
    } else {
        pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_doubled_keys_at_any_depth() {
        let found = scan(r#"{"a":[{"b/c":1,"b\/c":2}],"a":3,"a":4}"#, 10).unwrap();
        let short: Vec<_> = found
            .iter()
            .map(|d| (d.object.as_str(), d.key.as_str(), d.times))
            .collect();
        assert_eq!(short, [("/a/0", "b/c", 2), ("", "a", 3)]);
    }

    #[test]
    fn many_keys_are_still_compared() {
        let mut text: Vec<String> = (0..100).map(|i| format!("\"k{i}\":{i}")).collect();
        text.push("\"k3\":0".into());
        text.push("\"k99\":0".into());
        let found = scan(&format!("{{{}}}", text.join(",")), 10).unwrap();
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn finds_the_name_before_a_value() {
        let text = r#"{"a\"b" : 1,"c":2}"#;
        let key = |value: &str| key_before(text, text.find(value).unwrap()).map(|r| &text[r]);
        assert_eq!(key("1"), Some(r#""a\"b""#));
        assert_eq!(key("2"), Some(r#""c""#));
        assert_eq!(key_before("[1]", 1), None);
    }

    #[test]
    fn makes_trees_that_serde_json_refuses() {
        let mut beyond = Vec::new();
        let text = r#"{"a":[1,1e400],"b":{"c/d":-9e999},"e":"\ud83d\ude00","e":null}"#;
        let tree = tree(text, Counts::First, &mut beyond).unwrap();
        assert_eq!(beyond, ["/a/1", "/b/c~1d"]);
        assert_eq!(tree["a"][1], f64::MAX);
        assert_eq!(tree["b"]["c/d"], f64::MIN);
        assert_eq!(tree["e"], "😀");
        let half = super::tree(r#"["\ud83d"]"#, Counts::Last, &mut beyond).unwrap_err();
        assert_eq!(half.offset(), 2);
    }

    #[test]
    fn tells_a_cut_from_a_fault() {
        for cut in [
            "",
            "t",
            "fals",
            "nul",
            r"\",
            r"\u",
            r"\u20",
            r"\ud83d",
            r"\ud83d\",
            r"\ud83d\ud8",
        ] {
            assert!(is_cut(&format!("[{cut}"), 1), "{cut}");
        }
        for fault in [
            "truf",
            "x",
            "}",
            r"\a",
            r"\x12",
            r"\u1g",
            r"\ud83d\n",
            r"\ud83d\ude00x",
            r#"\ud83d""#,
        ] {
            assert!(!is_cut(&format!("[{fault}"), 1), "{fault}");
        }
    }

    #[test]
    fn locates_values() {
        let text = r#" {"a":[1,{"b~":"x"}],"id":1,"id":22} "#;
        let at = |pointer, first| locate(text, pointer, first).map(|range| &text[range]);
        assert_eq!(at("/a/1/b~0", false), Some("\"x\""));
        assert_eq!(at("/id", false), Some("22"));
        assert_eq!(at("/id", true), Some("1"));
        assert_eq!(at("", false), Some(text.trim()));
        assert_eq!(at("/a/7", false), None);
        assert_eq!(at("/a/1/b~0/c", false), None);
    }
}
