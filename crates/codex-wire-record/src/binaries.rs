//! Finds binaries of Codex.

use std::path::{Path, PathBuf};

/// The variable that names the folder of binaries.
pub const CACHE_VARIABLE: &str = "CODEX_WIRE_CACHE";

/// The binary of a release, if it was fetched: `VERSION/codex` in the folder that
/// [`CACHE_VARIABLE`] names, or in `.cache/codex` of the workspace.
pub fn binary(workspace: &Path, version: &str) -> Option<PathBuf> {
    let cache = match std::env::var_os(CACHE_VARIABLE) {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => workspace.join(".cache/codex"),
    };
    let path = cache.join(version).join("codex");
    // Newer releases look for helpers beside the file itself, so links are followed.
    path.canonicalize().ok().filter(|path| path.is_file())
}
