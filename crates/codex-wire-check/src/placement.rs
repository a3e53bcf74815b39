//! Which releases could have written a message: one walk over the message along the document
//! of all releases, with a set of releases instead of a yes or no.
//!
//! Releases that speak alike are one bit. Members nobody declared say nothing; everything else
//! restricts. The answer for one release agrees with its exact projection, which a property
//! test holds.

use std::collections::BTreeMap;

use codex_wire::Surface;
use codex_wire::shape::Lifetime;
use codex_wire_schema::{Span, lifetime_beside, lifetime_in};
use serde_json::{Map, Value};

/// A set of spans of releases: bit `i` is the `i`th span, oldest first.
pub(crate) type Bits = u64;

/// The document of all releases, made ready for walking.
pub(crate) struct Placement {
    root: Node,
    definitions: BTreeMap<String, Node>,
    all: Bits,
}

enum Node {
    /// Any value.
    Any,
    Reference(String),
    Object {
        members: BTreeMap<String, Member>,
        /// Whether no reader takes others beside them.
        closed: bool,
    },
    Map(Box<Node>),
    Array(Box<Node>),
    /// Strings, each with the releases that have it.
    Enum(BTreeMap<String, Bits>),
    String,
    /// Bytes in base64.
    Base64,
    Boolean,
    Number,
    Integer {
        min: i128,
        max: i128,
    },
    /// Alternatives, each with the releases that have it.
    AnyOf(Vec<(Bits, Node)>),
    /// Alternatives chosen by a tag, whose spelling changed over time.
    Tagged {
        spellings: Vec<(String, Bits)>,
        arms: BTreeMap<String, (Bits, Node)>,
    },
}

struct Member {
    life: Bits,
    optional: Bits,
    nullable: Bits,
    node: Node,
}

impl Placement {
    /// Makes the document of `surface` ready.
    pub(crate) fn new(surface: Surface, spans: &[Span]) -> Self {
        assert!(spans.len() <= 64, "more spans than bits; widen `Bits`");
        let document = codex_wire_schema::annotated(surface);
        let builder = Builder {
            spans,
            written: surface.is_written(),
        };
        let definitions = object(&document["$defs"])
            .iter()
            .map(|(name, schema)| (name.clone(), builder.node(schema)))
            .collect();
        Placement {
            root: builder.node(document),
            definitions,
            all: builder.bits(Lifetime::ALWAYS),
        }
    }

    /// All spans.
    pub(crate) fn all(&self) -> Bits {
        self.all
    }

    /// The spans that could have written `message`.
    pub(crate) fn of(&self, message: &Value) -> Bits {
        self.walk(&self.root, message)
    }

    fn walk(&self, node: &Node, value: &Value) -> Bits {
        match (node, value) {
            (Node::Any, _) => self.all,
            (Node::Reference(name), _) => match self.definitions.get(name) {
                Some(definition) => self.walk(definition, value),
                None => 0,
            },
            (Node::AnyOf(arms), _) => arms
                .iter()
                .map(|(life, arm)| life & self.walk(arm, value))
                .fold(0, |all, bits| all | bits),
            (Node::Object { members, closed }, Value::Object(values)) => {
                if *closed && values.keys().any(|name| !members.contains_key(name)) {
                    return 0;
                }
                self.members(members, values)
            }
            (Node::Map(node), Value::Object(values)) => values
                .values()
                .fold(self.all, |bits, value| bits & self.walk(node, value)),
            (Node::Array(node), Value::Array(values)) => values
                .iter()
                .fold(self.all, |bits, value| bits & self.walk(node, value)),
            (Node::Enum(values), Value::String(text)) => values.get(text).copied().unwrap_or(0),
            (Node::Base64, Value::String(text)) if is_base64(text) => self.all,
            (Node::String, Value::String(_))
            | (Node::Boolean, Value::Bool(_))
            | (Node::Number, Value::Number(_)) => self.all,
            (Node::Integer { min, max }, Value::Number(number)) => match whole(number) {
                Some(number) if (*min..=*max).contains(&number) => self.all,
                _ => 0,
            },
            (Node::Tagged { spellings, arms }, Value::Object(values)) => spellings
                .iter()
                .map(|(key, life)| {
                    let arm = values
                        .get(key)
                        .and_then(Value::as_str)
                        .and_then(|tag| arms.get(tag));
                    arm.map_or(0, |(alive, node)| life & alive & self.walk(node, value))
                })
                .fold(0, |all, bits| all | bits),
            _ => 0,
        }
    }

