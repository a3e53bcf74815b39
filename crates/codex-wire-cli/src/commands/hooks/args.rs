//! The arguments of `codex-wire hooks`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use codex_wire_base::MessageSet;
use codex_wire_report::Format;
use codex_wire_schema::tags;

use crate::flags::values::{seconds, text_or_json};

/// Test hooks of Codex
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HooksArgs {
    #[command(subcommand)]
    pub(crate) command: HooksCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    Test(TestArgs),
}

const EXAMPLES: &str = "\
Examples:
  codex-wire hooks test .codex/hooks.json
      Check the file, and run each of its hooks on recorded inputs of its event.
  codex-wire hooks test .codex/hooks.json -r 0.125.0 -r 0.169.0
  codex-wire hooks test --event PreToolUse --guard -- ./guard.sh --strict
      Try one program, which has to block what it cannot read.
  codex-wire hooks test ~/.codex/config.toml --input rm-rf.json
      Try an input of your own, too: `codex-wire example PreToolUse > rm-rf.json` makes one to change.

Exit codes:
  0  nothing fails open, and the release runs all hooks of the file
  1  a hook fails open or breaks the tool, or the release refuses or ignores a hook
  2  nothing could be tried, or a file could not be read";

/// Run hooks on recorded inputs, and say what Codex makes of each run
///
/// Hooks run as Codex runs them: in a shell, with the input on standard input, and with their own timeout. The
/// runs are real, with all their effects. For each run the output says whether the hook blocks, allows, changes
/// something, or fails open: then Codex refuses what it printed, or the hook failed, and the tool runs anyway.
/// A hook that blocks something is also given an input of a later release and one that cannot be read.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TestArgs {
    /// `hooks.json` or `config.toml`; with `--event` a command
    #[arg(value_name = "FILE|COMMAND", required = true)]
    pub(crate) hooks: Vec<String>,

    /// The event for which the command runs
    #[arg(long, value_name = "EVENT")]
    #[arg(value_parser = PossibleValuesParser::new(tags(MessageSet::HooksInput)))]
    pub(crate) event: Option<String>,

    /// A release, such as 0.169.0, 0.169 or latest, or a range; can be given several times [default: latest]
    #[arg(long = "release", short, value_name = "RELEASE")]
    pub(crate) releases: Vec<String>,

    /// A file with an input to try, too; can be given several times
    #[arg(long = "input", value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Treat all hooks that can block something as guards, also those that block none of the inputs
    #[arg(long)]
    pub(crate) guard: bool,

    /// The folder in which hooks run [default: the current one]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,

    /// End a hook after this many seconds, where its own timeout is longer: it then counts as one that fails open
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// The output format
    #[arg(long, value_parser = text_or_json(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}
