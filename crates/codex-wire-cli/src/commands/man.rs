//! Implements `codex-wire man`: writes a manual page for the program and for each command.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  codex-wire man --out ~/.local/share/man/man1
      Then `man codex-wire-check` shows the manual of `codex-wire check`.";

/// Write manual pages for the program and its commands
///
/// The folder is made if it does not exist. Pages that exist are replaced.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// The folder to write the pages to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Writes the pages; `program` is the command line of the program.
pub(crate) fn run(args: &ManArgs, program: clap::Command) -> anyhow::Result<ExitCode> {
    let shown = args.out.display();
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make the folder {shown}"))?;
    clap_mangen::generate_to(program, &args.out)
        .with_context(|| format!("cannot write to {shown}"))?;
    Ok(ExitCode::SUCCESS)
}
