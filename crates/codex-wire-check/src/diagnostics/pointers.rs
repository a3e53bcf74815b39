//! Finds the bytes of the parts of a line that findings point to.
//!
//! One pass per level of nesting serves all findings of a line.

use std::collections::HashMap;
use std::ops::Range;

use codex_wire_base::json::{Cursor, Kind};
use codex_wire_base::pointer::unescaped;

/// Where the values stand that pointers lead to. Of duplicate keys the last one counts, as it does for the
/// tree that was checked; with `first`, the first one. It takes a pass over the text for each level, however many pointers there are.
pub(crate) fn locate_all(text: &str, pointers: &[&str], first: bool) -> Vec<Option<Range<usize>>> {
    let mut tree = vec![Step::default()];
    for (number, pointer) in pointers.iter().enumerate() {
        let mut at = 0;
        for segment in pointer.split('/').skip(1) {
            let next = tree.len();
            let name = unescaped(segment).into_owned();
            at = *tree[at].below.entry(name).or_insert(next);
            if at == next {
                tree.push(Step::default());
            }
        }
        tree[at].wanted.push(number);
    }
    let mut search = Search {
        text,
        first,
        tree,
        found: vec![None; pointers.len()],
    };
    let mut cursor = Cursor::with_depth(text, usize::MAX);
    if cursor.kind().is_ok() {
        let start = cursor.offset();
        if cursor.skip().is_ok() {
            search.look(0, start..cursor.offset());
        }
    }
    search.found
}

/// A place that pointers lead to or through.
#[derive(Default)]
struct Step {
    below: HashMap<String, usize>,
    /// The pointers that lead here.
    wanted: Vec<usize>,
}

struct Search<'t> {
    text: &'t str,
    first: bool,
    tree: Vec<Step>,
    found: Vec<Option<Range<usize>>>,
}

impl Search<'_> {
    fn look(&mut self, step: usize, range: Range<usize>) {
        for wanted in &self.tree[step].wanted {
            self.found[*wanted] = Some(range.clone());
        }
        if self.tree[step].below.is_empty() {
            return;
        }
        // Only one of two duplicate keys counts, so all keys are seen before a value is.
        let mut inside = HashMap::new();
        self.members(step, &range, &mut inside);
        for (step, range) in inside {
            self.look(step, range);
        }
    }

    /// Finds the members that pointers lead to or through; as many as the grammar allows.
    fn members(&self, step: usize, range: &Range<usize>, found: &mut HashMap<usize, Range<usize>>) {
        let below = &self.tree[step].below;
        let mut cursor = Cursor::with_depth(&self.text[range.clone()], usize::MAX);
        let mut visit = |cursor: &mut Cursor<'_>, step: Option<&usize>| {
            let start = range.start + cursor.offset();
            cursor.skip()?;
            let range = start..range.start + cursor.offset();
            if let Some(step) = step
                && !(self.first && found.contains_key(step))
            {
                found.insert(*step, range);
            }
            Ok(())
        };
        // The text was read before.
        let _ = match cursor.kind() {
            Ok(Kind::Object) => cursor.object(|cursor, key| visit(cursor, below.get(key))),
            Ok(Kind::Array) => {
                let below: HashMap<usize, &usize> = below
                    .iter()
                    .filter_map(|(index, step)| Some((index.parse().ok()?, step)))
                    .collect();
                cursor.array(|cursor, index| visit(cursor, below.get(&index).copied()))
            }
            _ => Ok(()),
        };
    }
}

/// Where the name of the member stands whose value begins at `value`.
pub(crate) fn key_before(text: &str, value: usize) -> Option<Range<usize>> {
    let before = text[..value].trim_end().strip_suffix(':')?.trim_end();
    let inside = before.strip_suffix('"')?;
    let bytes = inside.as_bytes();
    // The opening quote is the first one going back that is not escaped.
    let is_open = |at: &usize| {
        let before = bytes[..*at].iter().rev();
        before.take_while(|b| **b == b'\\').count() % 2 == 0
    };
    // Backslashes are counted before quotes only, so that none is counted twice.
    let open = memchr::memrchr_iter(b'"', bytes).find(is_open)?;
    Some(open..before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found() {
        let text = r#" {"a":[1,{"b~":"x"},[2]],"id":1,"":{"/":3},"id":{"a":[7]},"01":4} "#;
        let expected = [
            ("", Some(text.trim())),
            ("/a", Some(r#"[1,{"b~":"x"},[2]]"#)),
            ("/a/1/b~0", Some("\"x\"")),
            ("/a/2/0", Some("2")),
            ("/id", Some(r#"{"a":[7]}"#)),
            ("/id/a/0", Some("7")),
            ("/", Some(r#"{"/":3}"#)),
            ("//~1", Some("3")),
            ("/a/7", None),
            ("/a/1/b~0/c", None),
            ("/nothing", None),
            ("/a/x", None),
            ("/01", Some("4")),
            ("/a", Some(r#"[1,{"b~":"x"},[2]]"#)),
        ];
        let pointers = expected.map(|(pointer, _)| pointer);
        let found = |first| {
            let found = locate_all(text, &pointers, first).into_iter();
            let found = found.map(|range| range.map(|range| &text[range]));
            found.collect::<Vec<_>>()
        };
        assert_eq!(found(false), expected.map(|(_, value)| value));
        // Of duplicate keys the first one is meant.
        let mut first = expected.map(|(_, value)| value);
        (first[4], first[5]) = (Some("1"), None);
        assert_eq!(found(true), first);
        assert_eq!(locate_all("{", &["", "/a"], false), [None, None]);
    }

    #[test]
    fn finds_the_name_before_a_value() {
        let text = r#"{"a\"b" : 1,"c":2}"#;
        let key = |value: &str| key_before(text, text.find(value).unwrap()).map(|r| &text[r]);
        assert_eq!(key("1"), Some(r#""a\"b""#));
        assert_eq!(key("2"), Some(r#""c""#));
        assert_eq!(key_before("[1]", 1), None);
        // Every second backslash is one of the name.
        let name = r"\\".repeat(50_000);
        let text = format!(r#"{{"{name}":1}}"#);
        assert_eq!(key_before(&text, text.len() - 2), Some(1..text.len() - 3));
    }
}
