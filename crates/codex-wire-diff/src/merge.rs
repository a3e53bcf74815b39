//! Merges variants that share a tag: `{type: "image", url}` or `{type: "image", fileId}` becomes
//! one object with both members, of which at least one is required.
//!
//! Schemas spell this in several ways: as separate variants, as an `anyOf` within a variant, or as
//! an `anyOf` of required sets beside the members. All are turned into the last form, so that equal
//! meaning compares as equal. Whether several of the members may be present at once is not
//! distinguished: no schema is written like that.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use crate::nodes::{each_within, says_nothing, target};

/// How many members merged alternatives may have in a whole document. It bounds the copies where
/// many unions name the same definitions.
const MEMBERS: usize = 1_000_000;

/// The sets of members of which at least one has to be there, as an object node says it: a union
/// of nothing but required members. `None` where the union says anything else.
pub(crate) fn choices(node: &Map<String, Value>) -> Option<Vec<BTreeSet<&str>>> {
    let (one, any) = (node.get("oneOf"), node.get("anyOf"));
    let branches = match (one, any) {
        (Some(branches), None) | (None, Some(branches)) => branches.as_array()?,
        _ => return None,
    };
    let is_object = node.get("type").is_some_and(|kind| kind == "object");
    if branches.is_empty() || !(is_object || node.contains_key("properties")) {
        return None;
    }
    branches.iter().map(required_only).collect()
}

/// The members an alternative requires, where it says nothing else.
fn required_only(branch: &Value) -> Option<BTreeSet<&str>> {
    let branch = branch.as_object()?;
    let plain = branch.iter().all(|(key, value)| {
        key == "required" || says_nothing(key) || key == "type" && value == "object"
    });
    let required = branch.get("required")?.as_array()?;
    let names: Option<BTreeSet<&str>> = required.iter().map(Value::as_str).collect();
    names.filter(|_| plain)
}

/// Merges the alternatives of all unions of a document.
pub(crate) fn merged(document: Value) -> Value {
    let mut copy = document.clone();
    let mut merge = Merge {
        base: &document,
        left: MEMBERS,
        changed: false,
    };
    merge.node(&mut copy);
    if merge.changed { copy } else { document }
}

struct Merge<'d> {
    base: &'d Value,
    left: usize,
    changed: bool,
}

impl Merge<'_> {
    /// Inner unions first: one that becomes a single object is an alternative of the outer.
    fn node(&mut self, node: &mut Value) {
        if let Value::Object(object) = node {
            each_within(object, &mut |inner| self.node(inner));
            self.union(object);
        }
    }

    /// Merges the alternatives of one union.
    fn union(&mut self, node: &mut Map<String, Value>) {
        let keyword = match (node.contains_key("oneOf"), node.contains_key("anyOf")) {
            (true, false) => "oneOf",
            (false, true) => "anyOf",
            _ => return,
        };
        let alone = node
            .keys()
            .all(|key| key == keyword || key == "type" || says_nothing(key));
        let Some(Value::Array(branches)) = node.get(keyword) else {
            return;
        };
        if !alone || branches.len() < 2 {
            return;
        }
        // A variant without a tag of its own has no other that shares it.
        let mut groups: BTreeMap<Vec<(&str, &str)>, Vec<usize>> = BTreeMap::new();
        for (at, branch) in branches.iter().enumerate() {
            let tags = tags(target(self.base, branch));
            if !tags.is_empty() {
                groups.entry(tags).or_default().push(at);
            }
        }
        let mut instead: HashMap<usize, Option<Value>> = HashMap::new();
        for group in groups.values().filter(|group| group.len() > 1) {
            let parts: Option<Vec<&Map<String, Value>>> = group
                .iter()
                .map(|at| target(self.base, &branches[*at]).as_object())
                .collect();
            let Some(merged) = parts.and_then(|parts| one(&parts, &mut self.left)) else {
                continue;
            };
            instead.extend(group[1..].iter().map(|at| (*at, None)));
            instead.insert(group[0], Some(Value::Object(merged)));
        }
        if instead.is_empty() {
            return;
        }
        self.changed = true;
        let kept: Vec<Value> = branches
            .iter()
            .enumerate()
            .filter_map(|(at, branch)| match instead.remove(&at) {
                None => Some(branch.clone()),
                Some(merged) => merged,
            })
            .collect();
        match <[Value; 1]>::try_from(kept) {
            // What is said about the union stays.
            Ok([Value::Object(only)]) => {
                node.remove(keyword);
                for (key, value) in only {
                    node.entry(key).or_insert(value);
                }
            }
            Ok([only]) => {
                node.insert(keyword.to_owned(), json!([only]));
            }
            Err(kept) => {
                node.insert(keyword.to_owned(), Value::Array(kept));
            }
        }
    }
}

