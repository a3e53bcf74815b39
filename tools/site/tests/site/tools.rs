//! What the site is tried with: Node, Chromium, packages of npm with the versions of the lock file, and the module that
//! `cargo xtask playground` compiles.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{own, root};

/// Installs the packages, and says whether all is there.
#[allow(clippy::print_stdout, reason = "it is asked to say so")]
pub(crate) fn install() {
    match packages().or_else(|_| install_packages()) {
        Ok(_) => println!("playwright-core and axe-core: installed"),
        Err(reason) => println!("playwright-core and axe-core: unavailable: {reason}"),
    }
    match chromium() {
        Ok(path) => println!("chromium: {}", path.display()),
        Err(reason) => println!("chromium: unavailable: {reason}"),
    }
}

/// Whether Node is there.
pub(crate) fn node() -> Result<(), String> {
    match runs("node") {
        true => Ok(()),
        false => Err("there is no node".to_owned()),
    }
}

fn runs(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null());
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Chromium, by its path or its name.
pub(crate) fn chromium() -> Result<PathBuf, String> {
    if let Some(stated) = std::env::var_os("CODEX_WIRE_CHROMIUM") {
        return Ok(PathBuf::from(stated));
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let all = std::env::split_paths(&paths);
    let mut all = all.flat_map(|folder| names.map(|name| folder.join(name)));
    all.find(|path| path.exists())
        .ok_or_else(|| "there is no chromium: apt-get install chromium".to_owned())
}

/// The module of the playground.
pub(crate) fn module() -> Result<PathBuf, String> {
    playground::build::built(&root()).map_err(|error| error.to_string())
}

/// A file that is written when everything is installed.
const STAMP: &str = "installed.txt";

fn folder() -> PathBuf {
    root().join(".cache/site")
}

/// The folder of packages from npm; if they are not installed as the lock file says, why.
pub(crate) fn packages() -> Result<PathBuf, String> {
    let wanted = fs::read_to_string(own("package-lock.json")).unwrap();
    match fs::read_to_string(folder().join(STAMP)) {
        Ok(found) if found == wanted => Ok(folder().join("node_modules")),
        _ => Err(
            "playwright-core is not installed: cargo test -p site --test site -- --install"
                .to_owned(),
        ),
    }
}

fn install_packages() -> Result<PathBuf, String> {
    let folder = folder();
    let failed = |error: std::io::Error| error.to_string();
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(own(file), folder.join(file)).map_err(failed)?;
    }
    let flags = "ci --silent --ignore-scripts --no-audit --no-fund --fetch-retries=1";
    let mut command = Command::new("npm");
    let status = command.args(flags.split(' ')).current_dir(&folder).status();
    if !status.map_err(failed)?.success() {
        return Err("npm fails".to_owned());
    }
    fs::copy(own("package-lock.json"), folder.join(STAMP)).map_err(failed)?;
    Ok(folder.join("node_modules"))
}
