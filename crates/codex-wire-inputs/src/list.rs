//! Lists what there is to read, before anything is read: so it is known how much there is.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, Walk, WalkBuilder};

use crate::error::{Error, Unreadable};
use crate::exclude::{Exclude, is_excluded};
use crate::known;
use crate::names::{Named, named};
use crate::since::Since;
use crate::skipped::{SkipReason, Skipped};
use crate::source::{STDIN, Source, is_regular, other_form};
use crate::stop::Stop;

/// Which files of folders are read.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Selection<'s> {
    /// Those to which something may have been written since then.
    pub since: Option<Since>,
    /// Not those that match one of these.
    pub exclude: &'s [Exclude],
}

impl<'s> Selection<'s> {
    /// All files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only those to which something may have been written since then.
    #[must_use]
    pub fn since(mut self, since: Option<Since>) -> Self {
        self.since = since;
        self
    }

    /// Not those that match one of these.
    #[must_use]
    pub fn exclude(mut self, patterns: &'s [Exclude]) -> Self {
        self.exclude = patterns;
        self
    }
}

/// What there is to read.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The inputs in their order, or what cannot be read.
    pub inputs: Vec<Result<Source, Unreadable>>,
    /// The files of folders that are not read.
    pub skipped: Vec<Skipped>,
    /// How many bytes the inputs have, as they are stored, if that is known of all of them.
    pub bytes: Option<u64>,
}

/// The folders in which a home of Codex keeps session files. They are often on another disk, and linked.
pub const SESSION_FOLDERS: [&str; 2] = ["sessions", "archived_sessions"];

/// A file of a folder.
struct Entry {
    path: PathBuf,
    about: Option<Metadata>,
}

/// Lists every input of the paths. Folders are walked in the order of names, and behind links to folders only where a home
/// of Codex has its session files. Only of folders are
/// files skipped: what the user names is read. The path `-` is standard input. Once the stop is requested,
/// the list ends.
pub fn list(paths: &[PathBuf], selection: Selection<'_>, stop: &Stop) -> Listing {
    let mut listing = Listing {
        bytes: Some(0),
        ..Listing::default()
    };
    for path in paths {
        if stop.is_requested() {
            break;
        }
        if path.as_os_str() == STDIN {
            listing.add(Source::Stdin, None);
        } else if path.is_dir() {
            listing.walk(path, selection, stop);
        } else {
            let bytes = match is_regular(path) {
                true => Some(fs::metadata(path).map_or(0, |about| about.len())),
                false => None,
            };
            listing.add(Source::Named(path.clone()), bytes);
        }
    }
    listing
}

impl Listing {
    /// Whether a folder is not read: one that is linked, or that the system denies.
    pub fn lacks_folder(&self) -> bool {
        let is_linked = |file: &Skipped| file.reason == SkipReason::LinkedFolder;
        let is_denied = |input: &Result<_, Unreadable>| {
            let unreadable = input.as_ref().err();
            unreadable.is_some_and(|unreadable| !matches!(unreadable.error, Error::EmptyFolder))
        };
        self.skipped.iter().any(is_linked) || self.inputs.iter().any(is_denied)
    }

    fn add(&mut self, source: Source, bytes: Option<u64>) {
        self.bytes = self.bytes.zip(bytes).map(|(all, more)| all + more);
        self.inputs.push(Ok(source));
    }

    fn fail(&mut self, path: &Path, error: impl Into<Error>) {
        let name = path.display().to_string();
        self.inputs.push(Err(Unreadable::new(name, error)));
    }

