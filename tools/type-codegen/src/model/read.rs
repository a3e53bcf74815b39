//! Reads the model of one bundle.

use std::collections::BTreeMap;

use codex_wire_base::MessageSet;
use codex_wire_schema::Bundle;
use codex_wire_schema::ir::{Availability, Kind, Member, Schema, Variant};

use super::{
    Alternative, Answer, Definition, Field, Method, Model, Role, Root, Shape, Type, merge,
};
use crate::comments::Comment;
use crate::names::{free, pascal};

impl Model {
    /// Reads a bundle.
    pub(crate) fn read(bundle: &Bundle) -> Self {
        let mut reader = Reader {
            bundle,
            definitions: BTreeMap::new(),
        };
        for (name, schema) in &bundle.definitions {
            let definition = reader.definition(name, schema);
            reader.definitions.insert(name.to_string(), definition);
        }
        let methods = reader.methods();
        let roots = bundle.roots.iter().map(|root| Root {
            message_set: root.message_set,
            definition: root.definition.to_string(),
            role: match root.message_set {
                _ if root.is_wire => Role::Line,
                MessageSet::AppServerItems => Role::Part,
                _ => Role::Answer,
            },
        });
        let roots: Vec<Root> = roots.collect();
        let answers = roots.iter().filter(|root| root.role == Role::Answer);
        let answers = answers.flat_map(|root| reader.answers(root)).collect();
        Model {
            name: bundle.name,
            releases: bundle.releases,
            roots,
            definitions: reader.definitions,
            methods,
            answers,
        }
    }
}

struct Reader<'b> {
    bundle: &'b Bundle,
    definitions: BTreeMap<String, Definition>,
}

impl Reader<'_> {
    /// Takes the definitions of answers out: with the tag, they are not what the wire has.
    fn answers(&mut self, root: &Root) -> Vec<Answer> {
        let union = self.definitions.remove(&root.definition);
        let Some(Shape::Tagged(tags, variants)) = union.map(|union| union.shape) else {
            return Vec::new();
        };
        let answers = variants.into_iter().filter_map(|variant| {
            let name = variant.definitions.into_iter().next()?;
            let message = self.definitions.remove(&name)?;
            let fields = message.shape.fields().iter();
            let fields = fields.filter(|field| !tags.contains(&field.name));
            Some(Answer {
                message_set: root.message_set,
                to: variant.tag,
                name,
                comment: message.comment,
                fields: fields.cloned().collect(),
            })
        });
        answers.collect()
    }

    fn methods(&self) -> Vec<Method> {
        let methods = self.bundle.methods.iter().map(|method| {
            let message = self.definitions.get(&*method.message);
            let mut fields = message.into_iter().flat_map(|known| known.shape.fields());
            Method {
                name: method.name.to_string(),
                by_codex: method.by_codex,
                kind: method.kind,
                message: method.message.to_string(),
                params: fields.find(|field| field.name == "params").cloned(),
                comment: self.comment(method.description.as_deref(), &method.availability),
            }
        });
        methods.collect()
    }

    fn definition(&mut self, name: &str, schema: &Schema) -> Definition {
        let comment = Comment::of_definition(schema.description.as_deref());
        let shape = match &schema.kind {
            Kind::Object(object) => {
                let members = object.members.iter();
                let fields = members.map(|member| self.field(name, member)).collect();
                Shape::Object(fields, object.undeclared)
            }
            Kind::Tagged(union) => {
                let mut tags = vec![union.tag.to_string()];
                let spellings = union.spellings.iter().map(|known| known.name.to_string());
                merge::add_tags(&mut tags, spellings.collect());
                Shape::Tagged(tags, self.variants(schema))
            }
            Kind::External(_) => Shape::External(self.variants(schema)),
            Kind::Enum(_) => Shape::Enum(self.values(schema)),
            _ => {
                let value = self.value(name, schema);
                let comments = schema.variants().map(|variant| match variant {
                    Variant::Untagged(variant) => {
                        let description = variant.schema.description.as_deref();
                        self.comment(description, &variant.availability)
                    }
                    _ => Comment::default(),
                });
                Shape::Alias(value, comments.collect())
            }
        };
        Definition { comment, shape }
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
            optional: !member.optional.is_empty(),
            nullable: !member.nullable.is_empty() || !last.nullable.is_empty(),
            comment: self.comment(last.schema.description.as_deref(), &last.availability),
        }
    }

    fn variants(&self, schema: &Schema) -> Vec<Alternative> {
        let variants = schema.variants().filter_map(|variant| {
            let tag = match variant {
                Variant::Tagged(variant) => &variant.tag,
                Variant::External(variant) => &variant.kind,
                Variant::Untagged(_) => return None,
            };
            Some(Alternative {
                tag: tag.to_string(),
                definitions: variant
                    .definition()
                    .map(str::to_owned)
                    .into_iter()
                    .collect(),
                comment: self.comment(None, variant.availability()),
                is_current: true,
            })
        });
        variants.collect()
    }

    fn values(&self, schema: &Schema) -> Vec<Alternative> {
        let values = schema.enum_values().iter().map(|value| Alternative {
            tag: value.value.to_string(),
            definitions: Vec::new(),
            comment: self.comment(value.description.as_deref(), &value.availability),
            is_current: true,
        });
        values.collect()
    }

    /// The type of a value. What has members or variants, but no name in the protocol, is declared by this one.
    fn value(&mut self, name: &str, schema: &Schema) -> Type {
        match &schema.kind {
            Kind::Any => Type::Any,
            Kind::Never => Type::Never,
            Kind::Null => Type::Null,
            Kind::Boolean => Type::Boolean,
            Kind::Integer { maximum, .. } => Type::Integer {
                is_wide: *maximum > i128::from(i64::MAX),
            },
            Kind::Number => Type::Number,
            Kind::String | Kind::NotEmpty | Kind::Base64 => Type::Text,
            Kind::Constant(text) => Type::Constant(text.to_string()),
            Kind::Enum(_) => Type::Strings(self.values(schema)),
            Kind::Array(items) => Type::List(Box::new(self.value(name, items))),
            Kind::Map(values) => Type::Dict(Box::new(self.value(name, values))),
            Kind::Reference(name) => Type::Named(name.to_string()),
            Kind::Untagged(variants) => {
                let none = Type::Union(Vec::new());
                variants
                    .iter()
                    .enumerate()
                    .fold(none, |all, (index, variant)| {
                        let name = format!("{name}Variant{}", index + 1);
                        all.or(&self.value(&name, &variant.schema))
                    })
            }
            Kind::Object(_) | Kind::Tagged(_) | Kind::External(_) => {
                let name = free([name.to_owned(), format!("{name}Value")], |name| {
                    self.bundle.definitions.contains_key(name)
                        || self.definitions.contains_key(name)
                });
                let definition = self.definition(&name, schema);
                self.definitions.insert(name.clone(), definition);
                Type::Named(name)
            }
        }
    }

    fn comment(&self, description: Option<&str>, availability: &Availability) -> Comment {
        Comment::of_part(self.bundle, description, availability)
    }
}
