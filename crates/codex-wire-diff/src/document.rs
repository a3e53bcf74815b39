//! Loads schema documents of any origin into one form: formats and constants of whole numbers
//! become bounds, other constants stay constants.
//!
//! Loaded documents are open: they allow undeclared members wherever nothing forbids them, because
//! readers do. [`closed`] makes the copy that describes what is written.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use codex_wire_base::pointer::escaped;
use codex_wire_schema::{Identity, Profile};
use serde_json::{Map, Value, json};

use crate::merge::{choices, merged};
use crate::nodes::{HOPS, each_within, is_folder, reference};

/// A document, and where in it the description of messages begins.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) base: Arc<Value>,
    /// A JSON Pointer into the base.
    start: String,
}

/// A node with the references before it followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved<'d> {
    pub(crate) node: &'d Value,
    /// The name of the last definition on the way.
    pub(crate) name: Option<&'d str>,
}

impl Document {
    /// A document of which the root describes the messages.
    pub(crate) fn new(base: Value) -> Self {
        Document {
            base: Arc::new(base),
            start: String::new(),
        }
    }

    /// The same document, begun at a definition.
    pub(crate) fn from(&self, start: String) -> Self {
        Document {
            base: Arc::clone(&self.base),
            start,
        }
    }

    pub(crate) fn start(&self) -> &Value {
        self.base.pointer(&self.start).unwrap_or(&Value::Null)
    }

    /// What the start is called, or else `name`.
    pub(crate) fn title(&self, name: &str) -> String {
        let title = self.resolve(self.start()).node.get("title");
        title.and_then(Value::as_str).unwrap_or(name).to_owned()
    }

    /// The document as one schema of what it begins with.
    pub(crate) fn whole(&self) -> Value {
        let mut whole = (*self.base).clone();
        if let (false, Value::Object(root)) = (self.start.is_empty(), &mut whole) {
            root.insert("$ref".into(), json!(format!("#{}", self.start)));
        }
        whole
    }

    /// Which variant of the union it begins with a definition is.
    pub(crate) fn branch_index(&self, definition: &str) -> Option<usize> {
        let start = self.resolve(self.start()).node;
        let branches = start.get("oneOf").or_else(|| start.get("anyOf"))?;
        let is = |branch: &Value| self.resolve(branch).name == Some(definition);
        branches.as_array()?.iter().position(is)
    }

    /// Follows references, and what merely wraps one.
    pub(crate) fn resolve<'d>(&'d self, node: &'d Value) -> Resolved<'d> {
        let mut found = Resolved { node, name: None };
        for _ in 0..HOPS {
            let Some(reference) = reference(found.node) else {
                break;
            };
            let target = reference
                .strip_prefix('#')
                .and_then(|pointer| self.base.pointer(pointer));
            let Some(target) = target else {
                break;
            };
            found = Resolved {
                node: target,
                name: Some(name(reference)),
            };
        }
        found
    }
}

/// The name of the definition a reference leads to, without the folder of definitions.
fn name(reference: &str) -> &str {
    ["#/$defs/", "#/definitions/"]
        .iter()
        .find_map(|prefix| reference.strip_prefix(prefix))
        .unwrap_or(reference)
}

/// Definitions that are nothing but references to others, each to where the last of them leads.
/// A chain of them is as good as one however long it is.
fn shortened(document: &mut Value) {
    let mut leads: HashMap<String, String> = HashMap::new();
    for key in ["$defs", "definitions"] {
        let definitions = document.get(key).and_then(Value::as_object);
        for (name, definition) in definitions.into_iter().flatten() {
            let own = format!("#/{key}/{}", escaped(name));
            if let Some(next) = reference(definition) {
                leads.insert(own, next.to_owned());
            } else if let Some(folder) = definition.as_object().filter(|inner| is_folder(inner)) {
                for (inner, definition) in folder {
                    if let Some(next) = reference(definition) {
                        leads.insert(format!("{own}/{}", escaped(inner)), next.to_owned());
                    }
                }
            }
        }
    }
    let mut last: HashMap<String, String> = HashMap::new();
    for start in leads.keys() {
        let mut way = Vec::new();
        let mut at = start;
        let mut seen = HashSet::new();
        let end = loop {
            if let Some(known) = last.get(at) {
                break Some(known.clone());
            }
            match leads.get(at) {
                None => break Some(at.clone()),
                // A circle leads nowhere, and stays as it is.
                Some(_) if !seen.insert(at) => break None,
                Some(next) => {
                    way.push(at);
                    at = next;
                }
            }
        };
        for step in way {
            let end = end.clone().unwrap_or_else(|| step.clone());
            last.insert(step.clone(), end);
        }
    }
    for (definition, end) in last {
        if definition != end
            && let Some(pointer) = definition.strip_prefix('#')
            && let Some(node) = document.pointer_mut(pointer)
        {
            *node = json!({ "$ref": end });
        }
    }
}

