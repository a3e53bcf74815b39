//! What all files of the plan share.

use std::collections::BTreeMap;

use codex_wire::Release;

use crate::availability::Availability;
use crate::model::{Form, FormBody, Model};
use crate::rust::items::Item;
use crate::rust::sources::Sources;
use crate::types::Type;
use crate::{Error, naming};

/// Plans types; the other files add to it what each plans.
pub(super) struct Builder<'a> {
    pub(super) sources: &'a Sources<'a>,
    pub(super) model: &'a Model,
    /// The availability of the protocol.
    pub(super) whole: Availability,
    /// What a definition is for: params, result or payload of which methods.
    pub(super) uses: BTreeMap<String, Vec<String>>,
    pub(super) items: BTreeMap<String, Vec<Item>>,
}

/// Where a type without a name stands: what it will be called after, and its module.
#[derive(Clone)]
pub(super) struct Place<'a> {
    pub(super) name: String,
    pub(super) domain: &'a str,
}

impl<'a> Builder<'a> {
    pub(super) fn new(sources: &'a Sources<'a>) -> Self {
        Builder {
            sources,
            model: sources.model,
            whole: sources.model.releases.iter().copied().collect(),
            uses: BTreeMap::new(),
            items: BTreeMap::new(),
        }
    }

    pub(super) fn release_list(&self) -> &'a [Release] {
        &self.model.releases
    }

    /// A name of ours, which no definition has. Whether it is short enough shows when it is used.
    pub(super) fn own(&self, name: &str) -> Result<String, Error> {
        let names = naming::table()?;
        let name = names.short(name);
        Ok(match self.model.definitions.contains_key(&name) {
            true => names.short(&format!("{name}Value")),
            false => name,
        })
    }

    /// The definition a name for one type stands for.
    pub(super) fn alias(&self, name: &str) -> Option<&'a Type> {
        match self.model.definitions.get(name)?.as_slice() {
            [
                Form {
                    body: FormBody::AnyOf(branches),
                    ..
                },
            ] if branches.len() == 1 => branches.keys().next(),
            _ => None,
        }
    }
}
