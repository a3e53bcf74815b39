//! What `codex exec resume` needs to know of earlier runs.
//!
//! Each thread has a file with the recorded thread that it stands for, and the recordings that were
//! played in it. The files are in the home that the client gives, else beside the settings. A thread
//! begins by making its file, which only one process can do: runs in parallel are different threads.

use std::collections::hash_map::{DefaultHasher, RandomState};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::Error;

/// The folder in the home of Codex, or beside the settings.
const FOLDER: &str = "codex-replay-threads";

/// The threads of one home.
pub(crate) struct Threads {
    folder: PathBuf,
    /// What the counters of the stand-in begin with: several may have one home.
    stand_in: String,
}

/// A thread that was begun.
pub(crate) struct Thread {
    /// The recorded thread that it stands for.
    pub(crate) recorded: String,
    /// The names of the recordings that were played in it.
    pub(crate) played: Vec<String>,
}

impl Threads {
    pub(crate) fn open(home: Option<PathBuf>, beside: Option<&Path>) -> Self {
        let beside = beside.unwrap_or(Path::new(""));
        // Always the same for the same folder.
        let mut hasher = DefaultHasher::new();
        beside.hash(&mut hasher);
        Threads {
            folder: home.as_deref().unwrap_or(beside).join(FOLDER),
            stand_in: format!("{:016x}", hasher.finish()),
        }
    }

    /// Begins a thread that stands for a recorded one: under the same id if it is free.
    pub(crate) fn begin(&self, recorded: &str, recording: &str) -> Result<String, Error> {
        let mut live = recorded.to_owned();
        loop {
            if let Some(mut file) = self.create(&self.path(&live))? {
                file.write_all(record(recorded, recording).as_bytes())
                    .map_err(self.cannot())?;
                return Ok(live);
            }
            live = fresh_id();
        }
    }

    /// Notes that a recording was played in a thread.
    pub(crate) fn note(&self, live: &str, recorded: &str, recording: &str) -> Result<(), Error> {
        let path = self.path(live);
        if let Some(mut file) = self.create(&path)? {
            return file
                .write_all(record(recorded, recording).as_bytes())
                .map_err(self.cannot());
        }
        let file = OpenOptions::new().append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(format!("{recording}\n").as_bytes()));
        written.map_err(self.cannot())
    }

    /// A thread that was begun.
    pub(crate) fn get(&self, live: &str) -> Result<Option<Thread>, Error> {
        let text = match fs::read_to_string(self.path(live)) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::read(&self.folder)(error)),
        };
        let mut lines = text.lines().map(str::to_owned);
        Ok(lines.next().map(|recorded| Thread {
            recorded,
            played: lines.collect(),
        }))
    }

    /// The thread in which something was played last.
    pub(crate) fn last(&self) -> Option<String> {
        let entries = fs::read_dir(&self.folder).ok()?;
        let entries = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let live = decoded(name.strip_suffix(".thread")?)?;
            Some((entry.metadata().ok()?.modified().ok()?, live))
        });
        entries.max().map(|(_, live)| live)
    }

    /// The number of this run among those that began a thread, from 0.
    pub(crate) fn next_run(&self) -> Result<usize, Error> {
        for number in 0.. {
            let name = format!("{}-{number}.run", self.stand_in);
            let path = self.folder.join(name);
            if self.create(&path)?.is_some() {
                return Ok(number);
            }
        }
        Ok(0)
    }

    /// Makes a file; `None` if it is there already.
    fn create(&self, path: &Path) -> Result<Option<File>, Error> {
        fs::create_dir_all(&self.folder).map_err(self.cannot())?;
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(self.cannot()(error)),
        }
    }

    fn path(&self, live: &str) -> PathBuf {
        self.folder.join(format!("{}.thread", encoded(live)))
    }

    fn cannot(&self) -> impl FnOnce(io::Error) -> Error + use<> {
        Error::write(&self.folder)
    }
}

/// The text of a new file. It is written at once, so that no reader sees half of it.
fn record(recorded: &str, recording: &str) -> String {
    format!("{recorded}\n{recording}\n")
}

/// An id as the name of a file: whatever is not a letter, digit or hyphen is written as a number.
fn encoded(id: &str) -> String {
    let mut out = String::new();
    for byte in id.bytes() {
        match byte {
            b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => out.push(char::from(byte)),
            other => out.push_str(&format!("_{other:02x}")),
        }
    }
    out
}

fn decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first == b'_' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// An id as Codex makes them: a UUID of version 7, which begins with the time.
fn fresh_id() -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let ms = u64::try_from(now.as_millis()).unwrap_or_default() & 0xffff_ffff_ffff;
    // The standard library seeds its hashers from the system's random numbers.
    let random = |n: u64| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(n ^ u64::from(std::process::id()));
        hasher.finish()
    };
    let (a, b) = (random(1), random(2));
    format!(
        "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
        ms >> 16,
        ms & 0xffff,
        a & 0xfff,
        0x8000 | (a >> 16) & 0x3fff,
        b & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stand_in_of_a_home_counts_its_runs() {
        let home = tempfile::tempdir().unwrap();
        let open = |own: &str| Threads::open(Some(home.path().to_owned()), Some(Path::new(own)));
        let next = |own: &str| open(own).next_run().unwrap();
        assert_eq!(
            [next("/a"), next("/a"), next("/b"), next("/a")],
            [0, 1, 0, 2]
        );
    }

    #[test]
    fn ids_are_names_of_files() {
        for id in ["01a1-b", "../x", "a_b", "é"] {
            let name = encoded(id);
            assert!(!name.contains(['/', '.', '\\']), "{name}");
            assert_eq!(decoded(&name).as_deref(), Some(id));
        }
    }

    #[test]
    fn ids_are_uuids_of_version_7() {
        let id = fresh_id();
        assert_eq!(id.len(), 36);
        assert_eq!(id.as_bytes()[14], b'7');
        assert!(matches!(id.as_bytes()[19], b'8'..=b'b'), "{id}");
        assert_ne!(id, fresh_id());
    }
}
