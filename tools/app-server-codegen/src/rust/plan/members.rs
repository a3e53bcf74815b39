//! Plans members and the types of their values. A member that had several types is an untagged
//! union of them, each with its releases.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::builder::{Builder, Place};
use super::phrasing::{SEVERAL, paragraphs, placed, sentence};
use crate::availability::Availability;
use crate::model::{MemberVersions, whole};
use crate::names::{is_keyword, pascal, snake, spelling};
use crate::rust::items::{Field, Item, ItemBody, Variant};
use crate::rust::ranges::Spans;
use crate::types::{NONZERO, Type};
use crate::{Error, naming};

impl<'a> Builder<'a> {
    pub(super) fn fields(
        &mut self,
        place: &Place<'a>,
        members: &MemberVersions,
        availability: &Availability,
        owner: &str,
        items: &mut Vec<Item>,
    ) -> Result<Vec<Field>, Error> {
        let mut fields = Vec::new();
        for (name, versions) in members {
            let available = whole(versions.values());
            let mut optional = Availability::default();
            let mut nullable = Availability::default();
            let mut branches = Vec::new();
            for (signature, availability) in versions {
                if signature.optional {
                    optional.extend(availability);
                }
                if signature.nullable {
                    nullable.extend(availability);
                }
                branches.push((signature.value.clone(), availability.clone()));
            }
            let inner = Place {
                name: self.own(&format!("{}{}", place.name, pascal(name)))?,
                domain: place.domain,
            };
            let (value, mut made) = self.versions(&inner, &branches, &available)?;
            let docs = self.sources.docs.member(owner, name).unwrap_or_default();
            let what = format!("`{name}` in [`{}`]", place.name);
            placed(&mut made, &inner.name, &what, docs);
            items.extend(made);
            let mut ident = snake(name);
            if is_keyword(&ident) {
                ident = format!("r#{ident}");
            }
            // What every object keeps its undeclared members in.
            if ident == "extra" || ident == "details" {
                ident = format!("own_{ident}");
            }
            let ranges = Spans::within(&available, availability, self.release_list());
            let docs = paragraphs(docs, &sentence(&ranges));
            let written = self.sources.written.member(owner, name);
            let written = written
                .map(|written| written.and(&optional))
                .and_then(|written| Spans::part(&written, &available, self.release_list()));
            fields.push(Field {
                ident,
                name: name.clone(),
                value,
                docs: Some(docs),
                ranges,
                optional: Spans::part(&optional, &available, self.release_list()),
                nullable: Spans::part(&nullable, &available, self.release_list()),
                written,
                recursive: false,
            });
        }
        let order = |field: &Field| {
            let retired = field.ranges.ends.1.is_some();
            let ids = ["id", "threadId", "turnId", "itemId"];
            let rank = ids.iter().position(|id| *id == field.name);
            (retired, !field.is_required(), rank.unwrap_or(ids.len()))
        };
        fields.sort_by_key(order);
        // Names that differ in their spelling alone: the one that lived longer keeps the name.
        let mut taken = BTreeSet::new();
        for field in &mut fields {
            if !taken.insert(field.ident.clone()) {
                let spelling = spelling(&field.name).to_lowercase();
                field.ident = format!("{}_{spelling}", field.ident);
            }
        }
        Ok(fields)
    }

    /// The type of something that had one or several types over time, and the types made for it.
    pub(super) fn versions(
        &mut self,
        place: &Place<'a>,
        branches: &[(Type, Availability)],
        availability: &Availability,
    ) -> Result<(String, Vec<Item>), Error> {
        let mut items = Vec::new();
        let flat = self.flat(branches);
        let covers = |available: &Availability| {
            availability.iter().all(|(release, channels)| {
                (!channels.stable || available.holds(release, false))
                    && (!channels.experimental || available.holds(release, true))
            })
        };
        if let [(only, available)] = flat.as_slice()
            && covers(available)
        {
            let value = self.value(place, only, &mut items)?;
            return Ok((value, items));
        }
        // Names for the same plain type are one type.
        let mut by_rust: Vec<(String, Availability)> = Vec::new();
        for (branch, available) in &flat {
            let value = self.value(place, branch, &mut items)?;
            match by_rust.iter_mut().find(|(known, _)| *known == value) {
                Some((_, availability)) => availability.extend(available),
                None => by_rust.push((value, available.clone())),
            }
        }
        if let [(only, available)] = by_rust.as_slice()
            && covers(available)
        {
            return Ok((only.clone(), items));
        }
        let union = self.untagged(place, branches, availability)?;
        items.extend(union);
        Ok((place.name.clone(), items))
    }

    /// Unions as their variants, and names for one type as that type.
    pub(super) fn flat(&self, branches: &[(Type, Availability)]) -> Vec<(Type, Availability)> {
        let mut out: Vec<(Type, Availability)> = Vec::new();
        for (branch, availability) in branches {
            let branches = match branch {
                Type::Union(branches) => branches.as_slice(),
                one => std::slice::from_ref(one),
            };
            for branch in branches {
                let branch = self.plain(branch);
                match out.iter_mut().find(|(known, _)| *known == branch) {
                    Some((_, known)) => known.extend(availability),
                    None => out.push((branch, availability.clone())),
                }
            }
        }
        out
    }

