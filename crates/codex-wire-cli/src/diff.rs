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
      What changed, and whom it breaks.
  codex-wire diff exec 0.43.0 0.44.0 --format markdown
      The same as a page.
  codex-wire diff core agcodex-0.1.0 0.34.0
      What a fork speaks is a release's as well.
  codex-wire diff app-server --stability stable --fail-on breaking 0.166.0 0.169.0
      Fail if something breaks that every client is promised.
  codex-wire diff app-server 0.169.0 ./out/codex_app_server_protocol.schemas.json
      A release, and what `codex app-server generate-json-schema` says.
  codex-wire diff --transcript run.jsonl --to 0.169.0
      Would this stream, or the client that read it, survive on that release?

Exit codes:
  0  compared
  1  there is a difference that --fail-on names
  2  could not be compared";

/// Say what changed between two releases, and whom it breaks.
///
/// What Codex writes may break clients, what clients write may be refused by Codex; what both
/// write has both verdicts. A verdict of `breaking` comes with a message that the one release
/// speaks and the other does not, tried with a validator. `maybe` depends on who reads: a value
/// more in an enumeration breaks those who take the list for complete. `compatible` asks of a
/// reader only to ignore what it does not know. `unknown` is a change that could not be decided.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArgs {
    /// The protocol, or one surface of it
    #[arg(value_name = "PROTOCOL", value_parser = sides::spoken())]
    #[arg(required_unless_present = "transcript")]
    protocol: Option<Spoken>,

    /// The older side: a release, a fork, a file with a JSON Schema, or a folder of them
    #[arg(value_name = "A", required_unless_present = "transcript")]
    before: Option<String>,

    /// The newer side, likewise
    #[arg(value_name = "B", required_unless_present = "transcript")]
    after: Option<String>,

    /// How to print it
    #[arg(long, value_parser = format(), default_value = Format::Text.as_str())]
    format: Format,

    /// Whose API: every client's (stable), or that of clients that opted in (experimental)
    #[arg(long, value_parser = args::stability(), default_value = Stability::Experimental.as_str())]
    stability: Stability,

    /// Exit with 1 if a difference is breaking, or at least maybe; `unknown` counts as maybe
    #[arg(long, value_name = "VERDICT", value_parser = verdict())]
    fail_on: Option<Verdict>,

    /// Who writes what a file describes that does not say so; either side if not given
    #[arg(long, value_name = "SIDE", value_parser = args::side(), conflicts_with = "transcript")]
    writer: Option<Writer>,

    /// Look at the messages of a transcript only
    ///
    /// Its lines are held against the release as well.
    #[arg(long, value_name = "FILE", requires = "to", conflicts_with_all = ["before", "after"])]
    transcript: Option<PathBuf>,

    /// The release the transcript is held against
    #[arg(long, value_name = "RELEASE", requires = "transcript")]
    to: Option<String>,

    /// The release the client was built for; the oldest that could have written it if not given
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
