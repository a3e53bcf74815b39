//! Implements `codex-wire convert`: writes transcripts in our format, and sessions in those of other tools.

mod session;
mod target;

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anstream::ColorChoice;
use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use codex_wire_check::{Converted, Converter};
use codex_wire_export::Format;
use codex_wire_report::{SkipReason, Skipped};
use codex_wire_session::{Error, NoSession};

use self::session::Sessions;
use self::target::Target;
use crate::flags::folder::FolderFlags;
use crate::flags::output::OutputFlags;
use crate::inputs::{self, Found, Listing, Opened, Source, Unreadable};
use crate::progress::Progress;
use crate::telemetry::Collector;
use crate::{exit_code, output, output_limit};

/// How long a collector may take to answer.
const TIMEOUT: Duration = Duration::from_secs(60);

const EXAMPLES: &str = "\
Examples:
  codex-wire convert run.json > run.jsonl
      Convert an array of messages.
  codex-wire convert frames.log --out run.jsonl
      Convert what another recorder wrote.
  codex-wire convert recordings.tar.gz --out transcripts
      Convert each member of an archive to a file of a folder.
  codex-wire convert --to otlp --endpoint http://127.0.0.1:4318 ~/.codex/sessions
      Send sessions to a collector of OpenTelemetry.
  codex-wire convert --to atif rollout-….jsonl > trajectory.json
      Make a trajectory of a session file.

Exit codes:
  0  all inputs were converted
  2  an input was not";

/// Convert recordings to our format, or export sessions to other tools
///
/// Reads everything that `check` reads: lines of Codex or of both sides, JSON arrays, records of other
/// recorders, compressed files, folders and archives. Each line becomes a record with the side that
/// wrote it; `check` finds the same in the result. A transcript stays as it is.
///
/// With `--to`, the session in each input becomes lines of JSON for other tools: traces, trajectories or updates.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// Files or folders; standard input if none is given, or for `-`
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Write to a file instead of standard output, or for a folder, an archive or several inputs to a
    /// folder
    ///
    /// The folder is made if it does not exist. The files in it have the names of the inputs.
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,

    /// What to convert to
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = To::Transcript)]
    to: To,

    /// Include in traces what was said, what tools were called with and what they answered
    ///
    /// Without it, traces have names, ids, times, tokens, errors and exit codes. Trajectories and updates always
    /// have all that the session has.
    #[arg(long, help_heading = "Traces")]
    content: bool,

    /// Send traces to a collector with HTTP instead of writing them, such as http://127.0.0.1:4318
    ///
    /// They are sent to `/v1/traces` below this address. There is no TLS: for a collector elsewhere, run one on this
    /// machine that passes them on.
    #[arg(
        long,
        value_name = "URL",
        conflicts_with = "out",
        help_heading = "Traces"
    )]
    endpoint: Option<String>,

    #[command(flatten)]
    folder: FolderFlags,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// What inputs are converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    /// A transcript in our format
    Transcript,
    /// Traces of OpenTelemetry: OTLP, with the semantic conventions for generative AI 1.41.1
    Otlp,
    /// Traces with the semantic conventions of OpenInference 0.1.42, as OTLP
    #[value(name = "openinference")]
    OpenInference,
    /// Trajectories: ATIF-v1.7, one for each thread
    Atif,
    /// Notifications of the Agent Client Protocol, version 1: a `session/update` in each line
    Acp,
}

impl To {
    fn format(self) -> Option<Format> {
        match self {
            To::Transcript => None,
            To::Otlp => Some(Format::Otlp),
            To::OpenInference => Some(Format::OpenInference),
            To::Atif => Some(Format::Atif),
            To::Acp => Some(Format::Acp),
        }
    }
}

/// What makes something of an input.
enum Work {
    Transcripts(Converter),
    Sessions(Sessions),
}

impl Work {
    fn of(args: &ConvertArgs, color: ColorChoice) -> anyhow::Result<Self> {
        let has_traces = matches!(args.to, To::Otlp | To::OpenInference);
        if args.content && !has_traces {
            bail!("`--content` is for traces: use it with `--to otlp` or `--to openinference`");
        }
        if args.endpoint.is_some() && !has_traces {
            bail!("`--endpoint` takes traces: use it with `--to otlp` or `--to openinference`");
        }
        let endpoint = args.endpoint.as_deref();
        let collector = endpoint.map(|endpoint| Collector::at(endpoint, TIMEOUT));
        let collector = collector.transpose()?;
        Ok(match args.to.format() {
            None => Work::Transcripts(Converter::new()?),
            Some(format) => Work::Sessions(Sessions::new(format, args.content, collector, color)),
        })
    }

