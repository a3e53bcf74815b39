//! What is read from each recording fits the published schema, and comes back from JSON as it was.

use codex_wire_session::{Reader, Session};
use serde_json::Value;

use golden_files::files;

#[test]
fn every_session_fits_the_published_schema() {
    let schema: Value = serde_json::from_str(codex_wire_schema::own::SESSION).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let reader = Reader::new();
    let mut read = 0;
    for folder in [
        "exec",
        "exec-legacy",
        "core",
        "app-server",
        "rollout",
        "rollout-cross",
    ] {
        let folder = files::root().join("fixtures").join(folder);
        for path in files::below(&folder, "jsonl") {
            let name = files::short(&path);
            let text = std::fs::read(&path).expect("a recording");
            let Ok(session) = reader.read(&name, &*text) else {
                continue;
            };
            let json = serde_json::to_value(&session).expect("JSON");
            if let Some(error) = validator.iter_errors(&json).next() {
                panic!("{name}: {error} at {}", error.instance_path());
            }
            let again: Session = serde_json::from_value(json.clone()).expect("a session");
            assert_eq!(serde_json::to_value(&again).expect("JSON"), json, "{name}");
            read += 1;
        }
    }
    assert!(read > 1500, "only {read} were read");
}
