//! Writes a conversation as a transcript, while it goes on.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use codex_wire_base::transcript::{Closed, Connected, Exit, Line, Record, Side, Start, VERSION};
use codex_wire_base::{Maybe, Protocol, lines};
use codex_wire_check::Writer;
use codex_wire_scrub::{Scrubber, Survivor};

use crate::error::Error;
use crate::mask::Mask;

/// A transcript that is being written.
pub struct Recorder {
    path: PathBuf,
    /// The file, until the recording begins.
    untouched: Option<Untouched>,
    out: BufWriter<Box<dyn Write + Send>>,
    /// The last record, and its number and offset.
    last: String,
    place: (u64, u64),
    scrubber: Option<Scrubber>,
    mask: Mask,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Recorder");
        out.field("path", &self.path).finish_non_exhaustive()
    }
}

/// The file of a recording that has not begun: as it was before, or a new one, which does not stay.
struct Untouched {
    file: File,
    path: PathBuf,
    is_new: bool,
}

impl Drop for Untouched {
    fn drop(&mut self) {
        if self.is_new {
            // What cannot be removed is an empty file.
            drop(std::fs::remove_file(&self.path));
        }
    }
}

impl Recorder {
    /// Starts a transcript in a file. An existing file is replaced.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let mut recorder = Self::open(path)?;
        recorder.begin()?;
        Ok(recorder)
    }

    /// The same, but what is in the file stays there until the recording begins: a command that cannot be
    /// started must not cost an earlier recording.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let is_new = !path.exists();
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        let file = options
            .open(path)
            .map_err(|source| no_folder(path, source))?;
        let again = file.try_clone().map_err(Error::write(path))?;
        Ok(Recorder {
            path: path.to_owned(),
            untouched: Some(Untouched {
                file: again,
                path: path.to_owned(),
                is_new,
            }),
            ..Self::to(Box::new(file))
        })
    }

    /// The same, with placeholders for private data. Nothing private is written, not even for a moment.
    #[must_use]
    pub fn scrubbed(mut self, scrubber: Option<Scrubber>) -> Self {
        self.scrubber = scrubber;
        self
    }

    /// The same without these secrets.
    #[must_use]
    pub fn masked(mut self, mask: Mask) -> Self {
        self.mask = mask;
        self
    }

    /// The path of its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Empties the file.
    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        let Some(mut untouched) = self.untouched.take() else {
            return Ok(());
        };
        untouched.is_new = false;
        // A pipe has nothing to be emptied.
        let emptied = match untouched.file.metadata() {
            Ok(metadata) if metadata.is_file() => untouched.file.set_len(0),
            other => other.map(drop),
        };
        emptied.map_err(Error::write(&self.path))
    }

    /// One that cannot begin: its file cannot be emptied.
    #[cfg(test)]
    pub(crate) fn stuck(path: &Path) -> Self {
        std::fs::write(path, "before").unwrap();
        Recorder {
            untouched: Some(Untouched {
                file: File::open(path).unwrap(),
                path: path.to_owned(),
                is_new: false,
            }),
            ..Self::nowhere()
        }
    }

    /// Starts a transcript that is written nowhere, for whoever wants its records only.
    pub(crate) fn nowhere() -> Self {
        Self::to(Box::new(io::sink()))
    }

    fn to(out: Box<dyn Write + Send>) -> Self {
        Recorder {
            path: PathBuf::new(),
            untouched: None,
            out: BufWriter::with_capacity(64 << 10, out),
            last: String::new(),
            place: (0, 0),
            scrubber: None,
            mask: Mask::default(),
        }
    }

    /// The last record as a line of its file.
    pub(crate) fn last(&self) -> lines::Line<'_> {
        let bytes = self.last.trim_end_matches('\n').as_bytes();
        lines::Line {
            bytes,
            number: self.place.0,
            offset: self.place.1,
            ended: true,
            length: bytes.len() as u64,
            column: None,
        }
    }

    /// Whether nothing was recorded so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.place.0 == 0
    }

    /// Records the start. The command is left out, because command lines may contain secrets.
    pub(crate) fn start(
        &mut self,
        protocol: Option<Protocol>,
        release: Option<&str>,
    ) -> io::Result<()> {
        let mut start = Start::new(VERSION);
        let named = |name: &str| Maybe::Value(name.to_owned());
        start.protocol = protocol.map_or(Maybe::Absent, |protocol| named(protocol.as_str()));
        start.release = release.map_or(Maybe::Absent, named);
        self.write(&Record::Start(start))
    }

    /// Records that a client connected.
    pub(crate) fn connected(&mut self, connection: u32, ms: u64) -> io::Result<()> {
        let mut connected = Connected::new(connection);
        connected.ms = Maybe::Value(ms);
        self.write(&Record::Connected(connected))
    }

    /// Records that a side closed a connection.
    pub(crate) fn closed(&mut self, connection: u32, by: Writer, ms: u64) -> io::Result<()> {
        let mut closed = Closed::new();
        closed.connection = Maybe::Value(connection);
        closed.by = Maybe::Value(side(by));
        closed.ms = Maybe::Value(ms);
        self.write(&Record::Closed(closed))
    }

    /// Records a line, without its newline, of a connection if there are several.
    pub(crate) fn line(
        &mut self,
        connection: Option<u32>,
        writer: Writer,
        bytes: &[u8],
        ms: u64,
    ) -> io::Result<()> {
        let side = side(writer);
        let bytes = &*self.mask.bytes(bytes);
        let mut line = match std::str::from_utf8(bytes) {
            Ok(text) => Line::text(side, text),
            Err(_) => {
                let mut line = Line::new(side);
                line.bytes = Maybe::Value(STANDARD.encode(bytes));
                line
            }
        };
        line.connection = connection.map_or(Maybe::Absent, Maybe::Value);
        line.ms = Maybe::Value(ms);
        self.write(&Record::Line(line))
    }

    /// Records the exit of Codex.
    pub(crate) fn exit(
        &mut self,
        status: Option<i32>,
        signal: Option<&str>,
        ms: u64,
    ) -> io::Result<()> {
        let mut exit = Exit::new();
        exit.status = status.map_or(Maybe::Absent, Maybe::Value);
        exit.signal = signal.map_or(Maybe::Absent, |name| Maybe::Value(name.to_owned()));
        exit.ms = Maybe::Value(ms);
        self.write(&Record::Exit(exit))
    }

    /// Checks that nothing private survived, if the transcript is scrubbed.
    pub(crate) fn check(&self) -> Result<(), Survivor> {
        self.scrubber.as_ref().map_or(Ok(()), Scrubber::check)
    }

    /// Flushes the file, so that others can read it.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn write(&mut self, record: &Record) -> io::Result<()> {
        let mut text = codex_wire_base::to_string(record);
        if let Some(scrubber) = &mut self.scrubber {
            let mut scrubbed = Vec::with_capacity(text.len());
            scrubber.line(text.as_bytes(), &mut scrubbed);
            // Scrubbed text is text: this never replaces anything.
            text = String::from_utf8_lossy(&scrubbed).into_owned();
        }
        text.push('\n');
        self.place.0 += 1;
        self.place.1 += self.last.len() as u64;
        self.last = text;
        self.out.write_all(self.last.as_bytes())
    }
}

/// Why a file cannot be opened for writing: often its folder is missing.
fn no_folder(path: &Path, source: io::Error) -> Error {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match folder.is_dir() {
        true => Error::write(path)(source),
        false => Error::NoFolder {
            path: path.to_owned(),
            folder: folder.to_owned(),
        },
    }
}

fn side(writer: Writer) -> Side {
    match writer {
        Writer::Codex => Side::Codex,
        Writer::Client => Side::Client,
    }
}
