//! Compiles a schema into a prefilter.
//!
//! Every schema becomes a [`Node`]: what is allowed, by kind of JSON value. Union variants are
//! merged kind by kind, so most unions need no decision at run time; only objects without a tag are
//! tried one after another, with a limit. Members are compiled after the object they belong to, so
//! definitions may refer to themselves.
//!
//! An unknown keyword is a gap: the prefilter is never sure of a value there. A test holds that our
//! schemas have no gaps.

mod builder;
mod union;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use serde_json::{Map, Value};

use self::builder::{Place, Tables};
use self::union::{AnyOf, Tag};
use crate::error::Error;
use crate::number::Range;
use crate::scanner::Scanner;
use crate::tables::{ANY, BASE64, NOT_EMPTY, Node, Prefilter};

/// How many references and wrappers may follow one another before an object stands there.
const LONGEST_CHAIN: usize = 64;

/// Whether a keyword says nothing about what is valid.
fn is_silent(key: &str) -> bool {
    key.starts_with("x-")
        || matches!(
            key,
            "$schema"
                | "$id"
                | "$comment"
                | "$defs"
                | "title"
                | "description"
                | "default"
                | "examples"
                | "deprecated"
                | "discriminator"
                | "contentEncoding"
                | "contentMediaType"
                | "format"
        )
}

/// Whether a keyword is of the value itself, as opposed to those that lead to other schemas for
/// it.
fn is_own(key: &str) -> bool {
    matches!(
        key,
        "type"
            | "const"
            | "enum"
            | "minimum"
            | "maximum"
            | "pattern"
            | "minLength"
            | "properties"
            | "required"
            | "additionalProperties"
            | "items"
    )
}

/// Base64 as the schemas of this project say it.
const PATTERN_OF_BASE64: &str =
    "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

/// Finds definitions by their names.
pub(crate) type Definitions<'s> = dyn Fn(&str) -> Option<&'s Value> + 's;

pub(crate) fn compile<'s>(
    schema: &'s Value,
    definitions: &'s Definitions<'s>,
    scanner: Scanner,
) -> Result<Prefilter, Error> {
    let mut compiler = Compiler {
        definitions,
        known: BTreeMap::new(),
        open: Vec::new(),
        tables: Tables::new(),
        waiting: VecDeque::new(),
        gaps: Vec::new(),
    };
    let root = compiler.node(&NodeContext::root(schema))?;
    while let Some((place, at)) = compiler.waiting.pop_front() {
        match place {
            Place::Array(index) => {
                let element = compiler.number_of(&at)?;
                compiler.tables.arrays[index] = element;
            }
            Place::Object(index) => {
                let members = compiler.members(&at)?;
                compiler.tables.objects[index] = Some(members);
            }
        }
    }
    compiler.gaps.sort();
    compiler.gaps.dedup();
    compiler.tables.finish(root, compiler.gaps, scanner)
}

/// A schema and where it stands.
#[derive(Clone)]
struct NodeContext<'s> {
    schema: &'s Value,
    /// How it is come by; nothing for the root. It is asked for where nothing is known only.
    trail: Option<Rc<Trail<'s>>>,
}

/// A step from one schema to another, and those before it.
struct Trail<'s> {
    before: Option<Rc<Trail<'s>>>,
    step: Step<'s>,
}

