//! Which types and methods are there with which Cargo feature.

use std::collections::{BTreeMap, BTreeSet};

use crate::features::Features;
use crate::rust::items::ItemBody;
use crate::rust::plan::Plan;

/// Has every type, those too that no method reaches.
const ALL: &str = "app-server";

/// The features of types and methods.
pub(super) struct Gates<'f> {
    features: &'f Features,
    /// The features that reach a type.
    types: BTreeMap<String, BTreeSet<&'f str>>,
}

impl<'f> Gates<'f> {
    /// Follows the types from the methods of each feature.
    pub(super) fn new(features: &'f Features, plan: &Plan) -> Self {
        // A union of methods is there with all features, and leaves out what is not.
        let unions: BTreeSet<&str> = plan
            .items()
            .filter(|item| matches!(item.body, ItemBody::Methods { .. }))
            .map(|item| item.name.as_str())
            .collect();
        let held: BTreeMap<&str, BTreeSet<&str>> = plan
            .items()
            .filter(|item| !unions.contains(item.name.as_str()))
            .map(|item| {
                let values = match &item.body {
                    ItemBody::Alias(value) => vec![value.as_str()],
                    body => body.values(),
                };
                let held = values.into_iter().flat_map(names).collect();
                (item.name.as_str(), held)
            })
            .collect();
        let mut types: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        // Other names for text cost nothing.
        let names_of_text = plan.items().filter(|item| match &item.body {
            ItemBody::Alias(value) => names(value).all(|name| !held.contains_key(name)),
            _ => false,
        });
        let names_of_text: Vec<&str> = names_of_text.map(|item| item.name.as_str()).collect();
        for name in unions.into_iter().chain(names_of_text) {
            types
                .entry(name.to_owned())
                .or_default()
                .insert(features.core());
        }
        for feature in features.names() {
            let methods = plan.methods.iter();
            let methods = methods.filter(|method| features.of(&method.name) == feature);
            let mut open: Vec<&str> = methods
                .flat_map(|method| [Some(method.params.as_str()), method.result.as_deref()])
                .flatten()
                .flat_map(names)
                .collect();
            if feature == features.core() {
                open.extend(features.types().iter().map(String::as_str));
            }
            while let Some(name) = open.pop() {
                if types.entry(name.to_owned()).or_default().insert(feature) {
                    open.extend(held.get(name).into_iter().flatten());
                }
            }
        }
        Gates { features, types }
    }

    /// The condition of a type, as an attribute with the end of its line; nothing for the core.
    pub(super) fn of_type(&self, name: &str) -> String {
        match self.types.get(name) {
            Some(features) if features.contains(self.features.core()) => String::new(),
            Some(features) => attribute(features.iter().copied()),
            None => attribute([ALL]),
        }
    }

    /// The condition of a method.
    pub(super) fn of_method(&self, name: &str) -> String {
        match self.features.of(name) {
            feature if feature == self.features.core() => String::new(),
            feature => attribute([feature]),
        }
    }
}

fn attribute<'f>(features: impl IntoIterator<Item = &'f str>) -> String {
    let each = features
        .into_iter()
        .map(|name| format!("feature = {name:?}"));
    match &each.collect::<Vec<_>>()[..] {
        [only] => format!("#[cfg({only})]\n"),
        several => format!("#[cfg(any({}))]\n", several.join(", ")),
    }
}

/// The types that a Rust type names.
fn names(value: &str) -> impl Iterator<Item = &str> {
    let words = value.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(char::is_uppercase))
}
