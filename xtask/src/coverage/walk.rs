//! Follows one message along the document.

use std::collections::BTreeMap;

use codex_wire::json::{Cursor, Kind};
use codex_wire::{Error, Release};
use codex_wire_schema::alive_beside;
use serde_json::Value;

use super::Description;
use super::inventory::{Feature, definition, framed, is_plain_tag, kind, list, map, payload};

/// What a message of `release` carries, in terms of the document. What the document does not
/// declare is there too, as the feature it would be.
///
/// # Errors
/// When the line is not JSON.
pub fn walk(
    description: &Description<'_>,
    release: Release,
    line: &str,
) -> Result<Vec<Feature>, Error> {
    let mut walk = Walk {
        at: *description,
        document: description.document,
        release,
        seen: Vec::new(),
    };
    let mut cursor = Cursor::new(line);
    walk.value(description.root, description.document, &mut cursor)?;
    cursor.end()?;
    Ok(walk.seen)
}

/// Whether a property may be any JSON value, of which `null` is one.
fn is_anything(property: &Value) -> bool {
    let says = [
        "type",
        "$ref",
        "anyOf",
        "oneOf",
        "allOf",
        "enum",
        "const",
        "x-nullable",
    ];
    !says.iter().any(|key| property.get(key).is_some())
}

