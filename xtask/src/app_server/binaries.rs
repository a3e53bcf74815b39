//! Fetches the releases of Codex that tests run, from the npm registry into a cache.
//!
//! If a binary is missing, its tests are reported as ignored, by name.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codex_wire::Release;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde::de::IgnoredAny;
use sha2::{Digest as _, Sha512};

use crate::repository;

/// The program of a release, if it has been fetched.
pub fn find(version: &str) -> Option<PathBuf> {
    // Newer releases look for helpers beside the file itself, so links are followed.
    cache().join(version).join("codex").canonicalize().ok()
}

/// Gets the program of a release from the npm registry, unless it is there already.
///
/// The registry is that of `NPM_CONFIG_REGISTRY`; the folder is that of `CODEX_WIRE_CACHE`,
/// or `.cache/codex` in the checkout.
///
/// # Errors
/// When there is no such release for this machine, the registry cannot be reached, or what it
/// sends is not what it announced.
pub fn fetch(version: &str) -> Result<PathBuf> {
    if let Some(program) = find(version) {
        return Ok(program);
    }
    let folder = cache().join(version);
    fs::create_dir_all(&folder)?;
    let machine = Machine::this()?;
    let dist = dist(version, machine)?;
    let package = folder.join("package.tgz");
    download(&dist.tarball, &package)?;
    verify(&package, &dist.integrity)?;
    // It appears under its name when it is complete.
    let partial = folder.join("codex.partial");
    unpack(&package, machine, &partial)?;
    fs::remove_file(&package)?;
    fs::rename(&partial, folder.join("codex"))?;
    find(version).context("the program is gone")
}

/// Calls `ask` with the program of a release, which is fetched if it is missing and removed again
/// afterwards: those of all releases take 20 GB.
///
/// # Errors
/// As [`fetch`], and those of `ask`.
pub fn lend<T>(version: &str, ask: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    if let Some(program) = find(version) {
        return ask(&program);
    }
    let program = fetch(version)?;
    let answer = ask(&program);
    fs::remove_dir_all(cache().join(version))?;
    answer
}

/// The stable releases in the npm registry that are not among these, oldest first. Only those that have a package
/// for Linux: releases before 0.99.0 have none, and all are known.
///
/// # Errors
/// When the registry cannot be reached, or does not say which versions there are.
pub fn unknown(known: &[Release]) -> Result<Vec<Release>> {
    let mut releases = releases_of(&curl(&[&format!("{}/@openai%2fcodex", registry())])?)?;
    releases.retain(|release| !known.contains(release));
    Ok(releases)
}

/// Where the programs are; a relative folder is one in the checkout.
fn cache() -> PathBuf {
    let folder = std::env::var_os("CODEX_WIRE_CACHE");
    repository().join(folder.unwrap_or_else(|| ".cache/codex".into()))
}

/// A kind of machine: how the registry and the packages call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Machine {
    suffix: &'static str,
    triple: &'static str,
}

impl Machine {
    fn this() -> Result<Self> {
        let (suffix, triple) = match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => ("linux-x64", "x86_64-unknown-linux-musl"),
            ("linux", "aarch64") => ("linux-arm64", "aarch64-unknown-linux-musl"),
            ("macos", "x86_64") => ("darwin-x64", "x86_64-apple-darwin"),
            ("macos", "aarch64") => ("darwin-arm64", "aarch64-apple-darwin"),
            (system, processor) => bail!("no Codex is known for {system} on {processor}"),
        };
        Ok(Machine { suffix, triple })
    }
}

/// Where a package is, and what it has to be.
#[derive(Deserialize)]
struct Dist {
    tarball: String,
    integrity: String,
}

/// Newer releases have a package per machine, older ones one for all.
fn dist(version: &str, machine: Machine) -> Result<Dist> {
    #[derive(Deserialize)]
    struct Manifest {
        dist: Dist,
    }
    let registry = registry();
    let own = format!("{version}-{}", machine.suffix);
    let mut complaints = String::new();
    for name in [own.as_str(), version] {
        match curl(&[&format!("{registry}/@openai%2fcodex/{name}")]) {
            Ok(text) => {
                let manifest: Manifest = serde_json::from_slice(&text)
                    .with_context(|| format!("the manifest of {name}"))?;
                return Ok(manifest.dist);
            }
            Err(error) => complaints.push_str(&format!("\n{error:#}")),
        }
    }
    bail!("there is no package of {version}:{complaints}")
}

/// The stable releases that have a package for Linux, of all versions of a package, oldest first.
fn releases_of(package: &[u8]) -> Result<Vec<Release>> {
    #[derive(Deserialize)]
    struct Package {
        versions: BTreeMap<String, IgnoredAny>,
    }
    let package: Package =
        serde_json::from_slice(package).context("the list of versions in the registry")?;
    let versions = package.versions.keys();
    let linux = versions.filter_map(|version| version.strip_suffix("-linux-x64"));
    let mut releases: Vec<Release> = linux.filter_map(|version| version.parse().ok()).collect();
    releases.retain(|release| !release.is_prerelease());
    releases.sort();
    Ok(releases)
}

