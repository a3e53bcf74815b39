//! The project's folders and the transcripts in them.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate lies two levels below the root")
        .to_owned()
}

/// The path from the root of the project, for messages.
pub(crate) fn short(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// All files below a folder with the given extension, in order; none if there is no folder.
pub(crate) fn below(folder: &Path, extension: &str) -> Vec<PathBuf> {
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
