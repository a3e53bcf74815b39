//! Files of folders and members of archives that are not read, and why.

/// A file of a folder, or a member of an archive, that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Its name: the path, which begins with the folder as it was given.
    pub name: String,
    /// Why.
    pub reason: SkipReason,
}

impl Skipped {
    pub(crate) fn new(name: impl Into<String>, reason: SkipReason) -> Self {
        Skipped {
            name: name.into(),
            reason,
        }
    }
}

/// Why a file of a folder is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// It is an archive of a folder, and has nothing that is read.
    EmptyArchive,
}
