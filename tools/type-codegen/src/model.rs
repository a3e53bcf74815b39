//! A protocol as every language sees it: what is declared, under which name, with which comment, and which
//! message answers which.
//!
//! A model is read from one [`Bundle`](codex_wire_schema::Bundle), and [`Model::merged`] makes one of several
//! releases. What a name looks like in a language, and in which order and layout it is written, is that language's.

mod merge;
mod read;

use std::collections::BTreeMap;

use codex_wire_base::{MessageSet, ReleaseRange};
use codex_wire_schema::ir::Undeclared;
use codex_wire_schema::{BundleName, MethodKind};

use crate::comments::Comment;

/// The name of the lines of session files.
pub(crate) const SESSION_LINE: &str = "SessionLine";

/// A protocol, in the releases of a range.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) name: BundleName,
    pub(crate) releases: ReleaseRange,
    /// The message sets.
    pub(crate) roots: Vec<Root>,
    /// All that is declared, by its name, except for answers.
    pub(crate) definitions: BTreeMap<String, Definition>,
    /// The methods of the app-server.
    pub(crate) methods: Vec<Method>,
    /// Results, and what hooks print. They do not say what they answer: languages have maps.
    pub(crate) answers: Vec<Answer>,
}

/// The messages of a message set.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) message_set: MessageSet,
    /// The definition of the messages; answers have none.
    pub(crate) definition: String,
    pub(crate) role: Role,
}

/// What the messages of a message set are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Lines of the wire.
    Line,
    /// Parts of lines.
    Part,
    /// Answers.
    Answer,
}

/// What answers one request, or what a hook of one event prints.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) message_set: MessageSet,
    /// The method or the event.
    pub(crate) to: String,
    /// The name of the message.
    pub(crate) name: String,
    pub(crate) comment: Comment,
    /// The members of the message as it is on the wire.
    pub(crate) fields: Vec<Field>,
}

/// A method of the app-server.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) name: String,
    /// Whether Codex sends it; otherwise the client does.
    pub(crate) by_codex: bool,
    pub(crate) kind: MethodKind,
    /// The definition of the message.
    pub(crate) message: String,
    pub(crate) params: Option<Field>,
    pub(crate) comment: Comment,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) comment: Comment,
    pub(crate) shape: Shape,
}

/// The kinds of definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An object with members.
    Object(Vec<Field>, Undeclared),
    /// A union of objects told apart by a member, the tag. If its name has changed, the current one is first.
    Tagged(Vec<String>, Vec<Alternative>),
    /// A union of `{"kind": …}` and `"kind"`.
    External(Vec<Alternative>),
    /// Strings.
    Enum(Vec<Alternative>),
    /// One of two objects, told apart by a member that only the first one has.
    Having {
        member: String,
        with: String,
        without: String,
    },
    /// Another name for a type. Of a union, comments say what its parts are.
    Alias(Type, Vec<Comment>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The name on the wire.
    pub(crate) name: String,
    pub(crate) value: Type,
    /// Whether it may be absent.
    pub(crate) optional: bool,
    /// Whether it may be null.
    pub(crate) nullable: bool,
    pub(crate) comment: Comment,
}

/// A variant of a union, or a value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alternative {
    /// The value of the tag, the kind or the string.
    pub(crate) tag: String,
    /// The definitions that it has had, the current one first; none of a string.
    pub(crate) definitions: Vec<String>,
    pub(crate) comment: Comment,
    /// Whether the newest release has it.
    pub(crate) is_current: bool,
}

/// What a value may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Any,
    Never,
    Null,
    Boolean,
    /// A whole number.
    Integer {
        /// Whether it may exceed a signed number of 64 bits.
        is_wide: bool,
    },
    Number,
    Text,
    /// This string only.
    Constant(String),
    /// A string, of which some values are known.
    Strings(Vec<Alternative>),
    List(Box<Type>),
    Dict(Box<Type>),
    Named(String),
    /// One of several types; none of them is a union.
    Union(Vec<Type>),
}

impl Model {
    /// The answers of a message set.
    pub(crate) fn answers(&self, set: MessageSet) -> impl Iterator<Item = &Answer> {
        let answers = self.answers.iter();
        answers.filter(move |answer| answer.message_set == set)
    }

    /// What answers a method; nothing answers a notification.
    pub(crate) fn result(&self, method: &Method) -> Option<&Field> {
        let mut answers = self.answers(match method.by_codex {
            true => MessageSet::AppServerClientResponses,
            false => MessageSet::AppServerServerResponses,
        });
        let is_it = |answer: &&Answer| answer.to == method.name;
        let answer = answers.find(is_it)?;
        (method.kind == MethodKind::Request).then(|| answer.value())?
    }

    /// What a name stands for.
    pub(crate) fn shape(&self, name: &str) -> Option<&Shape> {
        Some(&self.definitions.get(name)?.shape)
    }
}

impl Answer {
    /// The result or the output.
    pub(crate) fn value(&self) -> Option<&Field> {
        let mut fields = self.fields.iter();
        fields.find(|field| matches!(&*field.name, "result" | "output"))
    }
}

impl Alternative {
    /// The definition that it has in the newest release, if that has it.
    pub(crate) fn current(&self) -> Option<&String> {
        self.definitions.first().filter(|_| self.is_current)
    }

    /// The definitions that only older releases have.
    pub(crate) fn retired(&self) -> &[String] {
        match self.definitions.split_first() {
            Some((_, older)) if self.is_current => older,
            _ => &self.definitions,
        }
    }
}

impl Shape {
    /// The members, if it is an object.
    pub(crate) fn fields(&self) -> &[Field] {
        match self {
            Shape::Object(fields, _) => fields,
            _ => &[],
        }
    }

    /// The variants or values, if it is a union or an enumeration that lists them.
    pub(crate) fn alternatives(&self) -> &[Alternative] {
        match self {
            Shape::Tagged(_, all) | Shape::External(all) | Shape::Enum(all) => all,
            Shape::Object(..) | Shape::Having { .. } | Shape::Alias(..) => &[],
        }
    }

    /// Whether it is a union of variants that have definitions.
    pub(crate) fn is_union(&self) -> bool {
        matches!(self, Shape::Tagged(..) | Shape::External(_))
    }

    /// Calls `see` with the name of every definition that it refers to.
    pub(crate) fn references<'s>(&'s self, see: &mut impl FnMut(&'s str)) {
        for field in self.fields() {
            field.value.references(see);
        }
        for alternative in self.alternatives() {
            alternative.definitions.iter().for_each(|name| see(name));
        }
        match self {
            Shape::Alias(value, _) => value.references(see),
            Shape::Having { with, without, .. } => {
                see(with);
                see(without);
            }
            _ => {}
        }
    }
}

impl Type {
    /// The types that it may be: the parts of a union, or itself.
    pub(crate) fn parts(&self) -> &[Type] {
        match self {
            Type::Union(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// Calls `see` with the name of every definition that it refers to.
    pub(crate) fn references<'s>(&'s self, see: &mut impl FnMut(&'s str)) {
        match self {
            Type::Named(name) => see(name),
            Type::List(inner) | Type::Dict(inner) => inner.references(see),
            Type::Union(parts) => parts.iter().for_each(|part| part.references(see)),
            _ => {}
        }
    }
}
