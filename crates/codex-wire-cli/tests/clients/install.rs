//! Installs clients from their registries, with the versions of their lock files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::client::{CLIENTS, Client, Runtime};

/// Where a client is installed.
pub(crate) fn folder(client: Client) -> PathBuf {
    workspace().join(".cache/clients").join(client.name)
}

/// Where Cargo builds clients: what several depend on is built once.
pub(crate) fn target() -> PathBuf {
    workspace().join(".cache/clients/target")
}

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().unwrap()
}

/// Installs all clients, and says of each whether it is there. Those in Rust take minutes to compile: only a wide run does.
#[allow(clippy::print_stdout, reason = "it is asked to say so")]
pub(crate) fn install_all() {
    for client in CLIENTS {
        let install = |_| match client.runtime {
            Runtime::Cargo if !sampling::is_wide() => {
                Err("only compiled with CODEX_WIRE_TESTS=wide".to_owned())
            }
            _ => install(*client),
        };
        match check(*client).or_else(install) {
            Ok(()) => println!("{}: installed", client.name),
            Err(reason) => println!("{}: unavailable: {reason}", client.name),
        }
    }
}

/// Whether a client is installed as its lock file says; if not, why.
pub(crate) fn check(client: Client) -> Result<(), String> {
    let wanted = stamp(client)?;
    let stamp = fs::read_to_string(folder(client).join(STAMP));
    match stamp {
        Ok(found) if found == wanted => Ok(()),
        Ok(_) => Err("another version is installed".to_owned()),
        Err(_) => Err("it is not installed".to_owned()),
    }
}

/// A file that is written when everything is installed.
const STAMP: &str = "installed.txt";

/// What an installation depends on. Fails if the runtime is missing.
fn stamp(client: Client) -> Result<String, String> {
    let read = |name: &str| {
        fs::read_to_string(client.source().join(name)).map_err(|error| format!("{name}: {error}"))
    };
    Ok(match client.runtime {
        Runtime::Node => {
            node().ok_or("there is no node")?;
            read("package-lock.json")?
        }
        // Some packages are compiled for one version of Python.
        Runtime::Python => {
            let python = python().ok_or("there is no python3")?;
            let tag = "import sys; print(sys.implementation.cache_tag, sys.platform)";
            let tag = said(Command::new(python).args(["-c", tag])).unwrap_or_default();
            format!("{tag}\n{}", read("requirements.txt")?)
        }
        Runtime::Cargo => read("Cargo.lock")? + &read("src/main.rs")?,
    })
}

fn install(client: Client) -> Result<(), String> {
    let stamp = stamp(client)?;
    let (from, to) = (client.source(), folder(client));
    let failed = |error: std::io::Error| error.to_string();
    if to.exists() {
        fs::remove_dir_all(&to).map_err(failed)?;
    }
    fs::create_dir_all(&to).map_err(failed)?;
    match client.runtime {
        Runtime::Node => {
            for file in ["package.json", "package-lock.json"] {
                fs::copy(from.join(file), to.join(file)).map_err(failed)?;
            }
            // The packages with real binaries are optional ones. `npm ci` refuses a lock file in which a
            // package brings its own dependencies, as Paperclip's does.
            let flags = [
                "install",
                "--no-save",
                "--omit=optional",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--fetch-retries=1",
            ];
            done(Command::new("npm").args(flags).current_dir(&to))?;
        }
        Runtime::Python => {
            let python = python().ok_or("there is no python3")?;
            // takopi asks for a newer Python than what is used of it needs.
            let flags = "-m pip install --quiet --no-deps --require-hashes --only-binary :all: \
                         --ignore-requires-python --retries 1 --root-user-action ignore --target site --requirement";
            let mut command = Command::new(python);
            command.args(flags.split_whitespace());
            command.arg(from.join("requirements.txt")).current_dir(&to);
            done(&mut command)?;
        }
        Runtime::Cargo => {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut command = Command::new(cargo);
            command.args(["build", "--quiet", "--locked", "--manifest-path"]);
            command.arg(from.join("Cargo.toml"));
            command.arg("--target-dir").arg(target());
            done(&mut command)?;
        }
    }
    fs::write(to.join(STAMP), stamp).map_err(failed)
}

/// Puts the programs of clients where their packages are found. Called once, before any is run.
pub(crate) fn place_programs() {
    for client in CLIENTS.iter().filter(|c| c.runtime == Runtime::Node) {
        if check(*client).is_ok() {
            fs::copy(
                client.source().join("client.mjs"),
                folder(*client).join("client.mjs"),
            )
            .unwrap();
        }
    }
}

/// The program that runs JavaScript: clients get an environment without the usual `PATH`.
pub(crate) fn node() -> Option<PathBuf> {
    said(Command::new("node").args(["-p", "process.execPath"])).map(PathBuf::from)
}

/// The program that runs Python.
pub(crate) fn python() -> Option<PathBuf> {
    said(Command::new("python3").args(["-c", "import sys; print(sys.executable)"]))
        .map(PathBuf::from)
}

/// An example, which `cargo test --workspace` builds beside the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.ancestors().nth(2).unwrap().join("examples");
    folder
        .join(name)
        .with_extension(std::env::consts::EXE_EXTENSION)
}

/// What a program says, if there is one and it succeeds.
fn said(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Runs a program that has to succeed.
pub(crate) fn done(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    Err(format!("{name}: {}", last.unwrap_or("it fails").trim()))
}