    fn convert(
        &self,
        target: &mut Target<'_>,
        member: Option<&str>,
        opened: Opened<'_>,
    ) -> anyhow::Result<Converted> {
        let Opened { name, input, .. } = opened;
        match self {
            Work::Transcripts(converter) => target.write(&name, member, |out| {
                Ok(converter.convert(&name, input, out)?)
            }),
            Work::Sessions(sessions) if sessions.sends() => sessions.send(&name, input),
            Work::Sessions(sessions) => {
                target.write(&name, member, |out| sessions.write(&name, input, out))
            }
        }
    }
}

/// The paths of the files that are read.
fn files(listing: &Listing) -> HashSet<PathBuf> {
    let sources = listing.inputs.iter().flatten();
    let paths = sources.filter_map(|source| fs::canonicalize(source.path()?).ok());
    paths.collect()
}

/// Converts the inputs.
pub(crate) fn run(args: &ConvertArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    output_limit::allow(args.output.max_output);
    let paths = inputs::or_stdin(&args.paths, "convert")?;
    let work = Work::of(args, color)?;
    let listing = inputs::list(&paths, args.folder.selection());
    let read = files(&listing);
    let mut skipped = inputs::skipped(listing.skipped);
    let progress = Progress::of(listing.inputs.len(), listing.bytes);
    let is_folder = paths.len() > 1 || paths[0].is_dir();
    let mut target = Target {
        out: args.out.as_deref(),
        is_folder,
        can_be_joined: args.to != To::Transcript,
        roots: &paths,
        inputs: read,
        written: HashSet::new(),
    };
    let mut failed = false;
    // The output was closed, or has reached its limit.
    let mut closed = None;
    for input in listing.inputs {
        let source = match input {
            Ok(source) => source,
            Err(Unreadable { name, error, .. }) => {
                output::complain(color, &format!("cannot read {name}: {error}"));
                failed = true;
                continue;
            }
        };
        progress.input(&source.name());
        source.each(&progress, &args.folder.exclude, |found| {
            if closed.is_some() {
                return;
            }
            let (verb, name, error) = match found {
                Found::Skipped(file) => return skipped.push(inputs::skipped_file(file)),
                Found::Failed(Unreadable { name, error, .. }) => ("read", name, error.into()),
                Found::Input(opened) => {
                    let name = opened.name.clone();
                    let may_skip = args.folder.skips(&opened);
                    // Of a folder, what holds no session is nothing to export.
                    let may_lack_session = may_skip || matches!(source, Source::Listed(_));
                    let source = source.name();
                    let member = name
                        .strip_prefix(&source)
                        .and_then(|name| name.strip_prefix('!'));
                    match work.convert(&mut target, member, opened) {
                        Ok(Converted::Written) => return,
                        Ok(_) if may_skip => {
                            return skipped.push(Skipped::new(name, SkipReason::NoTranscript));
                        }
                        Ok(Converted::Foreign(reason)) => ("convert", name, anyhow!(reason)),
                        Ok(_) => ("convert", name, anyhow!("no line is a message of Codex")),
                        Err(error) => match error.downcast_ref() {
                            Some(Error::NoSession {
                                reason: NoSession::Unreadable(reason),
                                ..
                            }) => ("read", name, anyhow!("{reason}")),
                            Some(Error::NoSession { .. }) if may_lack_session => {
                                return skipped.push(Skipped::new(name, SkipReason::NoTranscript));
                            }
                            Some(Error::NoSession { reason, .. }) => (
                                "convert",
                                name,
                                anyhow!("it holds no session of Codex: {reason}"),
                            ),
                            _ => ("convert", name, error),
                        },
                    }
                }
            };
            if exit_code::is_closed_output(&error) {
                closed = Some(error);
                return;
            }
            if output_limit::is_reached() {
                closed = Some(error.context(format!("cannot {verb} {name}")));
                return;
            }
            let _cleared = progress.clear();
            output::complain(color, &format!("cannot {verb} {name}: {error:#}"));
            failed = true;
        });
        if let Some(error) = closed {
            return Err(error);
        }
    }
    progress.clear();
    output::remark_skipped(color, &skipped);
    Ok(match failed {
        true => exit_code::COULD_NOT_CHECK.into(),
        false => ExitCode::SUCCESS,
    })
}
