//! Plans the types of objects, tagged unions, and lists of kinds and values.

use std::collections::{BTreeMap, BTreeSet};

use super::builder::{Builder, Place};
use super::phrasing::{paragraphs, placed, sentence};
use crate::Error;
use crate::availability::Availability;
use crate::model::{Form, FormBody, MemberVersions, Object, Versions, whole};
use crate::names::{pascal, spelling};
use crate::rust::items::{Item, ItemBody, Variant};
use crate::rust::ranges::Spans;
use crate::types::{Signature, Type};

impl<'a> Builder<'a> {
    pub(super) fn structure(
        &mut self,
        place: &Place<'a>,
        object: &Object,
        availability: &Availability,
        docs: String,
        owner: &str,
    ) -> Result<Vec<Item>, Error> {
        let mut items = Vec::new();
        let fields = self.fields(place, &object.members, availability, owner, &mut items)?;
        let choices = object.choices.iter().map(|(choice, available)| {
            let sets = choice.iter().map(|set| set.iter().cloned().collect());
            let ranges = Spans::within(available, availability, self.release_list());
            (sets.collect(), ranges)
        });
        let body = ItemBody::Struct {
            fields,
            closed: !object.closed.is_empty(),
            others: !object.others.is_empty(),
            choices: choices.collect(),
            union: None,
        };
        let name = place.name.clone();
        items.insert(0, Item { name, docs, body });
        Ok(items)
    }

    pub(super) fn tagged(
        &mut self,
        place: &Place<'a>,
        (tag, base, branches): (
            &str,
            &MemberVersions,
            &BTreeMap<String, (Availability, Object)>,
        ),
        availability: &Availability,
        docs: String,
        wire_name: &str,
    ) -> Result<Vec<Item>, Error> {
        let name = place.name.clone();
        // Variants of a definition that was another kind of type before are still called after it.
        let is_tagged = |form: &&Form| matches!(form.body, FormBody::Tagged { .. });
        let forms = self.model.definitions.get(wire_name);
        let after = match forms.into_iter().flatten().filter(is_tagged).count() {
            1 => wire_name,
            _ => &name,
        };
        let mut base = base.clone();
        let mut branches = branches.clone();
        let apart_anyway = self
            .sources
            .accessors
            .details
            .iter()
            .any(|of| of == wire_name);
        if apart_anyway || !base.is_empty() {
            lift(&mut base, &mut branches, availability);
        }
        let mut items = Vec::new();
        let mut variants = Vec::new();
        let mut idents: Vec<Variant> = branches
            .iter()
            .map(|(tag, (available, _))| Variant {
                ident: pascal(tag),
                tag: tag.clone(),
                ranges: Spans::within(available, availability, self.release_list()),
                ..Variant::default()
            })
            .collect();
        apart(&mut idents);
        for ((tag, (available, branch)), variant) in branches.iter().zip(idents) {
            let inner = Place {
                name: self.own(&format!("{}{after}", variant.ident))?,
                domain: place.domain,
            };
            let sentence = self
                .sources
                .docs
                .variant(wire_name, tag)
                .unwrap_or_default();
            let about = paragraphs(sentence, &self.availability_sentence(available));
            let owner = format!("{wire_name}::{tag}");
            items.extend(self.structure(&inner, branch, available, about.clone(), &owner)?);
            variants.push(Variant {
                value: Some(inner.name),
                docs: Some(about),
                ..variant
            });
        }
        variants.sort_by_key(|variant| variant.ranges.ends.1.is_some());
        if base.is_empty() && !apart_anyway {
            let body = ItemBody::Tagged {
                tag: Some(tag.to_owned()),
                variants,
            };
            items.insert(0, Item { name, docs, body });
            return Ok(items);
        }
        let details = self.own(&format!("{after}Details"))?;
        let mut made = Vec::new();
        let fields = self.fields(place, &base, availability, wire_name, &mut made)?;
        let embedded = Item {
            name: details.clone(),
            docs: format!("What depends on the `{tag}` of a [`{name}`]."),
            body: ItemBody::Tagged {
                tag: None,
                variants,
            },
        };
        let body = ItemBody::Struct {
            fields,
            closed: false,
            others: false,
            choices: Vec::new(),
            union: Some((tag.to_owned(), details)),
        };
        made.extend(items);
        made.insert(0, embedded);
        made.insert(0, Item { name, docs, body });
        Ok(made)
    }

