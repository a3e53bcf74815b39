//! Packs the program for a release on GitHub, from which `cargo binstall` and Homebrew take it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use type_codegen::project::Project;

use super::platforms::{Binary, Platform, platforms};
use super::tarball::Files;
use super::{VERSION, programs};
use crate::fixtures::sha256;

/// The name of an archive: that of the folder in it, and `.tar.gz`.
pub fn archive_name(platform: &Platform) -> String {
    format!("{}.tar.gz", folder_name(platform))
}

/// Packs an archive for each of the binaries, from the repository at `root` into the folder `out`. If all
/// that Homebrew installs are there, also its formula. Returns the files.
///
/// # Errors
/// If a file cannot be read or written, or a platform is not known.
pub fn pack(root: &Path, binaries: &[Binary], out: &Path) -> Result<Vec<PathBuf>> {
    let platforms = platforms(root)?;
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let mut packed = Vec::new();
    let mut formula = fs::read_to_string(root.join("packages/homebrew/codex-wire.rb"))?
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| format!("{line}\n"))
        .collect::<String>()
        .replace("{url}", &Project::read().url())
        .replace("{version}", VERSION);
    for binary in binaries {
        let platform = binary.of(&platforms)?;
        let archive = archive(root, platform, &binary.path)?;
        let name = archive_name(platform);
        formula = formula
            .replace(&format!("{{archive:{}}}", platform.name), &name)
            .replace(&format!("{{sha256:{}}}", platform.name), &sha256(&archive));
        let path = out.join(name);
        fs::write(&path, archive).with_context(|| path.display().to_string())?;
        packed.push(path);
    }
    if !formula.contains("{sha256:") {
        let path = out.join("codex-wire.rb");
        fs::write(&path, formula)?;
        packed.push(path);
    }
    Ok(packed)
}

fn folder_name(platform: &Platform) -> String {
    format!("codex-wire-{VERSION}-{}", platform.target)
}

fn archive(root: &Path, platform: &Platform, program: &Path) -> Result<Vec<u8>> {
    let mut files = Files::default();
    programs::add(&mut files, platform, program)?;
    files.add(
        "README.md",
        fs::read(root.join("crates/codex-wire-cli/README.md"))?,
    );
    files.add_licenses(root)?;
    Ok(files.to_tgz(&folder_name(platform))?)
}
