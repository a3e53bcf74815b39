//! The input of the benches: generated streams and recorded transcripts.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use codex_wire::Release;
use codex_wire::transcript::{Record, Side};

use crate::faults::made_wrong;
use crate::generate::{generate, long_line, with_long_outputs};
use crate::generate_app_server::{answer_with_method, flood, thread_read};
use crate::generate_core::pieces;
use crate::generate_rollout::session_file;
use crate::random::Random;

/// The size of the generated corpus.
pub const GENERATED_SIZE: usize = 16 << 20;

/// The size of the corpus that is one line.
pub const LINE_SIZE: usize = 5 << 20;

/// The size of the generated corpus of app-server notifications.
pub const FLOOD_SIZE: usize = 8 << 20;

/// The size of the answer to a client that reads a long thread.
pub const THREAD_SIZE: usize = 2 << 20;

/// The size of the generated session file.
pub const SESSION_SIZE: usize = 8 << 20;

/// The release the generated corpora of current protocols are written as.
pub const GENERATED_RELEASE: Release = Release::new(0, 169, 0);

/// The release the generated session file is written as.
pub const SESSION_RELEASE: Release = Release::new(0, 171, 0);

/// The size of the generated corpus of core events.
pub const PIECES_SIZE: usize = 8 << 20;

/// The release the generated core events are written as.
pub const PIECES_RELEASE: Release = Release::new(0, 42, 0);

/// The first release whose items name their kind in `type`.
const FIRST_OF_FORM: Release = Release::new(0, 44, 0);

/// Lines of one or more transcripts.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// What the corpus is called in reports.
    pub name: &'static str,
    /// The transcripts, each with the release that wrote it.
    pub transcripts: Vec<(Release, Vec<u8>)>,
    lines: Vec<(usize, Range<usize>)>,
}

impl Corpus {
    /// The generated corpus.
    pub fn generated() -> Self {
        Self::generated_of(GENERATED_SIZE)
    }

    /// The generated corpus, of another size.
    pub fn generated_of(size: usize) -> Self {
        Self::of("generated", vec![(GENERATED_RELEASE, generate(size))])
    }

    /// The generated corpus with a long output for every command, 1.8 KB per line.
    pub fn long_outputs() -> Self {
        Self::long_outputs_of(GENERATED_SIZE)
    }

    /// The same, of another size.
    pub fn long_outputs_of(size: usize) -> Self {
        let stream = with_long_outputs(size);
        Self::of("long outputs", vec![(GENERATED_RELEASE, stream)])
    }

    /// One line of 5 MB.
    pub fn long_line() -> Self {
        Self::of(
            "one line of 5 MB",
            vec![(GENERATED_RELEASE, long_line(LINE_SIZE))],
        )
    }

    /// The recorded transcripts of `fixtures/exec`, from 0.44.0 on.
    ///
    /// # Errors
    /// When the folder cannot be read, or has no transcript.
    pub fn recorded() -> io::Result<Self> {
        let mut transcripts = recordings("exec")?;
        transcripts.retain(|(release, _)| *release >= FIRST_OF_FORM);
        Ok(Self::of("recorded", transcripts))
    }

    /// The generated core events: a flood of pieces.
    pub fn core_generated() -> Self {
        Self::pieces_of(PIECES_SIZE)
    }

    /// The generated core events, of another size.
    pub fn pieces_of(size: usize) -> Self {
        Self::of(
            "core events, generated",
            vec![(PIECES_RELEASE, pieces(size))],
        )
    }

    /// What Codex wrote in the transcripts of `fixtures/core`.
    ///
    /// # Errors
    /// When the folder cannot be read, or has no transcript.
    pub fn core_recorded() -> io::Result<Self> {
        let mut transcripts = recordings("core")?;
        for (_, bytes) in &mut transcripts {
            *bytes = written_by_codex(bytes)?;
        }
        Ok(Self::of("core events, recorded", transcripts))
    }

    /// The generated notifications of the app-server: a flood of deltas.
    pub fn app_server_generated() -> Self {
        Self::flood_of(FLOOD_SIZE)
    }

    /// The generated notifications, of another size.
    pub fn flood_of(size: usize) -> Self {
        Self::of("app-server, deltas", vec![(GENERATED_RELEASE, flood(size))])
    }

    /// The generated session file.
    pub fn session_file() -> Self {
        Self::session_file_of(SESSION_SIZE)
    }

    /// The generated session file, of another size.
    pub fn session_file_of(size: usize) -> Self {
        Self::of("session file", vec![(SESSION_RELEASE, session_file(size))])
    }

    /// A request to read a long thread, and the answer.
    pub fn thread_read() -> Self {
        Self::of(
            "app-server, thread/read",
            vec![(GENERATED_RELEASE, thread_read(THREAD_SIZE))],
        )
    }