/// A step from one schema to another.
#[derive(Clone, Copy)]
enum Step<'s> {
    /// To the schema of this keyword.
    To(&'static str),
    /// To one of the list of this keyword.
    Of(&'static str, usize),
    /// To a member.
    Member(&'s str),
    /// To a definition, from wherever.
    Definition(&'s str),
}

impl<'s> NodeContext<'s> {
    fn root(schema: &'s Value) -> Self {
        NodeContext {
            schema,
            trail: None,
        }
    }

    /// A schema below this one.
    fn below(&self, schema: &'s Value, step: Step<'s>) -> Self {
        let before = self.trail.clone();
        NodeContext {
            schema,
            trail: Some(Rc::new(Trail { before, step })),
        }
    }

    fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut trail = self.trail.as_ref();
        while let Some(Trail { before, step }) = trail.map(Rc::as_ref) {
            steps.push(match step {
                Step::To(keyword) => format!("/{keyword}"),
                Step::Of(keyword, index) => format!("/{keyword}/{index}"),
                Step::Member(name) => format!("/properties/{name}"),
                Step::Definition(name) => format!("/$defs/{name}"),
            });
            trail = match step {
                Step::Definition(_) => None,
                _ => before.as_ref(),
            };
        }
        steps.reverse();
        steps.concat()
    }
}

struct Compiler<'s> {
    definitions: &'s Definitions<'s>,
    /// The nodes of definitions.
    known: BTreeMap<&'s str, Node>,
    /// The definitions whose nodes are being made.
    open: Vec<&'s str>,
    tables: Tables,
    /// What is compiled later.
    waiting: VecDeque<(Place, NodeContext<'s>)>,
    gaps: Vec<String>,
}

impl<'s> Compiler<'s> {
    /// Nothing is known of this place.
    fn gap(&mut self, at: &NodeContext<'_>) -> Node {
        self.gaps.push(at.pointer());
        Node::NEVER
    }

    fn number_of(&mut self, at: &NodeContext<'s>) -> Result<u16, Error> {
        let node = self.node(at)?;
        self.tables.node(node)
    }

    fn node(&mut self, at: &NodeContext<'s>) -> Result<Node, Error> {
        let object = match at.schema {
            Value::Bool(true) => return Ok(Node::ANY),
            Value::Bool(false) => return Ok(Node::NEVER),
            Value::Object(object) => object,
            _ => return Ok(self.gap(at)),
        };
        let own = object.keys().any(|key| is_own(key));
        let mut leads = object.keys().map(String::as_str);
        let mut lead = || leads.find(|key| !is_silent(key) && !is_own(key));
        match (own, [lead(), lead()]) {
            (_, [None, _]) => self.own(at, object),
            (false, [Some("$ref"), None]) => self.reference(at, &object["$ref"]),
            (false, [Some("allOf"), None]) => match object["allOf"].as_array().map(Vec::as_slice) {
                Some([only]) => self.node(&at.below(only, Step::Of("allOf", 0))),
                _ => Ok(self.gap(at)),
            },
            (false, [Some("anyOf"), None]) => self.any_of(at, &object["anyOf"]),
            (true, [Some("anyOf"), None]) if choices(object).is_some() => self.own(at, object),
            // Each variant wants an object anyway.
            (_, [Some("oneOf"), None]) if !own || is_only_object(object) => {
                self.one_of(at, object, &object["oneOf"])
            }
            (false, [Some("not"), None]) if matches_all(&object["not"]) => Ok(Node::NEVER),
            _ => Ok(self.gap(at)),
        }
    }

    /// Any of the variants.
    fn any_of(&mut self, at: &NodeContext<'s>, variants: &'s Value) -> Result<Node, Error> {
        let variants = variants.as_array().map(Vec::as_slice).unwrap_or_default();
        let nodes = self.variants(at, "anyOf", variants)?;
        let all = AnyOf::of(&nodes, &mut self.tables)?;
        if all.has_gap {
            self.gap(at);
        }
        Ok(all.node)
    }

    /// Exactly one of the variants.
    fn one_of(
        &mut self,
        at: &NodeContext<'s>,
        object: &'s Map<String, Value>,
        variants: &'s Value,
    ) -> Result<Node, Error> {
        let variants = variants.as_array().map(Vec::as_slice).unwrap_or_default();
        let objects: Option<Vec<_>> = variants.iter().map(|v| self.plain_object(v)).collect();
        let Some(tag) = objects.and_then(|objects| Tag::of(object, &objects)) else {
            return Ok(self.gap(at));
        };
        let nodes = self.variants(at, "oneOf", variants)?;
        let found = tag.one_of(&nodes, &mut self.tables)?;
        Ok(found.unwrap_or_else(|| self.gap(at)))
    }

    fn variants(
        &mut self,
        at: &NodeContext<'s>,
        keyword: &'static str,
        variants: &'s [Value],
    ) -> Result<Vec<Node>, Error> {
        let variants = variants.iter().enumerate();
        let each = variants.map(|(index, variant)| {
            let step = Step::Of(keyword, index);
            self.node(&at.below(variant, step))
        });
        each.collect()
    }

    /// What the keywords of the value itself say.
    fn own(&mut self, at: &NodeContext<'s>, object: &'s Map<String, Value>) -> Result<Node, Error> {
        let kinds = match object.get("type") {
            None => None,
            Some(Value::String(kind)) => Some(vec![kind.as_str()]),
            Some(Value::Array(kinds)) => kinds.iter().map(Value::as_str).collect(),
            Some(_) => return Ok(self.gap(at)),
        };
        let has = |kind: &str| kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind));
        if let Some(values) = listed(object) {
            let bounded = ["minimum", "maximum", "pattern", "minLength"].iter();
            if bounded.clone().any(|key| object.contains_key(*key)) {
                return Ok(self.gap(at));
            }
            return self.listed(at, &values, has("string"), has("null"));
        }
        let mut node = Node {
            null: has("null"),
            boolean: has("boolean"),
            ..Node::NEVER
        };
        if has("string") {
            let length = object.get("minLength").map(Value::as_u64);
            node.string = match (object.get("pattern").map(Value::as_str), length) {
                (None, None | Some(Some(0))) => ANY,
                (None, Some(Some(1))) => NOT_EMPTY,
                (Some(Some(PATTERN_OF_BASE64)), None) => BASE64,
                _ => self.gap(at).string,
            };
        }
        if has("number") || has("integer") {
            node.number = self.numbers(at, object, has("number"))?;
        }
        if has("array") {
            node.array = match object.get("items") {
                None => ANY,
                Some(items) => {
                    let (number, index) = self.tables.array()?;
                    self.waiting
                        .push_back((Place::Array(index), at.below(items, Step::To("items"))));
                    number
                }
            };
        }
        if has("object") {
            let named = ["properties", "required", "additionalProperties"].iter();
            node.object = if named.clone().any(|key| object.contains_key(*key)) {
                let (number, index) = self.tables.object()?;
                self.waiting.push_back((Place::Object(index), at.clone()));
                number
            } else {
                ANY
            };
        }
        Ok(node)
    }

    fn numbers(
        &mut self,
        at: &NodeContext<'s>,
        object: &Map<String, Value>,
        fractions: bool,
    ) -> Result<u16, Error> {
        let bound = |key: &str| match object.get(key) {
            None => Some(None),
            Some(Value::Number(number)) => number
                .as_i64()
                .map(i128::from)
                .or_else(|| number.as_u64().map(i128::from))
                .map(Some),
            Some(_) => None,
        };
        match (bound("minimum"), bound("maximum")) {
            (Some(None), Some(None)) if fractions => Ok(ANY),
            (Some(least), Some(most)) if !fractions => self.tables.range(Range::new(
                least.unwrap_or(i128::MIN),
                most.unwrap_or(i128::MAX),
            )),
            _ => Ok(self.gap(at).number),
        }
    }

    /// One of the values in a list.
    fn listed(
        &mut self,
        at: &NodeContext<'s>,
        values: &[&'s Value],
        strings: bool,
        null: bool,
    ) -> Result<Node, Error> {
        let mut texts = Vec::new();
        let mut node = Node::NEVER;
        for value in values {
            match value {
                Value::String(text) if strings => texts.push(text.as_str()),
                Value::Null => node.null = null,
                // Of another type than it has to be.
                Value::String(_) => {}
                _ => return Ok(self.gap(at)),
            }
        }
        match self.tables.set(&texts)? {
            Some(set) => node.string = set,
            None => return Ok(self.gap(at)),
        }
        Ok(node)
    }

    fn reference(&mut self, at: &NodeContext<'s>, reference: &'s Value) -> Result<Node, Error> {
        let (name, definition) = self.definition(reference)?;
        if let Some(node) = self.known.get(name) {
            return Ok(*node);
        }
        // A definition that is only a reference to itself has no meaning.
        if self.open.contains(&name) {
            return Ok(self.gap(at));
        }
        self.open.push(name);
        let node = self.node(&at.below(definition, Step::Definition(name)))?;
        self.open.pop();
        self.known.insert(name, node);
        Ok(node)
    }

    fn definition(&self, reference: &'s Value) -> Result<(&'s str, &'s Value), Error> {
        let found = reference.as_str().and_then(|reference| {
            let name = reference.strip_prefix("#/$defs/")?;
            Some((name, (self.definitions)(name)?))
        });
        found.ok_or_else(|| match reference.as_str() {
            Some(text) => Error::BrokenReference(text.to_owned()),
            None => Error::BrokenReference(reference.to_string()),
        })
    }

    /// The object itself that a schema describes, through references and wrappers.
    fn plain_object(&self, schema: &'s Value) -> Option<&'s Map<String, Value>> {
        let mut schema = schema;
        for _ in 0..LONGEST_CHAIN {
            let object = schema.as_object()?;
            if object.contains_key("properties") {
                return Some(object);
            }
            schema = match (object.get("$ref"), object.get("allOf")) {
                (Some(reference), _) => self.definition(reference).ok()?.1,
                (None, all) => match all?.as_array()?.as_slice() {
                    [only] => only,
                    _ => return None,
                },
            };
        }
        None
    }

    /// The members of an object.
    fn members(&mut self, at: &NodeContext<'s>) -> Result<builder::Object, Error> {
        let list = |key: &str| at.schema.get(key);
        let mut names: Vec<&str> = Vec::new();
        let mut values = Vec::new();
        if let Some(Value::Object(properties)) = list("properties") {
            for (name, schema) in properties {
                names.push(name);
                let below = at.below(schema, Step::Member(name));
                values.push(self.node(&below)?);
            }
        }
        let others = match list("additionalProperties") {
            None => Some(self.tables.node(Node::ANY)?),
            Some(Value::Bool(false)) => None,
            Some(schema) => {
                Some(self.number_of(&at.below(schema, Step::To("additionalProperties")))?)
            }
        };
        let mut required = Vec::new();
        for name in list("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let Some(name) = name.as_str() else {
                self.gap(at);
                return Ok(builder::Object::never());
            };
            // A member that must be there and is not declared is one of the others.
            if !names.contains(&name) {
                names.push(name);
                values.push(match list("additionalProperties") {
                    Some(schema) => {
                        self.node(&at.below(schema, Step::To("additionalProperties")))?
                    }
                    None => Node::ANY,
                });
            }
            required.push(names.iter().position(|other| *other == name).unwrap_or(0));
        }
        let mut sets = Vec::new();
        for set in at.schema.as_object().and_then(choices).unwrap_or_default() {
            let place = |name: &&str| names.iter().position(|other| other == name);
            let Some(set) = set.iter().map(place).collect() else {
                // Of a member that is not declared nothing is remembered.
                self.gap(at);
                return Ok(builder::Object::never());
            };
            sets.push(set);
        }
        match builder::Object::of(&names, values, &required, &sets, others) {
            Some(object) => Ok(object),
            None => {
                self.gap(at);
                Ok(builder::Object::never())
            }
        }
    }
}

/// Whether an object is all that the keywords of the value itself ask for.
fn is_only_object(object: &Map<String, Value>) -> bool {
    let mut own = object.keys().filter(|key| is_own(key));
    own.next().is_some_and(|key| key == "type")
        && own.next().is_none()
        && object["type"] == "object"
}

/// The sets of members of which one must be there, where that is all the variants beside an
/// object's own keywords say.
fn choices(object: &Map<String, Value>) -> Option<Vec<Vec<&str>>> {
    object.get("properties")?;
    let variants = object.get("anyOf")?.as_array()?;
    variants.iter().map(only_required).collect()
}

/// The members a schema asks for that asks for nothing else.
fn only_required(schema: &Value) -> Option<Vec<&str>> {
    let keywords = schema.as_object().filter(|keywords| keywords.len() == 1)?;
    let names = keywords.get("required")?.as_array()?;
    names.iter().map(Value::as_str).collect()
}

/// Whether a schema accepts everything.
fn matches_all(schema: &Value) -> bool {
    schema == &Value::Bool(true) || schema.as_object().is_some_and(Map::is_empty)
}

/// The values of which it has to be one, if there is such a list.
fn listed(object: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (object.get("const"), object.get("enum").map(Value::as_array)) {
        (Some(only), None) => Some(vec![only]),
        (None, Some(Some(values))) => Some(values.iter().collect()),
        (Some(only), Some(Some(values))) if values.contains(only) => Some(vec![only]),
        (Some(_), Some(_)) | (None, Some(None)) => Some(Vec::new()),
        (None, None) => None,
    }
}
