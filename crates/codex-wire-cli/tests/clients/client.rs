//! The clients, and how each is run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::install;
use crate::scenario::{self, Scenario};

/// What runs a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runtime {
    Node,
    Python,
    Cargo,
}

/// A client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    /// The name of its folder here, and of its page.
    pub(crate) name: &'static str,
    pub(crate) runtime: Runtime,
    pub(crate) scenarios: &'static [Scenario],
    /// Whether it asks for several things at the same time, so that their order is left to chance.
    pub(crate) asks_at_once: bool,
    /// Whose recordings are played to it, if it has none: what it starts prints texts for people.
    pub(crate) reads_text: Option<&'static str>,
}

/// All clients.
pub(crate) const CLIENTS: &[Client] = &[
    Client {
        name: "typescript-sdk",
        runtime: Runtime::Node,
        scenarios: scenario::TYPESCRIPT,
        asks_at_once: false,
        reads_text: None,
    },
    Client {
        name: "python-sdk",
        runtime: Runtime::Python,
        scenarios: scenario::PYTHON,
        asks_at_once: false,
        reads_text: None,
    },
    Client {
        name: "codex-codes",
        runtime: Runtime::Cargo,
        scenarios: scenario::CODEX_CODES,
        asks_at_once: false,
        reads_text: None,
    },
    Client {
        name: "codex-acp",
        runtime: Runtime::Node,
        scenarios: scenario::CODEX_ACP,
        asks_at_once: true,
        reads_text: None,
    },
    Client {
        name: "hermes-agent",
        runtime: Runtime::Python,
        scenarios: scenario::HERMES,
        asks_at_once: false,
        reads_text: None,
    },
    Client {
        name: "paperclip",
        runtime: Runtime::Node,
        scenarios: scenario::PAPERCLIP,
        asks_at_once: false,
        reads_text: None,
    },
    Client {
        name: "ai-sdk-provider",
        runtime: Runtime::Node,
        scenarios: scenario::AI_SDK,
        asks_at_once: false,
        reads_text: None,
    },
    Client {
        name: "codex-client-sdk",
        runtime: Runtime::Cargo,
        scenarios: scenario::CODEX_CLIENT_SDK,
        asks_at_once: false,
        reads_text: None,
    },
    Client {
        name: "openai-codex-sdk",
        runtime: Runtime::Python,
        scenarios: scenario::OPENAI_CODEX_SDK,
        asks_at_once: false,
        reads_text: None,
    },
    Client {
        name: "codex-sdk-python",
        runtime: Runtime::Python,
        scenarios: scenario::CODEX_SDK_PYTHON,
        asks_at_once: false,
        reads_text: None,
    },
    Client {
        name: "codex-mcp-server",
        runtime: Runtime::Node,
        scenarios: scenario::CODEX_MCP_SERVER,
        asks_at_once: false,
        reads_text: Some("takopi"),
    },
    Client {
        name: "takopi",
        runtime: Runtime::Python,
        scenarios: scenario::TAKOPI,
        asks_at_once: false,
        reads_text: None,
    },
];

impl Client {
    /// The folder with its program and its lock file.
    pub(crate) fn source(self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/clients")
            .join(self.name)
    }

    /// The folder of what is played to it: of another client that is asked for the same, if it reads texts.
    pub(crate) fn played(self, scenario: &Scenario, release: &str) -> PathBuf {
        let other = self
            .reads_text
            .map(|other| self.source().with_file_name(other));
        let folder = other.unwrap_or_else(|| self.source());
        folder.join("recordings").join(release).join(scenario.name)
    }

    /// The recordings of a scenario with a release, and what the client showed.
    pub(crate) fn recordings(self, scenario: &Scenario, release: &str) -> PathBuf {
        self.source()
            .join("recordings")
            .join(release)
            .join(scenario.name)
    }

    /// Its program, which was installed. `furnish` gives it an environment.
    pub(crate) fn command(
        self,
        arguments: &[&Path],
        furnish: impl FnOnce(&mut Command),
    ) -> Command {
        let folder = install::folder(self);
        let mut command = match self.runtime {
            Runtime::Node => Command::new(install::node().unwrap()),
            Runtime::Python => Command::new(install::python().unwrap()),
            Runtime::Cargo => Command::new(install::target().join("debug").join(self.name)),
        };
        furnish(&mut command);
        match self.runtime {
            Runtime::Node => {
                command.arg(folder.join("client.mjs"));
            }
            Runtime::Python => {
                command.arg(self.source().join("client.py"));
                command.env("PYTHONPATH", folder.join("site"));
                command.env("PYTHONDONTWRITEBYTECODE", "1");
            }
            Runtime::Cargo => {}
        }
        command.args(arguments);
        command
    }
}
