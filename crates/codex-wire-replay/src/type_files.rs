//! The files that `codex app-server generate-json-schema` and `generate-ts` write, as each release writes them.
//!
//! They are in the program as `cargo xtask sync` archived them: without what people read, which is comments,
//! descriptions and default values. The titles, which code generators read, and the second bundle follow from
//! the rest. So a schema accepts what that of the release accepts, and a type of TypeScript is the same type.

mod archive;
mod json_schema;
mod titles;
mod typescript;

use std::collections::BTreeMap;

use codex_wire_base::Release;

use self::archive::Archive;

/// What the files describe the messages in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// `codex app-server generate-json-schema`.
    JsonSchema,
    /// `codex app-server generate-ts`.
    TypeScript,
}

impl Language {
    /// The command of `codex app-server` that writes them.
    pub fn command(self) -> &'static str {
        match self {
            Language::JsonSchema => "generate-json-schema",
            Language::TypeScript => "generate-ts",
        }
    }
}

/// The files of a release, by their paths: `v2/Turn.ts`. `is_experimental` is whether the experimental API is in
/// them, which releases before 0.95.0 do not have. `None` for a release whose files are not known.
pub fn type_files(
    release: Release,
    language: Language,
    is_experimental: bool,
) -> Option<BTreeMap<String, String>> {
    match language {
        Language::JsonSchema => {
            let bundle = Archive::Bundle.read(release, is_experimental)?;
            let messages = Archive::Messages.read(release, is_experimental)?;
            Some(json_schema::files(release, bundle, messages))
        }
        Language::TypeScript => {
            let code = Archive::TypeScript.read(release, is_experimental)?;
            Some(typescript::files(&code))
        }
    }
}
