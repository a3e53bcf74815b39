//! Describes the types to write, as data.

use crate::rust::ranges::{Ends, Spans};

/// A Rust type.
#[derive(Clone, Debug)]
pub struct Item {
    /// The name.
    pub name: String,
    /// The documentation.
    pub docs: String,
    /// What it is.
    pub body: ItemBody,
}

/// What a type is.
#[derive(Clone, Debug)]
pub enum ItemBody {
    /// An object.
    Struct {
        /// The members.
        fields: Vec<Field>,
        /// Whether Codex refuses other members.
        closed: bool,
        /// Whether Codex itself writes others.
        others: bool,
        /// Sets of members of which at least one is there whole, and when.
        choices: Vec<(Vec<Vec<String>>, Spans)>,
        /// The embedded union: the tag's name and the type.
        union: Option<(String, String)>,
    },
    /// One of a list of strings.
    Strings {
        /// The values.
        variants: Vec<Variant>,
        /// The releases that take any other string.
        open: Option<Vec<Ends>>,
        /// Whether such another string has at least one character.
        not_empty: bool,
    },
    /// A tagged union.
    Tagged {
        /// The tag's name; `None` where the union is embedded.
        tag: Option<String>,
        /// The variants.
        variants: Vec<Variant>,
    },
    /// `"kind"` or `{"kind": …}`.
    ExternallyTagged {
        /// The variants.
        variants: Vec<Variant>,
    },
    /// One of several types, without a tag.
    Untagged {
        /// The types.
        variants: Vec<Variant>,
    },
    /// Another name for a type.
    Alias(String),
    /// Methods with their params, or with their results.
    Methods {
        /// The member that holds them.
        content: &'static str,
        /// What the definitions of its variants end in.
        suffix: &'static str,
        /// The methods.
        variants: Vec<Variant>,
    },
}

/// A member.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name in Rust.
    pub ident: String,
    /// The name on the wire.
    pub name: String,
    /// The type of its value.
    pub value: String,
    /// The documentation.
    pub docs: Option<String>,
    /// When it is there, relative to the type.
    pub ranges: Spans,
    /// When it may be left out.
    pub optional: Option<Vec<Ends>>,
    /// When it may be `null`.
    pub nullable: Option<Vec<Ends>>,
    /// When Codex always writes it although it may be left out, or never.
    pub written: Option<Vec<Ends>>,
    /// Whether it holds its own type again.
    pub recursive: bool,
}

impl Field {
    /// Whether every release of the type has a value.
    pub fn is_required(&self) -> bool {
        self.ranges.is_always() && self.optional.is_none() && self.nullable.is_none()
    }
}

/// A variant or value.
#[derive(Clone, Debug, Default)]
pub struct Variant {
    /// The name in Rust.
    pub ident: String,
    /// The tag, value, kind or method; empty in an untagged union.
    pub tag: String,
    /// The name of its own definition in schemas; empty where it has none.
    pub definition: String,
    /// What it holds.
    pub value: Option<String>,
    /// Whether that is behind a pointer; methods only.
    pub is_boxed: bool,
    /// The documentation.
    pub docs: Option<String>,
    /// When it is there.
    pub ranges: Spans,
    /// When its content may be left out; methods only.
    pub optional: Option<Vec<Ends>>,
    /// When its content may be `null`; methods only.
    pub nullable: Option<Vec<Ends>>,
}
