//! The examples of the README: how a TypeScript and a Python project test their client.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;

use crate::client::{CLIENTS, Client, Runtime};
use crate::install;
use crate::stage::{empty_folder, trial};

/// The release whose recording the examples play.
const RELEASE: &str = "0.169.0";

/// A test for each example.
pub(crate) fn trials() -> Vec<Trial> {
    let example = |name: &str, language: &'static str, scenario: &'static str| {
        let client = *CLIENTS.iter().find(|client| client.name == name).unwrap();
        let test = move || run(client, language, scenario);
        trial(
            format!("{name}::readme"),
            install::check(client).err(),
            test,
        )
    };
    vec![
        example("typescript-sdk", "ts", "run"),
        example("python-sdk", "python", "thread"),
    ]
}

/// Runs an example of the README in a project that has the client and a recording.
fn run(client: Client, language: &str, scenario: &str) {
    let project = project(client, scenario);
    let example = block(language);
    let mut command = match client.runtime {
        Runtime::Node => {
            fs::write(project.join("example.mjs"), &example).unwrap();
            let packages = install::folder(client).join("node_modules");
            std::os::unix::fs::symlink(packages, project.join("node_modules")).unwrap();
            let mut command = Command::new(install::node().unwrap());
            command.args(["--test", "example.mjs"]);
            command
        }
        _ => {
            // The test is called as a runner of tests would call it.
            let name = example
                .split_once("def ")
                .unwrap()
                .1
                .split_once('(')
                .unwrap()
                .0;
            fs::write(project.join("example.py"), format!("{example}\n{name}()\n")).unwrap();
            let mut command = Command::new(install::python().unwrap());
            command.arg("example.py");
            command.env("PYTHONPATH", install::folder(client).join("site"));
            command
        }
    };
    let program = Path::new(env!("CARGO_BIN_EXE_codex-wire"))
        .parent()
        .unwrap();
    let path = std::env::join_paths([program, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    command
        .env("PATH", path)
        .env("CODEX_HOME", project.join("home"));
    let output = command.current_dir(&project).output().unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A folder with a recording where the examples expect it.
fn project(client: Client, scenario: &str) -> PathBuf {
    let project = empty_folder(client.name, "readme");
    let recordings = project.join("tests/recordings");
    fs::create_dir_all(&recordings).unwrap();
    fs::create_dir_all(project.join("home")).unwrap();
    let scenario = client
        .scenarios
        .iter()
        .find(|s| s.name == scenario)
        .unwrap();
    let recording = client.recordings(scenario, RELEASE).join("1.jsonl");
    // Each example plays its own: the SDKs start different commands.
    let name = match client.runtime {
        Runtime::Node => "exec.jsonl",
        _ => "app-server.jsonl",
    };
    fs::copy(recording, recordings.join(name)).unwrap();
    project
}

/// The block of the README in this language that uses a stand-in.
fn block(language: &str) -> String {
    let readme = fs::read_to_string(install::workspace().join("README.md")).unwrap();
    let fence = format!("```{language}\n");
    let mut blocks = readme.split(&fence).skip(1);
    let block = blocks.find_map(|rest| {
        let block = rest.split_once("```")?.0;
        block.contains("--install").then(|| block.to_owned())
    });
    block.expect("an example")
}
