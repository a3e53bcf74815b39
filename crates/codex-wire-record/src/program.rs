//! Finds the program of Codex. Nothing is downloaded: that is for the package manager of the user.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use codex_wire_base::Release;

use crate::binaries::CACHE_VARIABLE;
use crate::error::Error;
use crate::version::version;

/// The name of the program.
const NAME: &str = if cfg!(windows) { "codex.exe" } else { "codex" };

/// A program of Codex.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Program {
    /// Its path.
    pub path: PathBuf,
    /// The release that it says it is.
    pub release: Release,
}

impl Program {
    /// The program at a path: itself, or the one behind the script that npm installs.
    ///
    /// # Errors
    /// If there is none, or if it does not say its release.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let real = path.canonicalize().map_err(|source| Error::NotFound {
            path: path.to_owned(),
            source,
        })?;
        let own = native(&real).unwrap_or(real);
        match version(&mut Command::new(&own)) {
            Some(release) => Ok(Program { path: own, release }),
            None => Err(Error::NoVersion(path.to_owned())),
        }
    }

    /// The first `codex` in PATH.
    ///
    /// # Errors
    /// If there is none, or if it does not say its release.
    pub fn on_path() -> Result<Self, Error> {
        Program::at(&on_path().ok_or(Error::NotOnPath)?)
    }

    /// The program of a release: `RELEASE/codex`, or the packages that npm has installed in the folder `RELEASE`,
    /// below the folder that [`CACHE_VARIABLE`] names or else [`own_cache`]; or the `codex` of PATH, if it is that
    /// release.
    ///
    /// # Errors
    /// If it is not there, or if it does not say that it is that release.
    pub fn of(release: Release) -> Result<Self, Error> {
        let cache = folder(CACHE_VARIABLE).or_else(own_cache);
        let cache = cache.map(|cache| cache.join(release.to_string()));
        if let Some(path) = cache.as_deref().and_then(in_folder) {
            let program = Program::at(&path)?;
            return match program.release == release {
                true => Ok(program),
                false => Err(Error::OtherRelease {
                    path,
                    release: program.release,
                    wanted: release,
                }),
            };
        }
        match Program::on_path() {
            Ok(program) if program.release == release => Ok(program),
            _ => Err(Error::Missing {
                release,
                folder: cache,
            }),
        }
    }
}

/// Our folder among the caches of the user.
pub fn own_cache() -> Option<PathBuf> {
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
