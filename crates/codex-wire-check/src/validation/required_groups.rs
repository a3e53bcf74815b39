//! Explains objects that lack every member of a group of which at least one is required.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::explanation::{Explanation, LacksAll};
use super::schema_violation::SchemaViolation;
use crate::phrasing::Joined;

impl Explanation<'_> {
    /// Whether a failed `anyOf` is about sets of members of the object at `pointer`, of which one
    /// has to be there, and not about alternatives for the whole value.
    pub(crate) fn is_about_members(
        &self,
        context: &[Vec<ValidationError<'static>>],
        message: &Value,
        pointer: &str,
    ) -> bool {
        let is_missing = |error: &ValidationError<'_>| {
            matches!(error.kind(), ValidationErrorKind::Required { .. })
                && error.instance_path().as_str() == pointer
        };
        let node = self.walk().node_at(message, pointer);
        let object = node.and_then(|node| node.schema.object());
        object.is_some_and(|object| !object.choices.is_empty())
            && context.iter().flatten().all(is_missing)
    }

    /// An object that has none of the sets of members of which one has to be there.
    pub(crate) fn none_of_the_members(
        &self,
        context: &[Vec<ValidationError<'static>>],
        message: &Value,
        pointer: &str,
    ) -> SchemaViolation {
        let missing = context
            .iter()
            .flatten()
            .filter_map(|error| match error.kind() {
                ValidationErrorKind::Required { property } => property.as_str(),
                _ => None,
            });
        let names = Joined(missing.map(|name| format!("`{name}`")).collect());
        let holder = self.holder(message, pointer);
        SchemaViolation {
            help: Some("at least one of them has to be there".to_owned()),
            ..SchemaViolation::new(LacksAll { holder, names }, pointer)
        }
    }
}
