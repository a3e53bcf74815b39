//! Sorts what a schema node allows by JSON type.
//!
//! Unions are flattened: the objects of a tagged union stand side by side, and plain strings beside
//! enumeration values. What cannot be sorted is kept and compared as it is.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::document::Document;
use crate::merge::{choices, smallest};
use crate::nodes::says_nothing;
use crate::ranges::Ranges;

/// The alternatives of a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes<'d> {
    /// Any value at all.
    pub(crate) any: bool,
    pub(crate) null: bool,
    pub(crate) boolean: bool,
    /// The ranges of whole numbers, and of any numbers; none where it is not of that type.
    pub(crate) integer: Ranges,
    pub(crate) number: Ranges,
    /// Text of any wording, with what constrains it.
    pub(crate) text: Option<Constraints<'d>>,
    /// Text of certain wordings.
    pub(crate) values: BTreeSet<&'d str>,
    /// What constrains the alternatives that are numbers or text, each as JSON: of texts only the last is above.
    pub(crate) constraints: BTreeSet<String>,
    /// What constrains the alternatives that are numbers beside their ranges, each as JSON.
    pub(crate) numbers: BTreeSet<String>,
    /// Constants that are not text, as JSON.
    pub(crate) constants: BTreeSet<String>,
    pub(crate) arrays: Vec<Array<'d>>,
    pub(crate) objects: Vec<Object<'d>>,
    /// What cannot be sorted.
    pub(crate) opaque: Vec<&'d Value>,
}

/// Keywords that constrain a value of one type, with what they say.
pub(crate) type Constraints<'d> = BTreeMap<&'d str, &'d Value>;

#[derive(Clone, Debug)]
pub(crate) struct Array<'d> {
    pub(crate) items: Option<&'d Value>,
    pub(crate) constraints: Constraints<'d>,
}

#[derive(Clone, Debug)]
pub(crate) struct Object<'d> {
    /// The definition it is, if it is one.
    pub(crate) name: Option<&'d str>,
    pub(crate) node: &'d Value,
    pub(crate) constraints: Constraints<'d>,
    required: Rc<BTreeSet<&'d str>>,
    /// How many members every message has that holds it: those that are required and declared.
    demanded: usize,
    /// Sets of further members, of which at least one is there whole. Empty where nothing is to
    /// be chosen.
    choices: Rc<Vec<BTreeSet<&'d str>>>,
}

/// What an object says of members it does not declare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rest<'d> {
    Open,
    Closed,
    Like(&'d Value),
}

impl<'d> Object<'d> {
    /// The members it can have. A member that is refused is none: readers of a union use it to tell
    /// an object from one with a tag.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'d str, &'d Value)> + use<'d> {
        let members = self.node.get("properties").and_then(Value::as_object);
        members
            .into_iter()
            .flatten()
            .filter(|(_, node)| !is_refused(node))
            .map(|(name, node)| (name.as_str(), node))
    }

    pub(crate) fn member(&self, name: &str) -> Option<&'d Value> {
        let node = self.node.get("properties")?.get(name)?;
        (!is_refused(node)).then_some(node)
    }

    pub(crate) fn requires(&self, name: &str) -> bool {
        self.required.contains(name)
    }

    /// How many members it has at least.
    pub(crate) fn demanded(&self) -> usize {
        self.demanded
    }

    pub(crate) fn required(&self) -> impl Iterator<Item = &'d str> + '_ {
        self.required.iter().copied()
    }

    /// Sets of members, of which at least one has to be there beside what is required.
    pub(crate) fn choices(&self) -> &[BTreeSet<&'d str>] {
        &self.choices
    }

    fn new(name: Option<&'d str>, node: &'d Value, object: &'d Map<String, Value>) -> Self {
        let names = object.get("required").and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        let required: BTreeSet<&'d str> = names.collect();
        let declared = object.get("properties").and_then(Value::as_object);
        let is_member = |name: &&&str| {
            let node = declared.and_then(|members| members.get(**name));
            node.is_some_and(|node| !is_refused(node))
        };
        let demanded = required.iter().filter(is_member).count();
        let sets = choices(object).unwrap_or_default();
        let further = |set: BTreeSet<&'d str>| set.difference(&required).copied().collect();
        let mut sets = smallest(sets.into_iter().map(further).collect());
        if sets.iter().any(BTreeSet::is_empty) {
            sets.clear();
        }
        let compared = if choices(object).is_some() {
            CHOOSING
        } else {
            OBJECT
        };
        Object {
            name,
            node,
            constraints: constraints(object, compared),
            required: Rc::new(required),
            demanded,
            choices: Rc::new(sets),
        }
    }

    pub(crate) fn rest(&self) -> Rest<'d> {
        match self.node.get("additionalProperties") {
            None | Some(Value::Bool(true)) => Rest::Open,
            Some(Value::Bool(false)) => Rest::Closed,
            Some(Value::Object(like)) if like.keys().all(|key| says_nothing(key)) => Rest::Open,
            Some(like) => Rest::Like(like),
        }
    }

    /// The members that can only have one text, which is what tags are.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (&'d str, &'d str)> + '_ {
        self.members()
            .filter_map(|(name, node)| Some((name, node.get("const")?.as_str()?)))
            .filter(|(name, _)| self.requires(name))
    }
}