    /// A type with names for one type replaced by that type.
    pub(super) fn plain(&self, value: &Type) -> Type {
        match value {
            Type::Reference(name) => match self.alias(name) {
                Some(alias) => self.plain(alias),
                None => value.clone(),
            },
            Type::Array(inner) => Type::Array(Box::new(self.plain(inner))),
            Type::Map(inner) => Type::Map(Box::new(self.plain(inner))),
            other => other.clone(),
        }
    }

    /// An untagged union: the newest variants come first, and any value last.
    pub(super) fn untagged(
        &mut self,
        place: &Place<'a>,
        branches: &[(Type, Availability)],
        availability: &Availability,
    ) -> Result<Vec<Item>, Error> {
        let mut items = Vec::new();
        let mut variants: Vec<Variant> = Vec::new();
        let mut branches = self.flat(branches);
        branches
            .sort_by_key(|(branch, available)| (*branch == Type::Any, Reverse(available.hull())));
        for (branch, available) in branches {
            let ident = variant_ident(&branch, &place.name);
            let inner = Place {
                name: self.own(&format!("{}{ident}", place.name))?,
                domain: place.domain,
            };
            let value = self.value(&inner, &branch, &mut items)?;
            let taken = |ident: &str| variants.iter().any(|v| v.ident == ident);
            let mut own = ident;
            if taken(&own) {
                own.push_str(&naming::releases(&available, availability).unwrap_or_default());
            }
            if taken(&own) {
                return Err(naming::unnamed(&place.name, &own));
            }
            let docs = self.availability_sentence(&available);
            variants.push(Variant {
                ident: own,
                value: Some(value),
                docs: Some(match docs.is_empty() {
                    true => "In every release.".to_owned(),
                    false => docs,
                }),
                ranges: Spans::within(&available, availability, self.release_list()),
                ..Variant::default()
            });
        }
        let item = Item {
            name: place.name.clone(),
            docs: paragraphs(SEVERAL, &self.availability_sentence(availability)),
            body: ItemBody::Untagged { variants },
        };
        items.insert(0, item);
        Ok(items)
    }

    /// The Rust type of a value.
    pub(super) fn value(
        &mut self,
        place: &Place<'a>,
        value: &Type,
        items: &mut Vec<Item>,
    ) -> Result<String, Error> {
        Ok(match value {
            Type::Any => "Raw".to_owned(),
            Type::Null => "Null".to_owned(),
            Type::Boolean => "bool".to_owned(),
            // Only lists of values say that a string is not empty. If anything else comes to have such
            // strings, the test that compares types and model fails.
            Type::String | Type::NonEmpty | Type::Literal(_) => "String".to_owned(),
            Type::Integer(format) => integer(format).to_owned(),
            Type::Fixed(number) => format!("Exactly<{number}>"),
            Type::Number(_) => "Number".to_owned(),
            Type::Reference(name) => match self.alias(name) {
                Some(alias) => self.value(place, alias, items)?,
                None => name.clone(),
            },
            Type::Array(inner) => {
                let item = Place {
                    name: self.own(&format!("{}Item", place.name))?,
                    domain: place.domain,
                };
                format!("Vec<{}>", self.value(&item, inner, items)?)
            }
            Type::Map(inner) => {
                let value = Place {
                    name: self.own(&format!("{}Value", place.name))?,
                    domain: place.domain,
                };
                format!("Map<{}>", self.value(&value, inner, items)?)
            }
            Type::Union(branches) => {
                let everything = self.whole.clone();
                let branches: Vec<(Type, Availability)> = branches
                    .iter()
                    .map(|branch| (branch.clone(), everything.clone()))
                    .collect();
                let made = self.untagged(place, &branches, &everything)?;
                items.extend(made);
                place.name.clone()
            }
        })
    }
}

/// The Rust type of whole numbers of a format.
pub(in crate::rust) fn integer(format: &str) -> &'static str {
    match format {
        NONZERO => "NonZeroU64",
        "uint8" => "u8",
        "uint16" => "u16",
        "uint32" => "u32",
        "uint" | "uint64" => "u64",
        "int16" | "int32" => "i32",
        _ => "i64",
    }
}

/// What a variant of an untagged union is called, without what the union is called after.
fn variant_ident(branch: &Type, after: &str) -> String {
    match branch {
        Type::Any => "Any".to_owned(),
        Type::Null => "Null".to_owned(),
        Type::Boolean => "Boolean".to_owned(),
        Type::String | Type::NonEmpty | Type::Literal(_) => "Text".to_owned(),
        Type::Integer(_) | Type::Fixed(_) => "Integer".to_owned(),
        Type::Number(_) => "Number".to_owned(),
        Type::Reference(name) => short(name, after),
        Type::Array(inner) => match &**inner {
            Type::Reference(name) => format!("{}List", short(name, after)),
            _ => "List".to_owned(),
        },
        Type::Map(_) => "Map".to_owned(),
        Type::Union(_) => "Union".to_owned(),
    }
}

/// A name without what it is called after.
fn short(name: &str, after: &str) -> String {
    match name.strip_prefix(after) {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_uppercase()) => rest.to_owned(),
        _ => name.to_owned(),
    }
}
