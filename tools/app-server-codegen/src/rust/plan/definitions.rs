//! Decides which kind of type a definition becomes.
//!
//! A definition that changed its kind becomes an untagged union, each variant with its releases.
//! The exception is an old kind that reads as the new one: `Turn` was a union by status from 0.59.0
//! to 0.64.0 and is one struct here.

use super::builder::{Builder, Place};
use super::phrasing::{paragraphs, sentence};
use crate::availability::Availability;
use crate::model::{Form, FormBody, Versions};
use crate::rust::items::{Item, ItemBody, Variant};
use crate::rust::ranges::Spans;
use crate::types::Type;
use crate::{Error, naming};

/// Definitions whose types are written by hand: the envelope.
const BY_HAND: [&str; 7] = [
    "JSONRPCError",
    "JSONRPCErrorError",
    "JSONRPCMessage",
    "JSONRPCNotification",
    "JSONRPCRequest",
    "JSONRPCResponse",
    "RequestId",
];

/// The type of a definition that is free text and nothing else.
fn free_text(branches: &Versions<Type>) -> Option<&Type> {
    let mut branches = branches.keys();
    match (branches.next(), branches.next()) {
        (Some(only @ (Type::String | Type::NonEmpty)), None) => Some(only),
        _ => None,
    }
}

impl<'a> Builder<'a> {
    pub(super) fn definition(&mut self, name: &str) -> Result<(), Error> {
        if BY_HAND.contains(&name) {
            return Ok(());
        }
        let Some(forms) = self.model.definitions.get(name) else {
            let message = format!("there is no definition `{name}`");
            return Err(Error::table("the model", message));
        };
        let domain = self.sources.domains.of(name).ok_or_else(|| {
            Error::table("domains.toml", format!("`{name}` belongs to no domain"))
        })?;
        let availability = self.model.definition_availability(name);
        let place = Place {
            name: name.to_owned(),
            domain: &domain.name,
        };
        let docs = self.definition_docs(name, &availability);
        let other = self.other_name(&place, forms)?;
        let items = match forms.as_slice() {
            _ if other.is_some() => vec![Item {
                name: name.to_owned(),
                docs,
                body: ItemBody::Alias(other.unwrap_or_default()),
            }],
            [form] => self.form(&place, form, docs, name)?,
            // A list of values that became free text is the list, with everything else unknown.
            [
                Form {
                    body: FormBody::ExternallyTagged { branches, .. },
                    availability: known,
                },
                Form {
                    body: FormBody::AnyOf(free),
                    availability: open,
                },
            ] if free_text(free).is_some()
                && branches.values().all(|v| v.keys().all(Option::is_none)) =>
            {
                let mut variants = self.strings(name, branches, &availability);
                for variant in &mut variants {
                    // Free text may be one of the old values: they never end.
                    variant.ranges.ends.1 = variant
                        .ranges
                        .ends
                        .1
                        .filter(|until| known.hull().is_some_and(|(_, last)| *until < last));
                }
                vec![Item {
                    name: name.to_owned(),
                    docs,
                    body: ItemBody::Strings {
                        variants,
                        open: Spans::part(open, &availability, self.release_list()),
                        not_empty: free_text(free) == Some(&Type::NonEmpty),
                    },
                }]
            }
            forms => self.forms(&place, forms, docs, name, &availability)?,
        };
        let module = self.items.entry(domain.name.clone()).or_default();
        module.extend(items);
        Ok(())
    }

    /// The type that a definition is another name for, if it is: `String` of `ThreadId`, or a type
    /// that may be missing.
    fn other_name(&mut self, place: &Place<'a>, forms: &[Form]) -> Result<Option<String>, Error> {
        let [
            Form {
                body: FormBody::AnyOf(branches),
                ..
            },
        ] = forms
        else {
            return Ok(None);
        };
        let types: Vec<&Type> = branches.keys().collect();
        let (value, maybe) = match types[..] {
            [only] => (only, false),
            [Type::Null, only @ Type::Reference(_)] | [only @ Type::Reference(_), Type::Null] => {
                (only, true)
            }
            _ => return Ok(None),
        };
        let value = self.value(place, value, &mut Vec::new())?;
        Ok(Some(if maybe {
            format!("Maybe<{value}>")
        } else {
            value
        }))
    }

