//! Scenes: what the client asks of Codex, what the model answers, and what is recorded.
//!
//! A scene is played with any release that can play it. If a release refuses a request, that is
//! part of the recording: a scene fails only if Codex does not answer at all.

mod app_server;
mod exec;

use std::io;
use std::path::Path;

use codex_wire_base::Release;

/// Something that can be played with a release.
#[derive(Debug)]
pub struct Scene {
    /// How it is called.
    pub name: &'static str,
    /// The protocol it is played in: `exec` or `app-server`.
    pub protocol: &'static str,
    since: Option<Release>,
    play: Play,
}

#[derive(Debug)]
enum Play {
    Exec(fn() -> exec::Script),
    AppServer(fn() -> app_server::Script),
}

/// What came of a scene.
#[derive(Debug)]
pub struct Recording {
    /// The name of the scene, with a number where it has several parts.
    pub name: String,
    /// Standard output of `codex exec`, or a transcript of both sides.
    pub bytes: Vec<u8>,
    /// What did not come to pass as the scene has it.
    pub complaint: Option<String>,
}

/// All scenes.
pub fn all() -> impl Iterator<Item = Scene> {
    exec::scenes().chain(app_server::scenes())
}

impl Scene {
    /// Whether that release can play it.
    pub fn suits(&self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release)
    }

    /// Plays it with a program of that release, in a home below `root`, which is emptied.
    ///
    /// # Errors
    /// When the stage cannot be set: a folder cannot be written, a program not started.
    pub fn play(
        &self,
        program: &Path,
        release: Release,
        root: &Path,
    ) -> io::Result<Vec<Recording>> {
        match &self.play {
            Play::Exec(script) => exec::play(self.name, script(), program, release, root),
            Play::AppServer(script) => {
                app_server::play(self.name, script(), program, release, root)
            }
        }
    }
}
