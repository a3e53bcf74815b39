//! Decides whether two descriptions are equal, whatever their definitions are called.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::document::Document;
use crate::limits::Budget;
use crate::nodes::says_nothing;
use crate::shapes::Object;

/// The documents two nodes are of, and what comparing them may cost.
#[derive(Clone, Copy)]
pub(super) struct Within<'w> {
    pub(super) before: &'w Document,
    pub(super) after: &'w Document,
    pub(super) budget: &'w Budget,
}

/// Whether two lists of nodes are the same.
pub(super) fn all<'w>(within: Within<'w>, a: &[&'w Value], b: &[&'w Value]) -> bool {
    let mut same = Same::new(within);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same.nodes(a, b))
}

/// Whether two nodes are the same.
pub(super) fn nodes<'w>(within: Within<'w>, a: &'w Value, b: &'w Value) -> bool {
    Same::new(within).nodes(a, b)
}

/// Whether two objects are the same except for members, each side leaving out its own.
pub(super) fn objects<'w>(
    within: Within<'w>,
    a: &Object<'w>,
    b: &Object<'w>,
    without: [Option<&str>; 2],
) -> bool {
    let members = |object: &Object<'_>, without: Option<&str>| -> Vec<(String, bool)> {
        let members = object.members().filter(|(name, _)| Some(*name) != without);
        members
            .map(|(name, _)| (name.to_owned(), object.requires(name)))
            .collect()
    };
    let left = members(a, without[0]);
    let mut same = Same::new(within);
    left == members(b, without[1])
        && a.choices() == b.choices()
        && left
            .iter()
            .all(|(name, _)| match (a.member(name), b.member(name)) {
                (Some(a), Some(b)) => same.nodes(a, b),
                _ => false,
            })
}

struct Same<'d> {
    within: Within<'d>,
    /// Pairs that are taken to be the same until the contrary is found.
    assumed: HashSet<(usize, usize)>,
    /// Pairs that are yet to be examined: definitions may lead to each other without end.
    waiting: Vec<(&'d Value, &'d Value)>,
}

impl<'d> Same<'d> {
    fn new(within: Within<'d>) -> Self {
        Same {
            within,
            assumed: HashSet::new(),
            waiting: Vec::new(),
        }
    }

    fn nodes(&mut self, a: &'d Value, b: &'d Value) -> bool {
        self.waiting.clear();
        self.waiting.push((a, b));
        while let Some((a, b)) = self.waiting.pop() {
            // Without means left nothing is the same.
            if !self.within.budget.step(1) || !self.pair(a, b) {
                return false;
            }
        }
        true
    }

    fn pair(&mut self, a: &'d Value, b: &'d Value) -> bool {
        let a = self.within.before.resolve(a).node;
        let b = self.within.after.resolve(b).node;
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

    fn later(&mut self, a: &'d Value, b: &'d Value) -> bool {
        self.waiting.push((a, b));
        true
    }

    fn keywords(&mut self, a: &'d Map<String, Value>, b: &'d Map<String, Value>) -> bool {
        let count =
            |object: &Map<String, Value>| object.keys().filter(|key| !says_nothing(key)).count();
        count(a) == count(b)
            && a.iter()
                .filter(|(key, _)| !says_nothing(key))
                .all(|(key, a)| b.get(key).is_some_and(|b| self.keyword(key, a, b)))
    }

    fn keyword(&mut self, key: &str, a: &'d Value, b: &'d Value) -> bool {
        match (key, a, b) {
            ("properties", Value::Object(a), Value::Object(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|(name, a)| b.get(name).is_some_and(|b| self.later(a, b)))
            }
            ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.later(a, b))
            }
            ("required" | "enum" | "type", Value::Array(a), Value::Array(b)) => similar(a, b),
            ("items" | "additionalProperties" | "not" | "contains", a, b) => self.later(a, b),
            _ => a == b,
        }
    }
}

/// Whether two lists hold the same, in any order.
fn similar(a: &[Value], b: &[Value]) -> bool {
    let texts = |list: &[Value]| -> HashSet<String> { list.iter().map(Value::to_string).collect() };
    a.len() == b.len() && (a == b || texts(a) == texts(b))
}
