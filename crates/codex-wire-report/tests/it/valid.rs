//! Reports against their schemas.

use jsonschema::Validator;
use serde_json::Value;

/// Fails with all that the schema has to say of the report.
#[track_caller]
pub(crate) fn assert_valid(schema: &Validator, report: &Value) {
    let errors: Vec<String> = schema
        .iter_errors(report)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert_eq!(errors, [""; 0]);
}
