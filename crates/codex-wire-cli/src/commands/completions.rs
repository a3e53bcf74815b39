//! Implements `codex-wire completions`: prints a script that lets a shell complete commands and flags.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  codex-wire completions bash > ~/.local/share/bash-completion/completions/codex-wire
  codex-wire completions zsh > ~/.zfunc/_codex-wire
  codex-wire completions fish > ~/.config/fish/completions/codex-wire.fish
  codex-wire completions powershell >> $PROFILE";

/// Print a script that completes commands and flags in a shell
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script; `program` is the command line of the program.
pub(crate) fn run(args: &CompletionsArgs, mut program: clap::Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    let name = env!("CARGO_BIN_NAME");
    clap_complete::generate(args.shell, &mut program, name, &mut script);
    let mut out = io::stdout().lock();
    out.write_all(&script).context("cannot write")?;
    out.flush().context("cannot write")?;
    Ok(ExitCode::SUCCESS)
}
