//! A double that plays recordings.

use std::env;
use std::path::{Path, PathBuf};

use codex_wire_replay::OnMiss;

use super::error::Error;
use super::plan::{Manner, Plan, Played, Speed};
use super::running::Double;

/// The variable with the folder of the package whose tests run.
const PACKAGE: &str = "CARGO_MANIFEST_DIR";

/// A double of Codex that plays a recording: a transcript, as `codex-wire tap --record` writes it, or the output of
/// `codex exec --json`. [What it answers](https://github.com/codex-wire/codex-wire/blob/main/docs/replay.md#how-requests-are-matched)
/// follows from what the recorded client asked.
///
/// The path is relative to the folder of the package, where cargo runs tests. The front page of this crate has an
/// [example](crate#a-double-of-codex).
pub fn stand_in(recording: impl Into<PathBuf>) -> StandIn {
    StandIn {
        recordings: vec![recording.into()],
        as_release: None,
        manner: Manner::default(),
    }
}

/// What a double plays that [`stand_in`] makes, and how it is played.
#[derive(Clone, Debug)]
#[must_use = "nothing is there before it starts"]
pub struct StandIn {
    recordings: Vec<PathBuf>,
    as_release: Option<String>,
    manner: Manner,
}

impl StandIn {
    /// Another recording, or a folder of them. The first one is played as long as it has what the client does.
    pub fn recording(mut self, path: impl Into<PathBuf>) -> Self {
        self.recordings.push(path.into());
        self
    }

    /// The release that the recordings are of, such as `0.169.0`; without, the one that they say or show.
    pub fn release(mut self, release: impl Into<String>) -> Self {
        self.manner.release = Some(release.into());
        self
    }

    /// They are played as this release would have written them.
    pub fn as_release(mut self, release: impl Into<String>) -> Self {
        self.as_release = Some(release.into());
        self
    }

    /// Something goes wrong on purpose: a fault, such as `turn-fails` or `turn-fails@2`.
    pub fn fault(mut self, id: impl Into<String>) -> Self {
        self.manner.faults.push(id.into());
        self
    }

    /// What faults leave open follows from this number.
    pub fn seed(mut self, seed: u64) -> Self {
        self.manner.seed = seed;
        self
    }

    /// What happens when no recording answers the client. If this is not said, it gets an error, as the release gives it.
    pub fn on_miss(mut self, on_miss: OnMiss) -> Self {
        self.manner.on_miss = Some(on_miss);
        self
    }

    /// When lines are written; at once if this is not said.
    pub fn speed(mut self, speed: Speed) -> Self {
        self.manner.speed = speed;
        self
    }

    /// The first time of a recording is moved to now, and all others with it. If this is not said, they are as recorded.
    pub fn times_now(mut self) -> Self {
        self.manner.times_now = true;
        self
    }

    /// The program `codex-wire` that plays, if it is [another](super#the-program) than without this.
    pub fn program(mut self, path: impl Into<PathBuf>) -> Self {
        self.manner.program = Some(path.into());
        self
    }

    /// Writes the program.
    ///
    /// # Errors
    /// If there is no program that plays, or a recording cannot be read or played. The message has the place.
    pub fn start(self) -> Result<Double, Error> {
        let paths = self.recordings.into_iter().map(in_package);
        Double::start(Plan {
            played: Played::Recordings {
                paths: paths.collect(),
                as_release: self.as_release,
            },
            manner: self.manner,
        })
    }
}

/// A path as tests mean it. It stays as it was written where it is right already.
fn in_package(path: PathBuf) -> PathBuf {
    let package = env::var_os(PACKAGE).map(PathBuf::from);
    match package {
        Some(package) if !is_here(&package) => package.join(path),
        _ => path,
    }
}

fn is_here(folder: &Path) -> bool {
    env::current_dir().is_ok_and(|here| here == folder)
}
