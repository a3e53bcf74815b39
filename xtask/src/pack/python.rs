//! The distribution `codex-wire` for Python: a wheel with the program for each platform, a wheel without it
//! for all others, and the source distribution.
//!
//! hatchling builds them from `packages/python`, without a network. It comes from `.cache/python`, where
//! [`install_tools`] puts the versions of `packages/python/requirements.txt`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use super::executable::Executable;
use super::platforms::{Binary, platforms};
use crate::fixtures::copy;

/// Packs everything into `out`, and returns the files: the wheel of each program, then the wheel without a
/// program and the source distribution. Two runs make the same bytes.
///
/// # Errors
/// If a program is not one of its platform, or hatchling is not installed or fails.
pub fn pack(root: &Path, binaries: &[Binary], out: &Path) -> Result<Vec<PathBuf>> {
    let site = tools(root)?.join("site");
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let out = out.canonicalize()?;
    let stage = tempfile::tempdir()?;
    let package = staged(root, stage.path())?;
    let mut packed = Vec::new();
    for binary in binaries {
        let tag = platform_tag(root, binary)?;
        let program = binary.path.canonicalize()?;
        let mut command = hatchling(&site, &package, &out, "wheel")?;
        command.env("CODEX_WIRE_PACK_PROGRAM", program);
        packed.push(built(command.env("CODEX_WIRE_PACK_PLATFORM", tag))?);
    }
    for kind in ["wheel", "sdist"] {
        packed.push(built(&mut hatchling(&site, &package, &out, kind)?)?);
    }
    Ok(packed)
}

/// Installs what packing and its tests need into `.cache/python`, from the registry, with the versions and
/// digests of `packages/python/requirements.txt`.
///
/// # Errors
/// If there is no Python or no registry.
pub fn install_tools(root: &Path) -> Result<PathBuf> {
    if let Ok(tools) = tools(root) {
        return Ok(tools);
    }
    let tools = root.join(TOOLS);
    if tools.exists() {
        fs::remove_dir_all(&tools)?;
    }
    fs::create_dir_all(&tools)?;
    let requirements = root.join(REQUIREMENTS);
    let flags = "--quiet --require-hashes --only-binary :all: --retries 1 --requirement";
    let mut download = python();
    download.args(["-m", "pip", "download", "--dest"]);
    download.arg(tools.join("wheels"));
    done(download.args(flags.split(' ')).arg(&requirements))?;
    let mut install = python();
    install.args(["-m", "pip", "install", "--root-user-action", "ignore"]);
    install.args(["--no-index", "--find-links"]);
    install.arg(tools.join("wheels"));
    install.arg("--target").arg(tools.join("site"));
    done(install.args(flags.split(' ')).arg(&requirements))?;
    fs::write(tools.join(STAMP), stamp(root)?)?;
    Ok(tools)
}

/// The folder in which [`install_tools`] has put `wheels`, and `site`, where they are installed.
///
/// # Errors
/// If they are not installed, or others are.
pub fn tools(root: &Path) -> Result<PathBuf> {
    let tools = root.join(TOOLS);
    let found = fs::read_to_string(tools.join(STAMP)).unwrap_or_default();
    ensure!(
        found == stamp(root)?,
        "the Python tools are not installed: run `cargo xtask pack python --tools`"
    );
    Ok(tools)
}

const TOOLS: &str = ".cache/python";
const REQUIREMENTS: &str = "packages/python/requirements.txt";
const STAMP: &str = "installed.txt";

/// What the installed tools depend on: some are compiled for one version of Python.
fn stamp(root: &Path) -> Result<String> {
    let tag = "import sys; print(sys.implementation.cache_tag, sys.platform)";
    let python = done(python().args(["-c", tag]))?;
    Ok(python + &fs::read_to_string(root.join(REQUIREMENTS))?)
}

