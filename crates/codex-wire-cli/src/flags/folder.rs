//! The flags that say which files of a folder are read.

use std::num::NonZeroUsize;
use std::thread;

use clap::Args;

use crate::inputs::{Exclude, Opened, Selection, Since};

/// The most threads that are used unless the user asks for more. So many read faster than disks are.
const MOST: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// Which files of a folder to read.
#[derive(Clone, Debug, Args)]
pub(crate) struct FolderFlags {
    /// In folders, read only files with activity since DATE, such as 2026-11-20
    ///
    /// A date begins at midnight UTC; a time is written like 2026-11-20T15:04:05Z. A file is skipped
    /// if it was last changed before that and, if it is a session file, its name shows an earlier
    /// time too.
    #[arg(long, value_name = "DATE", value_parser = Since::parse)]
    pub(crate) since: Option<Since>,

    /// In folders and archives, do not read files that match GLOB; can be given several times
    ///
    /// `*.log` and `old` match names at any depth, of folders too. A pattern with a slash matches paths,
    /// from the folder that you name or as they are shown: `2025/*/run.jsonl`, `recordings/**/tmp`. The
    /// report lists these files. A file that you name yourself is always read.
    #[arg(long, value_name = "GLOB", value_parser = Exclude::parse)]
    pub(crate) exclude: Vec<Exclude>,

    /// Skip files that are not transcripts, instead of reporting them
    ///
    /// An input of which no line is a message of Codex is then listed as not read. Without this flag, only
    /// `.json` and `.log` files in folders and archives are skipped in this way.
    #[arg(long)]
    pub(crate) skip_unknown: bool,
}

impl FolderFlags {
    /// Which files of folders are read.
    pub(crate) fn selection(&self) -> Selection<'_> {
        Selection::new().since(self.since).exclude(&self.exclude)
    }

    /// Whether an input that is not a transcript is skipped.
    pub(crate) fn skips(&self, opened: &Opened<'_>) -> bool {
        self.skip_unknown || opened.is_lenient
    }
}

/// How many threads work on that many inputs: as many as the user says, or as the system has
/// processors for several inputs, and one for one.
pub(crate) fn threads(stated: Option<NonZeroUsize>, inputs: usize) -> NonZeroUsize {
    stated.unwrap_or_else(|| match inputs {
        0 | 1 => NonZeroUsize::MIN,
        _ => thread::available_parallelism().map_or(NonZeroUsize::MIN, |number| number.min(MOST)),
    })
}
