//! Implements `codex-wire identify`: the protocol and the possible releases of inputs.
//!
//! As JSON: `{"version":1,"inputs":[{"path","kind":"identified|mixed|unknown","protocol","dialect",
//! "releases":{"text","count","ranges":[{"since","until"}]},"evidence":[{"line",
//! "message_number","pointer","what","releases"}],"claim":{"protocol","release","holds"},
//! "messages","unrecognized":{"count","first"},"unmatched":{"count","first"},"reason"}]}`. What is not
//! known is null. `unrecognized` are lines that are not a message of any protocol, `unmatched` messages
//! that none of the releases writes. `reason` says why an input is mixed or unknown. Behind `inputs`,
//! `"skipped":[{"path","reason"}]` lists the files of folders that were not read, as the report of a
//! check does.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::Args;
use codex_wire_check::identify::{Identification, Kind, Releases, Tally};
use codex_wire_check::{Checker, Options};
use codex_wire_inputs::in_order;
use codex_wire_report::{Format, SkipReason, Skipped, Styles, escaped, write_json};
use serde_json::{Value, json};

use crate::exit_code::COULD_NOT_CHECK;
use crate::flags::folder::{self, FolderFlags};
use crate::flags::output::OutputFlags;
use crate::flags::values::text_or_json;
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
/// Prints the releases that could have written each input, and the evidence. If an input is not a transcript,
/// but of another known kind, such as a rollout or plain text, the output names that kind. If a
/// recording names its own release, the output says whether this agrees with the result.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct IdentifyArgs {
    /// Files or folders; standard input if none is given, or for `-`
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) folder: FolderFlags,

    /// The number of threads [default: one for each processor, at most 8]
    #[arg(short = 'j', long, value_name = "N")]
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
    let mut first = true;
    if args.format == Format::Json {
        out.write_all(b"{\"version\":1,\"inputs\":[")?;
    }
    let work = |input: &Result<Source, Unreadable>, give: &mut dyn FnMut(Identified)| match input {
        Ok(source) => identify(&checker, source, &args.folder, &progress, give),
        Err(Unreadable { name, error, .. }) => {
            give(Ok((name.clone(), Err(error.to_string()))));
        }
    };
    in_order(
        threads,
        &inputs,
        interrupt::stop(),
        work,
        |_| 1,
        |identified| {
            let (name, known) = match identified {
                Ok(identified) => identified,
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
            match args.format {
                Format::Json => {
                    out.write_all(if first { b"\n" } else { b",\n" })?;
                    first = false;
                    write_json(&mut out, &value(&name, &known))?;
                }
                _ => text(&mut out, &name, &known)?,
            }
            anyhow::Ok(())
        },
    )?;
    if args.format == Format::Json {
        let skipped = skipped
            .iter()
            .map(|file| json!({"path": file.path, "reason": file.reason.as_str()}));
        out.write_all(b"\n],\"skipped\":")?;
        write_json(&mut out, &skipped.collect::<Vec<_>>())?;
        out.write_all(b"}\n")?;
    }
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

type Found = Result<Identification, String>;

/// The name of an input and what is known of it, or why it was skipped.
type Identified = Result<(String, Found), Skipped>;

fn identify(
    checker: &Checker,
    source: &Source,
    folder: &FolderFlags,
    progress: &Progress,
    give: &mut dyn FnMut(Identified),
) {
    progress.input(&source.name());
    source.each(progress, &folder.exclude, |found| {
        give(match found {
            inputs::Found::Skipped(file) => Err(inputs::skipped_file(file)),
            inputs::Found::Failed(Unreadable { name, error, .. }) => {
                Ok((name, Err(error.to_string())))
            }
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

fn text(out: &mut dyn Write, name: &str, known: &Found) -> io::Result<()> {
    let Styles {
        error: bad,
        warning: warn,
        good,
        place,
        ..
    } = Styles::coloured();
    let name = match name {
        inputs::STDIN => "<stdin>".to_owned(),
        name => plain(name),
    };
    write!(out, "{place}{name}{place:#}: ")?;
    let known = match known {
        Ok(known) => known,
        Err(error) => return writeln!(out, "{bad}{}{bad:#}", plain(error)),
    };
    let style = match known.kind {
        Kind::Identified => good,
        Kind::Mixed => bad,
        Kind::Unknown => warn,
    };
    write!(out, "{style}{known}{style:#}")?;
    if known.kind == Kind::Unknown {
        return writeln!(out);
    }
    let messages = counted(known.messages, "message");
    writeln!(out, ", {messages}")?;
    for evidence in &known.evidence {
        writeln!(out, "  line {}: {evidence}", evidence.line)?;
    }
    for run in &known.runs {
        let until = run
            .until
            .map_or("the end".to_owned(), |line| line.to_string());
        writeln!(out, "  lines {} to {until}: {}", run.since, run.releases)?;
    }
    if let Some(release) = known.created_by {
        writeln!(out, "  the file says that {release} created it")?;
    }
    if let Some(claim) = &known.claim {
        let says = [&claim.protocol, &claim.release];
        let says: Vec<&str> = says.into_iter().flatten().map(String::as_str).collect();
        let says = plain(&says.join(" "));
        match claim.holds {
            Some(true) => writeln!(out, "  the recording says {says}, which fits")?,
            Some(false) => writeln!(
                out,
                "  {warn}the recording says {says}, which does not fit{warn:#}"
            )?,
            None => writeln!(out, "  the recording says {says}, which is not known")?,
        }
    }
    if let Some(unrecognized) = known.unrecognized {
        let lines = counted(unrecognized.count, "line");
        let verb = if unrecognized.count == 1 {
            "is not a message"
        } else {
            "are not messages"
        };
        let first = unrecognized.first;
        writeln!(out, "  {lines} {verb} of any protocol; first: line {first}")?;
    }
    if let Some(unmatched) = known.unmatched {
        let messages = counted(unmatched.count, "message");
        let verb = if unmatched.count == 1 { "fits" } else { "fit" };
        let what = "none of these releases";
        writeln!(
            out,
            "  {messages} {verb} {what}; first: line {}",
            unmatched.first
        )?;
    }
    Ok(())
}

fn counted(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

/// Text without what steers a terminal.
fn plain(text: &str) -> String {
    escaped(text).into_owned()
}

fn value(name: &str, known: &Found) -> Value {
    let known = match known {
        Ok(known) => known,
        Err(error) => {
            return json!({
                "path": name,
                "kind": Kind::Unknown.as_str(),
                "protocol": null,
                "dialect": null,
                "releases": null,
                "evidence": [],
                "claim": null,
                "messages": 0,
                "unrecognized": null,
                "unmatched": null,
                "reason": error,
                "created_by": null,
                "runs": [],
            });
        }
    };
    let tally = |tally: Option<Tally>| {
        tally.map(|tally| json!({"count": tally.count, "first": tally.first}))
    };
    let evidence = known.evidence.iter().map(|evidence| {
        json!({
            "line": evidence.line,
            "message_number": evidence.message,
            "pointer": evidence.pointer,
            "what": evidence.what,
            "releases": releases(&evidence.releases),
        })
    });
    let runs = known.runs.iter().map(|run| {
        json!({
            "since": run.since,
            "until": run.until,
            "releases": releases(&run.releases),
        })
    });
    let claim = known.claim.as_ref().map(
        |claim| json!({"protocol": claim.protocol, "release": claim.release, "holds": claim.holds}),
    );
    json!({
        "path": name,
        "kind": known.kind.as_str(),
        "protocol": known.protocol.map(codex_wire_base::Protocol::as_str),
        "dialect": known.dialect.map(codex_wire_check::identify::StreamDialect::as_str),
        "releases": known.releases.as_ref().map(releases),
        "evidence": evidence.collect::<Vec<_>>(),
        "claim": claim,
        "messages": known.messages,
        "unrecognized": tally(known.unrecognized),
        "unmatched": tally(known.unmatched),
        "reason": known.reason,
        "created_by": known.created_by.map(|release| release.to_string()),
        "runs": runs.collect::<Vec<_>>(),
    })
}

fn releases(releases: &Releases) -> Value {
    let ranges = releases
        .ranges
        .iter()
        .map(|range| json!({"since": range.since.to_string(), "until": range.until.to_string()}));
    json!({
        "text": releases.to_string(),
        "count": releases.count,
        "ranges": ranges.collect::<Vec<_>>(),
    })
}