/// A node and whether it may be `null`, where that is said beside the type or the reference.
pub(crate) fn peel(node: &Value) -> (bool, &Value) {
    if let Some(Value::Array(branches)) = node.get("anyOf").or_else(|| node.get("oneOf"))
        && let [one, other] = &branches[..]
    {
        if is_null(other) {
            return (true, one);
        }
        if is_null(one) {
            return (true, other);
        }
    }
    let kinds = node.get("type").and_then(Value::as_array);
    let nullable =
        kinds.is_some_and(|kinds| kinds.len() > 1 && kinds.iter().any(|kind| kind == "null"));
    (nullable, node)
}

/// Whether no value is valid.
fn is_refused(node: &Value) -> bool {
    let not = node.get("not").and_then(Value::as_object);
    not.is_some_and(Map::is_empty)
}

fn is_null(node: &Value) -> bool {
    node.get("type").is_some_and(|kind| kind == "null")
}

/// Sorts what a node allows. `null` beside a type is left to [`peel`].
pub(crate) fn shapes<'d>(document: &'d Document, node: &'d Value) -> Shapes<'d> {
    let mut out = Shapes::default();
    collect(document, node, &mut out, &mut HashSet::new(), 0);
    out.integer.join(1);
    out.number.join(0);
    out
}

/// How deep unions may nest.
const DEEPEST: usize = 24;

fn collect<'d>(
    document: &'d Document,
    node: &'d Value,
    out: &mut Shapes<'d>,
    seen: &mut HashSet<usize>,
    depth: usize,
) {
    let found = document.resolve(node);
    // Twice the same is once: a union that doubles at every level stays as small as it is written.
    if !seen.insert(std::ptr::from_ref(found.node) as usize) {
        return;
    }
    let object = match found.node {
        Value::Bool(all) => {
            out.any |= *all;
            return;
        }
        Value::Object(object) if depth < DEEPEST => object,
        other => {
            out.opaque.push(other);
            return;
        }
    };
    let restricting = |key: &&String| !says_nothing(key);
    if object.keys().filter(restricting).count() == 0 {
        out.any = true;
        return;
    }
    // Nothing at all is what is left of a union without alternatives.
    if is_refused(found.node) {
        return;
    }
    for keyword in ["oneOf", "anyOf"] {
        let alone = object
            .keys()
            .all(|key| key == keyword || key == "type" || says_nothing(key));
        if let (Some(Value::Array(branches)), true) = (object.get(keyword), alone) {
            for branch in branches {
                collect(document, branch, out, seen, depth + 1);
            }
            return;
        }
    }
    let hard = [
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "$ref",
        "$dynamicRef",
    ];
    let chooses = choices(object).is_some();
    let is_hard = |keyword: &&&str| !(chooses && matches!(**keyword, "anyOf" | "oneOf"));
    if hard
        .iter()
        .filter(is_hard)
        .any(|keyword| object.contains_key(*keyword))
    {
        out.opaque.push(found.node);
        return;
    }
    if constants(object, out) {
        return;
    }
    let kinds: Vec<&str> = match object.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ if object.contains_key("properties") => vec!["object"],
        _ if object.contains_key("items") => vec!["array"],
        _ => {
            out.opaque.push(found.node);
            return;
        }
    };
    let several = kinds.len() > 1;
    for kind in kinds {
        match kind {
            // Beside other types it has been peeled off, where it stands at a member.
            "null" => out.null |= !several || depth > 0,
            "boolean" => out.boolean = true,
            "integer" | "number" => {
                let ranges = match kind {
                    "integer" => &mut out.integer,
                    _ => &mut out.number,
                };
                ranges.push(end(object, "minimum"), end(object, "maximum"));
                let mut number = constraints(object, NUMBER);
                out.constrained(kind, &number);
                number.retain(|key, _| !TEXT.contains(key));
                out.numbers.insert(said(&number));
            }
            "string" => {
                let text = constraints(object, TEXT);
                out.constrained(kind, &text);
                out.text = Some(text);
            }
            "array" => out.arrays.push(Array {
                items: object.get("items"),
                constraints: constraints(object, ARRAY),
            }),
            "object" => out
                .objects
                .push(Object::new(found.name, found.node, object)),
            _ => out.opaque.push(found.node),
        }
    }
}

