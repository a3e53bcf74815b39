//! Finds the places of all findings of a line: pointer to byte, byte to character, and the parts of
//! excerpts.
//!
//! One pass per level of nesting serves all findings of a line.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use codex_wire_base::json::{Cursor, Kind};

use crate::excerpt::pieces;
use crate::finding::Characters;
use crate::follow::plain;

/// Where the values stand that pointers lead to, as [`locate`](crate::scan::locate) finds each.
/// It takes a pass over the text for each level, however many pointers there are.
pub(crate) fn locate_all(text: &str, pointers: &[&str], first: bool) -> Vec<Option<Range<usize>>> {
    let mut tree = vec![Step::default()];
    for (number, pointer) in pointers.iter().enumerate() {
        let mut at = 0;
        for segment in pointer.split('/').skip(1) {
            let next = tree.len();
            let name = plain(segment).into_owned();
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
        // Of doubled keys one counts, so nothing is looked into before all are seen.
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

/// What was found out about a line when a finding needed it.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// How many characters come before every so many bytes.
    characters: OnceCell<Vec<u64>>,
    /// Where pieces begin.
    pieces: OnceCell<Vec<u32>>,
}

/// How many bytes are counted again for each place.
const BLOCK: usize = 4096;

impl Places {
    /// The part `range` of a line, whose text begins behind `skipped` characters.
    pub(crate) fn characters(
        &self,
        text: &str,
        range: &Range<usize>,
        skipped: u64,
    ) -> Option<Characters> {
        let (start, end) = (
            self.before(text, range.start)?,
            self.before(text, range.end)?,
        );
        Some(Characters {
            column: skipped + start + 1,
            length: end.saturating_sub(start),
        })
    }

    /// Where the pieces of a line begin.
    pub(crate) fn pieces(&self, text: &str) -> &[u32] {
        self.pieces.get_or_init(|| pieces(text))
    }

    /// How many characters come before a byte.
    fn before(&self, text: &str, at: usize) -> Option<u64> {
        if !text.is_char_boundary(at) {
            return None;
        }
        let marks = self.characters.get_or_init(|| {
            let mut sum = 0;
            let blocks = text.as_bytes().chunks(BLOCK).map(|block| {
                let before = sum;
                sum += begun(block);
                before
            });
            blocks.collect()
        });
        let block = at / BLOCK;
        // At the end of the last whole block there is no other.
        match marks.get(block) {
            Some(before) => Some(before + begun(&text.as_bytes()[block * BLOCK..at])),
            None => Some(begun(text.as_bytes())),
        }
    }
}

/// How many characters begin in some bytes of a text.
fn begun(bytes: &[u8]) -> u64 {
    bytecount::num_chars(bytes) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::locate;

    #[test]
    fn all_are_found_as_each_is() {
        let text = r#" {"a":[1,{"b~":"x"},[2]],"id":1,"":{"/":3},"id":{"a":[7]},"01":4} "#;
        let pointers = [
            "",
            "/a",
            "/a/1/b~0",
            "/a/2/0",
            "/id",
            "/id/a/0",
            "/",
            "//~1",
            "/a/7",
            "/a/1/b~0/c",
            "/nothing",
            "/a/x",
            "/01",
            "/a",
        ];
        for first in [false, true] {
            let found = locate_all(text, &pointers, first);
            for (pointer, found) in pointers.iter().zip(found) {
                assert_eq!(found, locate(text, pointer, first), "{pointer} {first}");
            }
        }
        assert_eq!(locate_all("{", &["", "/a"], false), [None, None]);
    }

    #[test]
    fn characters_are_counted_from_near_by() {
        for text in [
            "ä€😀x".repeat(2000),
            "a".repeat(BLOCK),
            "é".repeat(BLOCK / 2),
            String::new(),
        ] {
            let sight = Places::default();
            for (count, (at, _)) in text.char_indices().enumerate() {
                assert_eq!(sight.before(&text, at), Some(count as u64), "{at}");
            }
            let all = text.chars().count() as u64;
            assert_eq!(sight.before(&text, text.len()), Some(all));
            assert_eq!(sight.before(&text, text.len() + 1), None);
        }
        assert_eq!(Places::default().before("é", 1), None);
        let of = Places::default().characters("aéb", &(1..3), 1);
        assert_eq!(
            of,
            Some(Characters {
                column: 3,
                length: 1
            })
        );
    }
}
