//! The arguments of `codex-wire upgrade`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_replay::faults::Injection;
use codex_wire_report::Format;

use crate::flags::output::OutputFlags;
use crate::flags::values::{named, seconds};

const EXAMPLES: &str = "\
Examples:
  codex-wire upgrade --from 0.157.0 --to 0.169.0 --recordings tests/transcripts
      Show which parts of what these recordings use changed, what Codex does differently, and how much else there is.
  codex-wire upgrade --from 0.157.0 --client 'node client.mjs' --format markdown
      Also run a client in the stand-in as both releases, and write a comment for a pull request.

Exit codes:
  0  nothing is known to break
  1  a change breaks what the recordings use, or the client has a failure that it did not have before
  2  it cannot be known: something cannot be read, or neither `--recordings` nor `--client` is given";

/// Show whether a client can take another release of Codex, most urgent first
///
/// What recordings use that changed, what Codex does differently in the same scenes, what the client does with both
/// releases in the stand-in, and how many other changes there are.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UpgradeArgs {
    /// The release that the client uses
    #[arg(long, value_name = "RELEASE")]
    pub(super) from: String,

    /// The release that it is to use
    #[arg(long, value_name = "RELEASE", default_value = "latest")]
    pub(super) to: String,

    /// Recordings of what the client uses: a file, a folder or an archive, or `-`; the page has a part for each protocol
    #[arg(long, value_name = "PATH")]
    pub(super) recordings: Option<PathBuf>,

    /// The command that runs the client, as for `codex-wire conformance`
    ///
    /// It is run in each scenario as both releases: twice undisturbed, and once with each fault.
    #[arg(long, value_name = "COMMAND")]
    pub(super) client: Option<String>,

    /// Only scenarios of this name, in which `*` stands for anything; can be given several times
    #[arg(long = "scenario", value_name = "GLOB", requires = "client")]
    pub(super) scenarios: Vec<String>,

    /// The faults to try; can be given several times
    #[arg(long = "fault", value_name = "ID[@WHERE]", requires = "client")]
    #[arg(value_parser = Injection::parse, default_value = "turn-fails")]
    pub(super) faults: Vec<Injection>,

    /// How many seconds the client may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "20", requires = "client")]
    pub(super) timeout: Duration,

    /// The output format
    #[arg(long, value_parser = format(), default_value = Format::Text.as_str())]
    pub(super) format: Format,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

fn format() -> impl TypedValueParser<Value = Format> {
    named(
        [Format::Text, Format::Json, Format::Markdown],
        Format::as_str,
    )
}
