//! Validates lines without this project: the exact schema, and a validator.

use codex_wire::{MessageSet, Release};
use codex_wire_schema::{Draft, Profile, Stability, project};
use jsonschema::Validator;
use serde_json::Value;

/// What a release writes or reads on a message set, the experimental API included.
pub(crate) fn schema(message_set: MessageSet, release: Release) -> Value {
    project(
        message_set,
        release,
        Profile::Exact,
        Draft::Draft202012,
        Stability::Experimental,
    )
}

/// The validator of one of our schemas.
pub(crate) fn validator(schema: &Value) -> Validator {
    jsonschema::validator_for(schema).expect("our own schemas compile")
}
