//! One protocol in all its releases.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::MessageSet;
use codex_wire_schema::Bundle;
use codex_wire_schema::ir::{Availability, Kind, Member, Object, Schema, Tagged, Variant};

use super::names::pascal;
use crate::comments::Comment;

/// What a value may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    Constant(String),
    List(Box<Type>),
    Dict(Box<Type>),
    Named(String),
    Union(Vec<Type>),
}

/// A definition, with what its comment says.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) comment: Comment,
    pub(super) shape: Shape,
}

/// What is written for a definition.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// A class.
    Object(Vec<Field>),
    /// A union told apart by a member, whose name may have changed.
    Tagged(Vec<String>, Vec<Alternative>),
    /// A union of `{"kind": …}` and `"kind"`.
    External(Vec<Alternative>),
    /// Strings.
    Enum(Vec<Alternative>),
    /// Another name for a type.
    Alias(Type),
}

/// A member.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: Type,
    pub(super) required: bool,
    pub(super) nullable: bool,
    pub(super) comment: Comment,
}

/// A variant or value.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    /// The tag, the kind or the value.
    pub(super) tag: String,
    /// The definitions that it is, in different releases.
    pub(super) definitions: Vec<String>,
    pub(super) comment: Comment,
}

/// The messages of a message set.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) message_set: MessageSet,
    pub(super) definition: String,
    pub(super) is_wire: bool,
}

/// All definitions of a protocol.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) roots: Vec<Root>,
    pub(super) definitions: BTreeMap<String, Definition>,
    /// The names that definitions have in any release.
    taken: BTreeSet<String>,
}

impl Model {
    /// Reads the bundles of all releases. The comment of a part is from the newest that has it.
    pub(super) fn read(bundles: impl Iterator<Item = Bundle>) -> Self {
        let mut bundles: Vec<Bundle> = bundles.collect();
        bundles.reverse();
        let mut model = Model::default();
        for bundle in &bundles {
            let names = bundle.definitions.keys().map(ToString::to_string);
            model.taken.extend(names);
        }
        for bundle in &bundles {
            for root in &bundle.roots {
                let known = model.roots.iter();
                if known
                    .clone()
                    .all(|known| *known.definition != *root.definition)
                {
                    model.roots.push(Root {
                        message_set: root.message_set,
                        definition: root.definition.to_string(),
                        is_wire: root.is_wire,
                    });
                }
            }
            let mut reader = Reader {
                bundle,
                taken: &model.taken,
                out: BTreeMap::new(),
            };
            for (name, schema) in &bundle.definitions {
                reader.define(name, schema);
            }
            for (name, definition) in reader.out {
                model.add(name, definition);
            }
        }
        model
    }

    /// Adds a definition of an older release.
    fn add(&mut self, name: String, older: Definition) {
        let Some(mut known) = self.definitions.remove(&name) else {
            self.definitions.insert(name, older);
            return;
        };
        match (&mut known.shape, older.shape) {
            (Shape::Object(fields), Shape::Object(older)) => merge_fields(fields, older),
            (Shape::Tagged(tags, alternatives), Shape::Tagged(more, older)) => {
                merge_tags(tags, more);
                merge_alternatives(alternatives, older);
            }
            (Shape::External(alternatives), Shape::External(older))
            | (Shape::Enum(alternatives), Shape::Enum(older)) => {
                merge_alternatives(alternatives, older);
            }
            (Shape::Alias(value), Shape::Alias(older)) => *value = value.or(&older),
            // The shapes differ: the name stands for one or the other.
            (newer, shape) => {
                let older = Definition {
                    comment: older.comment,
                    shape,
                };
                let newer = Definition {
                    comment: known.comment.clone(),
                    shape: newer.clone(),
                };
                let value = self.part(&name, newer).or(&self.part(&name, older));
                known.shape = Shape::Alias(value);
            }
        }
        self.definitions.insert(name, known);
    }

    /// What a name that has several shapes has of one: what an alias is, or a definition of its own.
    fn part(&mut self, name: &str, definition: Definition) -> Type {
        let suffix = match &definition.shape {
            Shape::Alias(value) => return value.clone(),
            Shape::Object(_) => "Object",
            Shape::Tagged(..) => "Kinds",
            Shape::External(_) => "Variants",
            Shape::Enum(_) => "Text",
        };
        let part = format!("{name}{suffix}");
        self.add(part.clone(), definition);
        Type::Named(part)
    }
}

