//! The options of each transcript.

use std::path::Path;

use codex_wire_base::Protocol;
use codex_wire_check::Options;

/// How to check a transcript: [`Options`] for all transcripts, or a function that returns the options
/// for a path.
pub trait OptionsFor: Send + Sync + 'static {
    /// The options for the transcript at `path`.
    ///
    /// # Errors
    /// If the path gives no options. The text is the failure of the transcript's test.
    fn options_for(&self, path: &Path) -> Result<Options, String>;
}

impl OptionsFor for Options {
    fn options_for(&self, _: &Path) -> Result<Options, String> {
        Ok(self.clone())
    }
}

impl<F> OptionsFor for F
where
    F: Fn(&Path) -> Result<Options, String> + Send + Sync + 'static,
{
    fn options_for(&self, path: &Path) -> Result<Options, String> {
        self(path)
    }
}

/// Options by folder: a transcript is checked against the release that the nearest folder is named
/// after, as in `transcripts/0.44.0/message.jsonl`.
///
/// The names of forks work like releases.
pub fn by_release_folder(
    protocol: Protocol,
) -> impl Fn(&Path) -> Result<Options, String> + Send + Sync + 'static {
    move |path| {
        let timeline = protocol.release_list();
        path.ancestors()
            .skip(1)
            .filter_map(|folder| folder.file_name()?.to_str())
            .find_map(|name| timeline.resolve(name).ok())
            .map(|release| Options::release(protocol, release))
            .ok_or_else(|| format!("no folder of {} is named after a release", path.display()))
    }
}
