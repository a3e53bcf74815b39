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

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match work::run(&args::Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if exit_code::is_closed_output(&error) => exit_code::OUTPUT_CLOSED.into(),
        Err(error) => {
            output::say(&format!("{error:#}"));
            exit_code::COULD_NOT_WRITE.into()
        }
    }
}
