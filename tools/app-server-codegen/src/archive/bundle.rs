//! The bundle of a release: all its schemas in one document.

use serde_json::Value;

use super::prose::without_prose;
use super::texts::Archived;

/// The bundle of a release as it is archived: without titles, descriptions and default values, its
/// keys sorted.
pub type Bundle = Archived<Value>;

impl Bundle {
    /// The documents as Codex writes them, for every client and for clients that opted into the
    /// experimental API.
    pub fn new(stable: Value, experimental: Option<Value>) -> Self {
        Archived::join(without_prose(stable), experimental.map(without_prose))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prose_goes_and_members_stay() {
        let stable = json!({
            "title": "T",
            "definitions": {
                "title": {"type": "string", "description": "d"},
                "v2": {
                    "description": {
                        "properties": {"default": {"default": null, "type": "null"}, "a": true},
                    },
                },
            },
        });
        assert_eq!(
            Bundle::new(stable, None).text,
            r#"{"stable":{"definitions":{"title":{"type":"string"},"v2":{"description":{"properties":{"a":true,"default":{"type":"null"}}}}}}}"#
        );
    }
}