    /// A definition that changed its form: one variant per form.
    pub(super) fn forms(
        &mut self,
        place: &Place<'a>,
        forms: &[Form],
        docs: String,
        name: &str,
        availability: &Availability,
    ) -> Result<Vec<Item>, Error> {
        let mut variants = Vec::new();
        let mut items = Vec::new();
        let mut ordered: Vec<&Form> = forms.iter().collect();
        ordered.sort_by_key(|form| std::cmp::Reverse(form.availability.hull()));
        for form in ordered {
            let ident = match naming::releases(&form.availability, availability) {
                Some(ident) => ident,
                None => naming::table()?.form(name, form.body.kind())?,
            };
            let inner = Place {
                name: self.own(&format!("{}{ident}", place.name))?,
                domain: place.domain,
            };
            let about = paragraphs(
                &format!("A form of [`{}`].", place.name),
                &self.availability_sentence(&form.availability),
            );
            let made = self.form(&inner, form, about, name)?;
            if variants.iter().any(|v: &Variant| v.ident == ident) {
                return Err(naming::unnamed(&place.name, &ident));
            }
            variants.push(Variant {
                ident,
                value: Some(inner.name),
                docs: Some(self.form_docs(form)),
                ranges: Spans::within(&form.availability, availability, self.release_list()),
                ..Variant::default()
            });
            items.extend(made);
        }
        items.insert(
            0,
            Item {
                name: place.name.clone(),
                docs,
                body: ItemBody::Untagged { variants },
            },
        );
        Ok(items)
    }

    pub(super) fn form(
        &mut self,
        place: &Place<'a>,
        form: &Form,
        docs: String,
        wire_name: &str,
    ) -> Result<Vec<Item>, Error> {
        let availability = &form.availability;
        let name = place.name.clone();
        match &form.body {
            FormBody::Object(object) => {
                self.structure(place, object, availability, docs, wire_name)
            }
            FormBody::Tagged {
                tag,
                base,
                branches,
            } => self.tagged(place, (tag, base, branches), availability, docs, wire_name),
            FormBody::ExternallyTagged { branches, open }
                if open.is_empty() && branches.values().all(|v| v.keys().all(Option::is_none)) =>
            {
                let variants = self.strings(wire_name, branches, availability);
                let body = ItemBody::Strings {
                    variants,
                    open: None,
                    not_empty: false,
                };
                Ok(vec![Item { name, docs, body }])
            }
            FormBody::ExternallyTagged { branches, open } if open.is_empty() => {
                let mut items = Vec::new();
                let variants = self.external(
                    (place, &name),
                    branches,
                    availability,
                    wire_name,
                    &mut items,
                )?;
                let body = ItemBody::ExternallyTagged { variants };
                items.insert(0, Item { name, docs, body });
                Ok(items)
            }
            FormBody::ExternallyTagged { branches, open } => {
                let mut items = Vec::new();
                let inner = Place {
                    name: self.own(&format!("Known{name}"))?,
                    domain: place.domain,
                };
                let variants = self.external(
                    (place, &name),
                    branches,
                    availability,
                    wire_name,
                    &mut items,
                )?;
                let known = Item {
                    name: inner.name.clone(),
                    docs: format!("The kinds of [`{name}`] that are known."),
                    body: ItemBody::ExternallyTagged { variants },
                };
                let ranges = Spans::within(open, availability, self.release_list());
                let variant = |ident: &str, value: String, docs: &str, ranges: Spans| Variant {
                    ident: ident.to_owned(),
                    value: Some(value),
                    docs: Some(paragraphs(docs, &sentence(&ranges))),
                    ranges,
                    ..Variant::default()
                };
                let variants = vec![
                    variant("Known", inner.name, "A known kind.", Spans::default()),
                    variant(
                        "Text",
                        "String".to_owned(),
                        "Any other kind without content.",
                        ranges.clone(),
                    ),
                    variant(
                        "Object",
                        "Map<Raw>".to_owned(),
                        "Any other kind with content.",
                        ranges,
                    ),
                ];
                items.insert(0, known);
                let body = ItemBody::Untagged { variants };
                items.insert(0, Item { name, docs, body });
                Ok(items)
            }
            FormBody::AnyOf(branches) => {
                let branches: Vec<(Type, Availability)> = branches
                    .iter()
                    .filter(|(branch, _)| **branch != Type::Null)
                    .map(|(branch, availability)| (branch.clone(), availability.clone()))
                    .collect();
                let mut items = self.untagged(place, &branches, availability)?;
                if let Some(first) = items.first_mut() {
                    first.docs = docs;
                }
                Ok(items)
            }
        }
    }
}
