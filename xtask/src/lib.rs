//! Implements the chores of this repository, as functions that the program calls and tests repeat.
//!
//! It must not know anything that other crates need: no crate may depend on it.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

pub mod app_server;
pub mod coverage;
pub mod documents;
pub mod fixtures;
pub mod generate;
pub mod instructions;
pub mod regressions;
pub mod rehearse;
pub mod transcripts;

/// The root of the repository.
pub fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}
