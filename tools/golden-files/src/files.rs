//! Finds files of the project, for tests that read recordings.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the project.
///
/// # Panics
/// Never: this crate lies two levels below it.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("this crate lies two levels below the root")
        .to_owned()
}

/// The path from the root of the project, for messages.
pub fn short(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// All files below a folder with the given extension, in order; none if there is no folder.
///
/// # Panics
/// If a folder cannot be read to its end.
pub fn below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return out;
    };
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            out.extend(below(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            out.push(path);
        }
    }
    out.sort();
    out
}
