//! The message at hand: a view of its text, and a parsed tree: for a line that the fast path accepted, once a stage needs one.

use std::cell::OnceCell;

use codex_wire_prefilter::View;
use serde_json::Value;

use super::scan::{DuplicateKey, scan};
use super::tree::{Counts, Tree};
use crate::line::Text;
use crate::violation::MessageRef;

/// A line that is a JSON object.
pub(crate) struct Message<'a> {
    /// The line.
    pub(crate) line: Text<'a>,
    /// Which message of the input it is, from 1.
    pub(crate) number: u64,
    /// Its members. If a key occurs twice, the last value counts.
    pub(crate) view: View<'a>,
    /// Its keys that occur twice in their object.
    pub(crate) duplicates: Vec<DuplicateKey>,
    /// How many values of it are examined.
    most: usize,
    /// Apart, because messages are moved and few are examined.
    tree: OnceCell<Box<Tree>>,
}

impl<'a> Message<'a> {
    /// A line that the fast path has accepted, of which at most so many values are examined.
    pub(crate) fn accepted(view: View<'a>, line: &Text<'a>, most: usize) -> Self {
        Message {
            line: *line,
            number: 0,
            view,
            duplicates: Vec::new(),
            most,
            tree: OnceCell::new(),
        }
    }

    /// A line whose grammar was found right.
    pub(crate) fn scanned(
        view: View<'a>,
        line: &Text<'a>,
        most: usize,
        duplicates: Vec<DuplicateKey>,
    ) -> Result<Self, codex_wire_base::Error> {
        let tree = Tree::of(line.text, Counts::Last, most)?;
        Ok(Message {
            duplicates,
            tree: OnceCell::from(Box::new(tree)),
            ..Message::accepted(view, line, most)
        })
    }

    /// Looks for keys that occur twice, which the fast path accepts.
    pub(crate) fn find_duplicates(&mut self, depth: usize) {
        self.duplicates = scan(self.line.text, depth).unwrap_or_default();
    }

    /// The message as a tree.
    pub(crate) fn tree(&self) -> &Value {
        &self.examined().value
    }

    /// The tree, and what it lacks of the message.
    pub(crate) fn examined(&self) -> &Tree {
        // What the prefilter accepts, serde_json reads.
        let make = || Tree::of(self.line.text, Counts::Last, self.most).unwrap_or_default();
        self.tree.get_or_init(|| Box::new(make()))
    }

    /// The tree of the message with the first of duplicate keys, if it has any.
    pub(crate) fn examined_first(&self) -> Option<Tree> {
        if self.duplicates.is_empty() {
            return None;
        }
        Tree::of(self.line.text, Counts::First, self.most).ok()
    }

    /// All of the message, however much that is.
    pub(crate) fn into_tree(self) -> Value {
        if self.examined().omitted.first.is_some()
            && let Ok(whole) = Tree::of(self.line.text, Counts::Last, usize::MAX)
        {
            return whole.value;
        }
        self.tree.into_inner().unwrap_or_default().value
    }

    /// Where it stands.
    pub(crate) fn message_ref(&self) -> MessageRef {
        let origin = &self.line.origin;
        let (skipped, length) = match origin.is_inner {
            // It need not be a part of the line as it stands there.
            true => (0, origin.length),
            false => (origin.skipped, self.line.text.len() as u64),
        };
        MessageRef {
            line: origin.line,
            message: self.number,
            offset: origin.offset + skipped as u64,
            length,
        }
    }
}