    pub(super) fn strings(
        &self,
        wire_name: &str,
        branches: &BTreeMap<String, Versions<Option<Type>>>,
        availability: &Availability,
    ) -> Vec<Variant> {
        let mut variants: Vec<Variant> = branches
            .iter()
            .map(|(value, versions)| {
                let available = whole(versions.values());
                let docs = match self.sources.docs.variant(wire_name, value) {
                    Some(docs) => docs.to_owned(),
                    None => format!("`{value}`."),
                };
                let ranges = Spans::within(&available, availability, self.release_list());
                Variant {
                    ident: pascal(value),
                    tag: value.clone(),
                    docs: Some(paragraphs(&docs, &sentence(&ranges))),
                    ranges,
                    ..Variant::default()
                }
            })
            .collect();
        current_first(&mut variants);
        variants
    }

    pub(super) fn external(
        &mut self,
        (place, after): (&Place<'a>, &str),
        branches: &BTreeMap<String, Versions<Option<Type>>>,
        availability: &Availability,
        wire_name: &str,
        items: &mut Vec<Item>,
    ) -> Result<Vec<Variant>, Error> {
        let mut variants = Vec::new();
        for (tag, versions) in branches {
            let docs = match self.sources.docs.variant(wire_name, tag) {
                Some(docs) => docs.to_owned(),
                None => format!("`{tag}`."),
            };
            let bare = versions.get(&None);
            let contents: Vec<(Type, Availability)> = versions
                .iter()
                .filter_map(|(content, availability)| {
                    Some((content.clone()?, availability.clone()))
                })
                .collect();
            if let Some(available) = bare {
                let ranges = Spans::within(available, availability, self.release_list());
                variants.push(Variant {
                    ident: pascal(tag),
                    tag: tag.clone(),
                    docs: Some(paragraphs(&docs, &sentence(&ranges))),
                    ranges,
                    ..Variant::default()
                });
            }
            if contents.is_empty() {
                continue;
            }
            let available = whole(contents.iter().map(|(_, availability)| availability));
            let inner = Place {
                name: self.own(&format!("{}{}", place.name, pascal(tag)))?,
                domain: place.domain,
            };
            let (value, mut made) = self.versions(&inner, &contents, &available)?;
            let what = format!("`{tag}` of [`{}`]", place.name);
            placed(&mut made, &inner.name, &what, &docs);
            items.extend(made);
            let ranges = Spans::within(&available, availability, self.release_list());
            variants.push(Variant {
                ident: match bare {
                    Some(_) => format!("{}With", pascal(tag)),
                    None => pascal(tag),
                },
                tag: tag.clone(),
                value: Some(value),
                docs: Some(paragraphs(&docs, &sentence(&ranges))),
                ranges,
                ..Variant::default()
            });
        }
        current_first(&mut variants);
        for variant in &mut variants {
            variant.definition = self.own(&format!("{}{after}", variant.ident))?;
        }
        Ok(variants)
    }
}

/// Members that all variants have alike move to the base.
fn lift(
    base: &mut MemberVersions,
    branches: &mut BTreeMap<String, (Availability, Object)>,
    availability: &Availability,
) {
    let Some((_, (_, first))) = branches.iter().next() else {
        return;
    };
    let candidates: Vec<String> = first.members.keys().cloned().collect();
    for name in candidates {
        let alike = branches.values().all(|(available, branch)| {
            branch.members.get(&name).is_some_and(|versions| {
                let only: Vec<_> = versions.iter().collect();
                matches!(only.as_slice(), [(s, l)] if !s.optional && !s.nullable && *l == available)
            })
        });
        let types: BTreeSet<&Signature> = branches
            .values()
            .filter_map(|(_, branch)| branch.members.get(&name)?.keys().next())
            .collect();
        if !alike || types.len() != 1 {
            continue;
        }
        let signature = types.into_iter().next().cloned();
        for (_, branch) in branches.values_mut() {
            branch.members.remove(&name);
        }
        if let Some(signature) = signature {
            base.insert(name, [(signature, availability.clone())].into());
        }
    }
}

fn current_first(variants: &mut [Variant]) {
    variants.sort_by_key(|variant| std::cmp::Reverse(variant.ranges.ends.1.is_none()));
    apart(variants);
}

/// Tags that differ in their spelling alone get names that say which spelling it is; the one
/// that lived longest keeps the plain name.
fn apart(variants: &mut [Variant]) {
    let mut order: Vec<usize> = (0..variants.len()).collect();
    order.sort_by_key(|at| {
        let until = variants[*at].ranges.ends.1;
        (
            until.is_some(),
            std::cmp::Reverse(until),
            variants[*at].value.is_some(),
        )
    });
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for at in order {
        let variant = &mut variants[at];
        if !taken.insert(variant.ident.clone()) {
            variant.ident.push_str(spelling(&variant.tag));
            taken.insert(variant.ident.clone());
        }
    }
}
