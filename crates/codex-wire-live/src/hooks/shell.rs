//! Finds the shell that Codex gives commands of hooks to.

use std::ffi::OsString;
use std::process::Command;

/// A command in the shell of Codex. 0.125.0 and 0.169.0 take the shell that the system knows of the user, whatever
/// `SHELL` says, and give it the command with `-c`.
pub(super) fn command(text: &str) -> Command {
    let (shell, flag) = shell();
    let mut command = Command::new(shell);
    command.arg(flag).arg(text);
    command
}

#[cfg(unix)]
fn shell() -> (OsString, &'static str) {
    let known = of_user().or_else(|| std::env::var_os("SHELL"));
    let shell = known.filter(is_one);
    (shell.unwrap_or_else(|| "/bin/sh".into()), "-c")
}

/// Whether it is a shell that takes commands as Codex writes them.
#[cfg(unix)]
fn is_one(shell: &OsString) -> bool {
    let name = std::path::Path::new(shell).file_name();
    name.is_some_and(|name| ["bash", "sh", "zsh"].iter().any(|shell| name == *shell))
}

/// The shell that the list of users names. Not every system has one.
#[cfg(unix)]
fn of_user() -> Option<OsString> {
    let own = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let mut users = users
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let user = users.find(|fields| fields.get(2) == Some(&own.as_str()))?;
    let shell = user.get(6).filter(|shell| !shell.is_empty())?;
    Some(OsString::from(*shell))
}

#[cfg(not(unix))]
fn shell() -> (OsString, &'static str) {
    let shell = std::env::var_os("COMSPEC");
    (shell.unwrap_or_else(|| "cmd.exe".into()), "/C")
}
