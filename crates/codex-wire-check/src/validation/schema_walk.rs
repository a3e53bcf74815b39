//! Walks a message and its schema together, to find the definition and the variant that a value
//! belongs to.

use std::borrow::Cow;

use codex_wire_base::pointer::unescaped;
use codex_wire_schema::Parts;
use codex_wire_schema::ir::{Kind, Schema, Variant};
use serde_json::Value;

/// A schema of one release and the definitions its references lead to.
#[derive(Clone, Copy)]
pub(crate) struct SchemaWalk<'s> {
    root: Node<'s>,
    definitions: &'s Parts,
}

/// A node of a schema, with the name of the definition it is, if it is one.
#[derive(Clone, Copy)]
pub(crate) struct Node<'s> {
    pub(crate) name: Option<&'s str>,
    pub(crate) schema: &'s Schema,
    /// Whether `null` may stand in its place.
    is_nullable: bool,
}

/// The schema of `null`.
static NULL: Schema = Schema::of(Kind::Null);

impl<'s> Node<'s> {
    /// A schema that is not a definition.
    pub(crate) fn of(schema: &'s Schema) -> Self {
        Node {
            name: None,
            schema,
            is_nullable: false,
        }
    }

    /// The definition of that name.
    pub(crate) fn definition(name: &'s str, definitions: &'s Parts) -> Option<Self> {
        Some(Node {
            name: Some(name),
            ..Node::of(definitions.schema(name)?)
        })
    }

    /// Whether it offers alternatives: the variants of a union, or `null` beside a definition.
    fn is_choice(&self) -> bool {
        match self.schema.kind {
            Kind::Tagged(_) | Kind::External(_) | Kind::Untagged(_) => true,
            Kind::Reference(_) => self.is_nullable,
            _ => false,
        }
    }
}

impl<'s> SchemaWalk<'s> {
    pub(crate) fn new(root: Node<'s>, definitions: &'s Parts) -> Self {
        SchemaWalk { root, definitions }
    }

    /// The node that the value at `pointer` stands under, alternatives chosen by the value.
    pub(crate) fn node_at(self, message: &Value, pointer: &str) -> Option<Node<'s>> {
        let mut value = message;
        let mut node = self.settle(self.root, value);
        for segment in segments(pointer) {
            value = match value {
                Value::Array(array) => array.get(segment.parse::<usize>().ok()?)?,
                other => other.get(&*segment)?,
            };
            node = self.settle(step(node.schema, &segment)?, value);
        }
        Some(node)
    }

    /// The node of the union that the value at `pointer` is to be one of, and the name of its
    /// definition: like [`Self::node_at`], but stopping where there is a choice.
    pub(crate) fn choice_at(self, message: &Value, pointer: &str) -> Option<Node<'s>> {
        let start = match pointer.rsplit_once('/') {
            None => self.root,
            Some((parent, last)) => {
                let holder = self.node_at(message, parent)?;
                step(holder.schema, &unescaped(last))?
            }
        };
        self.choice_from(start)
    }

    /// The first choice that references lead to from `start`.
    pub(crate) fn choice_from(self, start: Node<'s>) -> Option<Node<'s>> {
        let mut node = start;
        while !node.is_choice() {
            node = self.definition(node.schema.reference()?)?;
        }
        Some(node)
    }

    /// Which variant of a choice a value is meant to be: by its tag, else by the members it has.
    pub(crate) fn variant(self, choice: &Node<'s>, value: &Value) -> Option<(usize, Node<'s>)> {
        if let Some(union) = choice.schema.tagged() {
            let definition = &union.variant(value.get(&*union.tag)?.as_str()?)?.definition;
            let mut variants = union.variants.iter();
            let index = variants.position(|variant| variant.definition == *definition)?;
            return Some((index, self.definition(definition)?));
        }
        // Beside `null` there is often one alternative only: that one is meant.
        let variants = || self.variants(choice).enumerate();
        let mut others =
            variants().filter(|(_, variant)| !matches!(variant.schema.kind, Kind::Null));
        if let (Some(only), None, false) = (others.next(), others.next(), value.is_null()) {
            return Some(only);
        }
        variants()
            .filter_map(|(index, variant)| Some((self.likeness(variant, value)?, index, variant)))
            .max_by_key(|(likeness, index, _)| (*likeness, std::cmp::Reverse(*index)))
            .map(|(_, index, variant)| (index, variant))
    }

    /// The alternatives of a choice, references to definitions followed.
    pub(crate) fn variants(self, choice: &Node<'s>) -> impl Iterator<Item = Node<'s>> {
        let beside = choice.schema.reference().filter(|_| choice.is_nullable);
        let beside = beside.and_then(|name| self.definition(name));
        let null = beside.map(|_| Node::of(&NULL));
        let of_union = choice
            .schema
            .variants()
            .filter_map(move |variant| match variant {
                Variant::Untagged(inline) if variant.definition().is_none() => {
                    Some(Node::of(&inline.schema))
                }
                _ => self.definition(variant.definition()?),
            });
        beside.into_iter().chain(null).chain(of_union)
    }

    /// How much a value looks like a variant: whether it has all members the variant requires, and
    /// how many. `None` if the variant cannot be meant.
    fn likeness(self, variant: Node<'s>, value: &Value) -> Option<(bool, usize)> {
        // A union by a tag that the value has is meant, whatever the tag says.
        let union = self.choice_from(variant);
        let union = union.and_then(|union| union.schema.tagged());
        if union.is_some_and(|union| value.get(&*union.tag).is_some()) {
            return Some((true, usize::MAX));
        }
        let schema = self.settle(variant, value).schema;
        let name = kind_name(value);
        let fits = |one: &str| one == name || (one == "integer" && name == "number");
        if !schema.json_type().is_none_or(fits) {
            return None;
        }
        if let (Kind::Constant(constant), Value::String(text)) = (&schema.kind, value) {
            return (constant == text).then_some((true, 1));
        }
        let (Value::Object(members), Some(object)) = (value, schema.object()) else {
            return Some((false, 0));
        };
        let required = &object.required;
        let present = required
            .iter()
            .filter(|name| members.contains_key(&***name))
            .count();
        // A variant none of whose members is there is not the one that was meant.
        let complete = present > 0 && present == required.len();
        (present > 0 || required.is_empty()).then_some((complete, present))
    }

    /// Follows references and choices as far as they go.
    fn settle(self, start: Node<'s>, value: &Value) -> Node<'s> {
        let mut node = start;
        for _ in 0..16 {
            let next = if node.is_choice() {
                self.variant(&node, value).map(|(_, variant)| variant)
            } else {
                let name = node.schema.reference();
                name.and_then(|name| self.definition(name))
            };
            let Some(next) = next else { break };
            node = Node {
                name: next.name.or(node.name),
                ..next
            };
        }
        node
    }

    fn definition(self, name: &'s str) -> Option<Node<'s>> {
        Node::definition(name, self.definitions)
    }
}

/// The segments of a JSON Pointer, unescaped.
fn segments(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescaped)
}

/// One step from the schema of an object or array to that of what it holds.
fn step<'s>(schema: &'s Schema, segment: &str) -> Option<Node<'s>> {
    match &schema.kind {
        Kind::Object(object) => object.member(segment).map(|member| Node {
            is_nullable: !member.nullable.is_empty(),
            ..Node::of(&member.schema)
        }),
        Kind::Array(inner) | Kind::Map(inner) => Some(Node::of(inner)),
        _ => None,
    }
}

fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
