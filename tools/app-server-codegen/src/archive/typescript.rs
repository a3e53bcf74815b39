//! The files of `generate-ts`: a type for each.

use std::collections::BTreeMap;

use super::prose::without_comments;
use super::texts::Archived;

/// The code of files by their paths, without `.ts`: `v2/Turn`.
pub type Code = BTreeMap<String, String>;

/// The files of a release, as they are archived: without comments.
pub type TypeScript = Archived<Code>;

impl TypeScript {
    /// The files as Codex writes them, for every client and for clients that opted into the
    /// experimental API.
    pub fn new(stable: Code, experimental: Option<Code>) -> Self {
        Archived::join(archived(stable), experimental.map(archived))
    }
}

fn archived(mut files: Code) -> Code {
    for code in files.values_mut() {
        *code = without_comments(code);
    }
    files
}
