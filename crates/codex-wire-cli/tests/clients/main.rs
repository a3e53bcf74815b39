//! Clients of Codex that others wrote, from their registries. Each runs with a real Codex, and with a
//! stand-in that plays what this Codex said, and shows the same.
//!
//! `cargo test -p codex-wire-cli --test clients -- --install` installs the clients into `.cache/clients`;
//! afterwards nothing needs a network. If a client is not installed, its tests are ignored, and each line
//! says why. [`scenario`] lists what is tried, and the folder of a client has its program, its pinned
//! versions and the recordings. With `UPDATE_EXPECT=1`, the recordings are made again, where there are real
//! binaries (`cargo xtask binaries fetch`).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod client;
#[cfg(unix)]
mod differences;
#[cfg(unix)]
mod examples;
#[cfg(unix)]
mod exchange;
#[cfg(unix)]
mod install;
#[cfg(unix)]
mod page;
#[cfg(unix)]
mod readme;
#[cfg(unix)]
mod recorded;
#[cfg(unix)]
mod right;
#[cfg(unix)]
mod scenario;
#[cfg(unix)]
mod shown;
#[cfg(unix)]
mod stage;

use std::process::ExitCode;

fn main() -> ExitCode {
    // What stands before the real binary is a script for a shell.
    #[cfg(unix)]
    return clients();
    #[cfg(not(unix))]
    ExitCode::SUCCESS
}

#[cfg(unix)]
fn clients() -> ExitCode {
    if std::env::args().any(|argument| argument == "--install") {
        install::install_all();
        return ExitCode::SUCCESS;
    }
    let mut arguments = libtest_mimic::Arguments::from_args();
    // Clients wait for Codex more than they compute.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads = arguments.test_threads.or(Some(2 * cores));
    install::place_programs();
    let mut trials = stage::trials();
    trials.extend(recorded::trials());
    trials.extend(readme::trials());
    trials.extend(page::trials());
    trials.extend(right::trials());
    trials.extend(examples::trials());
    let conclusion = libtest_mimic::run(&arguments, trials);
    stage::clear();
    conclusion.exit_code()
}
