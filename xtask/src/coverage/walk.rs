//! Follows one message along the document.

use std::collections::BTreeMap;

use codex_wire::json::{Cursor, Kind as Json};
use codex_wire::{Error, Release};
use codex_wire_schema::ir::{
    ExternalVariant, Kind, Member, Object, Schema, Tagged, Undeclared, UntaggedVariant,
};

use super::description::Description;
use super::inventory::{Feature, external, framed, payload, untagged};

/// What a message of `release` carries, in terms of the document. What the document does not
/// declare is there too, as the feature it would be.
///
/// # Errors
/// When the line is not JSON.
pub fn walk(
    description: &Description,
    release: Release,
    line: &str,
) -> Result<Vec<Feature>, Error> {
    let mut walk = Walk {
        at: *description,
        release,
        seen: Vec::new(),
    };
    let mut cursor = Cursor::new(line);
    walk.value(description.root, description.document.root(), &mut cursor)?;
    cursor.end()?;
    Ok(walk.seen)
}

/// Whether a member may be any JSON value, of which `null` is one.
fn is_anything(member: &Member) -> bool {
    member.schema.kind == Kind::Any && member.nullable.is_empty()
}

struct Walk {
    at: Description,
    release: Release,
    seen: Vec<Feature>,
}

impl Walk {
    fn value(
        &mut self,
        name: &str,
        schema: &'static Schema,
        at: &mut Cursor<'_>,
    ) -> Result<(), Error> {
        match &schema.kind {
            Kind::Reference(definition) => self.definition(definition, at),
            Kind::Tagged(union) => self.tagged(name, schema, union, at),
            Kind::External(variants) => self.external(name, variants, at),
            Kind::Untagged(variants) => self.untagged(name, variants, at),
            Kind::Object(object) if at.kind()? == Json::Object => self.object(name, object, at),
            Kind::Map(values) if at.kind()? == Json::Object => {
                at.object(|at, _| self.value(name, values, at))
            }
            Kind::Array(items) if at.kind()? == Json::Array => {
                at.array(|at, _| self.value(name, items, at))
            }
            Kind::Enum(_) if at.kind()? == Json::String => {
                let value = at.string()?.into_owned();
                self.seen.push(Feature::Value(name.to_owned(), value));
                Ok(())
            }
            _ => at.skip(),
        }
    }

    fn definition(&mut self, name: &'static str, at: &mut Cursor<'_>) -> Result<(), Error> {
        match self.at.document.schema(name) {
            Some(schema) => self.value(name, schema, at),
            None => at.skip(),
        }
    }

    fn tagged(
        &mut self,
        name: &str,
        schema: &'static Schema,
        union: &'static Tagged,
        at: &mut Cursor<'_>,
    ) -> Result<(), Error> {
        let tag = tag(union, at);
        let Some(tag) = tag else {
            self.seen
                .push(Feature::Kind(name.to_owned(), "no tag".to_owned()));
            return at.skip();
        };
        self.seen.push(Feature::Kind(name.to_owned(), tag.clone()));
        match union.variant(&tag) {
            Some(variant) => match framed(&self.at, schema, &variant.definition) {
                Some(frame) => self.value(name, frame, at),
                None => self.definition(&variant.definition, at),
            },
            None => at.skip(),
        }
    }

