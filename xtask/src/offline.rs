//! Takes the network away from programs, where this system lets us.

use std::ffi::OsString;
use std::io;
use std::process::{Command, Stdio};

/// Ways to run a command without a network.
const WAYS: [&[&str]; 2] = [
    &["unshare", "--net"],
    &["unshare", "--net", "--map-root-user"],
];

/// Lets loopback work where there is no other network, and runs the words that follow.
const LOOPBACK: &str = "ip link set lo up && exec \"$@\"";

/// Words in front of a command that take the network away; none if this system does not let us.
pub(crate) fn prefix() -> &'static [&'static str] {
    way(&["true"])
}

/// This program once more with these arguments, with loopback and no other network; `None` if this system
/// does not let us.
///
/// # Errors
/// When the path of this program is not known.
pub(crate) fn again(arguments: &[OsString]) -> io::Result<Option<Command>> {
    let shell = ["sh", "-c", LOOPBACK, "sh"];
    let way = way(&[&shell[..], &["true"]].concat());
    let Some((first, rest)) = way.split_first() else {
        return Ok(None);
    };
    let mut command = Command::new(first);
    command.args(rest).args(shell);
    command.arg(std::env::current_exe()?).args(arguments);
    Ok(Some(command))
}

/// The first way in which a command succeeds.
fn way(command: &[&str]) -> &'static [&'static str] {
    let works = |way: &&&[&str]| {
        let mut tried = Command::new(way[0]);
        tried.args(&way[1..]).args(command);
        let status = tried.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    WAYS.iter().find(works).copied().unwrap_or_default()
}