    fn members(&self, members: &BTreeMap<String, Member>, values: &Map<String, Value>) -> Bits {
        let mut bits = self.all;
        for (name, member) in members {
            bits &= match values.get(name) {
                None => !member.life | member.optional,
                Some(value) => {
                    let null = if value.is_null() { member.nullable } else { 0 };
                    member.life & (null | self.walk(&member.node, value))
                }
            };
            if bits == 0 {
                break;
            }
        }
        bits & self.all
    }
}

struct Builder<'a> {
    spans: &'a [Span],
    /// Whether Codex writes the messages; what it reads may be spelt more freely.
    written: bool,
}

impl Builder<'_> {
    fn bits(&self, life: Lifetime) -> Bits {
        self.spans
            .iter()
            .enumerate()
            .filter(|(_, span)| life.contains(span.since))
            .fold(0, |bits, (index, _)| bits | 1 << index)
    }

    fn node(&self, schema: &Value) -> Node {
        let schema = object(schema);
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let name = reference.rsplit('/').next().unwrap_or(reference);
            return Node::Reference(name.to_owned());
        }
        if let Some(Value::Object(tags)) = schema.get("x-tags") {
            return self.tagged(tags, &schema["oneOf"]);
        }
        if let Some(Value::Array(arms)) = schema.get("anyOf") {
            let arms = arms
                .iter()
                .map(|arm| (self.bits(lifetime_beside(arm)), self.node(arm)));
            return Node::AnyOf(arms.collect());
        }
        if let Some(Value::Object(values)) = schema.get("x-values") {
            let values = values
                .iter()
                .map(|(value, about)| (value.clone(), self.bits(lifetime_in(about))));
            return Node::Enum(values.collect());
        }
        if let Some(constant) = schema.get("const").and_then(Value::as_str) {
            return Node::Enum([(constant.to_owned(), self.bits(Lifetime::ALWAYS))].into());
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => {
                match (schema.get("properties"), schema.get("additionalProperties")) {
                    (Some(properties), others) => Node::Object {
                        members: self.properties(properties),
                        closed: others.is_some_and(|others| others == false),
                    },
                    (None, Some(values)) => Node::Map(Box::new(self.node(values))),
                    (None, None) => Node::Object {
                        members: BTreeMap::new(),
                        closed: false,
                    },
                }
            }
            Some("array") => Node::Array(Box::new(
                schema
                    .get("items")
                    .map_or(Node::Any, |items| self.node(items)),
            )),
            Some("string") => match schema.get("contentEncoding") {
                Some(_) => Node::Base64,
                None => Node::String,
            },
            Some("boolean") => Node::Boolean,
            Some("number") => Node::Number,
            Some("integer") => Node::Integer {
                min: bound(schema.get("minimum")).unwrap_or(i128::MIN),
                max: bound(schema.get("maximum")).unwrap_or(i128::MAX),
            },
            _ => Node::Any,
        }
    }

    fn properties(&self, properties: &Value) -> BTreeMap<String, Member> {
        object(properties)
            .iter()
            .map(|(name, property)| {
                let when = |key: &str| match property.get(key) {
                    Some(span) => self.bits(lifetime_in(span)),
                    None => 0,
                };
                let (mut optional, mut nullable) = (when("x-optional"), when("x-nullable"));
                if !self.written {
                    if property.get("x-default").is_some() {
                        optional = self.bits(Lifetime::ALWAYS);
                    } else {
                        (optional, nullable) = (optional | nullable, optional | nullable);
                    }
                }
                let member = Member {
                    life: self.bits(lifetime_beside(property)),
                    optional,
                    nullable,
                    node: self.node(property),
                };
                (name.clone(), member)
            })
            .collect()
    }

    fn tagged(&self, tags: &Map<String, Value>, arms: &Value) -> Node {
        let spellings = tags
            .iter()
            .map(|(key, span)| (key.clone(), self.bits(lifetime_in(span))));
        let arms = arms.as_array().into_iter().flatten().filter_map(|arm| {
            let tag = arm.get("x-tag")?.as_str()?.to_owned();
            let alive = self.bits(lifetime_beside(arm));
            Some((tag, (alive, self.node(arm))))
        });
        Node::Tagged {
            spellings: spellings.collect(),
            arms: arms.collect(),
        }
    }
}

