//! What it costs to build a program, or to install a package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::program::{CLIENTS, Compared, Made, Task, cargo, folder};
use crate::install::workspace;

/// The file of what was measured of a client.
pub(crate) fn file(client: &Compared) -> PathBuf {
    client.folder().join("built.txt")
}

/// Builds and installs all, each into an empty folder, and writes what it cost.
#[allow(clippy::print_stdout, reason = "it is asked to say so")]
pub(crate) fn measure_all() {
    for client in CLIENTS {
        match measure(client) {
            Ok(text) => {
                fs::create_dir_all(client.folder()).unwrap();
                fs::write(file(client), &text).unwrap();
                println!("{}\n{text}", client.name);
            }
            Err(reason) => println!("{}: {reason}", client.name),
        }
    }
}

fn measure(client: &Compared) -> Result<String, String> {
    let name = format!("codex-wire-measure-{}", std::process::id());
    let stage = std::env::temp_dir().join(name).join(client.name);
    fs::create_dir_all(&stage).map_err(|error| error.to_string())?;
    let measured = match client.made {
        Made::Here => build(&stage, "program", || package(&stage, client)),
        Made::Cargo => {
            let task = match client.tasks().any(|task| task == Task::AppServer) {
                true => Task::AppServer,
                false => Task::Exec,
            };
            let program = format!("{}-{}", client.name, task.name());
            build(&stage, &program, || folder().join("Cargo.toml"))
        }
        Made::Npm => npm(&stage, client),
        Made::Pip => pip(&stage, client),
    };
    // It is in the folder of temporary files.
    let _ = fs::remove_dir_all(&stage);
    measured
}

/// A package of its own with program 3 of our client, as a project has it.
fn package(stage: &Path, client: &Compared) -> PathBuf {
    let path = |name: &str| workspace().join("crates").join(name).display().to_string();
    let text = format!(
        "[package]\nname = \"program\"\nedition = \"2024\"\n\n[dependencies]\n\
         codex-wire = {{ path = {:?} }}\ncodex-wire-client = {{ path = {:?} }}\n\n\
         [profile.dev]\ndebug = false\n\n[workspace]\n",
        path("codex-wire"),
        path("codex-wire-client")
    );
    fs::create_dir_all(stage.join("src")).unwrap();
    fs::write(stage.join("Cargo.toml"), text).unwrap();
    fs::copy(workspace().join("Cargo.lock"), stage.join("Cargo.lock")).unwrap();
    fs::copy(client.source(Task::AppServer), stage.join("src/main.rs")).unwrap();
    stage.join("Cargo.toml")
}

fn build(
    stage: &Path,
    program: &str,
    manifest: impl FnOnce() -> PathBuf,
) -> Result<String, String> {
    let manifest = manifest();
    let target = stage.join("target");
    let line = format!(
        "{:?} build --offline --manifest-path {manifest:?} --target-dir {target:?} --bin {program}",
        cargo()
    );
    let (seconds, said) = timed(&line, stage)?;
    let crates = said
        .lines()
        .filter(|line| line.contains("Compiling"))
        .count();
    Ok(format!(
        "processor seconds: {seconds:.0}\ncrates: {crates}\n"
    ))
}

fn npm(stage: &Path, client: &Compared) -> Result<String, String> {
    for file in ["package.json", "package-lock.json"] {
        let from = client.client().source().join(file);
        fs::copy(from, stage.join(file)).map_err(|error| error.to_string())?;
    }
    let line = "npm install --no-save --omit=optional --ignore-scripts --no-audit --no-fund";
    let (seconds, _) = timed(line, stage)?;
    installed(seconds, &stage.join("node_modules"))
}

fn pip(stage: &Path, client: &Compared) -> Result<String, String> {
    let requirements = client.client().source().join("requirements.txt");
    let line = format!(
        "python3 -m pip install --quiet --no-deps --require-hashes --only-binary :all: \
         --root-user-action ignore --target site --requirement {requirements:?}"
    );
    let (seconds, _) = timed(&line, stage)?;
    installed(seconds, &stage.join("site"))
}

fn installed(seconds: f64, folder: &Path) -> Result<String, String> {
    let bytes = size(folder).map_err(|error| error.to_string())?;
    Ok(format!(
        "processor seconds: {seconds:.0}\nmegabytes: {:.1}\n",
        bytes as f64 / 1e6
    ))
}

/// How many bytes the files below a folder have.
fn size(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += match about.is_dir() {
            true => size(&entry.path())?,
            false => about.len(),
        };
    }
    Ok(bytes)
}

/// Runs a line of the shell that has to succeed. Returns the seconds of processor time that its programs took, and what
/// they said.
fn timed(line: &str, stage: &Path) -> Result<(f64, String), String> {
    let output = Command::new("sh")
        .args(["-c", &format!("{line} 1>&2 && times")])
        .current_dir(stage)
        .env("CARGO_TERM_COLOR", "never")
        .env("CARGO_INCREMENTAL", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let last = said.lines().next_back().unwrap_or("it fails");
        return Err(last.to_owned());
    }
    // The second line is that of the programs that the shell started.
    let times = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = times.lines().nth(1).unwrap_or_default();
    let seconds = line.split_whitespace().map(seconds).sum::<Option<f64>>();
    Ok((seconds.ok_or("`times` says nothing")?, said))
}

/// The seconds of `1m2.34s`.
fn seconds(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
}
