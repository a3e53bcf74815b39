//! The inputs that the user names.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

pub(crate) use codex_wire_inputs::{
    Exclude, Found, Glob, Listing, Opened, STDIN, Selection, Since, Source, Unreadable,
};
use codex_wire_report::{SkipReason, Skipped};

use crate::interrupt;

/// Lists every input of the paths.
pub(crate) fn list(paths: &[PathBuf], selection: Selection<'_>) -> Listing {
    codex_wire_inputs::list(paths, selection, interrupt::stop())
}

/// The given paths, or standard input if something is piped into it.
pub(crate) fn or_stdin(paths: &[PathBuf], command: &str) -> anyhow::Result<Vec<PathBuf>> {
    if !paths.is_empty() {
        return Ok(paths.to_vec());
    }
    anyhow::ensure!(
        !io::stdin().is_terminal(),
        "nothing to {command}: name files or folders, or pipe a transcript in:\n  \
         codex-wire {command} run.jsonl\n  \
         codex exec --json 'fix the tests' | codex-wire {command}\n\
         See `codex-wire {command} --help` for all options."
    );
    Ok(vec![PathBuf::from(STDIN)])
}

/// Files that are not read, as reports list them.
pub(crate) fn skipped(files: Vec<codex_wire_inputs::Skipped>) -> Vec<Skipped> {
    files.into_iter().map(skipped_file).collect()
}

/// A file that is not read, as reports list it.
pub(crate) fn skipped_file(file: codex_wire_inputs::Skipped) -> Skipped {
    use codex_wire_inputs::SkipReason as Reason;

    let reason = match file.reason {
        Reason::CompressedCopy => SkipReason::CompressedCopy,
        Reason::PromptHistory => SkipReason::PromptHistory,
        Reason::SessionIndex => SkipReason::SessionIndex,
        Reason::RolloutTrace => SkipReason::RolloutTrace,
        Reason::Database => SkipReason::Database,
        Reason::NotSince => SkipReason::NotSince,
        Reason::Excluded => SkipReason::Excluded,
        Reason::LinkedFolder => SkipReason::LinkedFolder,
        // Of a folder, what holds no transcript is not one, whatever else it is.
        _ => SkipReason::NoTranscript,
    };
    Skipped::new(file.name, reason)
}
