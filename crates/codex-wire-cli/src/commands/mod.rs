//! The commands. Each module has the arguments of its command and a `run` function.

mod check;
mod completions;
mod conformance;
mod convert;
mod diff;
mod example;
mod explain;
mod faults;
mod find;
mod hooks;
mod identify;
mod man;
mod mock_tools;
mod record;
mod releases;
pub(crate) mod replay;
mod rules;
mod schema;
mod scrub;
mod show;
mod table;
mod tap;
mod upgrade;
mod usage;

use std::process::ExitCode;

use anstream::ColorChoice;
use clap::Subcommand;

/// A command with its arguments.
// The help of each command is the documentation of its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Box<check::CheckArgs>),
    Identify(identify::IdentifyArgs),
    Show(show::ShowArgs),
    Usage(usage::UsageArgs),
    Table(table::TableArgs),
    Tap(Box<tap::TapArgs>),
    Scrub(scrub::ScrubArgs),
    Convert(convert::ConvertArgs),
    Record(Box<record::RecordArgs>),
    Replay(Box<replay::ReplayArgs>),
    Conformance(Box<conformance::ConformanceArgs>),
    Hooks(hooks::HooksArgs),
    Schema(schema::SchemaArgs),
    Find(find::FindArgs),
    Example(example::ExampleArgs),
    Releases(releases::ReleasesArgs),
    Diff(Box<diff::DiffArgs>),
    Upgrade(Box<upgrade::UpgradeArgs>),
    Rules(rules::RulesArgs),
    Explain(explain::ExplainArgs),
    Faults(faults::FaultsArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    #[command(hide = true)]
    MockTools(mock_tools::MockToolsArgs),
}

impl Command {
    /// Runs the command, and returns the exit code. `program` is the command line of the program.
    pub(crate) fn run(
        &self,
        color: ColorChoice,
        program: fn() -> clap::Command,
    ) -> anyhow::Result<ExitCode> {
        match self {
            Command::Check(args) => check::run(args, color),
            Command::Identify(args) => identify::run(args, color),
            Command::Show(args) => show::run(args, color),
            Command::Usage(args) => usage::run(args, color),
            Command::Table(args) => table::run(args),
            Command::Tap(args) => tap::run(args, color),
            Command::Scrub(args) => scrub::run(args, color),
            Command::Convert(args) => convert::run(args, color),
            Command::Record(args) => record::run(args, color),
            Command::Replay(args) => replay::run(args, color),
            Command::Conformance(args) => conformance::run(args, color),
            Command::Hooks(args) => hooks::run(args, color),
            Command::Schema(args) => schema::run(args, color),
            Command::Find(args) => find::run(args, color),
            Command::Example(args) => example::run(args, color),
            Command::Releases(args) => releases::run(args, color),
            Command::Diff(args) => diff::run(args, color),
            Command::Upgrade(args) => upgrade::run(args, color),
            Command::Rules(args) => rules::run(args, color),
            Command::Explain(args) => explain::run(args, color),
            Command::Faults(args) => faults::run(args, color),
            Command::Completions(args) => completions::run(args, &program()),
            Command::Man(args) => man::run(args, program()),
            Command::MockTools(args) => mock_tools::run(args),
        }
    }
}
