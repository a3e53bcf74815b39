//! Imports recorded and hand-written transcripts, and compares files with manifests.

mod check;
mod files;
mod folder;
mod held;
mod hooks;
mod import;
mod import_connections;
mod import_runs;
mod imported;
mod manifest;
mod messages;
mod plan;
mod runs;
mod selection;
mod traces;

pub use check::check;
pub use files::{RECORDED, SYNTHETIC};
pub(crate) use files::{copy, files, manifest_text, read, read_json, sha256, write};
pub use folder::Folder;
pub use hooks::{HOOKS, NOTIFY, OUTCOMES, Recording, read_recordings};
pub use import::import;
pub use imported::Imported;
pub use manifest::{Entry, Form, Origin, Synthetic, read_recorded, read_synthetic};
pub use runs::{Process, RUNS, Run, RunFile, RunSelection, holds, read_runs};
pub use selection::{Pick, Selection};
pub use traces::TRACES;
