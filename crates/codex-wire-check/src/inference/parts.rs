//! Finds the parts of a message that exclude a release: the evidence of an identification.

use codex_wire_base::ReleaseSet;
use serde_json::Value;

use super::walk::{Member, Node, ReleaseInference};
use crate::phrasing::kind;
use crate::pointer::push_segment;

/// A part of a message that only some ranges write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Where it is, or where it is missing.
    pub(crate) pointer: String,
    /// What is telling about it.
    pub(crate) what: What,
    /// The ranges that write it.
    pub(crate) bits: ReleaseSet,
}

/// What is telling about a part. Names come from the protocol, never from payload.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// That it is there.
    Here,
    /// Which kind of message or object it is.
    Kind(String),
    /// Which value of an enumeration it has.
    Value(String),
    /// By which member it names its kind.
    Spelling(String),
    /// That it is `null`.
    Null,
    /// What type of value it is, or how it is built.
    Shape(&'static str),
    /// That it is missing.
    Absent,
}

impl ReleaseInference {
    /// The parts of `message` that some of `excluded` do not write. Between them they exclude
    /// all of those that [`ReleaseInference::of`] excludes.
    pub(crate) fn parts(&self, message: &Value, excluded: ReleaseSet) -> Vec<Part> {
        let mut found = Search {
            inference: self,
            path: String::new(),
            parts: Vec::new(),
        };
        found.look(&self.root, message, excluded);
        found.parts
    }
}

struct Search<'p> {
    inference: &'p ReleaseInference,
    path: String,
    parts: Vec<Part>,
}

impl Search<'_> {
    fn look(&mut self, node: &Node, value: &Value, excluded: ReleaseSet) {
        let inference = self.inference;
        let excluded = excluded & !inference.walk(node, value);
        if excluded.is_empty() {
            return;
        }
        match (node, value) {
            (Node::Reference(Some(to)), _) => self.look(inference.definition(*to), value, excluded),
            (Node::Object { members, .. }, Value::Object(values)) => {
                for (name, member) in members {
                    self.within(name, |search| {
                        search.member(member, values.get(*name), excluded);
                    });
                }
            }
            (Node::Map(node), Value::Object(values)) => {
                for (name, value) in values {
                    self.within(name, |search| search.look(node, value, excluded));
                }
            }
            (Node::Array(node), Value::Array(values)) => {
                for (index, value) in values.iter().enumerate() {
                    self.within(&index.to_string(), |search| {
                        search.look(node, value, excluded);
                    });
                }
            }
            (Node::Enum(values), Value::String(text)) => {
                if let Some(bits) = values.get(&**text) {
                    self.push(What::Value(text.clone()), *bits);
                }
            }
            (
                Node::Tagged {
                    spellings,
                    branches,
                },
                Value::Object(values),
            ) => {
                let mut meant = spellings.iter().filter_map(|(key, availability)| {
                    let tag = values.get(*key)?.as_str()?;
                    let (available, node) = branches.get(tag)?;
                    let bits = *availability & *available & inference.walk(node, value);
                    (!bits.is_empty()).then_some((key, *availability, tag, *available, node))
                });
                let (Some((key, availability, tag, available, node)), None) =
                    (meant.next(), meant.next())
                else {
                    return self.shape(node, value);
                };
                if !(excluded & !availability).is_empty() {
                    self.push(What::Spelling((*key).to_owned()), availability);
                }
                if !(excluded & !available).is_empty() {
                    self.push(What::Kind(tag.to_owned()), available);
                }
                self.look(node, value, excluded & availability & available);
            }
            (Node::AnyOf(branches), _) => {
                let fits = |(availability, branch): &&(ReleaseSet, Node)| {
                    !(*availability & inference.walk(branch, value)).is_empty()
                };
                let mut meant = branches.iter().filter(fits);
                let (Some((availability, branch)), None) = (meant.next(), meant.next()) else {
                    return self.shape(node, value);
                };
                if !(excluded & !*availability).is_empty() {
                    self.push(What::Shape(kind(value)), *availability);
                }
                self.look(branch, value, excluded & *availability);
            }
            _ => {}
        }
    }

    fn member(&mut self, member: &Member, value: Option<&Value>, excluded: ReleaseSet) {
        let Some(value) = value else {
            let bits = !member.availability | member.optional;
            if !(excluded & !bits).is_empty() {
                self.push(What::Absent, bits);
            }
            return;
        };
        if !(excluded & !member.availability).is_empty() {
            self.push(What::Here, member.availability);
        }
        let excluded = excluded & member.availability;
        if !value.is_null() {
            return self.look(&member.node, value, excluded);
        }
        let bits =
            member.availability & (member.nullable | self.inference.walk(&member.node, value));
        if !(excluded & !bits).is_empty() {
            self.push(What::Null, bits);
        }
    }

    /// Where several alternatives can be meant there is no saying which member tells.
    fn shape(&mut self, node: &Node, value: &Value) {
        let bits = self.inference.walk(node, value);
        self.push(What::Shape(kind(value)), bits);
    }

    fn push(&mut self, what: What, bits: ReleaseSet) {
        self.parts.push(Part {
            pointer: self.path.clone(),
            what,
            bits: bits & self.inference.builder.all,
        });
    }

    fn within(&mut self, segment: &str, look: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        push_segment(&mut self.path, segment);
        look(self);
        self.path.truncate(length);
    }
}
