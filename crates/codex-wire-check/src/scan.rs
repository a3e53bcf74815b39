//! What a line says of itself before anyone asks what it means: grammar, depth, doubled keys,
//! and where in its text each value stands.

use std::ops::Range;

use codex_wire::Error;
use codex_wire::json::{Cursor, Kind};
use serde_json::{Map, Value};

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
    let mut doubled = Vec::new();
    let mut path = String::new();
    value(&mut cursor, &mut path, &mut doubled)?;
    cursor.end()?;
    Ok(doubled)
}

fn value(
    cursor: &mut Cursor<'_>,
    path: &mut String,
    doubled: &mut Vec<Doubled>,
) -> Result<(), Error> {
    match cursor.kind()? {
        Kind::Object => object(cursor, path, doubled),
        Kind::Array => cursor.array(|cursor, index| {
            let length = path.len();
            push_segment(path, &index.to_string());
            let result = value(cursor, path, doubled);
            path.truncate(length);
            result
        }),
        _ => cursor.skip(),
    }
}

/// Above this many keys an object's keys are looked up in a set rather than in a list.
const FEW: usize = 24;

fn object(
    cursor: &mut Cursor<'_>,
    path: &mut String,
    doubled: &mut Vec<Doubled>,
) -> Result<(), Error> {
    let mut few: Vec<String> = Vec::new();
    let mut many = std::collections::HashSet::new();
    let mut here: Vec<Doubled> = Vec::new();
    cursor.object(|cursor, key| {
        let seen = if few.len() < FEW {
            few.iter().any(|k| k == key)
        } else {
            if many.is_empty() {
                many.extend(few.iter().cloned());
            }
            many.contains(key)
        };
        if !seen {
            if few.len() < FEW {
                few.push(key.to_owned());
            } else {
                many.insert(key.to_owned());
            }
        }
        let start = cursor.offset();
        let length = path.len();
        push_segment(path, key);
        value(cursor, path, doubled)?;
        path.truncate(length);
        if seen {
            match here.iter_mut().find(|d| d.key == key) {
                Some(known) => known.times += 1,
                None => here.push(Doubled {
                    object: path.clone(),
                    key: key.to_owned(),
                    times: 2,
                    second: start..cursor.offset(),
                }),
            }
        }
        Ok(())
    })?;
    doubled.append(&mut here);
    Ok(())
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

/// The tree of `text` in which of doubled keys the first counts, where serde_json keeps the
/// last. A line with doubled keys has to be right in both readings.
pub(crate) fn first_wins(text: &str) -> Option<Value> {
    fn read(cursor: &mut Cursor<'_>) -> Result<Value, Error> {
        match cursor.kind()? {
            Kind::Object => {
                let mut map = Map::new();
                cursor.object(|cursor, key| {
                    let value = read(cursor)?;
                    map.entry(key).or_insert(value);
                    Ok(())
                })?;
                Ok(Value::Object(map))
            }
            Kind::Array => {
                let mut array = Vec::new();
                cursor.array(|cursor, _| {
                    array.push(read(cursor)?);
                    Ok(())
                })?;
                Ok(Value::Array(array))
            }
            _ => Ok(serde_json::from_str(cursor.raw()?).unwrap_or(Value::Null)),
        }
    }
    read(&mut Cursor::new(text)).ok()
}

/// Adds a segment to a JSON Pointer.
pub(crate) fn push_segment(pointer: &mut String, segment: &str) {
    pointer.push('/');
    pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
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