/// Takes the constants of a node, if it has any.
fn constants<'d>(object: &'d Map<String, Value>, out: &mut Shapes<'d>) -> bool {
    let values: Vec<&Value> = match (object.get("const"), object.get("enum")) {
        (Some(only), _) => vec![only],
        (None, Some(Value::Array(values))) => values.iter().collect(),
        _ => return false,
    };
    for value in values {
        match value {
            Value::String(text) => {
                out.values.insert(text);
            }
            Value::Null => out.null = true,
            other => {
                out.constants.insert(other.to_string());
            }
        }
    }
    true
}

/// An end of the numbers that a node allows.
fn end(object: &Map<String, Value>, key: &str) -> Option<i128> {
    let number = object.get(key)?;
    let whole = number.as_i64().map(i128::from);
    whole
        .or_else(|| number.as_u64().map(i128::from))
        // Bounds of floating numbers beyond the whole ones are not told apart.
        .or_else(|| number.as_f64().map(|number| number as i128))
}

const NUMBER: &[&str] = &["type", "format", "minLength", "maxLength", "pattern"];
const TEXT: &[&str] = &["type", "minimum", "maximum"];
const ARRAY: &[&str] = &["type", "items"];
const OBJECT: &[&str] = &["type", "properties", "required", "additionalProperties"];
const CHOOSING: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "anyOf",
    "oneOf",
];

/// What constrains a value beside what is compared piece by piece.
fn constraints<'d>(object: &'d Map<String, Value>, compared: &[&str]) -> Constraints<'d> {
    object
        .iter()
        .filter(|(key, _)| !compared.contains(&key.as_str()) && !says_nothing(key))
        .map(|(key, value)| (key.as_str(), value))
        .collect()
}

/// Whether a text takes a value, as far as its length says it.
fn takes(text: &Constraints<'_>, value: &str) -> bool {
    let length = value.chars().count() as u64;
    text.iter()
        .all(|(key, limit)| match (*key, limit.as_u64()) {
            ("minLength", Some(limit)) => length >= limit,
            ("maxLength", Some(limit)) => length <= limit,
            _ => false,
        })
}

/// Constraints as a text.
fn said(constraints: &Constraints<'_>) -> String {
    let each = constraints.iter().map(|(key, value)| {
        // One number in two spellings is no other constraint.
        let number = value
            .as_f64()
            .map_or_else(|| value.to_string(), |number| number.to_string());
        format!("{key}:{number}")
    });
    each.collect::<Vec<_>>().join(",")
}

impl Shapes<'_> {
    /// Keeps what constrains an alternative.
    fn constrained(&mut self, kind: &str, constraints: &Constraints<'_>) {
        self.constraints
            .insert(format!("{kind} {}", said(constraints)));
    }

    /// Whether one of the values is refused by the text of the other one.
    pub(crate) fn has_other_values(&self, other: &Shapes<'_>) -> bool {
        let mut values = self.values.difference(&other.values);
        let text = other.text.as_ref();
        text.is_some_and(|text| values.any(|value| !takes(text, value)))
    }

    /// Whether there is no value but `null`, or none at all.
    pub(crate) fn is_bare(&self) -> bool {
        let only_null = self.kinds().iter().all(|kind| *kind == Kind::Null);
        only_null && !self.any && self.opaque.is_empty() && self.constants.is_empty()
    }

    /// The JSON types, as people say them. `null` only where there is nothing else.
    pub(crate) fn kinds(&self) -> BTreeSet<Kind> {
        let mut out = BTreeSet::new();
        let mut add = |there: bool, kind: Kind| {
            if there {
                out.insert(kind);
            }
        };
        for constant in &self.constants {
            add(matches!(&**constant, "true" | "false"), Kind::Boolean);
            let is_integer = constant.parse::<i128>().is_ok();
            add(is_integer, Kind::Integer);
            add(!is_integer && constant.parse::<f64>().is_ok(), Kind::Number);
        }
        add(self.boolean, Kind::Boolean);
        add(!self.integer.is_empty(), Kind::Integer);
        add(!self.number.is_empty(), Kind::Number);
        add(self.text.is_some() || !self.values.is_empty(), Kind::String);
        add(!self.arrays.is_empty(), Kind::Array);
        add(!self.objects.is_empty(), Kind::Object);
        if out.is_empty() && self.null {
            out.insert(Kind::Null);
        }
        out
    }
}

/// A JSON type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Integer => "integer",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }
}
