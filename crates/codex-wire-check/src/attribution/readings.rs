//! A message as its message set describes it, in one reading or in two: a message in which keys
//! occur twice has to be valid with the first and with the last of them.

use std::borrow::Cow;

use serde_json::Value;

use super::Attributed;
use crate::framing::tree::Tree;
use crate::rpc::dress::dressed;

/// A message in each reading.
pub(crate) struct Readings<'m> {
    /// With the last of duplicate keys.
    pub(crate) last: Reading<'m>,
    /// With the first of them, if there are any.
    pub(crate) first: Option<FirstReading>,
}

/// A message, and the tree it was made of.
pub(crate) struct Reading<'m> {
    pub(crate) message: Cow<'m, Value>,
    pub(crate) tree: &'m Tree,
}

/// A message with the first of duplicate keys, and the tree it was made of.
pub(crate) struct FirstReading {
    pub(crate) tree: Tree,
    /// As its message set describes it, if that is not how it stands there.
    dressed: Option<Value>,
}

impl FirstReading {
    pub(crate) fn message(&self) -> &Value {
        self.dressed.as_ref().unwrap_or(&self.tree.value)
    }
}

impl<'m> Readings<'m> {
    /// The readings of a message.
    pub(crate) fn of(attributed: &Attributed<'m, '_>) -> Self {
        let message = attributed.message;
        let (call, hook) = (attributed.call.as_ref(), message.line.hook);
        let tree = message.examined();
        let first = message.examined_first();
        Readings {
            last: Reading {
                message: dressed(call, hook, &tree.value),
                tree,
            },
            first: first.map(|tree| FirstReading {
                dressed: match dressed(call, hook, &tree.value) {
                    Cow::Owned(dressed) => Some(dressed),
                    Cow::Borrowed(_) => None,
                },
                tree,
            }),
        }
    }
}
