//! Reads our documentation of methods, definitions and members.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use crate::model::{FormBody, MemberVersions, Model};
use crate::snapshot::Kind;
use crate::{Error, store};

type Sentences = BTreeMap<String, String>;

/// All sentences.
#[derive(Clone, Debug, Default)]
pub struct Docs {
    methods: Methods,
    items: BTreeMap<String, Sentences>,
    definitions: Definitions,
    members: Members,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Methods {
    client_requests: Sentences,
    client_notifications: Sentences,
    server_requests: Sentences,
    server_notifications: Sentences,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definitions {
    definitions: Sentences,
    #[serde(default)]
    variants: Sentences,
    #[serde(default)]
    values: Sentences,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    names: Sentences,
    #[serde(default)]
    members: Sentences,
}

impl Docs {
    /// Reads the tables in a folder.
    ///
    /// # Errors
    /// When one cannot be read or is malformed.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        fn table<T: for<'de> Deserialize<'de>>(folder: &Path, name: &str) -> Result<T, Error> {
            let text = store::read(&folder.join(name))?;
            toml::from_str(&text).map_err(|error| Error::table(name, error))
        }
        Ok(Docs {
            methods: table(folder, "methods.toml")?,
            items: table(folder, "items.toml")?,
            definitions: table(folder, "definitions.toml")?,
            members: table(folder, "members.toml")?,
        })
    }

    /// What a method is for. Notifications that relay core events say what the event says.
    pub fn method(&self, kind: Kind, method: &str) -> Option<&str> {
        let own = self.methods.of(kind).get(method).map(String::as_str);
        let relayed = || self.variant("EventMsg", method.strip_prefix("codex/event/")?);
        own.or_else(relayed)
    }

    /// What a definition is.
    pub fn definition(&self, name: &str) -> Option<&str> {
        self.definitions.definitions.get(name).map(String::as_str)
    }

    /// What a variant of a union or a value of an enumeration means.
    pub fn variant(&self, definition: &str, tag: &str) -> Option<&str> {
        let plain = definition.strip_prefix("Core").unwrap_or(definition);
        for name in [definition, plain] {
            if let Some(sentence) = self.items.get(name).and_then(|table| table.get(tag)) {
                return Some(sentence);
            }
            let key = format!("{name}::{tag}");
            let tables = [&self.definitions.variants, &self.definitions.values];
            if let Some(sentence) = tables.into_iter().find_map(|table| table.get(&key)) {
                return Some(sentence);
            }
        }
        None
    }

    /// What a member holds. `owner` is `Definition` or `Union::tag`.
    pub fn member(&self, owner: &str, name: &str) -> Option<&str> {
        let own = self.members.members.get(&format!("{owner}.{name}"));
        own.or_else(|| self.members.names.get(name))
            .map(String::as_str)
    }

    /// The methods and items of a model that have no sentence. Everything else may do without.
    pub fn missing(&self, model: &Model) -> Vec<String> {
        let mut out = Vec::new();
        for (kind, method) in model.methods.keys() {
            if self.method(*kind, method).is_none() {
                out.push(format!("{} {method}", kind.words()));
            }
        }
        let names = Names::of(model);
        for (definition, tag) in &names.variants {
            if definition == "ThreadItem" && self.variant(definition, tag).is_none() {
                out.push(format!("{definition}::{tag}"));
            }
        }
        out
    }

    /// The entries that speak of something a model does not have.
    pub fn unknown(&self, model: &Model) -> Vec<String> {
        let names = Names::of(model);
        let variant = |definition: &str, tag: &str| {
            let has = |name: String| names.variants.contains(&(name, tag.to_owned()));
            has(definition.to_owned()) || has(format!("Core{definition}"))
        };
        let mut out = Vec::new();
        for kind in Kind::ALL {
            let known = |method: &String| model.methods.contains_key(&(kind, method.clone()));
            let unknown = self.methods.of(kind).keys().filter(|method| !known(method));
            out.extend(unknown.map(|method| format!("methods.toml: {} {method}", kind.words())));
        }
        for (definition, table) in &self.items {
            let unknown = table.keys().filter(|tag| !variant(definition, tag));
            out.extend(unknown.map(|tag| format!("items.toml: {definition}::{tag}")));
        }
        let Definitions {
            definitions,
            variants,
            values,
        } = &self.definitions;
        let unknown = definitions
            .keys()
            .filter(|name| !model.definitions.contains_key(*name));
        out.extend(unknown.map(|name| format!("definitions.toml: {name}")));
        for key in variants.keys().chain(values.keys()) {
            if !key
                .split_once("::")
                .is_some_and(|(name, tag)| variant(name, tag))
            {
                out.push(format!("definitions.toml: {key}"));
            }
        }
        let unknown = self
            .members
            .names
            .keys()
            .filter(|name| !names.members.contains(*name));
        out.extend(unknown.map(|name| format!("members.toml: {name}")));
        let unknown = self
            .members
            .members
            .keys()
            .filter(|key| !names.owned.contains(*key));
        out.extend(unknown.map(|key| format!("members.toml: {key}")));
        out
    }
}

impl Methods {
    fn of(&self, kind: Kind) -> &Sentences {
        match kind {
            Kind::ClientRequest => &self.client_requests,
            Kind::ClientNotification => &self.client_notifications,
            Kind::ServerRequest => &self.server_requests,
            Kind::ServerNotification => &self.server_notifications,
        }
    }
}

/// What entries can speak of.
#[derive(Default)]
struct Names {
    /// Definitions, with their variants, kinds and values.
    variants: BTreeSet<(String, String)>,
    /// The names of members.
    members: BTreeSet<String>,
    /// Members with the definition or variant they belong to.
    owned: BTreeSet<String>,
}

impl Names {
    fn of(model: &Model) -> Self {
        let mut names = Names::default();
        let forms = model.definitions.iter();
        for (name, form) in forms.flat_map(|(name, forms)| forms.iter().map(move |f| (name, f))) {
            match &form.body {
                FormBody::Object(object) => names.own(name, &object.members),
                FormBody::Tagged { base, branches, .. } => {
                    names.own(name, base);
                    for (tag, (_, branch)) in branches {
                        names.variants.insert((name.clone(), tag.clone()));
                        names.own(&format!("{name}::{tag}"), &branch.members);
                    }
                }
                FormBody::ExternallyTagged { branches, .. } => {
                    let tags = branches.keys().map(|tag| (name.clone(), tag.clone()));
                    names.variants.extend(tags);
                }
                FormBody::AnyOf(_) => {}
            }
        }
        names
    }

    fn own(&mut self, owner: &str, members: &MemberVersions) {
        for name in members.keys() {
            self.members.insert(name.clone());
            self.owned.insert(format!("{owner}.{name}"));
        }
    }
}