/// The members of an object that can only have one text, and have to be there.
fn tags(node: &Value) -> Vec<(&str, &str)> {
    let required: BTreeSet<&str> = names(node.get("required"));
    let members = node.get("properties").and_then(Value::as_object);
    let members = members.into_iter().flatten();
    members
        .filter(|(name, _)| required.contains(name.as_str()))
        .filter_map(|(name, node)| Some((name.as_str(), node.get("const")?.as_str()?)))
        .collect()
}

fn names(list: Option<&Value>) -> BTreeSet<&str> {
    let list = list.and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Several objects as one. `None` where they differ in more than which members they have.
fn one(parts: &[&Map<String, Value>], left: &mut usize) -> Option<Map<String, Value>> {
    let mut members: Map<String, Value> = Map::new();
    let mut sets: BTreeSet<BTreeSet<&str>> = BTreeSet::new();
    let rest = parts.first()?.get("additionalProperties");
    for part in parts {
        let known = |key: &str| {
            matches!(
                key,
                "type" | "properties" | "required" | "additionalProperties" | "anyOf" | "oneOf"
            )
        };
        let plain = part.keys().all(|key| known(key) || says_nothing(key));
        if !plain || part.get("additionalProperties") != rest {
            return None;
        }
        let own = part.get("properties")?.as_object()?;
        *left = left.checked_sub(own.len())?;
        for (name, node) in own {
            match members.get(name) {
                None => {
                    members.insert(name.clone(), node.clone());
                }
                Some(known) if similar(known, node) => {}
                Some(_) => return None,
            }
        }
        let required = names(part.get("required"));
        let nested = part.contains_key("anyOf") || part.contains_key("oneOf");
        if nested {
            for choice in choices(part)? {
                sets.insert(required.union(&choice).copied().collect());
            }
        } else {
            sets.insert(required);
        }
    }
    let mut all = sets.iter();
    let mut common = all.next()?.clone();
    for set in all {
        common = common.intersection(set).copied().collect();
    }
    let own: Vec<BTreeSet<&str>> = sets
        .iter()
        .map(|set| set.difference(&common).copied().collect())
        .collect();
    let mut out = Map::new();
    out.insert("type".into(), json!("object"));
    out.insert("properties".into(), Value::Object(members));
    out.insert("required".into(), json!(common));
    if let Some(rest) = rest {
        out.insert("additionalProperties".into(), rest.clone());
    }
    let own = smallest(own);
    if !own.iter().any(BTreeSet::is_empty) {
        let branches: Vec<Value> = own.iter().map(|set| json!({ "required": set })).collect();
        out.insert("anyOf".into(), json!(branches));
    }
    Some(out)
}

/// How many sets of members are compared with each other.
const SETS: usize = 1_000;

/// The sets that hold none of the others. Where there are very many, each once.
pub(crate) fn smallest(mut sets: Vec<BTreeSet<&str>>) -> Vec<BTreeSet<&str>> {
    if sets.len() > SETS {
        sets.sort();
        sets.dedup();
        return sets;
    }
    sets.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let mut out: Vec<BTreeSet<&str>> = Vec::new();
    for set in sets {
        if !out.iter().any(|known| known.is_subset(&set)) {
            out.push(set);
        }
    }
    out.sort();
    out
}

/// Whether two nodes accept the same values, as they stand.
fn similar(one: &Value, other: &Value) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return one == other;
    };
    let restricting =
        |node: &Map<String, Value>| node.keys().filter(|key| !says_nothing(key)).count();
    restricting(one) == restricting(other)
        && one
            .iter()
            .filter(|(key, _)| !says_nothing(key))
            .all(|(key, value)| match (other.get(key), value) {
                (Some(Value::Array(b)), Value::Array(a)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| similar(a, b))
                }
                (Some(known), value) => similar(known, value),
                (None, _) => false,
            })
}
