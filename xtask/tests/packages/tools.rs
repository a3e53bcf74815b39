//! What packages are tried with: tools from registries, with the versions of lock files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::repository;

/// Installs what is missing, and says of each whether it is there.
#[allow(clippy::print_stdout, reason = "it is asked to say so")]
pub(crate) fn install_all() {
    match node_packages().or_else(|_| install_node_packages()) {
        Ok(_) => println!("typescript and vitest: installed"),
        Err(reason) => println!("typescript and vitest: unavailable: {reason}"),
    }
    match pre_commit().or_else(|_| install_pre_commit()) {
        Ok(_) => println!("pre-commit: installed"),
        Err(reason) => println!("pre-commit: unavailable: {reason}"),
    }
}

/// Whether npm is there; if not, why tests are ignored.
pub(crate) fn npm() -> Result<(), String> {
    said(Command::new("npm").arg("--version"))
        .map(|_| ())
        .ok_or_else(|| "there is no npm".to_owned())
}

/// The folder of packages from npm; if they are not installed as the lock file says, why.
pub(crate) fn node_packages() -> Result<PathBuf, String> {
    npm()?;
    let folder = repository().join(".cache/packages/npm");
    let wanted = fs::read_to_string(lock_files().join("package-lock.json")).unwrap();
    match fs::read_to_string(folder.join(STAMP)) {
        Ok(found) if found == wanted => Ok(folder.join("node_modules")),
        Ok(_) => Err("another version of typescript and vitest is installed".to_owned()),
        Err(_) => Err("typescript and vitest are not installed".to_owned()),
    }
}

/// The packages of the TypeScript SDK, which the tests of clients install.
pub(crate) fn typescript_sdk() -> Result<PathBuf, String> {
    npm()?;
    let packages = repository().join(".cache/clients/typescript-sdk/node_modules");
    match packages.join("@openai/codex-sdk").exists() {
        true => Ok(packages),
        false => Err("the TypeScript SDK is not installed".to_owned()),
    }
}

/// The folder of pre-commit, for `PYTHONPATH`; if it is not installed, why.
pub(crate) fn pre_commit() -> Result<PathBuf, String> {
    let folder = repository().join(".cache/packages/pre-commit");
    match fs::read_to_string(folder.join(STAMP)) {
        Ok(found) if found == pre_commit_stamp()? => Ok(folder.join("site")),
        Ok(_) => Err("another version of pre-commit is installed".to_owned()),
        Err(_) => Err("pre-commit is not installed".to_owned()),
    }
}

/// One of its packages is compiled for one version of Python.
fn pre_commit_stamp() -> Result<String, String> {
    let tag = "import sys; print(sys.implementation.cache_tag, sys.platform)";
    let tag = said(Command::new("python3").args(["-c", tag])).ok_or("there is no python3")?;
    let requirements = fs::read_to_string(requirements()).unwrap();
    Ok(format!("{tag}\n{requirements}"))
}

fn requirements() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/pre-commit/requirements.txt")
}

fn install_pre_commit() -> Result<PathBuf, String> {
    let stamp = pre_commit_stamp()?;
    let folder = repository().join(".cache/packages/pre-commit");
    let failed = |error: std::io::Error| error.to_string();
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    let flags = "-m pip install --quiet --no-deps --require-hashes --only-binary :all: --retries 1 \
                 --root-user-action ignore --target";
    let mut command = Command::new("python3");
    command
        .args(flags.split_whitespace())
        .arg(folder.join("site"));
    done(command.arg("--requirement").arg(requirements()))?;
    fs::write(folder.join(STAMP), stamp).map_err(failed)?;
    Ok(folder.join("site"))
}

/// A file that is written when everything is installed.
const STAMP: &str = "installed.txt";

fn lock_files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/npm")
}

fn install_node_packages() -> Result<PathBuf, String> {
    npm()?;
    let folder = repository().join(".cache/packages/npm");
    let failed = |error: std::io::Error| error.to_string();
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(lock_files().join(file), folder.join(file)).map_err(failed)?;
    }
    let flags = "ci --ignore-scripts --no-audit --no-fund --fetch-retries=1";
    let mut command = Command::new("npm");
    done(command.args(flags.split(' ')).current_dir(&folder))?;
    fs::copy(lock_files().join("package-lock.json"), folder.join(STAMP)).map_err(failed)?;
    Ok(folder.join("node_modules"))
}

/// What a program says, if there is one and it succeeds.
pub(crate) fn said(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Runs a program that has to succeed. Returns what it prints.
pub(crate) fn done(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}\n{text}{errors}"))
}
