//! The recording of what is passed on, as long as it can be written.

use std::io;

use crate::notice::{Notice, Notices};
use crate::recorder::Recorder;

/// A recording, if one is wanted, and whether it has everything.
pub(crate) struct Recording {
    recorder: Option<Recorder>,
    is_complete: bool,
    notices: Notices,
}

impl Recording {
    pub(crate) fn new(recorder: Option<Recorder>, notices: Notices) -> Self {
        Recording {
            recorder,
            is_complete: true,
            notices,
        }
    }

    /// Who writes it, as long as it can be written.
    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// Records something. After an error, nothing more is recorded.
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut Recorder) -> io::Result<()>) {
        if let Some(recorder) = &mut self.recorder
            && let Err(error) = write(recorder)
        {
            let path = recorder.path().to_owned();
            self.recorder = None;
            self.lacks(&Notice::NotRecorded { path, error });
        }
    }

    /// Lets others read what was recorded so far.
    pub(crate) fn flush(&mut self) {
        self.write(Recorder::flush);
    }

    /// Something is missing from the recording, or from the check.
    pub(crate) fn lacks(&mut self, notice: &Notice) {
        self.is_complete = false;
        self.notices.tell(notice);
    }

    /// Ends the recording. It is removed if something private survived. Returns whether everything was
    /// recorded.
    pub(crate) fn finish(mut self) -> bool {
        let Some(mut recorder) = self.recorder.take() else {
            return self.is_complete;
        };
        let path = recorder.path().to_owned();
        if let Err(error) = recorder.flush() {
            let path = path.clone();
            self.lacks(&Notice::NotRecorded { path, error });
        }
        if let Err(survivor) = recorder.check() {
            drop(recorder);
            self.lacks(&Notice::NotScrubbed {
                kept: std::fs::remove_file(&path).err(),
                path,
                survivor,
            });
        }
        self.is_complete
    }
}
