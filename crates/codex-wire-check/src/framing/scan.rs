//! Scans a line before its meaning is known: grammar, depth and duplicate keys.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use codex_wire_base::Error;
use codex_wire_base::json::{Cursor, Kind};
use foldhash::fast::RandomState;

use crate::pointer::{POINTER_BYTES, begin, bounded, push_segment};

/// A key that stands more than once in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DuplicateKey {
    /// The JSON Pointer of the object, the same one for all keys of an object; see [`bounded`].
    pub(crate) object: Rc<str>,
    /// The key.
    pub(crate) key: String,
    /// How often it stands there.
    pub(crate) times: usize,
    /// Where the second value stands.
    pub(crate) second: Range<usize>,
    /// How many more there are of which nothing is known, behind the last that is kept.
    pub(crate) further: u64,
}

/// How many duplicate keys of a line are kept; further ones are only counted.
const MOST_DUPLICATES: usize = 16_384;

/// Checks that `text` is one JSON value nested no deeper than `depth`, and finds duplicate keys.
pub(crate) fn scan(text: &str, depth: usize) -> Result<Vec<DuplicateKey>, Error> {
    let mut cursor = Cursor::with_depth(text, depth);
    // Room for the names of most lines.
    let mut scan = Scan {
        names: String::with_capacity(256),
        ends: Vec::with_capacity(FEW),
        path: Vec::with_capacity(8),
        ..Scan::default()
    };
    scan.value(&mut cursor)?;
    cursor.end()?;
    if let Some(last) = scan.duplicates.last_mut() {
        last.further = scan.further;
    }
    Ok(scan.duplicates)
}

/// What is known on the way along a line.
#[derive(Default)]
struct Scan {
    /// The keys so far of the objects around, one behind the other.
    names: String,
    /// Where each of them ends.
    ends: Vec<usize>,
    path: Vec<Segment>,
    duplicates: Vec<DuplicateKey>,
    /// How many are kept.
    kept: usize,
    /// How many are not.
    further: u64,
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
        let mut many: HashSet<String, RandomState> = HashSet::default();
        let mut here: HashMap<String, DuplicateKey, RandomState> = HashMap::default();
        let mut object: Option<Rc<str>> = None;
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
            if !seen {
                return Ok(());
            }
            if let Some(found) = here.get_mut(key) {
                found.times += 1;
            } else if self.kept == MOST_DUPLICATES {
                self.further += 1;
            } else {
                self.kept += 1;
                let object = object.get_or_insert_with(|| self.pointer().into());
                let found = DuplicateKey {
                    object: Rc::clone(object),
                    key: key.to_owned(),
                    times: 2,
                    second: start..cursor.offset(),
                    further: 0,
                };
                here.insert(key.to_owned(), found);
            }
            Ok(())
        })?;
        self.ends.truncate(first);
        self.names.truncate(self.ends.last().copied().unwrap_or(0));
        let mut here: Vec<DuplicateKey> = here.into_values().collect();
        here.sort_by_key(|d| d.second.start);
        self.duplicates.append(&mut here);
        Ok(())
    }

    fn key(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.names[start..self.ends[number]]
    }

    /// Where the walk is, as a JSON Pointer, cut where it is longer than anybody reads.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.path {
            if pointer.len() > POINTER_BYTES {
                break;
            }
            match segment {
                Segment::Key(number) => {
                    let key = self.key(*number);
                    push_segment(&mut pointer, begin(key, POINTER_BYTES + 1));
                }
                Segment::Index(index) => push_segment(&mut pointer, &index.to_string()),
            }
        }
        bounded(&pointer).into_owned()
    }
}

/// Whether a text that is not JSON because of what stands at `at` could have become JSON if it
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_duplicate_keys_at_any_depth() {
        let found = scan(r#"{"a":[{"b/c":1,"b\/c":2}],"a":3,"a":4}"#, 10).unwrap();
        let short: Vec<_> = found
            .iter()
            .map(|d| (&*d.object, d.key.as_str(), d.times))
            .collect();
        assert_eq!(short, [("/a/0", "b/c", 2), ("", "a", 3)]);
    }

    #[test]
    fn pointers_are_bounded() {
        let key = "ü".repeat(POINTER_BYTES);
        let text = format!(r#"{{"{key}":[{{"a":1,"a":2,"b":1,"b":2}}]}}"#);
        let found = scan(&text, 10).unwrap();
        assert_eq!(found.len(), 2);
        assert!(found[0].object.len() <= POINTER_BYTES + "…".len());
        assert!(found[0].object.ends_with("ü…"), "{}", found[0].object);
        assert!(Rc::ptr_eq(&found[0].object, &found[1].object));
    }

    #[test]
    fn very_many_are_only_counted() {
        let keys: Vec<String> = (0..MOST_DUPLICATES + 7)
            .map(|i| format!("\"k{i}\":1,\"k{i}\":2"))
            .collect();
        let found = scan(&format!("{{{}}}", keys.join(",")), 10).unwrap();
        assert_eq!(found.len(), MOST_DUPLICATES);
        assert_eq!(found.iter().map(|d| d.further).sum::<u64>(), 7);
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
}
