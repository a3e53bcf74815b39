//! Right clients under `codex-wire conformance`: of what they handle, nothing is reported.
//!
//! Each run of a client is one of a fault that the client handles, or of none. In a wide run they are more
//! than 200; otherwise each client meets one fault.

use std::path::Path;
use std::process::Command;

use codex_wire_base::Release;
use codex_wire_record::Home;
use libtest_mimic::Trial;

use crate::client::{CLIENTS, Client};
use crate::comparison::{self, Task};
use crate::install;
use crate::stage::{RELEASES, place, trial};

/// A client that handles these faults, whatever it does with others.
#[derive(Clone, Copy)]
struct Right {
    /// A client from a registry, with the scenario of its program, or one of `conformance` with its arguments.
    program: Program,
    scenario: &'static str,
    faults: &'static [&'static [&'static str]],
}

#[derive(Clone, Copy)]
enum Program {
    Registry(&'static str, &'static str),
    /// A program of the comparison.
    Crate(&'static str, Task),
    Own(&'static str),
    /// An example of `codex-wire-client`.
    Example(&'static str),
}

use Program::{Crate, Example, Own, Registry};

const EXEC: &str = "exec/message";
const SERVER: &str = "app-server/turn";

/// Faults that every client here handles. The first is the one of every run.
const BASIC: &[&str] = &[
    "split-writes",
    "byte-by-byte",
    "line-separator",
    "stderr-flood",
    "slow-start",
    "turn-fails",
    "crash-mid-line",
];
const LONG: &[&str] = &["long-line"];
const LATER: &[&str] = &["future-member", "future-method"];
const LOST: &[&str] = &["exit-without-end"];
const RPC: &[&str] = &["rpc-late", "rpc-reordered"];

/// What only some clients handle.
const STRICT: &[&str] = &[
    "future-item",
    "stdout-noise",
    "ignores-sigterm",
    "turn-never-ends",
];
const STRICT_SERVER: &[&str] = &[
    "future-value",
    "turn-interrupted",
    "rpc-id-as-text",
    "rpc-error",
];

/// Those of `codex exec` and of the app-server.
const ALL_EXEC: &[&[&str]] = &[BASIC, LONG, LATER, LOST];
const ALL_SERVER: &[&[&str]] = &[BASIC, LONG, LATER, LOST, RPC];

/// What a client does not handle here is a bug of it: docs/clients names it.
const RIGHT: &[Right] = &[
    right(
        Registry("typescript-sdk", "answer"),
        EXEC,
        &[BASIC, LONG, LATER],
    ),
    right(Registry("python-sdk", "answer"), SERVER, ALL_SERVER),
    right(
        Registry("codex-codes", "turn"),
        SERVER,
        &[BASIC, LONG, LOST, RPC],
    ),
    right(Registry("hermes-agent", "answer"), SERVER, ALL_SERVER),
    right(Registry("paperclip", "answer"), EXEC, &[BASIC, LATER]),
    right(Registry("ai-sdk-provider", "answer"), SERVER, ALL_SERVER),
    right(
        Registry("codex-client-sdk", "run"),
        EXEC,
        &[BASIC, LONG, &["future-member"], LOST],
    ),
    right(Crate("codex-wrapper", Task::Exec), EXEC, ALL_EXEC),
    right(Crate("codex-wrapper", Task::AppServer), SERVER, ALL_SERVER),
    right(
        Crate("codex-app-server-sdk", Task::AppServer),
        SERVER,
        ALL_SERVER,
    ),
    right(
        Registry("openai-codex-sdk", "answer"),
        EXEC,
        &[BASIC, LATER],
    ),
    right(
        Registry("codex-sdk-python", "answer"),
        EXEC,
        &[BASIC, &["future-member"]],
    ),
    right(
        Registry("codex-sdk-python", "server_answer"),
        SERVER,
        &[BASIC, LATER, LOST, RPC],
    ),
    right(Registry("takopi", "answer"), EXEC, &[BASIC, LONG, LATER]),
    // What it starts prints texts for people: faults are those of lines.
    right(Registry("codex-mcp-server", "answer"), EXEC, &[]),
    right(
        Example("app_server"),
        SERVER,
        &[STRICT, STRICT_SERVER, BASIC, LONG, LATER, LOST, RPC],
    ),
    right(
        Example("tokio"),
        SERVER,
        &[STRICT, STRICT_SERVER, BASIC, LONG, LATER, LOST, RPC],
    ),
    right(Example("exec"), EXEC, &[STRICT, BASIC, LONG, LATER, LOST]),
    right(Own("right.py exec"), EXEC, ALL_EXEC),
    right(Own("right.py app-server"), SERVER, ALL_SERVER),
    right(Own("ends.py close exec"), EXEC, ALL_EXEC),
    right(Own("ends.py close-terminate exec"), EXEC, ALL_EXEC),
    right(Own("ends.py terminate exec"), EXEC, ALL_EXEC),
    right(Own("ends.py kill exec"), EXEC, ALL_EXEC),
    right(Own("ends.py close"), SERVER, ALL_SERVER),
    right(Own("ends.py close-terminate"), SERVER, ALL_SERVER),
    right(Own("ends.py terminate"), SERVER, ALL_SERVER),
    right(Own("ends.py kill"), SERVER, ALL_SERVER),
];

const fn right(
    program: Program,
    scenario: &'static str,
    faults: &'static [&'static [&'static str]],
) -> Right {
    Right {
        program,
        scenario,
        faults,
    }
}

/// A test for each of them. Those of our own are tried by other tests, too.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = |right: &Right| {
        let right = *right;
        let reason = match right.program {
            Registry(name, _) => install::check(client(name)).err(),
            Own(_) => install::python()
                .is_none()
                .then(|| "there is no python3".to_owned()),
            Crate(name, _) => comparison::client(name).check().err(),
            Example(name) => (!install::example(name).is_file())
                .then(|| "it is not built: cargo build --workspace --examples".to_owned()),
        };
        trial(
            format!("{}::conformance {}", right.name(), right.scenario),
            reason,
            move || right.is_not_accused(),
        )
    };
    let tried = |right: &&Right| sampling::is_wide() || !matches!(right.program, Own(_));
    RIGHT.iter().filter(tried).map(trial).collect()
}

fn client(name: &str) -> Client {
    *CLIENTS.iter().find(|client| client.name == name).unwrap()
}

impl Right {
    fn name(&self) -> &'static str {
        match self.program {
            Registry(name, _) | Crate(name, _) | Own(name) | Example(name) => name,
        }
    }

    /// Nothing is reported, and everything was tried.
    fn is_not_accused(self) {
        let mut conformance = self.command();
        conformance.args(["--scenario", self.scenario]);
        let faults = self.faults.concat();
        let faults = if sampling::is_wide() {
            &faults
        } else {
            &faults[..faults.len().min(1)]
        };
        for fault in faults {
            conformance.args(["--fault", fault]);
        }
        let output = conformance.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let runs = match faults.len() + 1 {
            1 => "1 run: 1 passed, 0 failed, 0 warnings".to_owned(),
            runs => format!("{runs} runs: {runs} passed, 0 failed, 0 warnings"),
        };
        assert!(
            output.status.success() && printed.contains(&runs),
            "{printed}{errors}"
        );
    }

    /// The command of the program, with the environment of the client.
    fn command(self) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_codex-wire"));
        let (client, arguments) = match self.program {
            Own(words) => {
                let folder =
                    install::workspace().join("crates/codex-wire-cli/tests/clients/conformance");
                let client = format!(
                    "{} {}/{words}",
                    install::python().unwrap().display(),
                    folder.display()
                );
                return conformance(Command::new(program), &client);
            }
            Example(name) => {
                let client = format!("{} {{codex}}", install::example(name).display());
                return conformance(Command::new(program), &client);
            }
            Crate(name, task) => {
                let home = self.home();
                let codex = Path::new("{codex}");
                let started = comparison::client(name).command(task, codex, |command| {
                    home.furnish(command);
                });
                return of_command(&started);
            }
            Registry(name, scenario) => (client(name), scenario),
        };
        let home = self.home();
        let project = home.project();
        let words = [Path::new(arguments), Path::new("{codex}"), &project];
        let started = client.command(&words, |command| {
            home.furnish(command);
        });
        of_command(&started)
    }

    /// Where the client works: one that has both protocols is tried with both at the same time.
    fn home(self) -> Home {
        let name = format!("{}-{}", self.name(), self.scenario.replace('/', "-"));
        Home::new(&place("conformance", &name), newest(), 9).unwrap()
    }
}

/// The command that tries a client, which is started like this.
fn of_command(started: &Command) -> Command {
    let mut words = vec![started.get_program().display().to_string()];
    words.extend(started.get_args().map(|word| word.display().to_string()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
    command.env_clear();
    for (name, value) in started.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    conformance(command, &words.join(" "))
}

fn conformance(mut command: Command, client: &str) -> Command {
    command.args(["conformance", "--client", client]);
    command
}

fn newest() -> Release {
    RELEASES[2].parse().unwrap()
}
