//! The types of our own formats in other languages, from their schemas: reports, sessions and what else the
//! program writes as JSON.
//!
//! [`Format`] is what a schema says, for all languages; a module for each language prints it. The schemas use
//! few words of JSON Schema, and any other word is an error here.

mod definitions;
mod model;
mod python;
mod typescript;

pub use model::{Format, FormatError};

use codex_wire_schema::own;
use serde_json::Value;

/// Formats: the name of the module, of the document, and what writes it, and the schema.
const ALL: &[(&str, &str, &str, &str)] = &[
    (
        "report",
        "Report",
        "`codex-wire check --format json`",
        own::REPORT,
    ),
    // It holds those of `diff.json`.
    (
        "difference",
        "TranscriptDiff",
        "`codex-wire diff --format json`",
        own::DIFF_TRANSCRIPT,
    ),
    (
        "identification",
        "Identification",
        "`codex-wire identify --format json`",
        own::IDENTIFICATION,
    ),
    (
        "session",
        "Session",
        "`codex-wire show --format json`",
        own::SESSION,
    ),
    (
        "usage",
        "Usage",
        "`codex-wire usage --format json`",
        own::USAGE,
    ),
    (
        "faults",
        "Faults",
        "`codex-wire faults --format json`",
        own::FAULTS,
    ),
    (
        "client_log",
        "ClientEvent",
        "a stand-in with a client log",
        own::CLIENT_LOG,
    ),
    // The methods of a double have its keys.
    ("script", "Script", "`fakeCodex`", own::SCRIPT),
];

/// A format of the program.
#[derive(Clone, Debug)]
pub struct Own {
    /// The name of its module.
    pub module: &'static str,
    /// Its types.
    pub format: Format,
    /// What writes it, and where the types come from.
    pub origin: String,
}

/// The formats of the program.
///
/// # Errors
/// If a schema has words that have no meaning here.
pub fn own() -> Result<Vec<Own>, FormatError> {
    let read = |(module, name, writer, text): &(&'static str, &str, &str, &str)| {
        // A test of the schemas sees what is not JSON.
        let schema: Value = serde_json::from_str(text).unwrap_or_default();
        let id = schema["$id"].as_str().unwrap_or_default();
        let file = id.rsplit('/').next().unwrap_or_default();
        Ok(Own {
            module,
            format: Format::read(name, &schema)?,
            origin: format!(
                "What {writer} writes. Made from schemas/{file} by `cargo xtask generate`."
            ),
        })
    };
    ALL.iter().map(read).collect()
}
