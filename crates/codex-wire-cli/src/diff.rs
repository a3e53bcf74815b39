//! Implements `codex-wire diff`: what changed between two releases, and whom it breaks.
//!
//! As JSON: the document of `codex_wire_diff::DIFF_SCHEMA`. With `--transcript` it stands in
//! `differences` of `{"version":1,"transcript":{"path","protocol","release","messages",
//! "kinds":[{"part","name","lines","first"}]},"to","misfits":{"count","list":[{"line","rule",
//! "message"}]},"differences":{…}}`, less what concerns no message of the transcript.

mod sides;
mod text;
mod transcript;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, bail};
use clap::Args;
use codex_wire_check::Writer;
use codex_wire_diff::{Comparison, Direction, Verdict, diff};
use codex_wire_report::Format;
use codex_wire_schema::Stability;

use crate::{args, output, safe};
use sides::Spoken;

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
  codex-wire diff app-server 0.169.0 ./out/codex_app_server_protocol.schemas.json
      Compare a release with the output of `codex app-server generate-json-schema`.
  codex-wire diff --transcript run.jsonl --to 0.169.0
      Does this transcript, or the client that read it, still work with that release?

Exit codes:
  0  the two sides were compared
  1  there is a difference that --fail-on names
  2  the two sides could not be compared";

/// Show what changed between two releases, and which changes break clients
///
/// Changes are judged from the reader's side: clients read what Codex writes, and Codex reads what
/// clients write. `breaking`: one release writes a message that the other rejects; the message is
/// shown, and a validator has confirmed it. `maybe`: it depends on the reader, for example a new
/// value in an enumeration. `compatible`: readers that ignore what they do not know are safe.
/// `unknown`: the change could not be decided.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArgs {
    /// The protocol, or one message set of it
    #[arg(value_name = "PROTOCOL", value_parser = sides::spoken())]
    #[arg(required_unless_present = "transcript")]
    protocol: Option<Spoken>,

    /// The older side: a release, a fork, a file with a JSON Schema, or a folder of them
    #[arg(value_name = "A", required_unless_present = "transcript")]
    before: Option<String>,

    /// The newer side: the same kinds
    #[arg(value_name = "B", required_unless_present = "transcript")]
    after: Option<String>,

    /// The output format
    #[arg(long, value_parser = format(), default_value = Format::Text.as_str())]
    format: Format,

    /// Only the API for every client (stable), or also what clients opt in to (experimental)
    #[arg(long, value_parser = args::stability(), default_value = Stability::Experimental.as_str())]
    stability: Stability,

    /// Exit with 1 if a difference has this verdict or a worse one; `unknown` counts as `maybe`
    #[arg(long, value_name = "VERDICT", value_parser = verdict())]
    fail_on: Option<Verdict>,

    /// The writer of the messages in a file that does not name it; either side if not given
    #[arg(long, value_name = "SIDE", value_parser = args::side(), conflicts_with = "transcript")]
    writer: Option<Writer>,

    /// Compare only the messages of a transcript
    ///
    /// Its lines are also checked against the release.
    #[arg(long, value_name = "FILE", requires = "to", conflicts_with_all = ["before", "after"])]
    transcript: Option<PathBuf>,

    /// The release to check the transcript against
    #[arg(long, value_name = "RELEASE", requires = "transcript")]
    to: Option<String>,

    /// The release that the client was built for; the oldest possible one if not given
    #[arg(long, value_name = "RELEASE", requires = "transcript")]
    from: Option<String>,
}

fn format() -> impl clap::builder::TypedValueParser<Value = Format> {
    args::named(
        [Format::Text, Format::Json, Format::Markdown],
        Format::as_str,
    )
}

fn verdict() -> impl clap::builder::TypedValueParser<Value = Verdict> {
    args::named([Verdict::Breaking, Verdict::Maybe], Verdict::as_str)
}

/// A difference is of the kind `--fail-on` names.
const FAILS: u8 = 1;

/// Compares.
pub(crate) fn run(args: &DiffArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.transcript {
        return transcript::run(args, path, color);
    }
    let (Some(protocol), Some(before), Some(after)) = (args.protocol, &args.before, &args.after)
    else {
        bail!("nothing to compare: name a protocol and two releases");
    };
    let (before, after) = sides::both(protocol, [before, after], args.stability, color)?;
    let written = |side: codex_wire_diff::Side| match args.writer {
        Some(Writer::Codex) => side.written_by(Direction::CodexWrites),
        Some(Writer::Client) => side.written_by(Direction::ClientWrites),
        _ => side,
    };
    let comparison = diff(&written(before), &written(after))?;
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => {
            writeln!(
                out,
                "{}",
                safe::json(&format!("{:#}", comparison.to_json()))
            )?;
        }
        Format::Markdown => {
            let title = format!("{protocol} {} to {}", comparison.before, comparison.after);
            write!(out, "{}", safe::page(&comparison.to_markdown(&title)))?;
        }
        _ => text::comparison(&mut out, protocol.as_str(), &comparison)?,
    }
    out.flush().context("cannot write")?;
    Ok(exit_code(args.fail_on, &comparison))
}

fn exit_code(fail_on: Option<Verdict>, comparison: &Comparison) -> ExitCode {
    let fails = match (fail_on, comparison.worst()) {
        (Some(Verdict::Breaking), worst) => worst == Some(Verdict::Breaking),
        // What was not decided may be.
        (Some(_), Some(worst)) => worst > Verdict::Compatible,
        _ => false,
    };
    if fails {
        ExitCode::from(FAILS)
    } else {
        ExitCode::SUCCESS
    }
}
