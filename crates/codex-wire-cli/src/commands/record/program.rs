//! Finds the program of Codex. Nothing is downloaded: that is for the package manager of the user.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow, bail, ensure};
use codex_wire_base::Release;

use crate::commands::codex_version;

/// The variable with the folder of releases.
const CACHE: &str = "CODEX_WIRE_CACHE";

/// The name of the program.
const NAME: &str = if cfg!(windows) { "codex.exe" } else { "codex" };

/// A program of Codex.
#[derive(Debug)]
pub(super) struct Binary {
    pub(super) path: PathBuf,
    pub(super) release: Release,
}

impl Binary {
    /// Finds it by its path or its release, or takes that of the user.
    pub(super) fn find(path: Option<&Path>, release: Option<&str>) -> anyhow::Result<Self> {
        if let Some(path) = path {
            return Binary::at(path);
        }
        let Some(text) = release else {
            let path =
                on_path().context("there is no `codex` in PATH: give --codex or --release")?;
            return Binary::at(&path);
        };
        let wanted: Release = text
            .parse()
            .map_err(|_| anyhow!("`{text}` is not a release such as 0.125.0"))?;
        let cache = cache();
        let cached = cache
            .as_deref()
            .and_then(|cache| in_folder(&cache.join(text)));
        if let Some(path) = cached {
            let program = Binary::at(&path)?;
            ensure!(
                program.release == wanted,
                "{} is {}, not {wanted}",
                path.display(),
                program.release
            );
            return Ok(program);
        }
        let own = on_path().and_then(|path| Binary::at(&path).ok());
        if let Some(program) = own.filter(|program| program.release == wanted) {
            return Ok(program);
        }
        let folder = cache.map_or_else(|| PathBuf::from("DIR"), |cache| cache.join(text));
        let folder = folder.display();
        bail!(
            "there is no Codex {wanted}. npm installs it where it is found:\n  \
             npm install --no-save --prefix '{folder}' @openai/codex@{wanted}\n\
             Or give the path of a program: --codex PATH."
        )
    }

    /// The program at a path, which says its release.
    fn at(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let real = path
            .canonicalize()
            .with_context(|| format!("cannot find {name}"))?;
        let path = native(&real).unwrap_or(real);
        let release = codex_version::ask(&mut Command::new(&path));
        let release = release.with_context(|| format!("{name} does not say its version"))?;
        Ok(Binary { path, release })
    }
}

/// The folder of releases.
fn cache() -> Option<PathBuf> {
    folder(CACHE).or_else(own_cache)
}

/// Our folder among the caches of the user.
pub(super) fn own_cache() -> Option<PathBuf> {
    let caches = folder("XDG_CACHE_HOME").or_else(|| folder("LOCALAPPDATA"));
    let caches = caches.or_else(|| Some(folder("HOME")?.join(".cache")));
    Some(caches?.join("codex-wire"))
}

/// The folder that a variable names.
fn folder(variable: &str) -> Option<PathBuf> {
    let folder = env::var_os(variable).filter(|folder| !folder.is_empty());
    folder.map(PathBuf::from)
}

/// The first `codex` in PATH.
fn on_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut places = env::split_paths(&path).map(|folder| folder.join(NAME));
    places.find(|place| place.is_file())
}

/// The program of a release in a folder: itself, or in the packages that npm has installed there.
fn in_folder(folder: &Path) -> Option<PathBuf> {
    let itself = folder.join(NAME);
    if itself.is_file() {
        return Some(itself);
    }
    in_packages(&folder.join("node_modules").join("@openai"))
}

/// The program behind the script that npm installs: it needs no Node.js.
fn native(path: &Path) -> Option<PathBuf> {
    if path.extension()? != "js" {
        return None;
    }
    // `@openai/codex/bin/codex.js`; the package for the machine is within or beside the package.
    let package = path.parent()?.parent()?;
    let within = in_packages(&package.join("node_modules").join("@openai"));
    within.or_else(|| in_packages(package.parent()?))
}

/// The program for this machine in a folder of packages.
fn in_packages(packages: &Path) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for package in entries(packages) {
        for target in entries(&package.join("vendor")) {
            if is_for_this_machine(&target) {
                let places = ["codex", "bin"].map(|folder| target.join(folder).join(NAME));
                found.extend(places.into_iter().filter(|place| place.is_file()));
            }
        }
    }
    found.sort();
    found.into_iter().next()
}

/// Whether a folder has the name of the machine, such as `x86_64-unknown-linux-musl`.
fn is_for_this_machine(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    let system = match env::consts::OS {
        "macos" => "apple-darwin",
        other => other,
    };
    name.is_some_and(|name| name.starts_with(env::consts::ARCH) && name.contains(system))
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npm_has_installed_it_within_or_beside_its_package() {
        let folder = tempfile::tempdir().unwrap();
        let packages = folder.path().join("node_modules/@openai");
        let target = format!("{}-unknown-linux-musl", env::consts::ARCH);
        let other = packages.join("codex/vendor/other-apple-watch/codex");
        for folder in [&other, &packages.join("codex/bin")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(other.join(NAME), "").unwrap();
        let script = packages.join("codex/bin/codex.js");
        std::fs::write(&script, "").unwrap();
        assert_eq!(native(&script), None);
        assert_eq!(in_folder(folder.path()), None);
        if env::consts::OS != "linux" {
            return;
        }
        let own = packages
            .join("codex-linux-x64/vendor")
            .join(target)
            .join("bin");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join(NAME), "").unwrap();
        assert_eq!(native(&script), Some(own.join(NAME)));
        assert_eq!(in_folder(folder.path()), Some(own.join(NAME)));
        assert_eq!(native(&own.join(NAME)), None);
    }
}
