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

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", short(path)))
}

/// The recorded transcripts of the exec protocol.
///
/// # Panics
/// When there are none: a test over no transcripts would hold of anything.
pub(crate) fn recorded() -> Vec<PathBuf> {
    let files = below(&root().join("fixtures/exec"), "jsonl");
    assert!(!files.is_empty(), "fixtures/exec holds no .jsonl file");
    files
}

/// The recorded transcripts and the made-up ones.
pub(crate) fn transcripts() -> Vec<PathBuf> {
    let mut files = recorded();
    files.extend(below(&root().join("fixtures/synthetic/exec"), "jsonl"));
    files
}

/// The lines of a transcript that hold something, with the place to name in a message.
pub(crate) fn lines(path: &Path) -> Vec<(String, String)> {
    read(path)
        .split('\n')
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| (format!("{}:{}", short(path), index + 1), line.to_owned()))
        .collect()
}
