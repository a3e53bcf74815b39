//! Implements `codex-wire table`: runs the program `codex-wire-table`.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  codex-wire table ~/.codex/sessions --out tables
      Write files of Parquet. Run it again, and only new transcripts are added.
  codex-wire table --format arrow-stream --table turns run.jsonl > turns.arrows
  codex-wire table --help
      The options of the program `codex-wire-table`.

Exit codes:
  0  everything was written; an input that could not be read is a row of `transcripts`
  2  the tables could not be written, or codex-wire-table is not installed";

/// The program that does it. Arrow and Parquet would make this one half as large again.
const PROGRAM: &str = "codex-wire-table";

/// Write tables of transcripts: Parquet for DuckDB and Spark, or a stream of Arrow
///
/// Runs the program `codex-wire-table`, which stands beside this one or on the path, with these arguments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct TableArgs {
    /// Arguments of `codex-wire-table`
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) arguments: Vec<OsString>,
}

/// Runs the program.
pub(crate) fn run(args: &TableArgs) -> anyhow::Result<ExitCode> {
    let mut command = Command::new(beside().unwrap_or_else(|| PROGRAM.into()));
    command.args(&args.arguments);
    match become_it(&mut command) {
        Ok(code) => Ok(code),
        Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
            "{PROGRAM} is neither beside this program nor on the path: the archives of a release have it, and \
             `cargo install --locked --git {} {PROGRAM}` builds it",
            env!("CARGO_PKG_REPOSITORY")
        ),
        Err(error) => Err(error).with_context(|| format!("cannot run {PROGRAM}")),
    }
}

/// The program beside this one.
fn beside() -> Option<PathBuf> {
    let here = env::current_exe().ok()?;
    let path = here.with_file_name(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
    path.is_file().then_some(path)
}

/// This process goes on as that program, so that signals and pipes are its own.
#[cfg(unix)]
fn become_it(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;

    Err(command.exec())
}

#[cfg(not(unix))]
fn become_it(command: &mut Command) -> io::Result<ExitCode> {
    Ok(crate::exit_code::of_status(command.status()?))
}
