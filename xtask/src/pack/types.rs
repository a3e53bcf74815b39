//! The npm package `codex-wire-types`: declaration files of all releases, and the published schemas.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use type_codegen::{Releases, typescript};

use super::VERSION;
use super::tarball::Files;
use crate::fixtures;

/// Writes the package into the folder `out`, and returns it. Two runs make the same bytes.
///
/// # Errors
/// When a file cannot be read or written.
pub fn pack(root: &Path, out: &Path) -> Result<PathBuf> {
    let mut files = Files::default();
    for (path, text) in typescript::files(Releases::All) {
        files.add(path, text);
    }
    files.add(
        "README.md",
        fs::read(root.join("packages/types/README.md"))?,
    );
    files.add_licenses(root)?;
    let schemas = root.join("schemas");
    for file in fixtures::files(&schemas)? {
        files.add(format!("schemas/{file}"), fs::read(schemas.join(&file))?);
    }
    fs::create_dir_all(out)?;
    let path = out.join(format!("{}-{VERSION}.tgz", typescript::PACKAGE));
    fs::write(&path, files.to_tgz("package")?).with_context(|| path.display().to_string())?;
    Ok(path)
}
