//! The outcome of planning: types and methods, by where they go.

use std::collections::BTreeMap;

use crate::Kind;
use crate::rust::items::{Item, ItemBody, Variant};

/// The types of the protocol, by where they go.
pub struct Plan {
    /// The types of each domain.
    pub domains: BTreeMap<String, Vec<Item>>,
    /// The unions of methods of each kind.
    pub unions: BTreeMap<Kind, Vec<Item>>,
    /// The methods.
    pub methods: Vec<Method>,
}

/// A method, for its marker type.
#[derive(Clone, Debug)]
pub struct Method {
    /// Who sends it.
    pub kind: Kind,
    /// The name on the wire.
    pub name: String,
    /// The name in Rust.
    pub ident: String,
    /// The type of its params.
    pub params: String,
    /// Whether its params are behind a pointer in a message.
    pub is_boxed: bool,
    /// The type of its result.
    pub result: Option<String>,
    /// The documentation.
    pub docs: String,
}

impl Plan {
    /// The types, by where they go.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.domains.values().chain(self.unions.values()).flatten()
    }

    /// The names of all types, and of the definitions that schemas have beside them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items().flat_map(|item| {
            let variants: &[Variant] = match &item.body {
                ItemBody::ExternallyTagged { variants } | ItemBody::Methods { variants, .. } => {
                    variants
                }
                _ => &[],
            };
            let definitions = variants.iter().map(|variant| variant.definition.as_str());
            std::iter::once(item.name.as_str()).chain(definitions)
        })
    }
}
