//! The message at hand: a view of its text, and a parsed tree once a step needs one.

use std::cell::OnceCell;

use codex_wire_prefilter::View;
use serde_json::Value;

use super::scan::{DuplicateKey, scan};
use super::tree::{Counts, Tree};

/// A line that is a JSON object.
pub(crate) struct Message<'a> {
    /// Where it stands. If a key occurs twice, the last value counts.
    pub(crate) view: View<'a>,
    text: &'a str,
    /// How many values of it are examined.
    most: usize,
    /// Apart, because messages are moved and few are examined.
    tree: OnceCell<Box<Tree>>,
}

impl<'a> Message<'a> {
    /// A line that the prefilter has accepted.
    pub(crate) fn accepted(view: View<'a>, text: &'a str, most: usize) -> Self {
        Message {
            view,
            text,
            most,
            tree: OnceCell::new(),
        }
    }

    /// A line whose grammar was found right.
    pub(crate) fn scanned(
        view: View<'a>,
        text: &'a str,
        most: usize,
    ) -> Result<Self, codex_wire_base::Error> {
        let tree = Tree::of(text, Counts::Last, most)?;
        Ok(Message {
            tree: OnceCell::from(Box::new(tree)),
            ..Message::accepted(view, text, most)
        })
    }

    /// The keys that stand in it more than once.
    pub(crate) fn duplicates(&self, depth: usize) -> Vec<DuplicateKey> {
        scan(self.text, depth).unwrap_or_default()
    }

    /// The message as a tree.
    pub(crate) fn tree(&self) -> &Value {
        &self.looked_at().value
    }

    /// The tree, and what it has not of the message.
    pub(crate) fn looked_at(&self) -> &Tree {
        // What the prefilter accepts, serde_json reads.
        let make = || Tree::of(self.text, Counts::Last, self.most).unwrap_or_default();
        self.tree.get_or_init(|| Box::new(make()))
    }

    /// All of the message, however much that is.
    pub(crate) fn into_tree(self) -> Value {
        if self.looked_at().left.first.is_some()
            && let Ok(whole) = Tree::of(self.text, Counts::Last, usize::MAX)
        {
            return whole.value;
        }
        self.tree.into_inner().unwrap_or_default().value
    }
}