/// The address of the npm registry, without a slash at its end.
fn registry() -> String {
    let registry = ["NPM_CONFIG_REGISTRY", "npm_config_registry"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok())
        .unwrap_or_else(|| "https://registry.npmjs.org".to_owned());
    registry.trim_end_matches('/').to_owned()
}

fn download(url: &str, to: &Path) -> Result<()> {
    let to = to.to_str().context("the cache has a strange path")?;
    curl(&["--output", to, url]).map(drop)
}

/// What curl gets, with the proxies and certificates that its user has set.
fn curl(arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new("curl")
        .args(["--fail", "--silent", "--show-error", "--location"])
        .args(["--retry", "2", "--connect-timeout", "20"])
        .args(arguments)
        .output()
        .context("curl")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

/// Compares a file with what its manifest announced.
fn verify(package: &Path, integrity: &str) -> Result<()> {
    let expected = integrity
        .strip_prefix("sha512-")
        .with_context(|| format!("an integrity of another kind: {integrity}"))?;
    let mut digest = Sha512::new();
    io::copy(&mut File::open(package)?, &mut digest)?;
    let found = STANDARD.encode(digest.finalize());
    ensure!(
        found == expected,
        "the package is sha512-{found}, not {integrity}"
    );
    Ok(())
}

/// Takes the program for a machine out of a package.
fn unpack(package: &Path, machine: Machine, to: &Path) -> Result<()> {
    let triple = machine.triple;
    let newer = ["bin", "codex"].map(|folder| format!("package/vendor/{triple}/{folder}/codex"));
    let mut places = newer.to_vec();
    // Up to 0.36.0 there was no folder for each machine.
    places.push(format!("package/bin/codex-{triple}"));
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(package)?));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.to_string_lossy().into_owned();
        if places.contains(&path) {
            return write_program(&mut entry, to);
        }
    }
    bail!("the package has no program for {triple}")
}

fn write_program(from: &mut impl Read, to: &Path) -> Result<()> {
    let mut file = File::create(to)?;
    io::copy(from, &mut file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: Machine = Machine {
        suffix: "linux-x64",
        triple: "x86_64-unknown-linux-musl",
    };

    /// A package with these files.
    fn package(folder: &Path, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let path = folder.join(name);
        let gzip = flate2::write::GzEncoder::new(File::create(&path).unwrap(), Default::default());
        let mut archive = tar::Builder::new(gzip);
        for (name, text) in files {
            let mut header = tar::Header::new_ustar();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            archive
                .append_data(&mut header, name, text.as_bytes())
                .unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap();
        path
    }

    #[test]
    fn the_program_is_found_in_all_layouts() {
        let folder = tempfile::tempdir().unwrap();
        let other = "package/vendor/aarch64-apple-darwin/codex/codex";
        let vendor = "package/vendor/x86_64-unknown-linux-musl";
        for (name, own) in [
            (
                "oldest.tgz",
                "package/bin/codex-x86_64-unknown-linux-musl".to_owned(),
            ),
            ("older.tgz", format!("{vendor}/codex/codex")),
            ("newer.tgz", format!("{vendor}/bin/codex")),
        ] {
            let host = format!("{own}-code-mode-host");
            let files = [(other, "no"), (&*host, "no"), (&*own, "yes")];
            let package = package(folder.path(), name, &files);
            let to = package.with_extension("codex");
            unpack(&package, MACHINE, &to).unwrap();
            assert_eq!(fs::read_to_string(to).unwrap(), "yes");
        }
    }

    #[test]
    fn releases_are_the_stable_versions_with_a_package_for_linux() {
        let package =
            br#"{"versions":{"0.98.0":{},"0.142.1":{},"0.168.0-linux-x64":{},"0.99.0-linux-x64":{},
            "0.168.0-darwin-arm64":{},"0.169.0-alpha.1-linux-x64":{},"nightly-linux-x64":{}}}"#;
        let releases = [Release::new(0, 99, 0), Release::new(0, 168, 0)];
        assert_eq!(releases_of(package).unwrap(), releases);
        assert!(releases_of(b"<html>").is_err());
    }

    #[test]
    fn a_package_without_a_program_or_with_another_content_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let files = [("package/package.json", "{}")];
        let package = package(folder.path(), "none.tgz", &files);
        let error = unpack(&package, MACHINE, &package.with_extension("codex")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the package has no program for x86_64-unknown-linux-musl"
        );
        fs::write(&package, "abc").unwrap();
        let abc = "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==";
        verify(&package, abc).unwrap();
        assert!(verify(&package, "sha512-AAAA").is_err());
        assert!(verify(&package, "sha1-AAAA").is_err());
    }
}
