//! Merges the variants of a union by kind of value.

use std::sync::atomic::AtomicU16;

use serde_json::{Map, Value};

use super::builder::{Object, Tables};
use crate::error::Error;
use crate::interner::{Ending, Interner};
use crate::tables::{ANY, BASE64, NONE, NOT_EMPTY, Node, Tagged};

/// What is known of a union of which any variant may be meant.
pub(super) struct AnyOf {
    pub(super) node: Node,
    /// Whether nothing is known of a kind of value.
    pub(super) has_gap: bool,
}

impl AnyOf {
    /// Any of the variants.
    pub(super) fn of(variants: &[Node], tables: &mut Tables) -> Result<Self, Error> {
        let mut all = AnyOf {
            node: Node::NEVER,
            has_gap: false,
        };
        let mut objects = Vec::new();
        for variant in variants {
            all.node.null |= variant.null;
            all.node.boolean |= variant.boolean;
            all.node.string = all.strings(variant.string, tables)?;
            all.node.number = match (all.node.number, variant.number) {
                (ANY, _) | (_, ANY) => ANY,
                (NONE, number) | (number, NONE) => number,
                (one, other) => match tables.either_range(one, other)? {
                    Some(range) => range,
                    None => all.gap(),
                },
            };
            all.node.array = match (all.node.array, variant.array) {
                (ANY, _) | (_, ANY) => ANY,
                (NONE, array) | (array, NONE) => array,
                (one, other) if one == other => one,
                _ => all.gap(),
            };
            if variant.object != NONE && !objects.contains(&variant.object) {
                objects.push(variant.object);
            }
        }
        all.node.object = match objects.as_slice() {
            [] => NONE,
            [only] => *only,
            several if several.contains(&ANY) => ANY,
            _ => tables.finished(Object::Tries(objects))?,
        };
        Ok(all)
    }

    /// Any of the strings so far, and of a variant.
    fn strings(&mut self, other: u16, tables: &mut Tables) -> Result<u16, Error> {
        Ok(match (self.node.string, other) {
            (ANY, _) | (_, ANY) => ANY,
            (NONE, string) | (string, NONE) => string,
            (BASE64, BASE64) => BASE64,
            (BASE64, _) | (_, BASE64) => self.gap(),
            (NOT_EMPTY, NOT_EMPTY) => NOT_EMPTY,
            (NOT_EMPTY, set) | (set, NOT_EMPTY) => match tables.has_empty(set) {
                true => ANY,
                false => NOT_EMPTY,
            },
            (one, other) => match tables.either_set(one, other)? {
                Some(set) => set,
                None => self.gap(),
            },
        })
    }

    fn gap(&mut self) -> u16 {
        self.has_gap = true;
        NONE
    }
}

/// A tag that is another one in each variant, so that a value is never of two of them. Without such a
/// tag nothing is sure.
pub(super) struct Tag<'s> {
    name: &'s str,
    /// The values that it has in each variant.
    kinds: Vec<Vec<&'s str>>,
}

impl<'s> Tag<'s> {
    /// The tag of a union of these objects: the one that is stated, or else the first member that tells
    /// the first variant from the others.
    pub(super) fn of(
        union: &'s Map<String, Value>,
        variants: &[&'s Map<String, Value>],
    ) -> Option<Self> {
        let name = match union.get("discriminator") {
            Some(discriminator) => discriminator.get("propertyName")?.as_str()?,
            None => distinguishing(variants)?,
        };
        let kinds = variants.iter().map(|variant| tags(variant, name));
        let kinds: Vec<_> = kinds.collect::<Option<_>>()?;
        Some(Tag { name, kinds })
    }

    /// Exactly one of the variants; `None` if that is not sure.
    pub(super) fn one_of(
        self,
        variants: &[Node],
        tables: &mut Tables,
    ) -> Result<Option<Node>, Error> {
        let mut kinds: Vec<&str> = Vec::new();
        let mut leads = Vec::new();
        for (node, of_variant) in variants.iter().zip(self.kinds) {
            if !is_object(*node) || of_variant.iter().any(|kind| kinds.contains(kind)) {
                return Ok(None);
            }
            leads.extend(of_variant.iter().map(|_| node.object));
            kinds.extend(of_variant);
        }
        let fits = |text: &&str| text.len() <= crate::text::LONGEST;
        if !fits(&self.name) || !kinds.iter().all(fits) || kinds.len() > usize::from(u16::MAX / 2) {
            return Ok(None);
        }
        let tagged = Tagged {
            tag: Interner::new(&[self.name], Ending::Name),
            kinds: Interner::new(&kinds, Ending::Value),
            variants: leads.into(),
            last: AtomicU16::new(0),
        };
        Ok(Some(Node {
            object: tables.finished(Object::Tagged(tagged))?,
            ..Node::NEVER
        }))
    }
}

/// The first member that tells the first variant from the others.
fn distinguishing<'s>(variants: &[&'s Map<String, Value>]) -> Option<&'s str> {
    let (first, others) = variants.split_first()?;
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

/// Whether nothing but objects may stand there.
fn is_object(node: Node) -> bool {
    node.object != NONE
        && node
            == Node {
                object: node.object,
                ..Node::NEVER
            }
}
