//! What a play depends on beside the script.

use crate::names::is_absolute;

/// The surroundings of a played Codex.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The folder in which Codex works.
    pub cwd: String,
    /// The home of Codex.
    pub codex_home: String,
    /// The time at the start, in milliseconds since 1970.
    pub now_ms: u64,
    /// The ids depend on this and on the time alone.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            cwd: "/workspace/project".to_owned(),
            codex_home: "/workspace/codex-home".to_owned(),
            // 2026-01-01.
            now_ms: 1_767_225_600_000,
            seed: 0,
        }
    }
}

impl Settings {
    /// The defaults: folders below `/workspace`, the first of January 2026, and the seed 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, with this folder in which Codex works.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// The same, with this home of Codex.
    #[must_use]
    pub fn codex_home(mut self, codex_home: impl Into<String>) -> Self {
        self.codex_home = codex_home.into();
        self
    }

    /// The same, with this time at the start, in milliseconds since 1970.
    #[must_use]
    pub fn now_ms(mut self, now_ms: u64) -> Self {
        self.now_ms = now_ms;
        self
    }

    /// The same, with this seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// A path, seen from the folder in which Codex works.
    pub(crate) fn absolute(&self, path: &str) -> String {
        absolute(&self.cwd, path)
    }

    /// A folder that the client names, as Codex answers with it: absolute, without `.`, `..` and the separators that
    /// mean nothing. The same in 0.98.0, 0.125.0 and 0.169.0.
    pub(crate) fn folder(&self, path: &str) -> String {
        let absolute = self.absolute(path);
        // A path of Windows stays as it is.
        if !absolute.starts_with('/') || is_absolute(path) && !path.starts_with('/') {
            return match path {
                "" => self.cwd.clone(),
                path => path.to_owned(),
            };
        }
        let mut parts = Vec::new();
        for part in absolute.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        format!("/{}", parts.join("/"))
    }
}

/// A path, seen from a folder.
pub(crate) fn absolute(folder: &str, path: &str) -> String {
    match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{}/{path}", folder.trim_end_matches('/')),
    }
}