/// Reads a document of any origin: formats and constants of integers become bounds, an enumeration
/// of one text a constant, what a projection closed is opened again, and alternatives that share a
/// tag are one.
pub(crate) fn normalised(mut document: Value) -> Value {
    let exact = id_of(&document).is_some_and(|id| id.profile == Some(Profile::Exact));
    let keyed = document.as_object_mut();
    if let Some(root) = keyed {
        // References are relative to it; ours all stay within the document.
        root.remove("$id");
    }
    walk(&mut document, &mut |node| {
        distribute(node);
        normalise(node, exact);
    });
    shortened(&mut document);
    merged(document)
}

/// How many members may be copied into the variants of one union.
const MEMBERS: usize = 100_000;

/// Gives every variant of a union the members that stand beside it.
fn distribute(node: &mut Map<String, Value>) {
    let keywords = ["oneOf", "anyOf"];
    let mut unions = keywords.into_iter().filter(|key| node.contains_key(*key));
    let (Some(union), None) = (unions.next(), unions.next()) else {
        return;
    };
    let Some(Value::Object(members)) = node.get("properties").cloned() else {
        return;
    };
    let required = node.get("required").and_then(Value::as_array).cloned();
    let Some(Value::Array(branches)) = node.get_mut(union) else {
        return;
    };
    if members.len().saturating_mul(branches.len()) > MEMBERS {
        return;
    }
    // A reference has no members of its own, and a closed variant would refuse these.
    let takes = |branch: &Value| {
        branch.get("properties").is_some_and(Value::is_object)
            && branch.get("additionalProperties") != Some(&json!(false))
    };
    if !branches.iter().all(takes) {
        return;
    }
    for branch in branches {
        if let Some(Value::Object(own)) = branch.get_mut("properties") {
            for (name, member) in &members {
                own.entry(name.clone()).or_insert_with(|| member.clone());
            }
        }
        if let (Some(required), Value::Object(branch)) = (&required, branch) {
            let own = branch.entry("required").or_insert_with(|| json!([]));
            if let Value::Array(own) = own {
                own.extend(required.iter().cloned());
            }
        }
    }
    for keyword in ["properties", "required"] {
        node.remove(keyword);
    }
}

fn normalise(node: &mut Map<String, Value>, exact: bool) {
    ranged(node);
    included(node);
    let bounds = node.get("format").and_then(Value::as_str).and_then(bounds);
    if let Some((minimum, maximum)) = bounds {
        node.remove("format");
        let own = |key: &str| node.get(key).and_then(whole);
        // A schema may have narrower bounds of its own, and writes them as fractions.
        let minimum = match (own("minimum"), minimum.as_i64()) {
            (Some(own), Some(least)) if own > least => json!(own),
            _ => minimum,
        };
        let maximum = match (own("maximum"), maximum.as_ref().and_then(Value::as_u64)) {
            (Some(own), Some(most)) if u64::try_from(own).map_or(true, |own| own < most) => {
                Some(json!(own))
            }
            _ => maximum,
        };
        node.insert("minimum".into(), minimum);
        if let Some(maximum) = maximum {
            node.insert("maximum".into(), maximum);
        }
    }
    if let Some(Value::Array(values)) = node.get("enum")
        && let [only @ Value::String(_)] = &values[..]
    {
        let only = only.clone();
        node.remove("enum");
        node.insert("const".into(), only);
    }
    // What open schemas allow as they allow any member, exact ones have to name.
    if let (true, Some(Value::Object(members))) = (exact, node.get_mut("properties")) {
        members.remove("jsonrpc");
    }
    if exact
        && node.contains_key("properties")
        && node.get("additionalProperties") == Some(&json!(false))
    {
        node.remove("additionalProperties");
    }
}

