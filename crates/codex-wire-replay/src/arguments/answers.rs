//! What Codex prints and exits, where its arguments are fine.

use std::collections::BTreeMap;

use codex_wire_base::Release;

use super::data::{self, COMMANDS, Output};

/// What Codex prints before it exits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The exit status.
    pub status: u8,
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
}

/// The recorded runs of a release, by their arguments.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    runs: BTreeMap<String, Output>,
    has_proto: bool,
}

impl Answers {
    pub(super) fn of(release: Release) -> Self {
        let proto = COMMANDS.iter().find(|command| command.name == "proto");
        Answers {
            runs: data::read_runs(&data::text_of(data::ANSWERS, release)),
            has_proto: proto.is_some_and(|proto| !data::text_of(proto.help, release).is_empty()),
        }
    }

    fn get(&self, arguments: &str) -> Answer {
        let output = self.runs.get(arguments).cloned().unwrap_or_default();
        let status = output.status.and_then(|status| u8::try_from(status).ok());
        Answer {
            status: status.unwrap_or(1),
            stdout: output.stdout,
            stderr: output.stderr,
        }
    }

    /// The version of a command: `codex-cli 0.98.0`. `rendered` names the command.
    pub(super) fn version(&self, rendered: &str, version: &str) -> Answer {
        let is_exec = rendered.split_whitespace().any(|word| word == "exec");
        let mut answer = self.get(if is_exec {
            "exec --version"
        } else {
            "--version"
        });
        if let Some((name, _)) = answer.stdout.split_once(' ') {
            answer.stdout = format!("{name} {version}\n");
        }
        answer
    }

    pub(super) fn login_status(&self, is_logged_in: bool) -> Answer {
        self.get(match is_logged_in {
            true => "login status # with a key",
            false => "login status",
        })
    }

    pub(super) fn no_prompt(&self, is_dash: bool) -> Answer {
        self.get(if is_dash { "exec -" } else { "exec" })
    }

    /// Whether `codex exec` refuses a bad override before it reads its prompt.
    pub(super) fn reads_overrides_first(&self) -> bool {
        self.get("exec -c walrus") == self.get("exec -c walrus word")
    }

    /// What a command says to an override of the configuration that has no `=`, or no key.
    pub(super) fn bad_override(&self, command: &str, text: &str) -> Answer {
        let mut answer = match command {
            "exec" => self.get("exec -c walrus word"),
            // A word that is no command is for the one that talks to a person.
            "" if self.has_proto => self.get("app-server -c walrus"),
            "" => self.get("proto -c walrus"),
            _ => self.get(&format!("{command} -c walrus")),
        };
        answer.stderr = match text.contains('=') {
            true => answer
                .stderr
                .replace("Invalid override (missing '=')", "Empty key in override"),
            false => answer.stderr,
        };
        answer.stderr = answer.stderr.replace("walrus", text);
        answer
    }

    /// What Codex says where it would talk to a person.
    pub(super) fn no_terminal(&self) -> Answer {
        self.get("walrus")
    }
}
