//! Imports recorded and hand-written transcripts, and compares files with manifests.

mod app_server;
mod check;
mod exercises;
mod folder;
mod import;
mod manifest;
mod selection;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

pub use check::check;
pub use exercises::{Exercises, exercises};
pub use folder::Folder;
pub use import::{Imported, import};
pub use manifest::{
    AppServer, Core, ExecLegacy, Form, Listed, Origin, Recorded, Synthetic, list_recorded,
    read_app_server, read_core, read_exec_legacy, read_recorded, read_synthetic,
};
pub use selection::{Pick, Selection};

/// Where recorded transcripts of `codex exec --json` live, under the root of the repository.
pub const RECORDED: &str = "fixtures/exec";

/// Where hand-written transcripts live.
pub const SYNTHETIC: &str = "fixtures/synthetic";

/// The files below `folder` at any depth, as paths relative to it, sorted.
fn files(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for path in entries(&next)? {
            if path.is_dir() {
                folders.push(path);
            } else {
                let relative = path.strip_prefix(folder)?.to_string_lossy();
                found.push(relative.replace('\\', "/"));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|e| e.path())).collect())
        .with_context(|| format!("cannot list {}", folder.display()))
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
