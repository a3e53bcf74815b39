//! The clients that are compared, and their programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::client;
use crate::install::{self, example, target, workspace};

/// What a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Exec,
    Resume,
    AppServer,
    Interrupt,
    Schema,
}

use Task::{AppServer, Exec, Interrupt, Resume, Schema};

impl Task {
    pub(crate) const ALL: [Task; 5] = [Exec, Resume, AppServer, Interrupt, Schema];

    /// The name of its files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Exec => "exec",
            Resume => "resume",
            AppServer => "app-server",
            Interrupt => "interrupt",
            Schema => "schema",
        }
    }
}

/// How a client is had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// The programs are examples of `codex-wire-client`.
    Here,
    Cargo,
    Npm,
    Pip,
}

/// A client that is compared.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) name: &'static str,
    /// How its users call it, with its version.
    pub(crate) title: &'static str,
    pub(crate) made: Made,
    /// The programs that use `codex exec`; the others use the app-server.
    pub(crate) with_exec: &'static [Task],
    /// The program that it has not, and why.
    pub(crate) cannot: Option<(Task, &'static str)>,
}

const NOBODY_ASKS: &str = "it runs `codex exec`, which asks for nothing";

/// All of them.
pub(crate) const CLIENTS: &[Compared] = &[
    Compared {
        name: "codex-wire-client",
        title: "`codex-wire-client`",
        made: Made::Here,
        with_exec: &[Exec, Resume, Schema],
        cannot: None,
    },
    Compared {
        name: "codex-codes",
        title: "`codex-codes` 0.166.4",
        made: Made::Cargo,
        with_exec: &[Exec],
        cannot: None,
    },
    Compared {
        name: "codex-app-server-sdk",
        title: "`codex-app-server-sdk` 0.5.1",
        made: Made::Cargo,
        with_exec: &[],
        cannot: None,
    },
    Compared {
        name: "codex-client-sdk",
        title: "`codex-client-sdk` 0.107.0",
        made: Made::Cargo,
        with_exec: &Task::ALL,
        cannot: Some((AppServer, NOBODY_ASKS)),
    },
    Compared {
        name: "codex-wrapper",
        title: "`codex-wrapper` 0.4.7",
        made: Made::Cargo,
        with_exec: &[Exec, Resume, Schema],
        cannot: None,
    },
    Compared {
        name: "typescript-sdk",
        title: "`@openai/codex-sdk` 0.163.0",
        made: Made::Npm,
        with_exec: &Task::ALL,
        cannot: Some((AppServer, NOBODY_ASKS)),
    },
    Compared {
        name: "python-sdk",
        title: "`openai-codex` 0.163.0",
        made: Made::Pip,
        with_exec: &[],
        cannot: None,
    },
];

/// One of them, by its name.
pub(crate) fn client(name: &str) -> &'static Compared {
    CLIENTS.iter().find(|client| client.name == name).unwrap()
}

impl Compared {
    /// The programs that it has.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = Task> {
        let cannot = self.cannot.map(|(task, _)| task);
        Task::ALL
            .into_iter()
            .filter(move |task| cannot != Some(*task))
    }

    /// The folder of what was seen of it.
    pub(crate) fn folder(&self) -> PathBuf {
        folder().join(self.name)
    }

    /// The file of a program.
    pub(crate) fn source(&self, task: Task) -> PathBuf {
        let (folder, end) = match self.made {
            Made::Here => (
                workspace().join("crates/codex-wire-client/examples/compared"),
                "rs",
            ),
            Made::Cargo => (self.folder(), "rs"),
            Made::Npm => (self.folder(), "mjs"),
            Made::Pip => (self.folder(), "py"),
        };
        folder.join(format!("{}.{end}", task.name()))
    }

    /// Whether it can be run; if not, why.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.made {
            Made::Here => match example("compared-exec").is_file() {
                true => Ok(()),
                false => Err("it is not built: cargo build --workspace --examples".to_owned()),
            },
            Made::Cargo => match fs::read_to_string(target().join(STAMP)) {
                Ok(found) if found == stamp() => Ok(()),
                Ok(_) => Err("another version is built".to_owned()),
                Err(_) => Err("it is not built".to_owned()),
            },
            Made::Npm | Made::Pip => install::check(self.client()),
        }
    }

    /// A program, for the `codex` at a path. `furnish` gives it an environment.
    pub(crate) fn command(
        &self,
        task: Task,
        codex: &Path,
        furnish: impl FnOnce(&mut Command),
    ) -> Command {
        let name = format!("{}-{}", self.name, task.name());
        let mut command = match self.made {
            Made::Here => Command::new(example(&format!("compared-{}", task.name()))),
            Made::Cargo => Command::new(target().join("debug").join(name)),
            Made::Npm => Command::new(install::node().unwrap()),
            Made::Pip => Command::new(install::python().unwrap()),
        };
        furnish(&mut command);
        match self.made {
            Made::Here | Made::Cargo => {}
            Made::Npm => {
                command.arg(self.placed(task));
            }
            Made::Pip => {
                command.arg(self.source(task));
                command.env("PYTHONPATH", install::folder(self.client()).join("site"));
                command.env("PYTHONDONTWRITEBYTECODE", "1");
            }
        }
        command.arg(codex);
        command
    }

    /// Where a program of JavaScript finds the package.
    fn placed(&self, task: Task) -> PathBuf {
        install::folder(self.client()).join(format!("compared-{}.mjs", task.name()))
    }

    /// The same client in the tests of clients, which install it.
    pub(crate) fn client(&self) -> client::Client {
        let mut clients = client::CLIENTS.iter();
        *clients.find(|client| client.name == self.name).unwrap()
    }
}

/// The folder of the programs.
pub(crate) fn folder() -> PathBuf {
    workspace().join("crates/codex-wire-cli/tests/clients/compared")
}

/// A file that is written when everything is built, with what it was built of.
const STAMP: &str = "compared.txt";

/// What the programs of crates are built of.
fn stamp() -> String {
    let mut text = fs::read_to_string(folder().join("Cargo.lock")).unwrap();
    for client in CLIENTS.iter().filter(|client| client.made == Made::Cargo) {
        for task in client.tasks() {
            text += &fs::read_to_string(client.source(task)).unwrap();
        }
    }
    text
}

/// Builds the programs of crates, unless they are built, and says whether they are there.
#[allow(clippy::print_stdout, reason = "it is asked to say so")]
pub(crate) fn install_programs() {
    match build() {
        Ok(()) => println!("programs to compare: installed"),
        Err(reason) => println!("programs to compare: unavailable: {reason}"),
    }
}

fn build() -> Result<(), String> {
    if fs::read_to_string(target().join(STAMP)).is_ok_and(|found| found == stamp()) {
        return Ok(());
    }
    if !sampling::is_wide() {
        return Err("only compiled with CODEX_WIRE_TESTS=wide".to_owned());
    }
    let mut command = Command::new(cargo());
    command.args(["build", "--quiet", "--locked", "--manifest-path"]);
    command.arg(folder().join("Cargo.toml"));
    command.arg("--target-dir").arg(target());
    install::done(&mut command)?;
    fs::write(target().join(STAMP), stamp()).map_err(|error| error.to_string())
}

/// Puts the programs of JavaScript where their package is found. Called once, before any is run.
pub(crate) fn place_programs() {
    for client in CLIENTS.iter().filter(|client| client.made == Made::Npm) {
        if client.check().is_ok() {
            for task in client.tasks() {
                fs::copy(client.source(task), client.placed(task)).unwrap();
            }
        }
    }
}

/// The program that builds crates.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}