fn object(value: &Value) -> &Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&EMPTY)
}

fn bound(value: Option<&Value>) -> Option<i128> {
    match value? {
        Value::Number(number) => whole(number),
        _ => None,
    }
}

/// Whether a text is base64 as the schema's pattern has it: padded, no bits left over.
fn is_base64(text: &str) -> bool {
    let symbols = text.trim_end_matches('=').as_bytes();
    let is_symbol = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let leaves_nothing = |ends: &[u8]| symbols.last().is_some_and(|last| ends.contains(last));
    symbols.iter().all(is_symbol)
        && match (symbols.len() % 4, text.len() - symbols.len()) {
            (0, 0) => true,
            (2, 2) => leaves_nothing(b"AQgw"),
            (3, 1) => leaves_nothing(b"AEIMQUYcgkosw048"),
            _ => false,
        }
}

/// The whole number a JSON number stands for, `1.0` included, as JSON Schema has it.
fn whole(number: &serde_json::Number) -> Option<i128> {
    if let Some(number) = number.as_i64() {
        return Some(number.into());
    }
    if let Some(number) = number.as_u64() {
        return Some(number.into());
    }
    let number = number.as_f64()?;
    (number.fract() == 0.0 && number.abs() < 1e30).then_some(number as i128)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use codex_wire::core::Submission;
    use codex_wire::exec::legacy::LegacyLine;
    use codex_wire::generate::{Generate, Recipe};
    use codex_wire::{core, exec};
    use codex_wire_schema::{Draft, Profile, annotated, project, spans};
    use jsonschema::Validator;
    use proptest::prelude::*;
    use proptest::sample::Index;
    use proptest::test_runner::{Config, TestRunner};
    use serde_json::json;

    use super::*;

    /// What placement is to agree with, span by span: the open projection with the members of
    /// other releases forbidden. Of members that nobody declared it says nothing either.
    fn judges(surface: Surface) -> Vec<Validator> {
        fn forbid(schema: &mut Value, known: &Value) {
            let Some(here) = schema["properties"].as_object_mut() else {
                return;
            };
            for member in object(&known["properties"]).keys() {
                here.entry(member).or_insert(json!(false));
            }
        }
        let judge = |span: &Span| {
            let mut schema = project(surface, span.since, Profile::Open, Draft::Draft202012);
            let known = annotated(surface);
            if schema.get("properties").is_some() {
                forbid(&mut schema, known);
            }
            for (name, definition) in schema["$defs"].as_object_mut().unwrap() {
                if definition.get("properties").is_some() {
                    forbid(definition, &known["$defs"][name]);
                }
            }
            jsonschema::options().build(&schema).unwrap()
        };
        spans(surface).iter().map(judge).collect()
    }

    fn messages(surface: Surface, recipe: Recipe) -> BoxedStrategy<Value> {
        macro_rules! of {
            ($ty:ty) => {
                <$ty>::generate(recipe)
                    .prop_map(|value| serde_json::to_value(value).unwrap())
                    .boxed()
            };
        }
        match surface {
            Surface::Exec => of!(exec::Event),
            Surface::ExecLegacy => of!(LegacyLine),
            Surface::CoreEvents => of!(core::Event),
            Surface::CoreSubmissions => of!(Submission),
            other => panic!("{other} has no type here"),
        }
    }

    fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
        out.push(at.to_owned());
        let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
        match value {
            Value::Object(members) => members
                .iter()
                .for_each(|(name, inner)| pointers(inner, &format!("{at}/{}", escaped(name)), out)),
            Value::Array(elements) => elements
                .iter()
                .enumerate()
                .for_each(|(index, inner)| pointers(inner, &format!("{at}/{index}"), out)),
            _ => {}
        }
    }

    /// Replaces a value within a message, or takes a member out or adds one where there is no
    /// other.
    fn change(message: &mut Value, place: Index, other: Option<Value>) {
        let mut places = Vec::new();
        pointers(message, "", &mut places);
        let pointer = &places[place.index(places.len())];
        match (other, pointer.rsplit_once('/')) {
            (Some(other), _) => *message.pointer_mut(pointer).unwrap() = other,
            (None, Some((holder, name))) => {
                if let Some(Value::Object(members)) = message.pointer_mut(holder) {
                    if place.index(7) == 0 {
                        members.insert("delete".into(), json!({}));
                    }
                    members.remove(&name.replace("~1", "/").replace("~0", "~"));
                }
            }
            (None, None) => {}
        }
    }

    fn others() -> impl Strategy<Value = Option<Value>> {
        let words = [
            "turn.started",
            "session.created",
            "reasoning",
            "agent_message",
            "assistant_message",
            "collab_tool_call",
            "declined",
            "in_progress",
            "interrupted",
            "search",
            "task_started",
            "user_turn",
            "minimal",
            "on-failure",
            "delete",
            "aGk",
        ];
        prop_oneof![
            2 => Just(None),
            1 => Just(Some(Value::Null)),
            2 => proptest::sample::select(words.to_vec()).prop_map(|word| Some(json!(word))),
            1 => codex_wire::generate::json().prop_map(Some),
        ]
    }

    /// The answer for each span is that of its projection, for right messages and wrong ones.
    fn agrees(surface: Surface, cases: u32) {
        let spans = spans(surface);
        let judges = judges(surface);
        let placement = Placement::new(surface, spans);
        let counts = Cell::new((0, 0));
        for span in spans {
            let mut config = Config::with_source_file(file!());
            if std::env::var_os("PROPTEST_CASES").is_none() {
                config.cases = cases;
            }
            let recipe = Recipe {
                release: span.since,
                unknown: true,
            };
            let changes = proptest::collection::vec((any::<Index>(), others()), 0..3);
            let messages =
                (messages(surface, recipe), changes).prop_map(|(mut message, changes)| {
                    for (place, other) in changes {
                        change(&mut message, place, other);
                    }
                    message
                });
            TestRunner::new(config)
                .run(&messages, |message| {
                    let bits = placement.of(&message);
                    let judged = judges
                        .iter()
                        .enumerate()
                        .filter(|(_, judge)| judge.is_valid(&message))
                        .fold(0, |bits, (index, _)| bits | 1 << index);
                    prop_assert_eq!(bits, judged, "as a fixture: {}", message);
                    let (placed, lost) = counts.get();
                    counts.set(match bits {
                        0 => (placed, lost + 1),
                        _ => (placed + 1, lost),
                    });
                    Ok(())
                })
                .unwrap_or_else(|error| panic!("{surface} {}: {error}", span.since));
        }
        let (placed, lost) = counts.get();
        assert!(placed > 100 && lost > 100, "{placed} placed, {lost} not");
    }

    #[test]
    fn agrees_with_every_projection_of_exec() {
        agrees(Surface::Exec, 96);
    }

    #[test]
    fn agrees_with_every_projection_of_the_legacy_form() {
        agrees(Surface::ExecLegacy, 96);
    }

    #[test]
    fn agrees_with_every_projection_of_core_events() {
        agrees(Surface::CoreEvents, 96);
    }

    #[test]
    fn agrees_with_every_projection_of_core_submissions() {
        agrees(Surface::CoreSubmissions, 96);
    }
}
