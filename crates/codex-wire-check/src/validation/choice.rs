//! Explains a value that matches no variant of a union: it picks the variant that was most likely
//! meant.

use std::sync::Arc;

use codex_wire_schema::ir::{Kind, Schema};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::explanation::{
    Explanation, IsNull, ManyMembers, NoAlternative, TaggedUnion, UnknownKind,
};
use super::schema_violation::{FormElsewhere, SchemaViolation};
use super::schema_walk::Node;
use crate::phrasing::{kind, named, subject};

impl<'j> Explanation<'j> {
    /// Puts one of the validator's errors in our words.
    pub(super) fn explain(
        &self,
        error: &ValidationError<'_>,
        message: &Value,
        out: &mut Vec<SchemaViolation>,
    ) {
        let pointer = error.instance_path().as_str();
        let context = match error.kind() {
            ValidationErrorKind::AnyOf { context }
                if self.is_about_members(context, message, pointer) =>
            {
                return out.push(self.none_of_the_members(context, message, pointer));
            }
            ValidationErrorKind::OneOfNotValid { context }
            | ValidationErrorKind::AnyOf { context } => context,
            _ => return self.explain_one(error, message, out),
        };
        if let Some(value) = message.pointer(pointer)
            && let Some(choice) = self.walk().choice_at(message, pointer)
        {
            let choice = self.open_choice(choice, pointer, value);
            self.explain_choice(context, &choice, pointer, message, out);
        }
    }

