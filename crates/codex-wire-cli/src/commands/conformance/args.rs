//! The arguments of `codex-wire conformance`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_replay::faults::Injection;
use codex_wire_report::Format;

use crate::flags::values::{named, seconds};
use crate::reports::ReportTo;

const EXAMPLES: &str = "\
Examples:
  codex-wire conformance --client 'python3 my_client.py'
      Run the client in every scenario whose protocol it speaks, undisturbed and with each fault.
  codex-wire conformance --client 'my-client --codex {codex}' --release recorded
      Tell it where the stand-in is, and show which releases it works with.
  codex-wire conformance --client ./client --report junit=out.xml --baseline conformance.toml
      Write a report for CI; failures that the baseline lists are expected.

Exit codes:
  0  nothing breaks the client, except for expected failures
  1  something does, or an entry of the baseline is stale
  2  nothing could be run, or a signal ended the runs";

/// Run a client against a stand-in for Codex that misbehaves, and report what breaks it
///
/// No expectations have to be written: what the client shows with a fault is compared with what it shows
/// without one. The client is run twice undisturbed, and once with each fault.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConformanceArgs {
    /// The command that runs the client
    ///
    /// Its words are separated as a shell separates them, but no shell runs it. `{codex}` stands for the
    /// path of the stand-in, which is also the first `codex` on the PATH, and in `CODEX_PATH`, `CODEX_BIN`,
    /// `CODEX_CLI_PATH` and `CODEX_EXECUTABLE`. `CODEX_HOME` is an empty folder.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) client: String,

    /// Only scenarios of this name, in which `*` stands for anything; can be given several times
    #[arg(long = "scenario", value_name = "GLOB")]
    pub(crate) scenarios: Vec<String>,

    /// Only these faults; can be given several times
    #[arg(long = "fault", value_name = "ID[@WHERE]", value_parser = Injection::parse)]
    pub(crate) faults: Vec<Injection>,

    /// The releases to try, `recorded` or `all`; can be given several times
    ///
    /// If not given, the newest recorded release of each scenario is tried. `recorded` stands for all
    /// recorded ones, and a range such as 0.140..0.150 for all releases in it. In other releases, the
    /// nearest recording is played as that release would have written it, as `replay --as-release` does.
    #[arg(long = "release", short, value_name = "RELEASE")]
    pub(crate) releases: Vec<String>,

    /// Recordings, or folders of them, instead of the built-in scenarios; each is a scenario
    #[arg(long, value_name = "PATH")]
    pub(crate) recordings: Vec<PathBuf>,

    /// How many seconds the client may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "20")]
    pub(crate) timeout: Duration,

    /// The seed for what faults leave open, such as which member is added
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,

    /// A file that lists expected failures, each with a reason
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub(crate) baseline: Option<PathBuf>,

    /// The format of the report on standard output
    #[arg(long, value_parser = format(), default_value = "text", help_heading = "Reports")]
    pub(crate) format: Format,

    /// Also write a report to a file; can be given several times
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = ReportTo::parse)]
    #[arg(help_heading = "Reports")]
    pub(crate) reports: Vec<ReportTo>,

    /// Write the table of scenarios and releases as Markdown
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub(crate) table: Option<PathBuf>,

    /// Write a badge, as an endpoint of shields.io reads it (JSON)
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub(crate) badge: Option<PathBuf>,
}

fn format() -> impl TypedValueParser<Value = Format> {
    named(Format::ALL.iter().copied(), Format::as_str)
}
