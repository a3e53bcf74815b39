//! Compares what tests make with the files of the repository, finds these, and makes empty folders
//! for tests.
//!
//! If the variable `UPDATE_EXPECT` is set, tests write the files instead; `cargo xtask generate` sets
//! it. The comparison is that of `expect-test`, which shows how a file differs.
//!
//! This crate must not know any other crate of the workspace.

#![forbid(unsafe_code)]

pub mod files;
pub mod folders;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use expect_test::expect_file;

/// Whether files are written and not compared.
pub fn is_update() -> bool {
    env::var_os("UPDATE_EXPECT").is_some()
}

/// Compares a text with a file, or writes the file.
///
/// # Panics
/// If the file has another text or cannot be written.
pub fn assert_file(path: &Path, text: &str) {
    if let Some(folder) = path.parent().filter(|_| is_update()) {
        fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    }
    expect_file![path].assert_eq(text);
}

/// Compares texts with all files below a folder that have an extension, or writes these files and
/// removes others.
///
/// # Panics
/// If a file has another text, is missing, or is not one of these.
pub fn assert_folder(folder: &Path, extension: &str, texts: &BTreeMap<String, String>) {
    let difference = Difference::between(folder, extension, texts);
    if is_update() {
        for path in &difference.unknown {
            fs::remove_file(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    } else {
        let Difference { unknown, changed } = &difference;
        assert!(
            unknown.is_empty() && changed.len() < 2,
            "below {}: nothing makes {unknown:?}; missing or different: {changed:?}",
            folder.display()
        );
    }
    for path in &difference.changed {
        assert_file(&folder.join(path), &texts[path]);
    }
}

/// How the files below a folder differ from what they should be.
#[derive(Debug, PartialEq)]
struct Difference {
    /// Files that are missing or have another text.
    changed: Vec<String>,
    /// Files that should not be there.
    unknown: Vec<String>,
}

impl Difference {
    fn between(folder: &Path, extension: &str, texts: &BTreeMap<String, String>) -> Self {
        let is_other = |(path, text): &(&String, &String)| {
            let found = fs::read_to_string(folder.join(path));
            !found.is_ok_and(|found| found == **text)
        };
        let changed = texts.iter().filter(is_other);
        let mut unknown = files(folder, extension);
        unknown.retain(|path| !texts.contains_key(path));
        Difference {
            changed: changed.map(|(path, _)| path.clone()).collect(),
            unknown,
        }
    }
}

/// The files below a folder that have an extension, by their paths from there, in order.
fn files(folder: &Path, extension: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut left = vec![PathBuf::new()];
    while let Some(below) = left.pop() {
        for entry in fs::read_dir(folder.join(&below)).into_iter().flatten() {
            let entry = entry.expect("a readable folder");
            let path = below.join(entry.file_name());
            if entry.path().is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                // Paths have slashes, whatever the system writes.
                let names = path.iter().map(|name| name.to_string_lossy());
                out.push(names.collect::<Vec<_>>().join("/"));
            }
        }
    }
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_changed_missing_or_unknown_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let texts = ["a.md", "b/c.md", "b/d.md"].map(|path| (path.to_owned(), path.to_owned()));
        let texts = BTreeMap::from(texts);
        fs::create_dir(folder.path().join("b")).expect("a folder");
        for (path, text) in [
            ("a.md", "a.md"),
            ("b/c.md", "?"),
            ("e.md", ""),
            ("f.txt", ""),
        ] {
            fs::write(folder.path().join(path), text).expect("a file");
        }
        let difference = Difference::between(folder.path(), "md", &texts);
        assert_eq!(difference.changed, ["b/c.md", "b/d.md"]);
        assert_eq!(difference.unknown, ["e.md"]);
    }

    #[test]
    fn an_equal_file_passes_and_another_fails() {
        if is_update() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        fs::write(&path, "one\n").expect("a file");
        assert_file(&path, "one\n");
        let other = std::panic::catch_unwind(|| assert_file(&path, "two\n"));
        assert!(other.is_err());
        let texts = BTreeMap::from([("a.txt".to_owned(), "two\n".to_owned())]);
        let other = std::panic::catch_unwind(|| assert_folder(folder.path(), "txt", &texts));
        assert!(other.is_err());
        let none =
            std::panic::catch_unwind(|| assert_folder(folder.path(), "txt", &BTreeMap::new()));
        assert!(none.is_err());
    }
}
