//! The arguments of `codex-wire diff`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_base::{LATEST, RangeEnds};
use codex_wire_check::Writer;
use codex_wire_diff::Verdict;
use codex_wire_report::Format;
use codex_wire_schema::Stability;

use super::filter::{Filter, verdict};
use super::scope::{About, is_release};
use crate::flags::output::OutputFlags;
use crate::flags::values::{named, side, stability};

const EXAMPLES: &str = "\
Examples:
  codex-wire diff app-server 0.157.0 0.169.0
      Show what changed, and which changes break clients.
  codex-wire diff exec 0.43.0 0.44.0 --format markdown
      Write it as Markdown.
  codex-wire diff core agcodex-0.1.0 0.34.0
      Compare a fork with a release.
  codex-wire diff app-server --stability stable --fail-on breaking 0.166.0 0.169.0
      Fail if a change breaks the stable API.
  codex-wire diff app-server --only breaking --message 'thread/*' 0.157.0 0.169.0
      Show only what breaks in some methods.
  codex-wire diff app-server 0.169.0 ./out/codex_app_server_protocol.schemas.json
      Compare a release with the output of `codex app-server generate-json-schema`.
  codex-wire diff --transcript run.jsonl --to 0.169.0
      Check whether this transcript, and the client that read it, still work with that release.
  codex-wire diff --behaviour 0.117.0 0.145.0
      Show what these releases do differently in the same scenes, though no schema says so.
  codex-wire diff monday.jsonl tuesday.jsonl
      Show what differs between two runs: how turns ended, what ran, and with which results.

Exit codes:
  0  the two sides were compared
  1  a difference that is shown has a verdict that --fail-on names; two recordings differ
  2  the two sides could not be compared; a line of a transcript could not be read";

/// Show what changed between two releases and breaks clients, or how two runs differ
///
/// Verdicts are given from the reader's side: clients read what Codex writes, and Codex reads what
/// clients write. `breaking`: one release writes a message that the other rejects; the message is
/// shown, and a validator has confirmed it. `maybe`: it depends on the reader, for example a new
/// value in an enumeration. `compatible`: readers that ignore what they do not know are safe.
/// `unknown`: the change could not be decided.
///
/// Two recordings are compared as sessions: ids, times and durations are left out.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArgs {
    /// The protocol, or one message set of it; or the first of two recordings
    #[arg(value_name = "PROTOCOL", value_parser = About::parser())]
    #[arg(required_unless_present = "transcript")]
    pub(super) about: Option<About>,

    /// The older side: a release, a fork, a file with a JSON Schema, or a folder of them; or the second recording
    ///
    /// The name of a release or fork always means it: for a file or folder of this name, write `./0.169.0`.
    #[arg(value_name = "A", required_unless_present_any = ["transcript", "behaviour"])]
    pub(super) before: Option<String>,

    /// The newer side: as for A; may be left out if A is a range such as 0.157..0.169
    #[arg(value_name = "B")]
    pub(super) after: Option<String>,

    /// The output format
    #[arg(long, value_parser = format(), default_value = Format::Text.as_str())]
    pub(super) format: Format,

    /// Whether to leave out (stable) or include (experimental) the API that clients opt in to [default: experimental]
    #[arg(long, value_parser = stability())]
    pub(super) stability: Option<Stability>,

    #[command(flatten)]
    pub(super) filter: Filter,

    /// Exit with 1 if a difference that is shown has this verdict or a worse one; `unknown` counts as `maybe`
    #[arg(long, value_name = "VERDICT", value_parser = verdict())]
    pub(super) fail_on: Option<Verdict>,

    /// The side that writes the messages, for a schema file that does not say so; either side if not given
    #[arg(long, value_name = "SIDE", value_parser = side(), conflicts_with = "transcript")]
    pub(super) writer: Option<Writer>,

    /// Compare only what a transcript contains: its messages, with their members and variants
    ///
    /// Changes elsewhere are only counted. The lines are also checked against the release. PATH is a
    /// file, a folder, an archive, or `-` for standard input. Several transcripts are compared
    /// together; they must be of one protocol.
    #[arg(long, value_name = "PATH", requires = "to", conflicts_with_all = ["before", "after"])]
    pub(super) transcript: Option<PathBuf>,

    /// The release to check the transcript against
    #[arg(long, value_name = "RELEASE", requires = "transcript")]
    pub(super) to: Option<String>,

    /// The release that the client was built for; the oldest possible one if not given
    #[arg(long, value_name = "RELEASE", requires = "transcript")]
    pub(super) from: Option<String>,

    /// Show what releases do differently in the same scenes: which messages come, in which order, and how they end
    ///
    /// Each scene was played several times with real programs; what varies from run to run is left out.
    #[arg(long, conflicts_with_all = ["transcript", "stability", "only", "evidence", "side", "message", "fail_on", "writer"])]
    pub(super) behaviour: bool,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

impl DiffArgs {
    /// Whether the API that clients opt in to is left out.
    pub(super) fn stability(&self) -> Stability {
        self.stability.unwrap_or(Stability::Experimental)
    }

    /// The two sides: A and B, or the ends of a range of releases.
    pub(super) fn sides(&self) -> Option<(&str, &str)> {
        let before = self.before.as_deref()?;
        if let Some(after) = &self.after {
            return Some((before, after));
        }
        let ends = RangeEnds::of(before)?;
        let (since, until) = (ends.since?, ends.until.unwrap_or(LATEST));
        (is_release(since) && is_release(until)).then_some((since, until))
    }
}

fn format() -> impl TypedValueParser<Value = Format> {
    named(
        [Format::Text, Format::Json, Format::Markdown],
        Format::as_str,
    )
}