    /// The first variant of this release that fits.
    fn untagged(
        &mut self,
        name: &str,
        variants: &'static [UntaggedVariant],
        at: &mut Cursor<'_>,
    ) -> Result<(), Error> {
        let fits = |variant: &&'static UntaggedVariant| {
            variant.availability.contains(self.release) && self.fits(&variant.schema, at)
        };
        let Some(variant) = variants.iter().find(fits) else {
            return self.no_variant(name, at);
        };
        self.seen.push(untagged(name, variant));
        self.value(name, &variant.schema, at)
    }

    fn external(
        &mut self,
        name: &str,
        variants: &'static [ExternalVariant],
        at: &mut Cursor<'_>,
    ) -> Result<(), Error> {
        let fits = |variant: &&ExternalVariant| {
            variant.availability.contains(self.release) && self.fits_to(&variant.definition, at)
        };
        let Some(variant) = variants.iter().find(fits) else {
            return self.no_variant(name, at);
        };
        self.seen.push(external(self.at.document, name, variant));
        match payload(self.at.document, variant) {
            Some(inner) if at.kind()? == Json::Object => at.object(|at, key| {
                if key == variant.kind {
                    return self.value(name, inner, at);
                }
                self.seen
                    .push(Feature::Member(name.to_owned(), key.to_owned()));
                at.skip()
            }),
            _ => self.definition(&variant.definition, at),
        }
    }

    fn no_variant(&mut self, name: &str, at: &mut Cursor<'_>) -> Result<(), Error> {
        self.seen
            .push(Feature::Kind(name.to_owned(), "no alternative".to_owned()));
        at.skip()
    }

    fn fits_to(&self, definition: &str, at: &Cursor<'_>) -> bool {
        let schema = self.at.document.schema(definition);
        schema.is_none_or(|schema| self.fits(schema, at))
    }

    /// Whether the next value can be meant by `schema`: it is of the right JSON type, and an
    /// object has a known tag or all required members.
    fn fits(&self, schema: &'static Schema, at: &Cursor<'_>) -> bool {
        let is = |kind: Json| at.clone().kind().ok() == Some(kind);
        match &schema.kind {
            Kind::Any => true,
            Kind::Never => false,
            Kind::Reference(definition) => self.fits_to(definition, at),
            Kind::Tagged(union) => tag(union, at).is_some_and(|tag| union.variant(&tag).is_some()),
            Kind::External(variants) => variants.iter().any(|v| self.fits_to(&v.definition, at)),
            Kind::Untagged(variants) => variants.iter().any(|v| self.fits(&v.schema, at)),
            Kind::Constant(only) => at.clone().string().is_ok_and(|text| text == *only),
            Kind::Null => is(Json::Null),
            Kind::Boolean => is(Json::Bool),
            Kind::Number | Kind::Integer { .. } => is(Json::Number),
            Kind::String | Kind::NotEmpty | Kind::Base64 | Kind::Enum(_) => is(Json::String),
            Kind::Array(_) => is(Json::Array),
            Kind::Map(_) => is(Json::Object),
            Kind::Object(object) => {
                let mut missing: Vec<&str> = object.required.iter().map(|name| &**name).collect();
                let looked = at.clone().object(|at, key| {
                    missing.retain(|name| *name != key);
                    at.skip()
                });
                looked.is_ok() && missing.is_empty()
            }
        }
    }

    fn object(
        &mut self,
        name: &str,
        object: &'static Object,
        at: &mut Cursor<'_>,
    ) -> Result<(), Error> {
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        at.object(|at, key| {
            let time = times.entry(key.to_owned()).or_default();
            *time += 1;
            let member = match *time {
                1 => object.member(key),
                _ => object.member(key).and_then(|first| first.second.as_deref()),
            };
            let is_there = member.is_some_and(|member| member.availability.contains(self.release));
            if !is_there && object.undeclared != Undeclared::Ignored {
                // Whatever has no name of its own here.
                return at.skip();
            }
            let feature = match *time {
                _ if member.is_some_and(Member::is_plain_tag) => None,
                _ if at.kind()? == Json::Null && !member.is_some_and(is_anything) => {
                    Some(Feature::Null as fn(_, _) -> _)
                }
                1 => Some(Feature::Member as fn(_, _) -> _),
                _ => Some(Feature::Second as fn(_, _) -> _),
            };
            let of_member = format!("{name}.{key}");
            self.seen
                .extend(feature.map(|feature| feature(name.to_owned(), key.to_owned())));
            match member {
                Some(member) if at.kind()? != Json::Null => {
                    self.value(&of_member, &member.schema, at)
                }
                _ => at.skip(),
            }
        })?;
        for member in &object.members {
            let second = member.second.as_deref();
            let absent = match times.get(&*member.name) {
                None if self.may_lack(member) => Feature::LeftOut,
                Some(1) if second.is_some_and(|second| self.may_lack(second)) => {
                    Feature::SecondLeftOut
                }
                _ => continue,
            };
            let feature = absent(name.to_owned(), member.name.clone().into_owned());
            self.seen.push(feature);
        }
        Ok(())
    }

    /// Whether the release has the member and the document says something about its absence.
    /// A member that is missing and must not be is for the checker to find.
    fn may_lack(&self, member: &Member) -> bool {
        let of_reader = !self.at.written && (member.has_default || !member.nullable.is_empty());
        let mut written = member.written.iter();
        let always = self.at.written && written.any(|range| range.contains(self.release));
        (!member.optional.is_empty() && !always || of_reader)
            && member.availability.contains(self.release)
    }
}

/// The tag of the next value, under any of its names.
fn tag(union: &Tagged, at: &Cursor<'_>) -> Option<String> {
    let mut spellings = union.spellings.iter();
    spellings.find_map(|spelling| {
        let tag = at.peek_tag(&spelling.name).ok().flatten()?;
        Some((*tag).to_owned())
    })
}
