//! Files of a folder that were not read, and why.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::escape::escaped;
use crate::numbers::counted;

/// A file of a folder that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skipped {
    /// Its path, beginning with the folder as it was given.
    pub path: String,
    /// Why it was not read.
    pub reason: SkipReason,
}

impl Skipped {
    /// A file that was not read for this reason.
    pub fn new(path: impl Into<String>, reason: SkipReason) -> Self {
        Skipped {
            path: path.into(),
            reason,
        }
    }
}

/// Why a file of a folder was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// The uncompressed file stands beside it.
    CompressedCopy,
    /// It is `history.jsonl`: the prompts that a user typed in the terminal interface of Codex.
    PromptHistory,
    /// It is `session_index.jsonl`: the names that a user gave to threads.
    SessionIndex,
    /// It is a part of a trace: what Codex writes where `CODEX_ROLLOUT_TRACE_ROOT` says.
    RolloutTrace,
    /// It is a database of Codex.
    Database,
    /// Nothing was written to it since the time that the user asks for.
    NotSince,
    /// The user excludes it.
    Excluded,
    /// It is a link to a folder.
    LinkedFolder,
    /// None of its lines is a message of Codex.
    NoTranscript,
}

impl SkipReason {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::CompressedCopy => "compressed-copy",
            SkipReason::PromptHistory => "prompt-history",
            SkipReason::SessionIndex => "session-index",
            SkipReason::RolloutTrace => "rollout-trace",
            SkipReason::Database => "database",
            SkipReason::NotSince => "not-since",
            SkipReason::Excluded => "excluded",
            SkipReason::LinkedFolder => "linked-folder",
            SkipReason::NoTranscript => "no-transcript",
        }
    }

    /// That many files that were not read for this reason.
    fn counted(self, number: u64) -> String {
        let (one, many) = match self {
            SkipReason::CompressedCopy => (
                "compressed copy of a file beside it",
                "compressed copies of files beside them",
            ),
            SkipReason::PromptHistory => ("history of prompts", "histories of prompts"),
            SkipReason::SessionIndex => ("index of sessions", "indexes of sessions"),
            SkipReason::RolloutTrace => ("file of a trace", "files of traces"),
            SkipReason::Database => ("database", "databases"),
            SkipReason::NotSince => (
                "file without later activity",
                "files without later activity",
            ),
            SkipReason::Excluded => ("excluded file", "excluded files"),
            SkipReason::LinkedFolder => ("linked folder", "linked folders"),
            SkipReason::NoTranscript => (
                "file that is not a transcript",
                "files that are not transcripts",
            ),
        };
        counted(number, one, many)
    }
}

impl Serialize for SkipReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// How many files of each reason are named.
const NAMED: usize = 3;

/// The files that were not read, counted by reason, in one line. Empty if there are none.
pub fn skipped_sums(skipped: &[Skipped]) -> String {
    sums(skipped, |_| String::new())
}

/// The same, with the first names for each reason.
pub fn skipped_names(skipped: &[Skipped]) -> String {
    sums(skipped, |paths| {
        let names = paths.iter().take(NAMED).map(|path| escaped(path));
        let mut names = names.collect::<Vec<_>>().join(", ");
        if let Some(more @ 1..) = paths.len().checked_sub(NAMED) {
            names += &format!(" and {}", counted(more as u64, "other", "others"));
        }
        format!(" ({names})")
    })
}

fn sums(skipped: &[Skipped], names: impl Fn(&[&str]) -> String) -> String {
    let mut groups = BTreeMap::<SkipReason, Vec<&str>>::new();
    for file in skipped {
        groups.entry(file.reason).or_default().push(&file.path);
    }
    let parts: Vec<String> = groups
        .into_iter()
        .map(|(reason, paths)| reason.counted(paths.len() as u64) + &names(&paths))
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_and_the_first_are_named() {
        let skipped = |path: &str, reason| Skipped::new(path, reason);
        let mut all = vec![
            skipped("z", SkipReason::NoTranscript),
            skipped("a\u{1b}", SkipReason::Excluded),
        ];
        assert_eq!(
            skipped_names(&all),
            "1 excluded file (a\\u{1b}), 1 file that is not a transcript (z)"
        );
        all.extend(["b", "c", "d", "e"].map(|path| skipped(path, SkipReason::NoTranscript)));
        all.remove(1);
        assert_eq!(
            skipped_names(&all),
            "5 files that are not transcripts (z, b, c and 2 others)"
        );
        assert_eq!(skipped_sums(&all), "5 files that are not transcripts");
        assert_eq!(skipped_sums(&[]), "");
    }
}
