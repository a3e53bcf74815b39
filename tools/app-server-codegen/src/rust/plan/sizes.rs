//! Puts large params and results of methods behind a pointer: a message is as large as the largest of its kinds, and
//! is moved at each step that it takes.

use std::collections::BTreeMap;

use super::planned::Plan;
use crate::rust::items::{Item, ItemBody, Variant};

/// What a message holds at most, in bytes.
const LARGEST: usize = 256;

/// The size of a text, a list and a map.
const TEXT: usize = 24;

/// Boxes what is larger than messages are to be.
pub(super) fn box_large(plan: &mut Plan) {
    let sizes = Sizes::of(plan);
    for item in plan.unions.values_mut().flatten() {
        let ItemBody::Methods { variants, .. } = &mut item.body else {
            continue;
        };
        for variant in variants {
            let size = variant
                .value
                .as_deref()
                .and_then(|value| sizes.0.get(value));
            variant.is_boxed = !variant.is_maybe() && size.is_some_and(|size| *size > LARGEST);
        }
    }
    let boxed: Vec<(String, String)> = plan
        .items()
        .filter_map(|item| match &item.body {
            ItemBody::Methods {
                content: "params",
                variants,
                ..
            } => Some(variants),
            _ => None,
        })
        .flatten()
        .filter(|variant| variant.is_boxed)
        .map(|variant| (variant.ident.clone(), variant.tag.clone()))
        .collect();
    for method in &mut plan.methods {
        method.is_boxed = boxed
            .iter()
            .any(|(ident, tag)| *ident == method.ident && *tag == method.name);
    }
}

/// The sizes of types in bytes, as large as they can be: the compiler may find room that is not seen here.
struct Sizes(BTreeMap<String, usize>);

impl Sizes {
    fn of(plan: &Plan) -> Self {
        let items: BTreeMap<&str, &Item> = plan
            .items()
            .map(|item| (item.name.as_str(), item))
            .collect();
        let mut sizes = Sizes(BTreeMap::new());
        for name in items.keys() {
            sizes.named(name, &items);
        }
        sizes
    }

    fn named(&mut self, name: &str, items: &BTreeMap<&str, &Item>) -> usize {
        if let Some(size) = self.0.get(name) {
            return *size;
        }
        let Some(item) = items.get(name) else {
            return TEXT;
        };
        // Types that hold themselves do so through a box, whose size is known.
        let size = match &item.body {
            ItemBody::Struct { fields, union, .. } => {
                let mut size = match union {
                    Some((_, details)) => self.value(details, items),
                    None => TEXT,
                };
                for field in fields {
                    size += self.value(&field.value, items);
                }
                size
            }
            ItemBody::Alias(value) => self.value(value, items),
            ItemBody::Strings { .. } => TEXT,
            ItemBody::Tagged { variants, .. }
            | ItemBody::ExternallyTagged { variants }
            | ItemBody::Untagged { variants }
            | ItemBody::Methods { variants, .. } => {
                let values = variants.iter().filter_map(|variant| variant.value.clone());
                let values: Vec<String> = values.collect();
                let sizes = values.iter().map(|value| self.value(value, items));
                sizes.max().unwrap_or_default().max(2 * TEXT)
            }
        };
        self.0.insert(name.to_owned(), size);
        size
    }

    fn value(&mut self, value: &str, items: &BTreeMap<&str, &Item>) -> usize {
        match value.split_once('<') {
            Some(("Box", _)) => 8,
            Some(_) => TEXT,
            None if matches!(value, "bool" | "u8") => 1,
            None if matches!(value, "u16" | "u32" | "i32") => 8,
            None if matches!(value, "u64" | "i64" | "NonZeroU64" | "Raw") => 16,
            None => self.named(value, items),
        }
    }
}

impl Variant {
    /// Whether its content may be left out or `null`.
    pub(crate) fn is_maybe(&self) -> bool {
        self.optional.is_some() || self.nullable.is_some()
    }
}
