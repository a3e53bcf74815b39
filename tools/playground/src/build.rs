//! Compiles the module with Cargo, and says whether the one that is there is that of the sources.
//!
//! Contributors have the target: `rustup target add wasm32-unknown-unknown`. Where it cannot be added, a compiler whose sources
//! are installed makes the standard library, too, such as that of Debian.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

const TARGET: &str = "wasm32-unknown-unknown";

/// Where the compiler of a distribution is if another one comes first.
const DISTRIBUTION: &str = "/usr/bin";

/// Why there is no module.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No compiler has the target or the sources of its standard library.
    #[error(
        "no compiler for WebAssembly: `rustup target add {TARGET}`, or a compiler with the sources of its standard library (Debian: rustc-web, cargo-web, rust-web-src)"
    )]
    NoCompiler,
    /// There is a compiler, and it has no linker.
    #[error("no linker for WebAssembly: rust-lld of rustup, or wasm-ld (Debian: lld)")]
    NoLinker,
    /// Cargo fails.
    #[error("the module of the playground does not compile:\n{said}")]
    Fails {
        /// What it says.
        said: String,
    },
    /// It was not compiled here.
    #[error("the module of the playground is not compiled: cargo xtask playground")]
    NotBuilt,
    /// It was compiled of other sources.
    #[error("{} is newer than the module of the playground: cargo xtask playground", newer.display())]
    Old {
        /// A source that changed afterwards.
        newer: PathBuf,
    },
    /// A file cannot be read, or a program cannot be run.
    #[error("{}", path.display())]
    System {
        /// The file or program.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Compiles the module, if it is not that of the sources already. Returns its path.
///
/// # Errors
/// When there is no compiler, or when it fails.
pub fn build(root: &Path) -> Result<PathBuf, Error> {
    let compiler = compiler(root)?;
    let mut cargo = Command::new(&compiler.cargo);
    cargo
        .args(["build", "--package", "playground", "--locked", "--quiet"])
        .args(["--release", "--target", TARGET])
        .arg("--target-dir")
        .arg(folder(root))
        .current_dir(root)
        .stdin(Stdio::null())
        .env("RUSTC", &compiler.rustc)
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
            "--cfg getrandom_backend=\"custom\"",
        );
    // Flags of whoever calls are for another target.
    for flags in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(flags);
    }
    if let Standard::Sources { linker } = &compiler.standard {
        cargo
            .arg("-Zbuild-std=std,panic_abort")
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    let output = cargo.output().map_err(at(&compiler.cargo))?;
    match output.status.success() {
        true => Ok(module(root)),
        false => Err(Error::Fails {
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
        }),
    }
}

/// The module, if it was compiled of the sources as they are now. Compiles nothing.
///
/// # Errors
/// When it was not.
pub fn built(root: &Path) -> Result<PathBuf, Error> {
    let module = module(root);
    let Ok(compiled) = modified(&module) else {
        return Err(Error::NotBuilt);
    };
    let list = module.with_extension("d");
    let list = fs::read_to_string(&list).map_err(at(&list))?;
    let newer = sources(&list).find(|path| match modified(path) {
        Ok(time) => time > compiled,
        Err(_) => true,
    });
    match newer {
        Some(newer) => Err(Error::Old { newer }),
        None => Ok(module),
    }
}

/// The sources that Cargo lists, as a rule of `make` has them.
fn sources(list: &str) -> impl Iterator<Item = PathBuf> {
    let (_, paths) = list.split_once(": ").unwrap_or_default();
    let paths = paths.trim_end().replace("\\ ", "\0");
    let paths: Vec<PathBuf> = paths
        .split(' ')
        .filter(|path| !path.is_empty())
        .map(|path| PathBuf::from(path.replace('\0', " ")))
        .collect();
    paths.into_iter()
}

fn modified(path: &Path) -> io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}

/// The folder in which Cargo works: not that of the other crates, which would wait for each other.
fn folder(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.unwrap_or_else(|| OsString::from("target"));
    root.join(target).join("playground")
}

fn module(root: &Path) -> PathBuf {
    let folder = folder(root).join(TARGET).join("release");
    folder.join("playground.wasm")
}

/// What compiles.
struct Compiler {
    rustc: PathBuf,
    cargo: PathBuf,
    standard: Standard,
}

/// Where the standard library comes from.
enum Standard {
    /// It is installed.
    Installed,
    /// It is compiled, and needs a linker.
    Sources { linker: PathBuf },
}

/// The compiler that is called by default, or else that of the distribution, if it can compile for the target.
fn compiler(root: &Path) -> Result<Compiler, Error> {
    let in_distribution = |name: &str| Path::new(DISTRIBUTION).join(name);
    let candidates = [
        (PathBuf::from("rustc"), PathBuf::from("cargo")),
        (in_distribution("rustc"), in_distribution("cargo")),
    ];
    let libraries: Vec<_> = candidates
        .iter()
        .map(|(rustc, _)| library(root, rustc))
        .collect();
    let known = || candidates.iter().zip(&libraries);
    let found = known().find_map(|(candidate, library)| {
        let library = library.as_ref()?;
        library
            .join(TARGET)
            .join("lib")
            .exists()
            .then_some((candidate, Standard::Installed))
    });
    let ((rustc, cargo), standard) = match found {
        Some(found) => found,
        None => {
            let with_sources = known().find(|(_, library)| {
                let sources = library
                    .as_ref()
                    .map(|library| library.join("src/rust/library"));
                sources.is_some_and(|sources| sources.join("std/Cargo.toml").exists())
            });
            let (candidate, _) = with_sources.ok_or(Error::NoCompiler)?;
            let linker = libraries
                .iter()
                .flatten()
                .find_map(|library| own_linker(library));
            let linker = linker
                .or_else(|| on_path("wasm-ld"))
                .ok_or(Error::NoLinker)?;
            (candidate, Standard::Sources { linker })
        }
    };
    Ok(Compiler {
        rustc: rustc.clone(),
        cargo: cargo.clone(),
        standard,
    })
}

/// The folder `lib/rustlib` of a compiler, if it is there.
fn library(root: &Path, rustc: &Path) -> Option<PathBuf> {
    let mut command = Command::new(rustc);
    command.args(["--print", "sysroot"]).current_dir(root);
    let output = command.stdin(Stdio::null()).output().ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let library = Path::new(sysroot.trim_end()).join("lib/rustlib");
    (output.status.success() && library.exists()).then_some(library)
}

/// The linker that comes with a compiler.
fn own_linker(library: &Path) -> Option<PathBuf> {
    let hosts = fs::read_dir(library).ok()?;
    let linkers = hosts.flatten().map(|host| host.path().join("bin/rust-lld"));
    linkers.into_iter().find(|linker| linker.exists())
}

fn on_path(name: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&paths).map(|folder| folder.join(name));
    files.find(|file| file.exists())
}

/// An error of the system with its place.
fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::System { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_with_spaces_are_one_path() {
        let list = "/a b/playground.wasm: /a\\ b/lib.rs /c/host.rs\n";
        let found: Vec<PathBuf> = sources(list).collect();
        assert_eq!(found, [Path::new("/a b/lib.rs"), Path::new("/c/host.rs")]);
    }
}
