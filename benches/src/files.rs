//! Writes the corpora as files, for peers in other languages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use codex_wire::{MessageSet, Release};
use codex_wire_schema::{Draft, Profile, Stability, project};
use serde::{Deserialize, Serialize};

use crate::corpus::Corpus;
use crate::faults::made_wrong;
use crate::random::Random;

/// The file that lists the others.
pub const LIST: &str = "corpora.json";

/// The file to which contestants add what they measured, a line each.
pub const RESULTS: &str = "results.jsonl";

/// How many wrong lines a part has at most.
const WRONG: usize = 200;

/// A corpus, as the list has it.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    message_set: &'static str,
    /// The members that lead to the name of a message's kind.
    tag: &'static [&'static str],
    parts: Vec<Part>,
}

/// The lines of one release, and the files beside them.
#[derive(Serialize)]
struct Part {
    release: String,
    lines: PathBuf,
    /// What they are checked against: the exact schema of the release, as draft-07, which all
    /// validators know.
    schema: PathBuf,
    /// Some of the lines, made wrong: JSON that breaks the schema.
    wrong: PathBuf,
    /// The same, cut before their last quotation mark: no JSON.
    broken: PathBuf,
}

/// What a contestant in another language did with a corpus.
#[derive(Clone, Debug, Deserialize)]
pub struct Outcome {
    /// What it is called, its language first.
    pub contestant: String,
    /// The corpus, by name.
    pub corpus: String,
    /// Whether it validates; otherwise it only reads.
    pub validates: bool,
    /// How long the best round took.
    pub seconds: f64,
    /// How many lines it accepted.
    pub accepted: usize,
    /// How many of those that are wrong.
    pub wrong: usize,
    /// How many of those that are not JSON.
    pub broken: usize,
}

/// Writes the corpora, each with its schemas, wrong lines and a place in the list.
///
/// # Errors
/// When a file cannot be written.
pub fn write(folder: &Path, corpora: &[(MessageSet, Corpus)]) -> io::Result<()> {
    let mut entries = Vec::new();
    for (message_set, corpus) in corpora {
        let tag: &[&str] = match message_set {
            MessageSet::Exec => &["type"],
            MessageSet::CoreEvents => &["msg", "type"],
            _ => &["method"],
        };
        let mut parts = Vec::new();
        for (release, lines) in by_release(corpus) {
            let name = format!("{}-{release}", slug(corpus.name));
            let part = Part {
                release: release.to_string(),
                lines: folder.join(format!("{name}.jsonl")),
                schema: folder.join(format!("{name}.schema.json")),
                wrong: folder.join(format!("{name}.wrong.jsonl")),
                broken: folder.join(format!("{name}.broken.jsonl")),
            };
            let schema = project(
                *message_set,
                release,
                Profile::Exact,
                Draft::Draft07,
                Stability::Experimental,
            );
            fs::write(&part.lines, joined(&lines))?;
            fs::write(&part.schema, schema.to_string())?;
            fs::write(&part.wrong, joined(&wrong(&lines)))?;
            fs::write(&part.broken, joined(&broken(&lines)))?;
            parts.push(part);
        }
        entries.push(Entry {
            name: corpus.name,
            message_set: message_set.as_str(),
            tag,
            parts,
        });
    }
    let list = serde_json::to_string_pretty(&entries)?;
    fs::write(folder.join(LIST), list)
}

/// Whether the files still hold what the corpus does.
///
/// # Errors
/// When a file cannot be read.
pub fn are_same(folder: &Path, corpus: &Corpus) -> io::Result<bool> {
    for (release, lines) in by_release(corpus) {
        let name = format!("{}-{release}.jsonl", slug(corpus.name));
        if fs::read(folder.join(name))? != joined(&lines) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The wrong lines of a corpus, and those that are not JSON, as they are in the files.
pub fn faulty(corpus: &Corpus) -> [Corpus; 2] {
    let faulty = |made: fn(&[&[u8]]) -> Vec<Vec<u8>>| {
        let transcripts = by_release(corpus).into_iter();
        let of = |(release, lines): (Release, Vec<&[u8]>)| (release, joined(&made(&lines)));
        Corpus::of(corpus.name, transcripts.map(of).collect())
    };
    [faulty(wrong), faulty(broken)]
}

/// What the contestants in other languages measured.
///
/// # Errors
/// When the file cannot be read, or has a line of another form.
pub fn outcomes(folder: &Path) -> io::Result<Vec<Outcome>> {
    let text = fs::read_to_string(folder.join(RESULTS))?;
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(io::Error::other))
        .collect()
}

fn by_release(corpus: &Corpus) -> BTreeMap<Release, Vec<&[u8]>> {
    let mut releases: BTreeMap<Release, Vec<&[u8]>> = BTreeMap::new();
    for (release, line) in corpus.messages() {
        releases.entry(release).or_default().push(line);
    }
    releases
}

fn some<'a>(lines: &[&'a [u8]]) -> impl Iterator<Item = &'a [u8]> {
    let step = lines.len().div_ceil(WRONG).max(1);
    lines.iter().copied().step_by(step)
}

fn wrong(lines: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut random = Random::new(11);
    some(lines)
        .map(|line| made_wrong(line, &mut random))
        .collect()
}

fn broken(lines: &[&[u8]]) -> Vec<Vec<u8>> {
    let cut = |line: &[u8]| {
        let last = line.iter().rposition(|byte| *byte == b'"');
        line[..last.unwrap_or_default()].to_vec()
    };
    some(lines).map(cut).collect()
}

fn joined<L: AsRef<[u8]>>(lines: &[L]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines {
        out.extend_from_slice(line.as_ref());
        out.push(b'\n');
    }
    out
}

fn slug(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{Shapes, VALIDATORS};

    #[test]
    fn what_is_written_is_right_wrong_or_broken() {
        let corpora = [
            (MessageSet::Exec, Corpus::generated_of(1 << 18)),
            (
                MessageSet::AppServerServerNotifications,
                Corpus::flood_of(1 << 18),
            ),
        ];
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &corpora).unwrap();
        for (message_set, corpus) in corpora {
            assert!(are_same(folder.path(), &corpus).unwrap());
            let shapes = Shapes::new(message_set, &corpus);
            for faulty in faulty(&corpus) {
                assert!(faulty.lines().len() > 100);
                assert!(!are_same(folder.path(), &faulty).unwrap());
                for (name, way) in VALIDATORS {
                    assert_eq!(way(&shapes, &faulty), 0, "{name}");
                }
            }
            let [wrong, broken] = faulty(&corpus);
            assert_eq!(shapes.ignored(&wrong), wrong.lines().len());
            assert_eq!(shapes.ignored(&broken), 0);
        }
    }
}
