//! Whether two descriptions are one, whatever their definitions are called.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::document::{Document, says_nothing};
use crate::shapes::Object;

/// Whether two lists of nodes are the same.
pub(super) fn all(before: &Document, after: &Document, a: &[&Value], b: &[&Value]) -> bool {
    let mut same = Same::new(before, after);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same.nodes(a, b))
}

/// Whether two nodes are the same.
pub(super) fn nodes(before: &Document, after: &Document, a: &Value, b: &Value) -> bool {
    Same::new(before, after).nodes(a, b)
}

/// Whether two objects are the same but for members, each side leaving out its own.
pub(super) fn objects(
    before: &Document,
    after: &Document,
    a: &Object<'_>,
    b: &Object<'_>,
    without: [Option<&str>; 2],
) -> bool {
    let members = |object: &Object<'_>, without: Option<&str>| -> Vec<(String, bool)> {
        let members = object.members().filter(|(name, _)| Some(*name) != without);
        members
            .map(|(name, _)| (name.to_owned(), object.requires(name)))
            .collect()
    };
    let left = members(a, without[0]);
    let mut same = Same::new(before, after);
    left == members(b, without[1])
        && left
            .iter()
            .all(|(name, _)| match (a.member(name), b.member(name)) {
                (Some(a), Some(b)) => same.nodes(a, b),
                _ => false,
            })
}

struct Same<'d> {
    before: &'d Document,
    after: &'d Document,
    /// Pairs that are taken to be the same until the contrary is found.
    assumed: HashSet<(usize, usize)>,
}

impl<'d> Same<'d> {
    fn new(before: &'d Document, after: &'d Document) -> Self {
        Same {
            before,
            after,
            assumed: HashSet::new(),
        }
    }

    fn nodes(&mut self, a: &Value, b: &Value) -> bool {
        let (a, b) = (self.before.resolve(a).node, self.after.resolve(b).node);
        let key = (
            std::ptr::from_ref(a) as usize,
            std::ptr::from_ref(b) as usize,
        );
        if !self.assumed.insert(key) {
            return true;
        }
        match (a, b) {
            (Value::Object(a), Value::Object(b)) => self.keywords(a, b),
            _ => a == b,
        }
    }

    fn keywords(&mut self, a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
        let count =
            |object: &Map<String, Value>| object.keys().filter(|key| !says_nothing(key)).count();
        count(a) == count(b)
            && a.iter()
                .filter(|(key, _)| !says_nothing(key))
                .all(|(key, a)| b.get(key).is_some_and(|b| self.keyword(key, a, b)))
    }

    fn keyword(&mut self, key: &str, a: &Value, b: &Value) -> bool {
        match (key, a, b) {
            ("properties", Value::Object(a), Value::Object(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|(name, a)| b.get(name).is_some_and(|b| self.nodes(a, b)))
            }
            ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.nodes(a, b))
            }
            ("required" | "enum" | "type", Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().all(|value| b.contains(value))
            }
            ("items" | "additionalProperties" | "not" | "contains", a, b) => self.nodes(a, b),
            _ => a == b,
        }
    }
}
