//! What is recorded.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use codex_wire_base::{Protocol, Release};
use codex_wire_record::Program;
use codex_wire_replay::arguments::{CommandLine, Invocation};
use codex_wire_replay::script::Script;
use codex_wire_scrub as scrub;

use crate::error::Error;
use crate::notice::Notices;

/// A run of Codex that is to be recorded.
#[derive(Debug)]
pub struct Run {
    pub(crate) program: Program,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) protocol: Protocol,
    pub(crate) source: Source,
    pub(crate) helper: String,
    pub(crate) prompts: Vec<String>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) has_hooks: bool,
    pub(crate) placeholders: Option<scrub::Key>,
    pub(crate) notices: Notices,
}

/// Where the answers of the model come from.
#[derive(Debug)]
pub enum Source {
    /// A script.
    Script(Script),
    /// An endpoint with the Responses API. Codex talks to it itself.
    Endpoint {
        /// Its address.
        url: String,
        /// The key that Codex sends, if it sends one.
        key: Option<Key>,
    },
}

/// The key of an endpoint. It is not recorded: where it would be, there are asterisks.
#[derive(Clone)]
pub struct Key {
    /// The variable of the environment in which Codex has it.
    pub variable: String,
    /// The key.
    pub secret: String,
}

impl Run {
    /// A run of Codex with these arguments. `helper` is a program that Codex starts, with the arguments
    /// `mock-tools`, a task and a file: `collect` adds a line to the file, as hooks and notifications need it, and
    /// `serve` is a tool server. `codex-wire` is such a program.
    ///
    /// # Errors
    /// If the arguments name no command that speaks a protocol, or the path of the helper is not text.
    pub fn new(
        program: Program,
        arguments: Vec<OsString>,
        source: Source,
        helper: &Path,
    ) -> Result<Self, Error> {
        let protocol = protocol(program.release, &arguments).ok_or(Error::NoCommand)?;
        let Some(helper) = helper.to_str() else {
            return Err(Error::NotText(helper.to_owned()));
        };
        Ok(Run {
            program,
            arguments,
            protocol,
            source,
            helper: helper.to_owned(),
            prompts: Vec::new(),
            cwd: None,
            home: None,
            has_hooks: true,
            placeholders: None,
            notices: Notices::ignored(),
        })
    }

    /// Prompts of a client that talks to an app-server: it starts a thread, and a turn with each, accepts whatever it is
    /// asked, and interrupts a turn that hangs. Without prompts, whoever starts the run is the client.
    #[must_use]
    pub fn prompts(mut self, prompts: Vec<String>) -> Self {
        self.prompts = prompts;
        self
    }

    /// The folder in which Codex works; an empty one if that is not said.
    #[must_use]
    pub fn cwd(mut self, cwd: Option<PathBuf>) -> Self {
        self.cwd = cwd.map(|cwd| std::path::absolute(&cwd).unwrap_or(cwd));
        self
    }

    /// The folder with the home of Codex, which is kept for the next run, with the sessions in it; a new one if that is
    /// not said. The next run can resume them. It has to be empty, not there, or of an earlier run.
    #[must_use]
    pub fn home(mut self, home: Option<PathBuf>) -> Self {
        self.home = home;
        self
    }

    /// Whether Codex has a hook for each event, which keeps what it is told.
    #[must_use]
    pub fn hooks(mut self, has_hooks: bool) -> Self {
        self.has_hooks = has_hooks;
        self
    }

    /// Replaces private data in all that is kept, with placeholders of this key.
    #[must_use]
    pub fn scrubbed(mut self, key: Option<scrub::Key>) -> Self {
        self.placeholders = key;
        self
    }

    /// Where notices go; if it is not set, nowhere.
    #[must_use]
    pub fn notices(mut self, notices: Notices) -> Self {
        self.notices = notices;
        self
    }
}

impl std::fmt::Debug for Key {
    /// Without the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = f.debug_struct("Key");
        out.field("variable", &self.variable)
            .finish_non_exhaustive()
    }
}

/// The protocol of the command that a release finds in these arguments of Codex, if it speaks one.
pub fn protocol(release: Release, arguments: &[OsString]) -> Option<Protocol> {
    let command_line = CommandLine::of(release);
    match command_line.parse(arguments) {
        Ok(Invocation::Exec(_)) => return Some(Protocol::Exec),
        Ok(Invocation::AppServer(_)) => return Some(Protocol::AppServer),
        Ok(Invocation::Proto(_)) => return Some(Protocol::Core),
        // A release that was not asked may take what an earlier one refuses.
        Err(_) if command_line.recorded() != release => {}
        _ => return None,
    }
    let mut commands = arguments
        .iter()
        .filter_map(|argument| match argument.to_str()? {
            "exec" | "e" => Some(Protocol::Exec),
            "app-server" => Some(Protocol::AppServer),
            "proto" => Some(Protocol::Core),
            _ => None,
        });
    commands.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_what_the_release_takes_for_one() {
        let newest = Release::new(0, 169, 0);
        for (release, arguments, expected) in [
            (newest, "exec --json hello", Some(Protocol::Exec)),
            (newest, "e --json app-server", Some(Protocol::Exec)),
            (newest, "-m e app-server", Some(Protocol::AppServer)),
            (newest, "--cd exec app-server", Some(Protocol::AppServer)),
            (newest, "mcp get exec", None),
            (newest, "-m exec", None),
            (Release::new(0, 40, 0), "proto", Some(Protocol::Core)),
            // A later one may take what is not known yet.
            (Release::new(9, 0, 0), "exec --later", Some(Protocol::Exec)),
            (newest, "", None),
        ] {
            let words = arguments.split_whitespace().map(OsString::from);
            let words: Vec<_> = words.collect();
            assert_eq!(protocol(release, &words), expected, "{arguments}");
        }
    }
}