/// What a wheel says of the platform of its program.
fn platform_tag(root: &Path, binary: &Binary) -> Result<&'static str> {
    let platforms = platforms(root)?;
    let target = &*binary.of(&platforms)?.target;
    let bytes = fs::read(&binary.path).with_context(|| binary.path.display().to_string())?;
    let executable = Executable::read(&bytes);
    // Whoever installs the wheel of another platform gets a program that does not run.
    let tag = match (target, executable) {
        (
            "x86_64-unknown-linux-musl",
            Some(Executable::Elf {
                machine: 62,
                linked,
            }),
        ) => {
            // A program that needs the libraries of the system on which it was built is for this one.
            if linked { "linux_x86_64" } else { STATIC_X64 }
        }
        (
            "aarch64-unknown-linux-musl",
            Some(Executable::Elf {
                machine: 183,
                linked,
            }),
        ) => {
            if linked {
                "linux_aarch64"
            } else {
                STATIC_ARM64
            }
        }
        ("x86_64-apple-darwin", Some(Executable::MachO { cpu: 0x0100_0007 })) => {
            "macosx_10_12_x86_64"
        }
        ("aarch64-apple-darwin", Some(Executable::MachO { cpu: 0x0100_000c })) => {
            "macosx_11_0_arm64"
        }
        ("x86_64-pc-windows-msvc", Some(Executable::Pe { machine: 0x8664 })) => "win_amd64",
        (_, found) => bail!(
            "{} is not a program for {target}: {found:?}",
            binary.path.display()
        ),
    };
    Ok(tag)
}

/// A static program runs with either library, and with any kernel that these tags stand for.
const STATIC_X64: &str = "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64";
const STATIC_ARM64: &str = "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64";

/// Copies what a distribution is built from, as it stands in the repository, and the licences. Returns the
/// folder of the package.
fn staged(root: &Path, stage: &Path) -> Result<PathBuf> {
    let package = stage.join("packages/python");
    for file in ["Cargo.toml", "packages/project.json"] {
        copy(&root.join(file), &stage.join(file))?;
    }
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&root.join(file), &package.join(file))?;
    }
    let from = root.join("packages/python");
    for file in ["README.md", "hatch_build.py", "pyproject.toml"] {
        copy(&from.join(file), &package.join(file))?;
    }
    copy_module(&from.join("src"), &package.join("src"))?;
    Ok(package)
}

/// Copies the files of a module, and nothing that a run of Python left beside them.
fn copy_module(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let suffix = path.extension().and_then(OsStr::to_str);
        if entry.file_type()?.is_dir() && entry.file_name() != "__pycache__" {
            copy_module(&path, &target)?;
        } else if matches!(suffix, Some("py" | "pyi" | "typed")) {
            copy(&path, &target)?;
        }
    }
    Ok(())
}

/// Builds a wheel or a source distribution. Times are those of `SOURCE_DATE_EPOCH`, or hatchling's own.
fn hatchling(site: &Path, package: &Path, out: &Path, kind: &str) -> Result<Command> {
    let mut command = python();
    command.args(["-m", "hatchling", "build", "--target", kind, "--directory"]);
    command.arg(out).current_dir(package);
    command.env("PYTHONPATH", std::env::join_paths([site])?);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command.env_remove("CODEX_WIRE_PACK_PROGRAM");
    Ok(command)
}

/// The file that hatchling says it has built. It talks of it on standard error.
fn built(command: &mut Command) -> Result<PathBuf> {
    let said = String::from_utf8(output(command)?.stderr)?;
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    let path = PathBuf::from(last.context("hatchling names no file")?.trim());
    ensure!(path.is_file(), "hatchling names no file: {said}");
    Ok(path)
}

fn python() -> Command {
    let name = if cfg!(windows) { "python" } else { "python3" };
    let mut command = Command::new(name);
    // Asks nothing, and says nothing of its own version.
    command
        .env("PIP_NO_INPUT", "1")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
    command
}

/// Runs a program that has to succeed, and returns what it printed.
fn done(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8(output(command)?.stdout)?)
}

fn output(command: &mut Command) -> Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| name.clone())?;
    let error = String::from_utf8_lossy(&output.stderr);
    let last = error.lines().rfind(|line| !line.trim().is_empty());
    let reason = last.unwrap_or("it fails").trim();
    ensure!(output.status.success(), "{name}: {reason}");
    Ok(output)
}
