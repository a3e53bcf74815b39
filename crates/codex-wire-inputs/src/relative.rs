//! Paths from one folder to another, by their names alone: nothing is opened.

use std::path::{Component, Path, PathBuf};

/// A path from a folder on, without `.` and, as far as possible, without `..`.
pub fn absolute(folder: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in folder.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// How an absolute path is reached from an absolute folder. Only a path that shares nothing with the
/// folder but the root stays absolute.
pub fn relative_to(folder: &Path, path: &Path) -> PathBuf {
    let shared = folder
        .components()
        .zip(path.components())
        .take_while(|(a, b)| a == b)
        .count();
    if shared <= 1 {
        return path.to_owned();
    }
    let up = folder
        .components()
        .skip(shared)
        .map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path.components().skip(shared)).collect();
    match relative.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => relative,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let to = |folder: &str, path: &str| {
            relative_to(Path::new(folder), Path::new(path))
                .display()
                .to_string()
        };
        assert_eq!(to("/a/b", "/a/b/c/d"), "c/d");
        assert_eq!(to("/a/b", "/a/c"), "../c");
        assert_eq!(to("/a/b", "/a/b"), ".");
        assert_eq!(to("/a/b", "/c"), "/c");
        let from = |folder: &str, path: &str| {
            absolute(Path::new(folder), Path::new(path))
                .display()
                .to_string()
        };
        assert_eq!(from("/a/b", "./../c//d"), "/a/c/d");
        assert_eq!(from("/a", "/b"), "/b");
        assert_eq!(from("/a", "../../b"), "/../b");
    }
}
