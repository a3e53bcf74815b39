//! Merges the variants of a union by kind of value.

use std::sync::atomic::AtomicU16;

use serde_json::{Map, Value};

use super::builder::Object;
use super::{Compiler, NodeContext, Step};
use crate::error::Error;
use crate::interner::{Ending, Interner};
use crate::tables::{ANY, BASE64, NONE, NOT_EMPTY, Node};

impl<'s> Compiler<'s> {
    /// Any of the variants.
    pub(super) fn any_of(
        &mut self,
        at: &NodeContext<'s>,
        variants: &'s Value,
    ) -> Result<Node, Error> {
        let mut all = Node::NEVER;
        let mut objects = Vec::new();
        for (index, variant) in variants.as_array().into_iter().flatten().enumerate() {
            let variant = self.node(&at.below(variant, Step::Of("anyOf", index)))?;
            all.null |= variant.null;
            all.boolean |= variant.boolean;
            all.string = self.strings(at, all.string, variant.string)?;
            all.number = match (all.number, variant.number) {
                (ANY, _) | (_, ANY) => ANY,
                (NONE, number) | (number, NONE) => number,
                (one, other) => match self.tables.either_range(one, other)? {
                    Some(range) => range,
                    None => self.gap(at).number,
                },
            };
            all.array = match (all.array, variant.array) {
                (ANY, _) | (_, ANY) => ANY,
                (NONE, array) | (array, NONE) => array,
                (one, other) if one == other => one,
                _ => self.gap(at).array,
            };
            if variant.object != NONE && !objects.contains(&variant.object) {
                objects.push(variant.object);
            }
        }
        all.object = match objects.as_slice() {
            [] => NONE,
            [only] => *only,
            several if several.contains(&ANY) => ANY,
            _ => self.tables.finished(Object::Tries(objects))?,
        };
        Ok(all)
    }

    /// Any of the strings of both.
    fn strings(&mut self, at: &NodeContext<'s>, one: u16, other: u16) -> Result<u16, Error> {
        Ok(match (one, other) {
            (ANY, _) | (_, ANY) => ANY,
            (NONE, string) | (string, NONE) => string,
            (BASE64, BASE64) => BASE64,
            (BASE64, _) | (_, BASE64) => self.gap(at).string,
            (NOT_EMPTY, NOT_EMPTY) => NOT_EMPTY,
            (NOT_EMPTY, set) | (set, NOT_EMPTY) => match self.tables.has_empty(set) {
                true => ANY,
                false => NOT_EMPTY,
            },
            (one, other) => match self.tables.either_set(one, other)? {
                Some(set) => set,
                None => self.gap(at).string,
            },
        })
    }

    /// Exactly one of the variants. A tag that is another one in each makes sure that it is
    /// never two of them; without such a tag nothing is sure.
    pub(super) fn one_of(
        &mut self,
        at: &NodeContext<'s>,
        object: &'s Map<String, Value>,
        variants: &'s Value,
    ) -> Result<Node, Error> {
        let variants = variants.as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(tag) = self.tag(object, variants) else {
            return Ok(self.gap(at));
        };
        let mut kinds: Vec<&str> = Vec::new();
        let mut leads = Vec::new();
        for (index, variant) in variants.iter().enumerate() {
            let Some(of_variant) = self
                .plain_object(variant)
                .and_then(|variant| tags(variant, tag))
            else {
                return Ok(self.gap(at));
            };
            let node = self.node(&at.below(variant, Step::Of("oneOf", index)))?;
            if !node.is_object() || of_variant.iter().any(|kind| kinds.contains(kind)) {
                return Ok(self.gap(at));
            }
            leads.extend(of_variant.iter().map(|_| node.object));
            kinds.extend(of_variant);
        }
        let fits = |text: &&str| text.len() <= crate::text::LONGEST;
        if !fits(&tag) || !kinds.iter().all(fits) || kinds.len() > usize::from(u16::MAX / 2) {
            return Ok(self.gap(at));
        }
        let tagged = crate::tables::Tagged {
            tag: Interner::new(&[tag], Ending::Name),
            kinds: Interner::new(&kinds, Ending::Value),
            variants: leads.into(),
            last: AtomicU16::new(0),
        };
        Ok(Node {
            object: self.tables.finished(Object::Tagged(tagged))?,
            ..Node::NEVER
        })
    }
}

impl<'s> Compiler<'s> {
    /// The name of the tag: the one that is stated, or else the first member that tells the first
    /// variant from the others.
    fn tag(&self, object: &'s Map<String, Value>, variants: &'s [Value]) -> Option<&'s str> {
        if let Some(discriminator) = object.get("discriminator") {
            return discriminator.get("propertyName")?.as_str();
        }
        let objects: Option<Vec<_>> = variants.iter().map(|v| self.plain_object(v)).collect();
        let (first, others) = objects.as_deref()?.split_first()?;
        let names = first.get("properties")?.as_object()?.keys();
        let mut names = names.map(String::as_str);
        names.find(|name| {
            tags(first, name).is_some_and(|own| {
                others.iter().all(|other| {
                    tags(other, name).is_some_and(|kinds| !kinds.iter().any(|k| own.contains(k)))
                })
            })
        })
    }
}

/// The values that a tag may have in an object that has to have it.
fn tags<'s>(object: &'s Map<String, Value>, tag: &str) -> Option<Vec<&'s str>> {
    let required = object.get("required")?.as_array()?;
    if !required.iter().any(|name| name == tag) {
        return None;
    }
    let member = object.get("properties")?.get(tag)?;
    match (member.get("const"), member.get("enum")) {
        (Some(only), None) => Some(vec![only.as_str()?]),
        (None, Some(values)) => values.as_array()?.iter().map(Value::as_str).collect(),
        _ => None,
    }
}
