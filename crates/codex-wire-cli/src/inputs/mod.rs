//! Finds and opens inputs: files, folders and standard input, plain or compressed.

mod archive;
mod exclude;
mod known;
mod listing;
mod names;
mod since;
mod source;
mod unpack;

use std::io::{self, IsTerminal};
use std::path::PathBuf;

pub(crate) use exclude::Exclude;
pub(crate) use listing::{Listing, Selection, list};
pub(crate) use since::Since;
pub(crate) use source::{Found, Opened, STDIN, Source, other_form};

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
