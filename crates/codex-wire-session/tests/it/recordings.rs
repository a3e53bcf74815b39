//! The recorded session files, run by run, as the tests of the view take them.

use std::path::{Path, PathBuf};

use codex_wire_base::Release;
use codex_wire_session::{Reader, Session, Thread, Tokens, Turn, is_base, mark_copies};
use serde_json::Value;

use golden_files::files;

/// A recorded run.
pub(crate) struct Run {
    pub(crate) folder: PathBuf,
    /// The release that ran, or ran last.
    pub(crate) release: Release,
    /// What was done.
    pub(crate) scenario: String,
    /// The session files that were there at the end, with their text.
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
}

impl Run {
    /// The sessions of the files, each with its base, and copies told with the parent at hand.
    pub(crate) fn files_read(&self) -> Vec<FileRead> {
        let reader = Reader::new();
        let files = self.files.iter();
        let mut read: Vec<FileRead> = files.map(|(_, text)| self.file(&reader, text, 8)).collect();
        let parents: Vec<Thread> = read.iter().map(|file| file.thread.clone()).collect();
        for file in &mut read {
            parents
                .iter()
                .for_each(|parent| mark_copies(&mut file.thread, parent));
        }
        read
    }

    fn file(&self, reader: &Reader, text: &[u8], depth: u32) -> FileRead {
        let mut below = None;
        let session = reader.read_on("file", text, |place| {
            let fits = |file: &&(PathBuf, Vec<u8>)| {
                id_of(&file.1) == place.thread && is_base(place, &file.1)
            };
            let (_, base) = self.files.iter().find(fits).filter(|_| depth > 0)?;
            let end = usize::try_from(place.end_byte?).ok()?;
            let base = self.file(reader, &base[..end], depth - 1);
            let session = base.session.clone();
            below = Some(Box::new(base));
            Some(session)
        });
        let session = session.unwrap_or_else(|error| panic!("{}: {error}", self.scenario));
        FileRead {
            thread: session.threads[0].clone(),
            session,
            base: below,
        }
    }

    /// What `codex exec` printed, process by process.
    pub(crate) fn printed(&self) -> Vec<Vec<u8>> {
        let streams = files::below(&self.folder, "jsonl").into_iter();
        streams
            .filter(|path| name_of(path).starts_with("exec-"))
            .map(|path| std::fs::read(path).expect("a recording"))
            .collect()
    }

    /// Whether a client of the app-server took part.
    pub(crate) fn has_client(&self) -> bool {
        let streams = files::below(&self.folder, "jsonl");
        streams
            .iter()
            .any(|path| name_of(path).starts_with("app-server-"))
    }
}

/// A session file that was read.
#[derive(Clone, Debug)]
pub(crate) struct FileRead {
    pub(crate) session: Session,
    /// Its thread, with the copied turns marked.
    pub(crate) thread: Thread,
    /// The file it goes on from, up to there.
    pub(crate) base: Option<Box<FileRead>>,
}

impl FileRead {
    /// What a whole thread used: its own turns, what it copied, and what its base holds.
    pub(crate) fn whole(&self) -> Tokens {
        let turns = self.thread.turns.iter().map(Turn::tokens).sum::<Tokens>();
        let base = self.base.as_deref().map(FileRead::whole);
        turns + base.unwrap_or_default()
    }
}

/// Reads a session file that stands alone.
pub(crate) fn thread_of(text: &[u8]) -> Thread {
    let session = Reader::new().read("file", text);
    let session = session.unwrap_or_else(|error| panic!("{error}"));
    session.threads.into_iter().next().expect("a thread")
}

/// All runs of a folder of fixtures.
pub(crate) fn runs(fixtures: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    for release in folders(&files::root().join("fixtures").join(fixtures)) {
        let Ok(number) = name_of(&release).parse::<Release>() else {
            continue;
        };
        for folder in folders(&release) {
            let home = folder.join("home");
            let mut found = files::below(&home, "jsonl");
            found.extend(files::below(&home, "zst"));
            found.retain(|path| name_of(path).starts_with("rollout-"));
            runs.push(Run {
                scenario: name_of(&folder).to_owned(),
                files: found.into_iter().map(with_text).collect(),
                release: number,
                folder,
            });
        }
    }
    assert!(
        runs.len() > 15,
        "fixtures/{fixtures} holds {} runs",
        runs.len()
    );
    runs
}

/// The lines of a session file or stream.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = Value> {
    let lines = text.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("JSON"))
}

/// The lines of a stream that are JSON: some releases print other text between them.
pub(crate) fn json_lines(text: &[u8]) -> impl Iterator<Item = Value> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// The thread of a stream, and the last input and output tokens it names; nothing if a turn failed.
pub(crate) fn last_usage(stream: &[u8]) -> Option<(String, (u64, u64))> {
    let mut thread = None;
    let mut usage = None;
    for line in json_lines(stream) {
        match line["type"].as_str() {
            Some("thread.started") => thread = line["thread_id"].as_str().map(str::to_owned),
            Some("turn.completed") => {
                let count = |member: &str| line["usage"][member].as_u64().unwrap_or(0);
                usage = Some((count("input_tokens"), count("output_tokens")));
            }
            Some("turn.failed") => return None,
            _ => {}
        }
    }
    Some((thread?, usage?))
}

pub(crate) fn name_of(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.unwrap_or_default()
}

fn with_text(path: PathBuf) -> (PathBuf, Vec<u8>) {
    let bytes = std::fs::read(&path).expect("a recording");
    let is_compressed = path.extension().is_some_and(|found| found == "zst");
    let text = match is_compressed {
        true => zstd::decode_all(bytes.as_slice()).expect("a whole file of zstd"),
        false => bytes,
    };
    (path, text)
}

fn id_of(text: &[u8]) -> String {
    let first = lines(text).next().unwrap_or_default();
    let id = &first["payload"]["id"];
    id.as_str().unwrap_or_default().to_owned()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).expect("a folder of fixtures");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}
