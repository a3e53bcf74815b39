//! Chores of this repository, as functions the program calls and tests repeat.
//!
//! This crate must not be a dependency of any other.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

pub mod coverage;
pub mod fixtures;

/// The root of the repository.
pub fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}
