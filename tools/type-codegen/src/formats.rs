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

/// Formats: the name of the module, of the document, and of the command that writes it, and the schema.
const ALL: &[(&str, &str, &str, &str)] = &[
    ("report", "Report", "check", own::REPORT),
    // It holds those of `diff.json`.
    ("difference", "TranscriptDiff", "diff", own::DIFF_TRANSCRIPT),
    (
        "identification",
        "Identification",
        "identify",
        own::IDENTIFICATION,
    ),
    ("session", "Session", "show", own::SESSION),
    ("usage", "Usage", "usage", own::USAGE),
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
    let read = |(module, name, command, text): &(&'static str, &str, &str, &str)| {
        // A test of the schemas sees what is not JSON.
        let schema: Value = serde_json::from_str(text).unwrap_or_default();
        let id = schema["$id"].as_str().unwrap_or_default();
        let file = id.rsplit('/').next().unwrap_or_default();
        Ok(Own {
            module,
            format: Format::read(name, &schema)?,
            origin: format!(
                "What `codex-wire {command} --format json` writes. Made from schemas/{file} by `cargo xtask generate`."
            ),
        })
    };
    ALL.iter().map(read).collect()
}
