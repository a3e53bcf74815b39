//! The `codex-wire` program: arguments, files, processes and exit codes.
//!
//! Only this crate and `xtask` know command lines. It must not know how something is checked or how
//! findings look: the crates below it decide that.

#![forbid(unsafe_code)]

mod args;
mod check;
mod closed_pipe;
mod diff;
mod explain;
mod follow;
mod identify;
mod inputs;
mod interrupt;
mod known;
mod levels;
mod output;
mod progress;
mod releases;
mod replace;
mod reports;
mod resolve;
mod rules;
mod safe;
mod schema;
mod show;
mod tap;
mod wrap;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let color = cli.color();
    let done = match &cli.command {
        Command::Check(args) => check::run(args, color),
        Command::Identify(args) => identify::run(args, color),
        Command::Show(args) => show::run(args, color),
        Command::Tap(args) => tap::run(args, color),
        Command::Schema(args) => schema::run(args, color),
        Command::Releases(args) => releases::run(args, color),
        Command::Diff(args) => diff::run(args, color),
        Command::Rules(args) => rules::run(args, color),
        Command::Explain(args) => explain::run(args, color),
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
