//! The smallest values that a release should read, made from the model.

use std::collections::BTreeMap;

use app_server_codegen::Snapshot;
use app_server_codegen::snapshot::{Body, Members};
use app_server_codegen::types::{NONZERO, Signature, Type};
use serde_json::{Map, Value, json};

use crate::examples::UUID;

/// Texts that a definition or a member needs where any text would do by the model.
const FORMS: &[(&str, &str)] = &[
    (".conversationId", UUID),
    (".loginId", UUID),
    (".path", "/x"),
    (".subscriptionId", UUID),
    ("AbsolutePathBuf", "/x"),
    ("ThreadId", UUID),
];

/// Makes values of the types of one release.
pub(crate) struct Samples<'s> {
    snapshot: &'s Snapshot,
}

impl<'s> Samples<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot) -> Self {
        Samples { snapshot }
    }

    /// The smallest value of a type; `None` if it has none that ends.
    pub(crate) fn value(&self, of: &Type) -> Option<Value> {
        self.smallest(of, "x", &mut Vec::new())
    }

    /// The value of a member.
    pub(crate) fn member(&self, owner: &str, name: &str, signature: &Signature) -> Option<Value> {
        self.smallest(&signature.value, text_of(owner, name), &mut Vec::new())
    }

    /// An object with its required members, and with the members of one of its choices.
    pub(crate) fn object(&self, owner: &str, members: &Members) -> Option<Map<String, Value>> {
        self.object_within(owner, members, &mut Vec::new())
    }

    /// Members of a signature table that are required.
    pub(crate) fn required(
        &self,
        owner: &str,
        members: &BTreeMap<String, Signature>,
    ) -> Option<Map<String, Value>> {
        self.required_within(owner, members, &mut Vec::new())
    }

    fn smallest(&self, of: &Type, text: &str, within: &mut Vec<String>) -> Option<Value> {
        Some(match of {
            Type::Any => json!({}),
            Type::Null => Value::Null,
            Type::Boolean => json!(false),
            Type::String | Type::NonEmpty => json!(text),
            Type::Integer(format) => json!(i32::from(format == NONZERO)),
            Type::Fixed(number) => json!(number),
            Type::Number(_) => json!(0.5),
            Type::Literal(text) => json!(text),
            Type::Array(_) => json!([]),
            Type::Map(_) => json!({}),
            Type::Union(branches) => {
                let all = branches.iter();
                let all = all.filter_map(|branch| self.smallest(branch, text, within));
                smallest_of(all)?
            }
            Type::Reference(name) => {
                if within.contains(name) {
                    return None;
                }
                let body = self.snapshot.definitions.get(name)?;
                within.push(name.clone());
                let value = self.body(name, body, text, within);
                within.pop();
                value?
            }
        })
    }

    fn body(&self, name: &str, body: &Body, text: &str, within: &mut Vec<String>) -> Option<Value> {
        match body {
            Body::Object(members) => self.object_within(name, members, within).map(Value::Object),
            Body::Tagged {
                tag,
                base,
                branches,
            } => {
                let all = branches.iter().filter_map(|(variant, members)| {
                    let owner = format!("{name}/{variant}");
                    let mut object = Map::new();
                    object.insert(tag.clone(), json!(variant));
                    object.extend(self.required_within(name, base, within)?);
                    object.extend(self.object_within(&owner, members, within)?);
                    Some(Value::Object(object))
                });
                smallest_of(all.collect::<Vec<_>>())
            }
            Body::ExternallyTagged { branches, .. } => {
                let plain = branches
                    .iter()
                    .find(|(_, contents)| contents.contains(&None));
                if let Some((value, _)) = plain {
                    return Some(json!(value));
                }
                let all = branches.iter().flat_map(|(tag, contents)| {
                    let contents = contents.iter().flatten();
                    contents.map(move |content| (tag, content))
                });
                let all = all.filter_map(|(tag, content)| {
                    let content = self.smallest(content, text, within)?;
                    Some(json!({ tag: content }))
                });
                smallest_of(all.collect::<Vec<_>>())
            }
            Body::AnyOf(branches) => {
                let text = form(name).unwrap_or(text);
                let all = branches.iter();
                let all = all.filter_map(|branch| self.smallest(branch, text, within));
                smallest_of(all.collect::<Vec<_>>())
            }
            Body::Several(bodies) => {
                let all = bodies.iter();
                let all = all.filter_map(|body| self.body(name, body, text, within));
                smallest_of(all.collect::<Vec<_>>())
            }
        }
    }

    fn object_within(
        &self,
        owner: &str,
        members: &Members,
        within: &mut Vec<String>,
    ) -> Option<Map<String, Value>> {
        let mut object = self.required_within(owner, &members.members, within)?;
        // The first set has the name that comes first.
        for name in members.choice.iter().next().into_iter().flatten() {
            let signature = members.members.get(name)?;
            let value = self.smallest(&signature.value, text_of(owner, name), within)?;
            object.insert(name.clone(), value);
        }
        Some(object)
    }

    fn required_within(
        &self,
        owner: &str,
        members: &BTreeMap<String, Signature>,
        within: &mut Vec<String>,
    ) -> Option<Map<String, Value>> {
        let mut object = Map::new();
        for (name, signature) in members {
            if signature.optional {
                continue;
            }
            let value = self.smallest(&signature.value, text_of(owner, name), within);
            let value = match value {
                None if signature.nullable => Value::Null,
                value => value?,
            };
            object.insert(name.clone(), value);
        }
        Some(object)
    }
}

/// The text of a member.
fn text_of(owner: &str, name: &str) -> &'static str {
    form(&format!("{owner}.{name}"))
        .or_else(|| form(&format!(".{name}")))
        .unwrap_or("x")
}

fn form(of: &str) -> Option<&'static str> {
    let (_, text) = FORMS.iter().find(|(known, _)| *known == of)?;
    Some(text)
}

/// The shortest value, among equals the first by its text.
fn smallest_of(all: impl IntoIterator<Item = Value>) -> Option<Value> {
    let all = all.into_iter();
    all.min_by_key(|value| {
        let text = value.to_string();
        (text.len(), text)
    })
}
