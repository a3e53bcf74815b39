//! The packages that `cargo xtask pack` writes, installed and used as by those who get them: from a folder
//! without the repository, and without a network.
//!
//! `cargo test -p xtask --test packages -- --install` installs what else is needed into `.cache/packages`,
//! with the versions of the lock files here; afterwards nothing needs a network. A test that lacks
//! something is ignored, and says what.
//!
//! What is packed is the program that was built last. `cargo test --workspace` builds it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod action;
#[cfg(unix)]
mod archives;
#[cfg(unix)]
mod github;
#[cfg(unix)]
mod hooks;
#[cfg(unix)]
mod npm;
#[cfg(unix)]
mod registry;
#[cfg(unix)]
mod release;
#[cfg(unix)]
mod stage;
#[cfg(unix)]
mod tools;
mod upgrade_action;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(unix)]
    return packages();
    #[cfg(not(unix))]
    ExitCode::SUCCESS
}

#[cfg(unix)]
fn packages() -> ExitCode {
    if std::env::args().any(|argument| argument == "--install") {
        tools::install_all();
        return ExitCode::SUCCESS;
    }
    let arguments = libtest_mimic::Arguments::from_args();
    let mut trials = npm::trials();
    trials.extend(action::trials());
    trials.extend(upgrade_action::trials());
    trials.extend(archives::trials());
    trials.extend(hooks::trials());
    trials.extend(release::trials());
    libtest_mimic::run(&arguments, trials).exit_code()
}