    /// The choice that a value is none of: one by a tag that the value has is not (see
    /// [`dispatch`](super::dispatch)), but there may be another within the alternative.
    pub(crate) fn open_choice(&self, choice: Node<'j>, pointer: &str, value: &Value) -> Node<'j> {
        let mut open = choice;
        while let Some(union) = self.tagged(&open)
            && self.choose(pointer, union, value).is_ok()
            && let Some((_, variant)) = self.walk().variant(&open, value)
            && let Some(within) = self.walk().choice_from(variant)
        {
            open = within;
        }
        open
    }

    /// What the document of all releases says of a choice.
    fn annotated(&self, choice: &Node<'_>) -> Option<&'static Schema> {
        match choice.name {
            Some(name) => self.document.schema(name),
            None => Some(self.document.root()),
        }
    }

    /// The choice as a union by a tag, if it is one.
    fn tagged(&self, choice: &Node<'j>) -> Option<TaggedUnion<'j>> {
        Some(TaggedUnion {
            title: choice.schema.title.as_ref(),
            of_release: choice.schema.tagged()?,
            of_all: self.annotated(choice).and_then(Schema::tagged),
        })
    }

    /// A value that is none of its alternatives: the errors of the one that was meant count.
    pub(crate) fn explain_choice(
        &self,
        context: &[Vec<ValidationError<'static>>],
        choice: &Node<'j>,
        pointer: &str,
        message: &Value,
        out: &mut Vec<SchemaViolation>,
    ) {
        let Some(value) = message.pointer(pointer) else {
            return;
        };
        if let Some(union) = self.tagged(choice)
            && let Err(fault) = self.choose(pointer, union, value)
        {
            return out.push(*fault);
        }
        let Some((index, variant)) = self.walk().variant(choice, value) else {
            return out.push(self.no_alternative(pointer, choice, value));
        };
        // It may look like one alternative and be another, which is then what it is.
        if !context
            .get(index)
            .is_some_and(|errors| is_undeclared(errors))
            && let Some(errors) = context.iter().find(|errors| is_undeclared(errors))
        {
            for error in errors {
                self.explain(error, message, out);
            }
            return;
        }
        for error in context.get(index).into_iter().flatten() {
            // A choice within the choice, about the same value.
            let within = match error.kind() {
                ValidationErrorKind::OneOfNotValid { context }
                | ValidationErrorKind::AnyOf { context }
                    if error.instance_path().as_str() == pointer =>
                {
                    let node = self.walk().choice_from(variant);
                    node.map(|node| (context, self.open_choice(node, pointer, value)))
                }
                _ => None,
            };
            match within {
                Some((context, choice)) => {
                    self.explain_choice(context, &choice, pointer, message, out);
                }
                None => self.explain(error, message, out),
            }
        }
    }

    /// A value that looks like none of its alternatives.
    fn no_alternative(&self, pointer: &str, choice: &Node<'j>, value: &Value) -> SchemaViolation {
        let subject = subject(pointer);
        let external = match self.annotated(choice).map(|schema| &schema.kind) {
            Some(Kind::External(variants)) => Some(variants),
            _ => None,
        };
        let help = self.alternatives(choice, external.is_some());
        let name = choice.schema.title.as_ref();
        let name = name.filter(|_| external.is_some());
        let written = match value {
            Value::Null => {
                let refusal = Arc::clone(self.refusal);
                return SchemaViolation {
                    help,
                    ..SchemaViolation::new(IsNull { subject, refusal }, pointer)
                };
            }
            Value::String(text) => Some(text.as_str()),
            // The kind is the only member there is.
            Value::Object(members) if members.len() == 1 => {
                members.keys().next().map(String::as_str)
            }
            _ => None,
        };
        let (Some(name), Some(written)) = (name, written) else {
            let violation = match (name, value) {
                (Some(name), Value::Object(members)) => {
                    let (members, union) = (members.len(), name.clone());
                    let how = ManyMembers {
                        subject,
                        members,
                        union,
                    };
                    SchemaViolation::new(how, pointer)
                }
                _ => {
                    let found = kind(value);
                    SchemaViolation::new(NoAlternative { subject, found }, pointer)
                }
            };
            return SchemaViolation { help, ..violation };
        };
        let is_bare = |definition: &str| {
            let definition = self.document.schema(definition);
            definition.and_then(Schema::json_type) == Some("string")
        };
        let known = external.into_iter().flatten().find(|variant| {
            variant.kind == written && is_bare(&variant.definition) == value.is_string()
        });
        let union = name.clone();
        match known {
            Some(variant) => {
                let (kind, ranges) = (variant.kind.clone(), &variant.availability);
                let how = |releases| FormElsewhere {
                    union,
                    kind,
                    releases,
                };
                SchemaViolation::elsewhere(pointer, ranges.ranges(self.releases), how)
            }
            None => {
                let (kind, tag) = ("kind", named(written));
                SchemaViolation {
                    help,
                    ..SchemaViolation::new(UnknownKind { union, kind, tag }, pointer)
                }
            }
        }
    }

    /// The alternatives the release has: the kinds where they are written around the value, the
    /// names of the definitions otherwise.
    fn alternatives(&self, choice: &Node<'j>, external: bool) -> Option<String> {
        let mut kinds: Vec<&str> = Vec::new();
        let mut names = Vec::new();
        for variant in self.walk().variants(choice) {
            let Some(name) = variant.name else {
                continue;
            };
            names.push(name);
            match &variant.schema.kind {
                Kind::Constant(constant) => kinds.push(constant),
                Kind::Object(object) if external => {
                    kinds.extend(object.required.first().map(|name| &**name));
                }
                _ => {}
            }
        }
        if !kinds.is_empty() {
            return Some(format!("known kinds: {}", kinds.join(", ")));
        }
        (!names.is_empty()).then(|| format!("alternatives: {}", names.join(", ")))
    }
}

/// Whether nothing is wrong but that there are members which are not declared: readers take those.
fn is_undeclared(errors: &[ValidationError<'_>]) -> bool {
    let is_one = |error: &ValidationError<'_>| {
        matches!(
            error.kind(),
            ValidationErrorKind::AdditionalProperties { .. }
                | ValidationErrorKind::UnevaluatedProperties { .. }
        )
    };
    !errors.is_empty() && errors.iter().all(is_one)
}