/// A constant that is a whole number becomes a range of one.
fn ranged(node: &mut Map<String, Value>) {
    if node.get("type").is_none_or(|kind| kind != "integer") {
        return;
    }
    let only = match (node.get("const"), node.get("enum")) {
        (Some(only), None) => Some(only),
        (None, Some(Value::Array(values))) if values.len() == 1 => values.first(),
        _ => None,
    };
    let Some(number) = only.and_then(whole) else {
        return;
    };
    node.retain(|key, _| !matches!(&**key, "const" | "enum" | "format"));
    node.insert("minimum".into(), json!(number));
    node.insert("maximum".into(), json!(number));
}

/// Ends that whole numbers do not reach become those that they reach.
fn included(node: &mut Map<String, Value>) {
    let is = |kind: &str| match node.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|own| own == kind),
        own => own.is_some_and(|own| own == kind),
    };
    if !is("integer") || is("number") {
        return;
    }
    type Round = fn(f64) -> f64;
    let ends: [(&str, &str, i64, Round); 2] = [
        ("minimum", "exclusiveMinimum", 1, f64::ceil),
        ("maximum", "exclusiveMaximum", -1, f64::floor),
    ];
    for (end, beyond, step, round) in ends {
        let reached = |key: &str, step: i64| {
            let bound = node.get(key)?;
            let after = |number: i64| number.saturating_add(step);
            whole(bound)
                .map(after)
                .or_else(|| exact(round(bound.as_f64()?)))
        };
        let narrower = match (reached(end, 0), reached(beyond, step)) {
            (Some(own), Some(other)) if step > 0 => own.max(other),
            (Some(own), Some(other)) => own.min(other),
            (Some(own), None) if !node.contains_key(beyond) => own,
            (None, Some(other)) if !node.contains_key(end) => other,
            _ => continue,
        };
        node.insert(end.into(), json!(narrower));
        node.remove(beyond);
    }
}

/// A bound as a schema writes it, `1` or `1.0`, where it is not too large to be exact.
fn whole(bound: &Value) -> Option<i64> {
    bound.as_i64().or_else(|| exact(bound.as_f64()?))
}

/// A number that is whole and not too large to be exact.
fn exact(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64)
}

/// The numbers a format stands for. None of the formats of floating numbers bounds them.
fn bounds(format: &str) -> Option<(Value, Option<Value>)> {
    Some(match format {
        "uint8" => (json!(0), Some(json!(u8::MAX))),
        "uint16" => (json!(0), Some(json!(u16::MAX))),
        "uint32" => (json!(0), Some(json!(u32::MAX))),
        "uint64" | "uint" => (json!(0), Some(json!(u64::MAX))),
        "int32" => (json!(i32::MIN), Some(json!(i32::MAX))),
        "int64" => (json!(i64::MIN), Some(json!(i64::MAX))),
        _ => return None,
    })
}

/// A copy in which objects have only the members they declare.
pub(crate) fn closed(document: &Value) -> Value {
    let mut copy = document.clone();
    walk(&mut copy, &mut |node| {
        // Members beside a union, or in parts of one object, are declared elsewhere as well.
        let parts = ["allOf", "patternProperties"].iter();
        let unions = ["anyOf", "oneOf"].iter();
        let whole = parts.chain(unions).all(|key| !node.contains_key(*key))
            // A choice of required members declares none.
            || !node.contains_key("allOf")
                && !node.contains_key("patternProperties")
                && choices(node).is_some();
        if whole && node.contains_key("properties") {
            node.entry("additionalProperties").or_insert(json!(false));
        }
    });
    copy
}

/// Calls `change` with every schema node that is an object. Values of enumerations are none.
fn walk(node: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    if let Value::Object(object) = node {
        change(object);
        each_within(object, &mut |inner| walk(inner, change));
    }
}

/// What the id of a document says, if it is one of ours.
pub(crate) fn id_of(document: &Value) -> Option<Identity> {
    Identity::of(document.get("$id")?.as_str()?)
}