    fn walk(&mut self, folder: &Path, selection: Selection<'_>, stop: &Stop) {
        let mut entries = Vec::new();
        // A link to session files begins a walk of its own, behind which the one before goes on.
        let mut walks = vec![files_below(folder)];
        while let Some(entry) = next(&mut walks) {
            if stop.is_requested() {
                return;
            }
            match entry {
                Ok(entry) => {
                    let is_link = entry.depth() > 0 && entry.path_is_symlink();
                    let path = entry.into_path();
                    if is_link && path.is_dir() {
                        if is_of_home(folder, &path) {
                            walks.push(files_below(&path));
                            continue;
                        }
                        let path = path.display().to_string();
                        entries.push(Err(Skipped::new(path, SkipReason::LinkedFolder)));
                        continue;
                    }
                    if let Some(reason) = known::reason(&path) {
                        entries.push(Err(Skipped::new(path.display().to_string(), reason)));
                    } else if is_read(&path) {
                        if is_excluded(selection.exclude, folder, &path) {
                            let path = path.display().to_string();
                            entries.push(Err(Skipped::new(path, SkipReason::Excluded)));
                            continue;
                        }
                        let about = fs::metadata(&path).ok();
                        entries.push(Ok(Ok(Entry { path, about })));
                    }
                }
                Err(error) => entries.push(Ok(Err(error))),
            }
        }
        if entries.is_empty() {
            self.fail(folder, Error::EmptyFolder);
            return;
        }
        let plain: HashSet<PathBuf> = entries
            .iter()
            .filter_map(|entry| entry.as_ref().ok()?.as_ref().ok())
            .filter(|entry| entry.path.extension().is_some_and(|e| e == "jsonl"))
            .map(|entry| entry.path.clone())
            .collect();
        for entry in entries {
            match entry {
                Ok(Ok(entry)) => self.take(entry, &plain, selection.since),
                Ok(Err(error)) => self.unreadable(folder, error),
                Err(skipped) => self.skipped.push(skipped),
            }
        }
    }

    /// Takes a file of a folder, unless it is skipped.
    fn take(&mut self, entry: Entry, plain: &HashSet<PathBuf>, since: Option<Since>) {
        let Entry { path, about } = entry;
        if let Some(what) = about.as_ref().and_then(special_file) {
            return self.fail(&path, Error::SpecialFile(what));
        }
        let is_packed = path.extension().is_some_and(|ending| ending == "zst");
        let is_copy = is_packed && other_form(&path).is_some_and(|other| plain.contains(&other));
        let is_old = since.zip(about.as_ref()).is_some_and(|(since, about)| {
            !since.is_recent(path.file_name().unwrap_or_default(), about)
        });
        let reason = match (is_copy, is_old) {
            (true, _) => SkipReason::CompressedCopy,
            (_, true) => SkipReason::NotSince,
            _ => {
                let bytes = about.map_or(0, |about| about.len());
                return self.add(Source::Listed(path), Some(bytes));
            }
        };
        self.skipped
            .push(Skipped::new(path.display().to_string(), reason));
    }

    /// A part of a folder cannot be read.
    fn unreadable(&mut self, folder: &Path, error: ignore::Error) {
        let mut path = folder.to_owned();
        let mut cause = error;
        loop {
            match cause {
                ignore::Error::WithPath { path: within, err } => {
                    path = within;
                    cause = *err;
                }
                ignore::Error::WithDepth { err, .. } => cause = *err,
                ignore::Error::Io(error) => return self.fail(&path, error),
                other => return self.fail(&path, io::Error::other(other.to_string())),
            }
        }
    }
}

/// What is below a folder, in the order of names.
fn files_below(folder: &Path) -> Walk {
    // A checker must not skip a file silently because a `.gitignore` names it.
    WalkBuilder::new(folder)
        .standard_filters(false)
        .sort_by_file_name(Ord::cmp)
        .build()
}

/// The next entry of the last walk that has one.
fn next(walks: &mut Vec<Walk>) -> Option<Result<DirEntry, ignore::Error>> {
    while let Some(walk) = walks.last_mut() {
        match walk.next() {
            Some(entry) => return Some(entry),
            None => drop(walks.pop()),
        }
    }
    None
}

/// Whether a link in a folder is one to session files, if the folder is a home. What is in the folder, or has the
/// folder in it, is not read twice.
fn is_of_home(folder: &Path, link: &Path) -> bool {
    if !SESSION_FOLDERS.iter().any(|name| folder.join(name) == link) {
        return false;
    }
    let (Ok(folder), Ok(target)) = (folder.canonicalize(), link.canonicalize()) else {
        return false;
    };
    !target.starts_with(&folder) && !folder.starts_with(&target)
}

/// Whether a file, or a link, has the name of something that is read.
fn is_read(path: &Path) -> bool {
    // A name need not be valid UTF-8.
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    named(name) != Named::Other && !fs::metadata(path).is_ok_and(|about| about.is_dir())
}

/// What kind of special file this is, if any. Reading one may block forever, so it is only read if
/// the user names it.
#[cfg(unix)]
fn special_file(about: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;

    match about.file_type() {
        kind if kind.is_fifo() => Some("a named pipe"),
        kind if kind.is_socket() => Some("a socket"),
        kind if kind.is_char_device() || kind.is_block_device() => Some("a device"),
        _ => None,
    }
}

/// Other systems have no special files in folders.
#[cfg(not(unix))]
fn special_file(_: &Metadata) -> Option<&'static str> {
    None
}
