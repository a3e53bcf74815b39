//! A scene and its recording.

use std::fmt;
use std::io;
use std::path::Path;

use codex_wire_base::Release;

/// A session that can be recorded with a release.
pub struct Scene {
    /// Its name.
    pub name: &'static str,
    /// Its protocol: `exec` or `app-server`.
    pub protocol: &'static str,
    pub(super) since: Option<Release>,
    pub(super) play: Box<Play>,
}

/// Records a scene: its name, a program of Codex, the release of the program, and a folder for its home.
pub(super) type Play = dyn Fn(&str, &Path, Release, &Path) -> io::Result<Vec<Recording>>;

/// The recording of a scene.
#[derive(Debug)]
pub struct Recording {
    /// The name of the scene, with a number if it has several parts.
    pub name: String,
    /// Standard output of `codex exec`, or a transcript of both sides.
    pub bytes: Vec<u8>,
    /// Why the recording is not as the scene describes it, if so.
    pub complaint: Option<String>,
}

impl Scene {
    /// Whether the release can play it.
    pub fn suits(&self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release)
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
        (self.play)(self.name, program, release, root)
    }
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.protocol, self.name)
    }
}