/// Adds the older names of a tag behind the current one.
fn merge_tags(tags: &mut Vec<String>, older: impl IntoIterator<Item = String>) {
    for tag in older {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
}

fn merge_fields(fields: &mut Vec<Field>, older: Vec<Field>) {
    for field in fields.iter_mut() {
        if older.iter().all(|known| known.name != field.name) {
            field.required = false;
        }
    }
    for mut old in older {
        match fields.iter_mut().find(|field| field.name == old.name) {
            Some(field) => {
                field.value = field.value.or(&old.value);
                field.required &= old.required;
                field.nullable |= old.nullable;
            }
            None => {
                old.required = false;
                fields.push(old);
            }
        }
    }
}

fn merge_alternatives(alternatives: &mut Vec<Alternative>, older: Vec<Alternative>) {
    for old in older {
        match alternatives
            .iter_mut()
            .find(|alternative| alternative.tag == old.tag)
        {
            Some(alternative) => {
                for definition in old.definitions {
                    if !alternative.definitions.contains(&definition) {
                        alternative.definitions.push(definition);
                    }
                }
            }
            None => alternatives.push(old),
        }
    }
}

impl Type {
    /// Either of two types.
    fn or(&self, other: &Type) -> Type {
        let mut all: Vec<Type> = Vec::new();
        for one in [self, other] {
            let parts = match one {
                Type::Union(parts) => parts.as_slice(),
                one => std::slice::from_ref(one),
            };
            for part in parts {
                if !all.contains(part) {
                    all.push(part.clone());
                }
            }
        }
        // A list of anything may hold what another list holds.
        for anything in [
            Type::List(Box::new(Type::Any)),
            Type::Dict(Box::new(Type::Any)),
        ] {
            if all.contains(&anything) {
                let is_such =
                    |one: &Type| std::mem::discriminant(one) == std::mem::discriminant(&anything);
                all.retain(|one| !is_such(one) || *one == anything);
            }
        }
        match all.as_slice() {
            _ if all.contains(&Type::Any) => Type::Any,
            [one] => one.clone(),
            _ => Type::Union(all),
        }
    }
}

/// Reads one bundle. What has no name in it gets one.
struct Reader<'b> {
    bundle: &'b Bundle,
    taken: &'b BTreeSet<String>,
    out: BTreeMap<String, Definition>,
}

impl Reader<'_> {
    fn define(&mut self, name: &str, schema: &Schema) {
        let shape = match &schema.kind {
            Kind::Object(object) => Shape::Object(self.fields(name, object)),
            Kind::Tagged(union) => {
                let mut tags = vec![union.tag.to_string()];
                let spellings = union.spellings.iter().map(|known| known.name.to_string());
                merge_tags(&mut tags, spellings);
                Shape::Tagged(tags, self.alternatives(union))
            }
            Kind::External(variants) => {
                let alternatives = variants.iter().map(|variant| Alternative {
                    tag: variant.kind.to_string(),
                    definitions: vec![variant.definition.to_string()],
                    comment: self.comment(None, &variant.availability),
                });
                Shape::External(alternatives.collect())
            }
            Kind::Enum(values) => {
                let alternatives = values.iter().map(|value| Alternative {
                    tag: value.value.to_string(),
                    definitions: Vec::new(),
                    comment: self.comment(value.description.as_deref(), &value.availability),
                });
                Shape::Enum(alternatives.collect())
            }
            _ => Shape::Alias(self.value(name, schema)),
        };
        let comment = Comment::of_definition(schema.description.as_deref());
        self.out
            .insert(name.to_owned(), Definition { comment, shape });
    }

    fn fields(&mut self, name: &str, object: &Object) -> Vec<Field> {
        let members = object.members.iter();
        members.map(|member| self.field(name, member)).collect()
    }

    fn field(&mut self, owner: &str, member: &Member) -> Field {
        // Of two members of one name a reader keeps the last.
        let last = member.second.as_deref().unwrap_or(member);
        let inner = format!("{owner}{}", pascal(&member.name));
        let mut value = self.value(&inner, &last.schema);
        if !last.optional.is_empty() && member.second.is_some() {
            value = value.or(&self.value(&inner, &member.schema));
        }
        Field {
            name: member.name.to_string(),
            value,
            required: member.optional.is_empty(),
            nullable: !member.nullable.is_empty() || !last.nullable.is_empty(),
            comment: self.comment(last.schema.description.as_deref(), &last.availability),
        }
    }

    fn alternatives(&self, union: &Tagged) -> Vec<Alternative> {
        let variants = union.variants.iter().map(|variant| Alternative {
            tag: variant.tag.to_string(),
            definitions: vec![variant.definition.to_string()],
            comment: self.comment(None, &variant.availability),
        });
        variants.collect()
    }

    /// The type of a value. `name` is for what is written as a class or a union.
    fn value(&mut self, name: &str, schema: &Schema) -> Type {
        match &schema.kind {
            Kind::Any | Kind::Never => Type::Any,
            Kind::Null => Type::Null,
            Kind::Boolean => Type::Boolean,
            Kind::Integer { .. } => Type::Integer,
            Kind::Number => Type::Number,
            Kind::String | Kind::NotEmpty | Kind::Base64 => Type::Text,
            Kind::Constant(text) => Type::Constant(text.to_string()),
            Kind::Array(items) => Type::List(Box::new(self.value(name, items))),
            Kind::Map(values) => Type::Dict(Box::new(self.value(name, values))),
            Kind::Reference(name) => Type::Named(name.to_string()),
            Kind::Untagged(_) => {
                let mut all = Type::Union(Vec::new());
                for (index, variant) in schema.variants().enumerate() {
                    let Variant::Untagged(variant) = variant else {
                        continue;
                    };
                    let title = variant.schema.title.as_deref().map(pascal);
                    let title = title.unwrap_or_else(|| format!("Variant{}", index + 1));
                    let value = self.value(&format!("{name}{title}"), &variant.schema);
                    all = all.or(&value);
                }
                all
            }
            Kind::Object(object) if object.members.is_empty() => Type::Dict(Box::new(Type::Any)),
            Kind::Object(_) | Kind::Tagged(_) | Kind::External(_) | Kind::Enum(_) => {
                let mut name = name.to_owned();
                while self.taken.contains(&name) {
                    name.push_str("Value");
                }
                self.define(&name, schema);
                Type::Named(name)
            }
        }
    }

    fn comment(&self, description: Option<&str>, availability: &Availability) -> Comment {
        Comment::of_part(self.bundle, description, availability)
    }
}