    /// The answer of [`Corpus::thread_read`] with the method of its request beside the result, as
    /// the schema of answers wants it.
    pub fn answer_with_method() -> Self {
        Self::of(
            "app-server, answer to thread/read",
            vec![(GENERATED_RELEASE, answer_with_method(THREAD_SIZE))],
        )
    }

    /// What Codex wrote in the transcripts of `fixtures/app-server`.
    ///
    /// # Errors
    /// When the folder cannot be read, or has no transcript.
    pub fn app_server_recorded() -> io::Result<Self> {
        let mut transcripts = recordings("app-server")?;
        for (_, bytes) in &mut transcripts {
            *bytes = written_by_codex(bytes)?;
        }
        Ok(Self::of("app-server, recorded", transcripts))
    }

    /// The corpus with only the answers it holds.
    pub fn answers(&self) -> Self {
        self.only(self.name, |line| line.len() > 1000)
    }

    /// The lines, without their newlines.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.messages().map(|(_, line)| line)
    }

    /// The lines, each with the release that wrote it.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = (Release, &[u8])> {
        self.lines.iter().map(|(transcript, range)| {
            let (release, bytes) = &self.transcripts[*transcript];
            (*release, &bytes[range.clone()])
        })
    }

    /// How many bytes the lines have in all.
    pub fn bytes(&self) -> u64 {
        self.lines().map(|line| line.len() as u64).sum()
    }

    /// The corpus with only the lines that `keep` says yes to.
    pub fn only(&self, name: &'static str, mut keep: impl FnMut(&[u8]) -> bool) -> Self {
        let mut transcripts = Vec::new();
        for (index, (release, _)) in self.transcripts.iter().enumerate() {
            let mut kept = Vec::new();
            for (_, range) in self
                .lines
                .iter()
                .filter(|(transcript, _)| *transcript == index)
            {
                let line = &self.transcripts[index].1[range.clone()];
                if keep(line) {
                    kept.extend_from_slice(line);
                    kept.push(b'\n');
                }
            }
            transcripts.push((*release, kept));
        }
        Self::of(name, transcripts)
    }

    /// The corpus with a share of its lines, of 1000, made wrong: JSON still, but not what the
    /// release writes.
    pub fn with_faults(&self, name: &'static str, permille: usize) -> Self {
        let mut random = Random::new(10);
        let mut transcripts: Vec<_> = self.transcripts.clone();
        for (_, bytes) in &mut transcripts {
            bytes.clear();
        }
        for (transcript, range) in &self.lines {
            let line = &self.transcripts[*transcript].1[range.clone()];
            let bytes = &mut transcripts[*transcript].1;
            match random.permille(permille) {
                true => bytes.extend(made_wrong(line, &mut random)),
                false => bytes.extend_from_slice(line),
            }
            bytes.push(b'\n');
        }
        Self::of(name, transcripts)
    }

    /// Transcripts as a corpus.
    pub fn of(name: &'static str, transcripts: Vec<(Release, Vec<u8>)>) -> Self {
        let mut lines = Vec::new();
        for (index, (_, bytes)) in transcripts.iter().enumerate() {
            let mut start = 0;
            for line in bytes.split(|byte| *byte == b'\n') {
                if !line.is_empty() {
                    lines.push((index, start..start + line.len()));
                }
                start += line.len() + 1;
            }
        }
        Corpus {
            name,
            transcripts,
            lines,
        }
    }
}

/// The transcripts of a folder of `fixtures`, each with the release that wrote it.
fn recordings(folder: &str) -> io::Result<Vec<(Release, Vec<u8>)>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut transcripts = Vec::new();
    for below in sorted(&fixtures.join(folder))? {
        let name = below.file_name().unwrap_or_default().to_string_lossy();
        let Ok(release) = name.parse::<Release>() else {
            continue;
        };
        for file in sorted(&below)? {
            if file.extension().is_some_and(|e| e == "jsonl") {
                transcripts.push((release, fs::read(file)?));
            }
        }
    }
    if transcripts.is_empty() {
        let message = format!("no recorded transcripts in fixtures/{folder}");
        return Err(io::Error::other(message));
    }
    Ok(transcripts)
}

/// The lines Codex wrote, out of a transcript of both directions.
fn written_by_codex(transcript: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let records = transcript.split(|byte| *byte == b'\n');
    for record in records.filter(|record| !record.is_empty()) {
        let record = codex_wire::from_slice(record).map_err(io::Error::other)?;
        if let Record::Line(line) = record
            && line.from == Side::Codex
        {
            let text = line.line.into_value();
            let text = text.ok_or_else(|| io::Error::other("a line without text"))?;
            out.extend_from_slice(text.as_bytes());
            out.push(b'\n');
        }
    }
    Ok(out)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    paths.retain(|path| {
        !path
            .file_name()
            .is_some_and(|n| n.to_string_lossy().starts_with('.'))
    });
    Ok(paths)
}
