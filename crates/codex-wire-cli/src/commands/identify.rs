//! Implements `codex-wire identify`: the protocol and the possible releases of inputs.
//!
//! As JSON: the document of `codex_wire_schema::own::IDENTIFICATION`.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::Args;
use codex_wire_check::identify::Kind;
use codex_wire_check::{Checker, Options};
use codex_wire_inputs::in_order;
use codex_wire_report::{Format, Identifications, Identified, SkipReason, Skipped, Styles};

use crate::exit_code::COULD_NOT_CHECK;
use crate::flags::folder::{self, FolderFlags};
use crate::flags::output::OutputFlags;
use crate::flags::values::{text_or_json, threads};
use crate::inputs::{self, Listing, Opened, Source, Unreadable};
use crate::progress::Progress;
use crate::{interrupt, output, output_limit};

const EXAMPLES: &str = "\
Examples:
  codex-wire identify run.jsonl
      Print the protocol, the releases that could have written it, and the evidence.
  codex-wire identify --format json recordings/ | jq -r '.inputs[] | .path + \" \" + .releases.text'

Exit codes:
  0  every input is identified
  1  an input is mixed: no single protocol or release writes all its messages
  2  an input is not a transcript, or could not be read";

/// Identify the protocol and the possible releases
///
/// Prints the releases that could have written each input, and the evidence. Session files are inputs like
/// any other. If an input is not a transcript, but of another known kind, such as the prompt history or plain
/// text, the output names that kind. If a recording names its own release, the output says whether this agrees with the result.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct IdentifyArgs {
    /// Files or folders; standard input if none is given, or for `-`
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) folder: FolderFlags,

    /// The number of threads [default: one for each processor, at most 8]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<NonZeroUsize>,

    /// The output format
    #[arg(long, value_parser = text_or_json(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// An input is mixed.
const MIXED: u8 = 1;

/// Identifies the inputs.
pub(crate) fn run(args: &IdentifyArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    output_limit::allow(args.output.max_output);
    let checker = Checker::new(Options::new())?;
    let paths = inputs::or_stdin(&args.paths, "identify")?;
    let Listing {
        inputs,
        skipped,
        bytes,
        ..
    } = inputs::list(&paths, args.folder.selection());
    let mut skipped = inputs::skipped(skipped);
    let progress = Progress::of(inputs.len(), bytes);
    let threads = folder::threads(args.threads, inputs.len());
    let mut out = output::stdout(color);
    let mut worst = 0;
    let mut report = Identifications::begin(args.format, Styles::coloured(), &mut out)?;
    let work = |input: &Result<Source, Unreadable>, give: &mut dyn FnMut(Known)| match input {
        Ok(source) => identify(&checker, source, &args.folder, &progress, give),
        Err(Unreadable { name, error, .. }) => give(Ok((name.clone(), Err(error.to_string())))),
    };
    in_order(
        threads,
        &inputs,
        interrupt::stop(),
        work,
        |_| 1,
        |known| {
            let (name, known) = match known {
                Ok(known) => known,
                Err(file) => {
                    skipped.push(file);
                    return Ok(());
                }
            };
            let _cleared = progress.clear();
            worst = worst.max(match &known {
                Ok(known) => code(known.kind),
                Err(_) => COULD_NOT_CHECK,
            });
            report.input(&name, &known)?;
            anyhow::Ok(())
        },
    )?;
    report.finish(&skipped)?;
    out.flush()?;
    output::remark_skipped(color, &skipped);
    Ok(ExitCode::from(worst))
}

fn code(kind: Kind) -> u8 {
    match kind {
        Kind::Identified => 0,
        Kind::Mixed => MIXED,
        Kind::Unknown => COULD_NOT_CHECK,
    }
}

/// The name of an input and what is known of it, or why it was skipped.
type Known = Result<(String, Identified), Skipped>;

fn identify(
    checker: &Checker,
    source: &Source,
    folder: &FolderFlags,
    progress: &Progress,
    give: &mut dyn FnMut(Known),
) {
    progress.input(&source.name());
    source.each(progress, &folder.exclude, |found| {
        give(match found {
            inputs::Found::Skipped(file) => Err(inputs::skipped_file(file)),
            inputs::Found::Failed(failed) => Ok((failed.name, Err(failed.error.to_string()))),
            inputs::Found::Input(opened) => {
                let may_skip = folder.skips(&opened);
                let Opened { name, input, .. } = opened;
                match checker.identify(input) {
                    Ok(known) if may_skip && known.foreign => {
                        Err(Skipped::new(name, SkipReason::NoTranscript))
                    }
                    known => Ok((name, known.map_err(|error| error.to_string()))),
                }
            }
        });
    });
}
