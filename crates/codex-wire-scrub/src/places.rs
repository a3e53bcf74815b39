//! Which texts the deltas of a line continue.

use std::borrow::Cow;

use codex_wire_base::json::tokens::TokenKind;

use crate::deltas::Place;
use crate::role::{self, Role};
use crate::tokens::{decoded, tokens};

/// The objects of a line that have deltas.
pub(crate) struct Places {
    /// Where each begins, in this order, and which text its deltas continue.
    found: Vec<(usize, Place)>,
    /// The text of deltas in none.
    outside: Place,
}

/// An object or array that is open.
struct Open {
    start: usize,
    is_object: bool,
    has_delta: bool,
    place: Place,
}

impl Places {
    /// Reads a message of a kind. This is done at once for all objects: each looked at by itself would be
    /// read as often as there are objects around it.
    pub(crate) fn of(line: &[u8], tag: &[u8]) -> Self {
        let outside = Place::new(tag);
        let mut found = Vec::new();
        let mut close = |open: Open| {
            if open.has_delta {
                found.push((open.start, open.place));
            }
        };
        let mut open: Vec<Open> = Vec::new();
        // How many are open within the deepest that is read.
        let mut deeper = 0u64;
        let mut name: Option<Cow<'_, [u8]>> = None;
        for token in tokens(line, 0) {
            let last = open.last_mut().filter(|last| deeper == 0 && last.is_object);
            match token.kind {
                TokenKind::Object | TokenKind::Array => {
                    if let (Some(last), Some(name)) = (last, &name) {
                        last.has_delta |= is_delta(name);
                    }
                    match open.len() < DEEPEST {
                        true => open.push(Open {
                            start: token.start,
                            is_object: token.kind == TokenKind::Object,
                            has_delta: false,
                            place: outside,
                        }),
                        false => deeper += 1,
                    }
                }
                TokenKind::Close if deeper > 0 => deeper -= 1,
                TokenKind::Close => open.pop().into_iter().for_each(&mut close),
                TokenKind::Key if last.is_some() => {
                    name = Some(decoded(token.of(line)));
                    continue;
                }
                TokenKind::String | TokenKind::Bare | TokenKind::Cut => {
                    if let (Some(last), Some(name)) = (last, &name) {
                        last.has_delta |= is_delta(name);
                        if token.kind != TokenKind::Cut {
                            last.place.add(name, &decoded(token.of(line)));
                        }
                    }
                }
                TokenKind::Key | TokenKind::Between => {}
            }
            name = None;
        }
        open.into_iter().for_each(close);
        found.sort_unstable_by_key(|(start, _)| *start);
        Places { found, outside }
    }

    /// Which text the deltas continue that stand in the object that begins there.
    pub(crate) fn at(&self, start: Option<usize>) -> Place {
        let found = start.and_then(|start| {
            let at = self.found.binary_search_by_key(&start, |(start, _)| *start);
            at.ok().map(|at| self.found[at].1)
        });
        found.unwrap_or(self.outside)
    }
}

/// How many objects and arrays may be open whose members are read. No checker reads a line that has
/// more.
pub(crate) const DEEPEST: usize = 256;

fn is_delta(name: &[u8]) -> bool {
    let name = str::from_utf8(name).unwrap_or_default();
    matches!(role::of(name), Role::Delta | Role::Bytes)
}
