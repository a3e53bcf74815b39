//! The packages of other languages, checked against every recorded line.
//!
//! `cargo test -p type-codegen --test languages -- --install` installs the compilers of these
//! languages into `.cache/types`; afterwards nothing needs a network. If one is not installed, its
//! tests are ignored, and each says why.

mod go;
mod install;
mod mutants;
mod python;
mod readme;
mod recorded;
mod sessions;
mod typescript;

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--install") {
        install::install_all();
        return ExitCode::SUCCESS;
    }
    let arguments = libtest_mimic::Arguments::from_args();
    let mut trials = typescript::trials();
    trials.extend(go::trials());
    trials.extend(python::trials());
    libtest_mimic::run(&arguments, trials).exit_code()
}
