//! What is known of a command that runs Codex before it runs.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use codex_wire_base::{MessageSet, Protocol, Release};

use crate::record::run;

/// A command whose program is named `codex`.
#[derive(Clone, Copy, Debug)]
pub struct CodexCommand<'c> {
    program: &'c OsStr,
    arguments: &'c [OsString],
}

impl<'c> CodexCommand<'c> {
    /// The command, if its program is named `codex`, wherever that is.
    pub fn of(command: &'c [OsString]) -> Option<Self> {
        let (program, arguments) = command.split_first()?;
        let is_codex = Path::new(program).file_stem() == Some("codex".as_ref());
        is_codex.then_some(CodexCommand { program, arguments })
    }

    /// The release, for which the program is run with `--version`; none if it does not say it within ten seconds.
    pub fn release(self) -> Option<Release> {
        codex_wire_record::version(&mut Command::new(self.program))
    }

    /// The protocol of what the arguments ask for, as the release reads them, or else the newest one.
    pub fn protocol(self, release: Option<Release>) -> Option<Protocol> {
        let newest = || {
            MessageSet::AppServerServerNotifications
                .release_list()
                .latest()
        };
        run::protocol(release.unwrap_or_else(newest), self.arguments)
    }
}
