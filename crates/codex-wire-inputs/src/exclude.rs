//! Implements `--exclude`: which files of folders and archives are not read.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::glob::Glob;
use crate::relative::absolute;

/// A pattern of paths.
#[derive(Clone, Debug)]
pub struct Exclude {
    matcher: Glob,
    /// Whether it is about one name, at any depth.
    is_name: bool,
    /// The folder that a pattern of paths is about, if that is not the one that the user names.
    within: Option<PathBuf>,
}

impl Exclude {
    /// Reads a pattern: of a name, at any depth, or with a slash of a path.
    ///
    /// # Errors
    /// If it is not a pattern.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.strip_prefix("./").unwrap_or(text);
        let pattern = text.strip_suffix('/').unwrap_or(text);
        Ok(Exclude {
            matcher: Glob::of_paths(pattern)?,
            is_name: !pattern.contains('/'),
            within: None,
        })
    }

    /// The same pattern, about paths below this absolute folder.
    #[must_use]
    pub fn within(mut self, folder: &Path) -> Self {
        self.within = Some(folder.to_owned());
        self
    }

    /// Whether a path, or a folder above it, matches. `folder` is the one that the user names, or the
    /// archive.
    pub fn matches(&self, folder: &Path, path: &Path) -> bool {
        let inside = path.strip_prefix(folder).unwrap_or(path);
        if self.is_name {
            return self.covers(inside);
        }
        if self.within.is_some() {
            let here = std::env::current_dir().unwrap_or_default();
            return self.matches_from(&here, path);
        }
        self.covers(inside) || self.covers(path.strip_prefix(".").unwrap_or(path))
    }

    /// Whether a path from a folder on matches a pattern of another folder.
    pub fn matches_from(&self, here: &Path, path: &Path) -> bool {
        let path = absolute(here, path);
        let within = self.within.as_deref().unwrap_or(here);
        path.strip_prefix(within)
            .is_ok_and(|path| self.covers(path))
    }

    /// Whether the path, or a folder above it, matches.
    fn covers(&self, path: &Path) -> bool {
        if self.is_name {
            let mut names = path.components();
            return names.any(|name| self.matcher.is_match(name.as_os_str()));
        }
        path.ancestors()
            .any(|path| !path.as_os_str().is_empty() && self.matcher.is_match(path))
    }
}

/// Whether one of the patterns matches.
pub(crate) fn is_excluded(patterns: &[Exclude], folder: &Path, path: &Path) -> bool {
    patterns.iter().any(|pattern| pattern.matches(folder, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths() {
        let matches = |pattern: &str, path: &str| {
            let pattern = Exclude::parse(pattern).unwrap();
            pattern.matches(Path::new("./t"), &Path::new("./t").join(path))
        };
        assert!(matches("*.log", "a/b.log"));
        assert!(!matches("*.log", "a/b.jsonl"));
        // A folder, with all that is in it.
        assert!(matches("old", "a/old/b.jsonl"));
        assert!(matches("old/", "old/b.jsonl"));
        // From the folder that the user names, or as it is shown.
        assert!(matches("a/*.jsonl", "a/b.jsonl"));
        assert!(!matches("a/*.jsonl", "a/b/c.jsonl"));
        assert!(matches("a/**/*.jsonl", "a/b/c.jsonl"));
        assert!(matches("t/a", "a/b.jsonl"));
        assert!(matches("./t/a", "a/b.jsonl"));
        // The folder itself is named by the user.
        assert!(!matches("t", "a/b.jsonl"));
        let from_here = |pattern: &str, path: &str| {
            let pattern = Exclude::parse(pattern).unwrap();
            pattern.matches_from(Path::new("/w"), Path::new(path))
        };
        assert!(from_here("*.log", "a/b.log"));
        assert!(from_here("old", "a/old/b.jsonl"));
        assert!(!from_here("*.log", "../b.log"));
        assert!(!from_here("a/*.jsonl", "b/a/c.jsonl"));
        for bad in ["", "/", "[", "a{"] {
            assert!(Exclude::parse(bad).is_err(), "{bad}");
        }
    }
}
