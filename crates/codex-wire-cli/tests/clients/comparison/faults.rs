//! What happens at each fault, as `codex-wire conformance` finds it.

use std::path::{Path, PathBuf};
use std::process::Command;

use codex_wire_base::Release;
use codex_wire_record::Home;
use serde_json::Value;

use super::program::{Compared, Made, Task};
use super::seen::{self, Seen};
use crate::stage::{RELEASES, place};

/// The first release that is tried.
const FIRST: Release = Release::new(0, 98, 0);

/// The file of what was seen of a client with a protocol.
pub(crate) fn file(client: &Compared, protocol: &str) -> PathBuf {
    client.folder().join(format!("faults-{protocol}.txt"))
}

/// The protocols that a client is tried with, and its program for each.
pub(crate) fn protocols(client: &Compared) -> Vec<(&'static str, Task)> {
    let mut protocols = Vec::new();
    if client.with_exec.contains(&Task::Exec) {
        protocols.push(("exec", Task::Exec));
    }
    if client.tasks().any(|task| task == Task::AppServer) {
        protocols.push(("app-server", Task::AppServer));
    }
    protocols
}

/// What a client does at one fault of the newest release; in a wide run, at each of each.
pub(crate) fn test(client: &'static Compared, protocol: &str, task: Task) {
    let is_ours = client.made == Made::Here;
    let mut command = conformance(client, task);
    match sampling::is_wide() || golden_files::is_update() {
        true => {
            command.args(["--scenario", &format!("{protocol}/*")]);
            // Ours must handle every later release of which there is a recording, too.
            let releases = if is_ours {
                &["recorded"][..]
            } else {
                &RELEASES
            };
            for release in releases {
                command.args(["--release", release]);
            }
        }
        false => {
            let scenario = match protocol {
                "exec" => "exec/message",
                _ => "app-server/turn",
            };
            command.args(["--scenario", scenario, "--fault", "turn-fails"]);
            command.args(["--release", RELEASES[2]]);
        }
    }
    // The interpreter alone takes seconds on a machine that has other things to do.
    command.args(["--timeout", "40"]);
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
    let run = |input: &Value| {
        let path = input["path"].as_str()?;
        let release: Release = path.split('/').nth(2)?.parse().ok()?;
        let word = word(&input["findings"]).to_owned();
        (release >= FIRST).then(|| (path.to_owned(), word))
    };
    let inputs = report["inputs"].as_array().unwrap();
    let seen: Seen = inputs.iter().filter_map(run).collect();
    assert!(!seen.is_empty(), "nothing was tried");
    let copes = seen.values().all(|word| word == "copes");
    assert!(!is_ours || copes, "{seen:?}");
    seen::compare(&file(client, protocol), &seen, |what| what);
}

/// What a run of the client was, in a word.
fn word(findings: &Value) -> &'static str {
    let Some(finding) = findings.as_array().and_then(|findings| findings.first()) else {
        return "copes";
    };
    let message = finding["message"].as_str().unwrap_or_default();
    match finding["rule"].as_str().unwrap_or_default() {
        "conformance/fails-undisturbed" => "fails without it",
        "conformance/hangs" => "hangs",
        // It has an exit status of a failure, where it could go on.
        "conformance/disturbed" if message.contains("exits with status") => "error",
        _ => "wrong",
    }
}

/// The command that tries a program, with the environment of the client.
fn conformance(client: &Compared, task: Task) -> Command {
    let started = client.command(task, Path::new("{codex}"), |_| ());
    let name = format!("faults-{}", task.name());
    let home = Home::new(&place(client.name, &name), RELEASES[2].parse().unwrap(), 9);
    let home = home.unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
    home.furnish(&mut command);
    for (name, value) in started.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.current_dir(home.project());
    let mut words = vec![started.get_program().display().to_string()];
    words.extend(started.get_args().map(|word| word.display().to_string()));
    command.args([
        "conformance",
        "--format",
        "json",
        "--client",
        &words.join(" "),
    ]);
    command
}
