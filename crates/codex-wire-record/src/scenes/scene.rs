//! A scene.

use std::fmt;
use std::io;
use std::path::Path;

use codex_wire_base::Release;

use super::recording::Recording;
use super::script::Script;

/// A session that can be recorded with a release.
pub struct Scene {
    /// Its name.
    pub name: &'static str,
    /// What it is about: `exec` or `app-server`, or `rollout` where several processes, maybe of both
    /// kinds, write the same session files.
    pub protocol: &'static str,
    since: Option<Release>,
    until: Option<Release>,
    script: fn() -> Script,
    is_billed: bool,
}

impl Scene {
    pub(super) fn new(
        protocol: &'static str,
        name: &'static str,
        since: Option<Release>,
        script: fn() -> Script,
    ) -> Self {
        Scene {
            name,
            protocol,
            since,
            until: None,
            script,
            is_billed: false,
        }
    }

    /// The same up to a last release.
    pub(super) fn until(self, until: Release) -> Self {
        let until = Some(until);
        Scene { until, ..self }
    }

    /// The same, and what the model returned is kept: see [`left`](crate::left). No two answers cost the same.
    #[must_use]
    pub fn billed(self) -> Self {
        Scene {
            is_billed: true,
            ..self
        }
    }

    /// Whether the release can play it.
    pub fn suits(&self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release)
            && self.until.is_none_or(|until| release <= until)
    }

    /// Plays it with a program of the release, in a home below `root`, which is emptied.
    ///
    /// # Errors
    /// If a folder cannot be written, or the program not started.
    pub fn play(
        &self,
        program: &Path,
        release: Release,
        root: &Path,
    ) -> io::Result<Vec<Recording>> {
        let script = (self.script)();
        let script = match self.is_billed {
            true => script.billed(),
            false => script,
        };
        script.play(self.name, program, release, root)
    }
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.protocol, self.name)
    }
}
