//! Counts the schema nodes that a validator would visit for a value, before the validator is
//! called.
//!
//! A validator follows every variant of a union and every reference each time it meets them. A
//! definition with two branches, nested forty levels deep, is a trillion visits. This module counts
//! each pair of node and value once.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::nodes::{says_nothing, target_of};

/// How deep branches may nest without a step into the value.
const NESTED: usize = 400;

/// More than anyone may visit.
const ENDLESS: u64 = u64::MAX;

/// How many visits a value takes, no more than `most`; `None` beyond that.
pub(crate) fn visits(base: &Value, start: &Value, value: &Value, most: u64) -> Option<u64> {
    let mut count = Count {
        base,
        known: HashMap::new(),
        most,
    };
    let visits = count.node(start, value, 0);
    (visits <= most).then_some(visits)
}

struct Count<'d> {
    base: &'d Value,
    /// By the addresses of a node and a value. What is being counted is endless: a node that
    /// leads to itself without a step into the value.
    known: HashMap<(usize, usize), u64>,
    most: u64,
}

impl<'d> Count<'d> {
    fn node(&mut self, node: &'d Value, value: &Value, depth: usize) -> u64 {
        let Value::Object(object) = node else {
            return 1;
        };
        let key = (
            std::ptr::from_ref(node) as usize,
            std::ptr::from_ref(value) as usize,
        );
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        // Pairs are few: as many as are visited at least once.
        if depth > NESTED || u64::try_from(self.known.len()).unwrap_or(ENDLESS) > self.most {
            return ENDLESS;
        }
        self.known.insert(key, ENDLESS);
        let visits = self.keywords(object, value, depth);
        self.known.insert(key, visits);
        visits
    }

    fn keywords(&mut self, object: &'d Map<String, Value>, value: &Value, depth: usize) -> u64 {
        let mut sum: u64 = 1;
        for (keyword, inner) in object {
            if says_nothing(keyword) {
                continue;
            }
            let more = match (keyword.as_str(), inner) {
                ("$ref", Value::String(reference)) => match target_of(self.base, reference) {
                    Some(target) => self.node(target, value, depth + 1),
                    None => 1,
                },
                ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                    self.sum(branches.iter(), value, depth)
                }
                ("properties", Value::Object(members)) => self.members(members, value, depth),
                ("patternProperties", Value::Object(members)) => {
                    self.each(members.values(), value, depth)
                }
                ("items" | "additionalProperties" | "contains" | "unevaluatedItems", inner)
                    if !inner.is_array() =>
                {
                    self.each(std::iter::once(inner), value, depth)
                }
                ("prefixItems" | "items", Value::Array(items)) => {
                    self.each(items.iter(), value, depth)
                }
                ("enum" | "required", Value::Array(list)) => {
                    u64::try_from(list.len()).unwrap_or(ENDLESS)
                }
                ("not" | "if" | "then" | "else" | "propertyNames", inner) => {
                    self.node(inner, value, depth + 1)
                }
                ("dependentSchemas", Value::Object(parts)) => {
                    self.sum(parts.values(), value, depth)
                }
                _ => 1,
            };
            sum = sum.saturating_add(more);
            if sum > self.most {
                return ENDLESS;
            }
        }
        sum
    }

    fn sum(&mut self, nodes: impl Iterator<Item = &'d Value>, value: &Value, depth: usize) -> u64 {
        let mut sum: u64 = 0;
        for node in nodes {
            sum = sum.saturating_add(self.node(node, value, depth + 1));
            if sum > self.most {
                return ENDLESS;
            }
        }
        sum
    }

    fn members(&mut self, members: &'d Map<String, Value>, value: &Value, depth: usize) -> u64 {
        let Value::Object(object) = value else {
            return 0;
        };
        let mut sum: u64 = 0;
        for (name, inner) in object {
            if let Some(member) = members.get(name) {
                sum = sum.saturating_add(self.node(member, inner, depth + 1));
            }
        }
        sum
    }

    /// Every value within, by each of some nodes.
    fn each(&mut self, nodes: impl Iterator<Item = &'d Value>, value: &Value, depth: usize) -> u64 {
        let mut sum: u64 = 0;
        for node in nodes {
            let more = match value {
                Value::Array(items) => self.values(node, items.iter(), depth),
                Value::Object(members) => self.values(node, members.values(), depth),
                _ => 0,
            };
            sum = sum.saturating_add(more);
            if sum > self.most {
                return ENDLESS;
            }
        }
        sum
    }

    fn values<'v>(
        &mut self,
        node: &'d Value,
        values: impl Iterator<Item = &'v Value>,
        depth: usize,
    ) -> u64 {
        let mut sum: u64 = 0;
        for value in values {
            sum = sum.saturating_add(self.node(node, value, depth + 1));
        }
        sum
    }
}