struct Walk<'a> {
    at: Description<'a>,
    document: &'a Value,
    release: Release,
    seen: Vec<Feature>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, name: &str, schema: &'a Value, at: &mut Cursor<'_>) -> Result<(), Error> {
        if let Some((name, definition)) = definition(self.document, schema) {
            return self.value(name, definition, at);
        }
        if schema.get("discriminator").is_some() {
            return self.tagged(name, schema, at);
        }
        if schema.get("anyOf").is_some() {
            return self.untagged(name, schema, at);
        }
        match at.kind()? {
            Kind::Object if schema.get("properties").is_some() => self.object(name, schema, at),
            Kind::Object => match schema.get("additionalProperties") {
                Some(values) => at.object(|at, _| self.value(name, values, at)),
                None => at.skip(),
            },
            Kind::Array => match schema.get("items") {
                Some(items) => at.array(|at, _| self.value(name, items, at)),
                None => at.skip(),
            },
            Kind::String if schema.get("enum").is_some() => {
                let value = at.string()?.into_owned();
                self.seen.push(Feature::Value(name.to_owned(), value));
                Ok(())
            }
            _ => at.skip(),
        }
    }

    /// A union whose alternatives carry a tag.
    fn tagged(&mut self, name: &str, schema: &'a Value, at: &mut Cursor<'_>) -> Result<(), Error> {
        let tag = map(schema, "x-tags").find_map(|(key, _)| at.peek_tag(key).ok().flatten());
        let Some(tag) = tag else {
            self.seen
                .push(Feature::Kind(name.to_owned(), "no tag".to_owned()));
            return at.skip();
        };
        self.seen
            .push(Feature::Kind(name.to_owned(), (*tag).to_owned()));
        match list(schema, "oneOf").find(|arm| arm["x-tag"] == *tag) {
            Some(arm) => {
                let frame = framed(&self.at, schema, arm);
                self.value(name, frame.unwrap_or(arm), at)
            }
            None => at.skip(),
        }
    }

    /// A union without tags: the first alternative of this release that fits.
    fn untagged(
        &mut self,
        name: &str,
        schema: &'a Value,
        at: &mut Cursor<'_>,
    ) -> Result<(), Error> {
        let fits = |arm: &&Value| alive_beside(arm, self.release) && self.fits(arm, at);
        let Some(arm) = list(schema, "anyOf").find(fits) else {
            self.seen
                .push(Feature::Kind(name.to_owned(), "no alternative".to_owned()));
            return at.skip();
        };
        self.seen.push(kind(self.document, name, arm));
        match arm.get("x-kind").and_then(Value::as_str) {
            Some(kind) if at.kind()? == Kind::Object => at.object(|at, key| {
                if key == kind {
                    return self.value(name, payload(self.document, arm), at);
                }
                self.seen
                    .push(Feature::Member(name.to_owned(), key.to_owned()));
                at.skip()
            }),
            _ => self.value(name, arm, at),
        }
    }

    /// Whether the next value can be meant by `schema`: it is of the right JSON kind, and an
    /// object has a known tag or all required members.
    fn fits(&self, schema: &Value, at: &Cursor<'_>) -> bool {
        if let Some((_, definition)) = definition(self.document, schema) {
            return self.fits(definition, at);
        }
        if let Some(mapping) = schema.get("x-mapping") {
            return map(schema, "x-tags")
                .filter_map(|(key, _)| at.peek_tag(key).ok().flatten())
                .any(|tag| mapping.get(&*tag).is_some());
        }
        if schema.get("anyOf").is_some() {
            return list(schema, "anyOf").any(|arm| self.fits(arm, at));
        }
        if let Some(only) = schema.get("const").and_then(Value::as_str) {
            return at.clone().string().is_ok_and(|text| text == only);
        }
        let kind = match schema.get("type").and_then(Value::as_str) {
            Some("object") => Kind::Object,
            Some("array") => Kind::Array,
            Some("string") => Kind::String,
            Some("integer" | "number") => Kind::Number,
            Some("boolean") => Kind::Bool,
            Some("null") => Kind::Null,
            _ => return true,
        };
        if at.clone().kind().ok() != Some(kind) {
            return false;
        }
        let mut missing: Vec<&Value> = list(schema, "required").collect();
        if missing.is_empty() {
            return true;
        }
        let looked = at.clone().object(|at, key| {
            missing.retain(|name| *name != key);
            at.skip()
        });
        looked.is_ok() && missing.is_empty()
    }

    fn object(&mut self, name: &str, schema: &'a Value, at: &mut Cursor<'_>) -> Result<(), Error> {
        let properties = &schema["properties"];
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        at.object(|at, key| {
            let time = times.entry(key.to_owned()).or_default();
            *time += 1;
            let property = match *time {
                1 => properties.get(key),
                _ => properties.get(key).and_then(|first| first.get("x-second")),
            };
            let is_there = property.is_some_and(|property| alive_beside(property, self.release));
            if let (false, Some(others)) = (is_there, schema.get("additionalProperties")) {
                // Whatever has no name of its own here.
                return self.value(name, others, at);
            }
            let feature = match *time {
                _ if property.is_some_and(is_plain_tag) => None,
                _ if at.kind()? == Kind::Null && !property.is_some_and(is_anything) => {
                    Some(Feature::Null as fn(_, _) -> _)
                }
                1 => Some(Feature::Member as fn(_, _) -> _),
                _ => Some(Feature::Second as fn(_, _) -> _),
            };
            let of_member = format!("{name}.{key}");
            self.seen
                .extend(feature.map(|feature| feature(name.to_owned(), key.to_owned())));
            match property {
                Some(property) if at.kind()? != Kind::Null => self.value(&of_member, property, at),
                _ => at.skip(),
            }
        })?;
        for (member, property) in map(schema, "properties") {
            let second = property.get("x-second");
            let absent = match times.get(member) {
                None if self.may_lack(property) => Feature::LeftOut,
                Some(1) if second.is_some_and(|second| self.may_lack(second)) => {
                    Feature::SecondLeftOut
                }
                _ => continue,
            };
            self.seen.push(absent(name.to_owned(), member.clone()));
        }
        Ok(())
    }

    /// Whether the release has the member and the document says something about its absence.
    /// A member that is missing and must not be is for the checker to find.
    fn may_lack(&self, property: &Value) -> bool {
        let says = |key: &str| property.get(key).is_some();
        let of_reader = !self.at.written && (says("x-default") || says("x-nullable"));
        (says("x-optional") || of_reader) && alive_beside(property, self.release)
    }
}
