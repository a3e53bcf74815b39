//! Values that a release could write, from the schema model.

use codex_wire_base::Release;
use codex_wire_schema::Document;
use codex_wire_schema::ir::{Kind, Member, Object, Schema, Variant};
use serde_json::Value;

/// How deep a value may be.
const DEEPEST: usize = 12;

/// Makes values as one release writes them: everything that it always writes, and nothing more.
pub(super) struct Sample<'a> {
    pub(super) document: &'static Document,
    pub(super) release: Release,
    /// The JSON of members by their name, if they are known: ids, texts, times.
    pub(super) known: &'a dyn Fn(&str) -> Option<String>,
}

impl Sample<'_> {
    fn at(&self, schema: &'static Schema, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let has = |variant: &Variant<'_>| variant.availability().contains(self.release);
        let text = |text: &str| Value::from(text).to_string();
        Some(match &self.document.resolve(schema).kind {
            Kind::Any | Kind::Null => "null".to_owned(),
            Kind::Never | Kind::Reference(_) => return None,
            Kind::Boolean => "false".to_owned(),
            Kind::Number => "0".to_owned(),
            Kind::Integer { minimum, maximum } => 0.clamp(*minimum, *maximum).to_string(),
            Kind::String | Kind::NotEmpty => text("from the future"),
            Kind::Base64 => text(""),
            Kind::Constant(constant) => text(constant),
            Kind::Enum(values) => {
                let mut values = values.iter();
                text(
                    &values
                        .find(|v| v.availability.contains(self.release))?
                        .value,
                )
            }
            Kind::Array(_) => "[]".to_owned(),
            Kind::Map(_) => "{}".to_owned(),
            Kind::Object(object) => self.object(object, None, depth)?,
            Kind::Tagged(union) => {
                let mut variants = union.variants.iter();
                variants.find_map(|variant| {
                    let is_there = variant.availability.contains(self.release);
                    self.variant(
                        is_there,
                        &union.tag,
                        &variant.tag,
                        &variant.definition,
                        depth,
                    )
                })?
            }
            Kind::External(_) | Kind::Untagged(_) => {
                let resolved = self.document.resolve(schema);
                let mut variants = resolved.variants().filter(has);
                variants.find_map(|variant| match variant {
                    Variant::External(variant) => {
                        let inner = self.document.schema(&variant.definition)?;
                        self.at(inner, depth + 1)
                    }
                    Variant::Untagged(variant) => self.at(&variant.schema, depth + 1),
                    Variant::Tagged(_) => None,
                })?
            }
        })
    }

    fn variant(
        &self,
        is_there: bool,
        tag: &str,
        value: &str,
        definition: &str,
        depth: usize,
    ) -> Option<String> {
        let object = self
            .document
            .schema(definition)?
            .object()
            .filter(|_| is_there)?;
        self.object(object, Some((tag, value)), depth)
    }

    /// An object with all members that the release always writes, the tag first.
    pub(super) fn object(
        &self,
        object: &'static Object,
        tag: Option<(&str, &str)>,
        depth: usize,
    ) -> Option<String> {
        let mut members = Vec::new();
        if let Some((name, value)) = tag {
            members.push(format!("\"{name}\":{}", Value::from(value)));
        }
        let declared = object
            .required
            .iter()
            .filter_map(|name| object.member(name));
        let is_declared = |member: &&Member| object.required.contains(&member.name);
        let others = object.members.iter().filter(|member| !is_declared(member));
        for member in declared.chain(others) {
            let is_tag = tag.is_some_and(|(name, _)| *member.name == *name);
            if !is_tag && self.is_written(member) {
                members.push(format!(
                    "\"{}\":{}",
                    member.name,
                    self.member(member, depth)?
                ));
            }
        }
        Some(format!("{{{}}}", members.join(",")))
    }

    fn is_written(&self, member: &Member) -> bool {
        let within = |ranges: &[codex_wire_base::ReleaseBounds]| {
            ranges.iter().any(|range| range.contains(self.release))
        };
        member.availability.contains(self.release)
            && (!within(&member.optional) || within(&member.written))
    }

    /// The value of a member.
    pub(super) fn member(&self, member: &'static Member, depth: usize) -> Option<String> {
        if let Some(known) = (self.known)(&member.name) {
            return Some(known);
        }
        let is_nullable = member
            .nullable
            .iter()
            .any(|range| range.contains(self.release));
        match is_nullable {
            true => Some("null".to_owned()),
            false => self.at(&member.schema, depth + 1),
        }
    }
}
