//! The `codex-wire` program: arguments, files, processes and exit codes.
//!
//! Each command is a module of [`commands`], with its arguments and its `run`. Commands share the
//! flags in [`flags`]. The other modules read inputs, write output and handle signals; they know no
//! command.
//!
//! It must not know how something is checked or how findings look: the crates below it decide that.

mod atomic_file;
mod commands;
mod config;
mod exit_code;
mod flags;
mod inputs;
mod interrupt;
mod live_report;
mod memory;
mod message_kind;
mod output;
mod output_limit;
mod pager;
mod progress;
mod reports;
mod resolve_release;
mod size;
mod stand_in;
mod stdio;
mod telemetry;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, Parser};

use commands::Command;
use flags::values::size;

#[global_allocator]
static ALLOCATOR: memory::Limited = memory::Limited;

const EXAMPLES: &str = "\
Examples:
  codex exec --json 'fix the tests' | tee run.jsonl | codex-wire check
      Check a run while it is recorded.
  codex-wire check --release 0.44.0 recordings/
      Check all transcripts of a folder against one release.
  codex-wire tap --record run.jsonl -- codex app-server
      Run Codex for a client, pass every byte on, record and check the traffic.
  codex-wire schema exec --release 0.125.0 > exec.schema.json
      Write the JSON Schema of one release to a file.
  codex-wire scrub run.jsonl > report.jsonl
      Replace private data in a transcript, for a bug report.
  codex-wire find turn/completed durationMs --example
      Say since when Codex writes this member, whether it is always there, and show a recorded message.
  codex-wire releases exec
      List what each release added, changed and removed.
  codex-wire diff app-server 0.157.0 0.169.0
      Show what changed between two releases, and which changes break clients.
  codex-wire explain sequence/exec-item-id
      Explain what a rule requires, and how to read its findings.

See `codex-wire COMMAND --help` for the options of a command.";

/// Check Codex transcripts against the protocol of any Codex release
#[derive(Debug, Parser)]
#[command(name = "codex-wire", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(help_heading = "Global options")]
    color: ColorChoice,

    /// The most memory to use, in bytes; K, M and G are powers of 1024 [default: 4G]
    ///
    /// Beyond it, the command ends with exit code 2, and no file is left half written. See docs/limits.md.
    #[arg(long, global = true, value_name = "N", value_parser = size)]
    #[arg(help_heading = "Global options")]
    max_memory: Option<u64>,
}

impl Cli {
    /// When to use colors.
    fn color(&self) -> anstream::ColorChoice {
        match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
    }
}

fn main() -> ExitCode {
    interrupt::outlive_file_limits();
    if let Some(code) = stand_in::run_if_installed() {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => return print(&answer),
    };
    let color = cli.color();
    if cli.max_memory.is_some() && matches!(cli.command, Command::Table(_)) {
        output::complain(
            color,
            "`table` has no `--max-memory`: docs/tables.md says what it keeps",
        );
        return exit_code::COULD_NOT_CHECK.into();
    }
    memory::limit(cli.max_memory.unwrap_or(memory::DEFAULT), color);
    match cli.command.run(color, Cli::command) {
        Ok(code) => code,
        Err(error) if exit_code::is_closed_output(&error) => exit_code::OUTPUT_CLOSED.into(),
        Err(error) => {
            output::complain(color, &format!("{error:#}"));
            exit_code::COULD_NOT_CHECK.into()
        }
    }
}

/// Prints help, the version, or what is wrong with the arguments.
fn print(answer: &clap::Error) -> ExitCode {
    match answer.print() {
        Err(error) if !answer.use_stderr() && error.kind() != ErrorKind::BrokenPipe => {
            output::complain(
                anstream::ColorChoice::Auto,
                &format!("cannot write: {error}"),
            );
            exit_code::COULD_NOT_CHECK.into()
        }
        _ if answer.use_stderr() => exit_code::COULD_NOT_CHECK.into(),
        _ => ExitCode::SUCCESS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
