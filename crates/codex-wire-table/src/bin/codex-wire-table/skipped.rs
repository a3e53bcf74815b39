//! Counts what is not read.

use std::collections::BTreeMap;

use codex_wire_inputs::SkipReason;

/// How many names of each kind are shown.
const NAMED: usize = 3;

/// What is not read, by the reason.
#[derive(Default)]
pub(crate) struct SkippedFiles(BTreeMap<&'static str, (u64, Vec<String>)>);

impl SkippedFiles {
    /// A file of a folder, or a member of an archive, is not read for that reason.
    pub(crate) fn add(&mut self, name: String, reason: SkipReason) {
        self.count(name, words_of(reason));
    }

    /// A file turned out not to be a transcript.
    pub(crate) fn add_foreign(&mut self, name: String) {
        self.count(name, "not a transcript");
    }

    fn count(&mut self, name: String, words: &'static str) {
        let (count, names) = self.0.entry(words).or_default();
        *count += 1;
        if names.len() < NAMED {
            names.push(name);
        }
    }

    /// A line for each reason.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(words, (count, names))| {
            let more = match count - names.len() as u64 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("not read, {words}: {}{more}", names.join(", "))
        })
    }
}

fn words_of(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::CompressedCopy => "compressed copy of a file beside it",
        SkipReason::PromptHistory => "history of prompts",
        SkipReason::SessionIndex => "index of sessions",
        SkipReason::RolloutTrace => "part of a trace",
        SkipReason::Database => "database",
        SkipReason::NotSince => "no activity since then",
        SkipReason::Excluded => "excluded",
        SkipReason::LinkedFolder => "linked folder",
        _ => "no transcript in it",
    }
}
