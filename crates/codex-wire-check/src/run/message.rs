//! A message as it is looked at: where it stands, and as a tree once somebody needs one.

use std::cell::OnceCell;

use codex_wire_program::View;
use serde_json::Value;

use crate::number;
use crate::scan::{Counts, tree};

/// A line that is a JSON object.
pub(super) struct Message<'a> {
    /// Where it stands. Of doubled keys the last value counts.
    pub(super) view: View<'a>,
    text: &'a str,
    tree: OnceCell<Value>,
    /// Where numbers stand that a tree cannot hold.
    pub(super) beyond: Vec<String>,
}

impl<'a> Message<'a> {
    /// A line that a program has accepted.
    pub(super) fn accepted(view: View<'a>, text: &'a str) -> Self {
        Message {
            view,
            text,
            tree: OnceCell::new(),
            beyond: Vec::new(),
        }
    }

    /// A line whose grammar was found right.
    pub(super) fn scanned(view: View<'a>, text: &'a str) -> Result<Self, codex_wire::Error> {
        let mut beyond = Vec::new();
        let plain = serde_json::from_str(text).ok();
        let value = match plain.filter(|value| !number::may_be_other(value)) {
            Some(value) => value,
            None => tree(text, Counts::Last, &mut beyond)?,
        };
        Ok(Message {
            view,
            text,
            tree: OnceCell::from(value),
            beyond,
        })
    }

    /// The message as a tree.
    pub(super) fn tree(&self) -> &Value {
        // What a program accepts, serde_json reads.
        let make = || serde_json::from_str(self.text).unwrap_or_default();
        self.tree.get_or_init(make)
    }

    pub(super) fn into_tree(self) -> Value {
        self.tree();
        self.tree.into_inner().unwrap_or_default()
    }
}
