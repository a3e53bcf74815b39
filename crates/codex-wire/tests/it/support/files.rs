//! The project's folders and the transcripts in them.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use golden_files::files::{below, root, short};

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
