//! The npm package `codex-wire-types`: declaration files of all releases, and the published schemas.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use type_codegen::{Releases, typescript};

use super::VERSION;
use super::tarball::Files;

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
    let mut left = vec![root.join("schemas")];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                left.push(path);
            } else {
                let names = path.strip_prefix(root)?.iter();
                let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
                files.add(names.join("/"), fs::read(&path)?);
            }
        }
    }
    fs::create_dir_all(out)?;
    let path = out.join(format!("{}-{VERSION}.tgz", typescript::PACKAGE));
    fs::write(&path, files.to_tgz("package")?).with_context(|| path.display().to_string())?;
    Ok(path)
}
