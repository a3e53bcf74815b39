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
pub(crate) fn run(args: &CompletionsArgs, program: &clap::Command) -> anyhow::Result<ExitCode> {
    let name = env!("CARGO_BIN_NAME");
    // The generators list hidden commands, too.
    let shown = program.get_subcommands().filter(|it| !it.is_hide_set());
    let mut program = clap::Command::new(name)
        .version(env!("CARGO_PKG_VERSION"))
        .args(program.get_arguments().cloned())
        .subcommands(shown.cloned());
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, name, &mut script);
    if args.shell == Shell::Bash {
        // For a name with a hyphen, the generator calls a command one thing where it finds it, and another where it
        // completes it: https://github.com/clap-rs/clap/issues/6421.
        let text = String::from_utf8(script).context("the script is not UTF-8")?;
        script = text
            .replace("codex__subcmd__wire", "codex__wire")
            .into_bytes();
    }
    let mut out = io::stdout().lock();
    out.write_all(&script).context("cannot write")?;
    out.flush().context("cannot write")?;
    Ok(ExitCode::SUCCESS)
}
