//! The entries for SchemaStore, the catalogue that editors ask which schema a file has.

use serde_json::{Value, json};

/// Where the files of the main branch can be had.
const FILES: &str = "https://raw.githubusercontent.com/codex-wire/codex-wire/main/";

/// The entries, in the form of SchemaStore's catalogue. Files that an editor opens have a name to
/// match; the lines of Codex have none.
pub(crate) fn entries() -> Value {
    let entries = [
        (
            "codex-wire settings",
            "Settings of codex-wire, which checks recordings of Codex",
            &["codex-wire.toml"][..],
            "schemas/codex-wire.toml.json",
        ),
        (
            "codex-wire script",
            "What the model does in a run that codex-wire plays instead of Codex",
            &["*.codex-script.toml"],
            "schemas/script.json",
        ),
        (
            "Codex exec line",
            "One line of codex exec --json, newest release, for clients",
            &[],
            "schemas/exec/latest.open.draft-07.json",
        ),
        (
            "Codex session file line",
            "One line of a session file of Codex, newest release, for clients",
            &[],
            "schemas/rollout/latest.open.draft-07.json",
        ),
        (
            "Codex app-server",
            "All messages of codex app-server, newest release, for code generators",
            &[],
            "schemas/app-server/latest.codegen.draft-07.json",
        ),
    ];
    let entries = entries.map(|(name, description, matched, path)| {
        let mut entry = json!({
            "name": name,
            "description": description,
            "url": format!("{FILES}{path}"),
        });
        if !matched.is_empty() {
            entry["fileMatch"] = json!(matched);
        }
        entry
    });
    json!({"schemas": entries})
}
