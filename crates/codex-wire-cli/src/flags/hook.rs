//! The flags that describe a hook.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use codex_wire_base::MessageSet;
use codex_wire_schema::tags;

/// What the user says of a hook.
#[derive(Clone, Debug, Args)]
pub(crate) struct HookFlags {
    /// The event of the hook whose input or output is checked
    ///
    /// With `--protocol hooks`. The whole input is then one document: with `--side codex` what the hook
    /// reads, with `--side hook` what it prints to standard output. Without `--side` the content
    /// decides. Without `--event` each line is a message, or a recorded run of a hook.
    #[arg(
        long,
        value_name = "EVENT",
        requires = "protocol",
        conflicts_with = "follow",
        help_heading = "Hooks"
    )]
    #[arg(value_parser = PossibleValuesParser::new(tags(MessageSet::HooksInput)))]
    pub(crate) event: Option<String>,

    /// The exit status of the hook
    #[arg(long, value_name = "N", default_value_t = 0, requires = "event")]
    #[arg(allow_negative_numbers = true, help_heading = "Hooks")]
    pub(crate) exit: i32,

    /// A file with what the hook wrote to standard error
    #[arg(long, value_name = "FILE", requires = "event", help_heading = "Hooks")]
    pub(crate) stderr: Option<PathBuf>,
}
