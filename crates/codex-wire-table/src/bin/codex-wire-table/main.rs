//! The program `codex-wire-table`: tables of transcripts, as files of Parquet or as a stream of Arrow.
//!
//! It is a program of its own because Arrow and Parquet would make `codex-wire` half as large again. `codex-wire table`
//! runs it.

mod args;
mod commit;
mod dataset;
mod entries;
mod exit_code;
mod feed;
mod folder;
mod manifest;
mod output;
mod skipped;
mod spool;
mod stream;
mod work;
mod workers;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(answer) => return print(&answer),
    };
    match work::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if exit_code::is_closed_output(&error) => exit_code::OUTPUT_CLOSED.into(),
        Err(error) => {
            output::say(&format!("{error:#}"));
            exit_code::COULD_NOT_WRITE.into()
        }
    }
}

/// Prints help, the version, or what is wrong with the arguments.
fn print(answer: &clap::Error) -> ExitCode {
    match answer.print() {
        Err(error) if !answer.use_stderr() && error.kind() != ErrorKind::BrokenPipe => {
            output::say(&format!("cannot write: {error}"));
            exit_code::COULD_NOT_WRITE.into()
        }
        _ if answer.use_stderr() => exit_code::COULD_NOT_WRITE.into(),
        _ => ExitCode::SUCCESS,
    }
}
