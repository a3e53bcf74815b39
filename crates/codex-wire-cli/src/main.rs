//! The `codex-wire` program.
//!
//! The only crate that knows command lines, files, processes and exit codes. It must not know
//! what is checked or how findings look: that is decided in the crates below it.

#![forbid(unsafe_code)]

mod args;
mod check;
mod closed_pipe;
mod inputs;
mod levels;
mod output;
mod progress;
mod releases;
mod resolve;
mod schema;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let color = cli.color();
    let done = match &cli.command {
        Command::Check(args) => check::run(args, color),
        Command::Schema(args) => schema::run(args, color),
        Command::Releases(args) => releases::run(args, color),
    };
    match done {
        Ok(code) => code,
        Err(error) if closed_pipe::caused(&error) => closed_pipe::EXIT_CODE.into(),
        Err(error) => {
            output::complain(color, &format!("{error:#}"));
            ExitCode::from(check::COULD_NOT_CHECK)
        }
    }
}
