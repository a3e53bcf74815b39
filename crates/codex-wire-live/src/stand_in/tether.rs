//! What an installed stand-in is tied to: the process that it was installed for, and its own folder. When either is
//! gone it ends, whatever it is doing, so that no test leaves one behind.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::process::has_ended;
use crate::stand_in::settings::{FILE, Settings};

/// How often it is looked for.
const PERIOD: Duration = Duration::from_millis(100);

/// What an installed stand-in is tied to.
#[derive(Clone, Debug)]
pub struct Tether {
    file: Option<PathBuf>,
    owner: Option<u32>,
}

impl Tether {
    /// That of a stand-in with these settings: its owner, if it has one, and the file that they are from.
    pub fn of(settings: &Settings) -> Self {
        let folder = settings.folder.as_deref();
        Tether {
            file: folder.map(|folder| folder.join(FILE)),
            owner: settings.owner,
        }
    }

    /// Waits until the stand-in is no longer needed: without end if it is tied to nothing. Whoever has the process ends
    /// it then, whatever it is doing.
    pub fn wait(&self) {
        while !self.is_gone() {
            thread::sleep(PERIOD);
        }
    }

    fn is_gone(&self) -> bool {
        self.file.as_deref().is_some_and(is_gone) || self.owner.is_some_and(has_ended)
    }
}

/// Whether a file is gone. If that cannot be found out, it may be there.
fn is_gone(file: &Path) -> bool {
    file.symlink_metadata()
        .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}
