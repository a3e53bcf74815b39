//! Defines the command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand};
use codex_wire_base::{Protocol, Surface};
use codex_wire_check::{Limits, Writer};
use codex_wire_report::Format;
use codex_wire_schema::{Draft, Profile, Stability};

use crate::diff::DiffArgs;
use crate::identify::IdentifyArgs;
use crate::levels::LevelFlags;
use crate::reports::ReportTo;
use crate::rules;
use crate::show::ShowArgs;
use crate::tap::TapArgs;

const EXAMPLES: &str = "\
Examples:
  codex exec --json 'fix the tests' | tee run.jsonl | codex-wire check
      Check a run while it is recorded.
  codex-wire check --release 0.44.0 recordings/
      Check all transcripts of a folder against what one release speaks.
  codex-wire tap --record run.jsonl -- codex app-server
      Stand between a client and Codex, pass everything on, and check it.
  codex-wire schema exec --release 0.125.0 > exec.schema.json
      The JSON Schema of a release's events.
  codex-wire releases exec
      What each release added, changed and removed.
  codex-wire diff app-server 0.157.0 0.169.0
      What changed between two releases, and whom it breaks.
  codex-wire explain sequence/exec-item-id
      What a rule demands, and how to read its findings.

`codex-wire COMMAND --help` tells more.";

const CHECK_EXAMPLES: &str = "\
Examples:
  codex-wire check run.jsonl
      Which releases could have written it, and what is wrong with it.
  codex-wire check --release 0.44.0 --profile exact recordings/ old.jsonl.zst
      Hold files against exactly what one release writes.
  codex-wire check --deny '*' --allow schema/unknown-member run.jsonl
      Take every warning for a fault, but allow members nobody knows.
  codex-wire check --format json recordings/ | jq '.inputs[] | select(.verdict != \"conforms\")'
      For programs. The document has a JSON Schema of its own.
  codex-wire check --report junit=check.xml --report markdown=\"$GITHUB_STEP_SUMMARY\" recordings/
      Reports for a CI system, beside the one for people.
  codex-wire check --baseline known.toml recordings/
      Let findings pass that are listed with a reason, and no others.
  codex-wire check --follow run.jsonl
      Findings as the lines come in.

Exit codes:
  0    every input was checked or is empty, and what was checked conforms
  1    an input has findings at deny level, or the baseline lists one that is not found
  2    an input could not be checked, or nothing was checked at all; others still were
  141  the reader of the output closed it";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  codex-wire schema exec
      What the newest release known speaks, for clients: unknown members are allowed.
  codex-wire schema exec --release 0.44.0 --profile exact
      What one release writes, and nothing else.
  codex-wire schema exec --draft draft-07 > exec.schema.json
      For code generators that ask for the older draft.
  codex-wire schema exec --timeline
      All releases in one document; annotations say which release writes what.";

const RELEASES_EXAMPLES: &str = "\
Examples:
  codex-wire releases exec
  codex-wire releases app-server
  codex-wire releases exec --format json | jq '.releases[] | select(.release == \"0.125.0\")'";

const RULES_EXAMPLES: &str = "\
Examples:
  codex-wire rules
  codex-wire rules life --protocol exec
  codex-wire rules --format json | jq -r '.rules[] | select(.status == \"advisory\") | .id'";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  codex-wire explain sequence/exec-open-at-completion";

/// Checks transcripts of Codex's wire protocols against what a release speaks, and prints what
/// each release speaks.
#[derive(Debug, Parser)]
#[command(name = "codex-wire", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(help_heading = "Global options")]
    color: ColorChoice,
}

impl Cli {
    /// When to use colours.
    pub(crate) fn color(&self) -> anstream::ColorChoice {
        match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check transcripts
    Check(Box<CheckArgs>),
    /// Say what inputs are: the protocol, the releases, and what tells
    Identify(IdentifyArgs),
    /// Show a stream as a person wants to read it
    Show(ShowArgs),
    /// Check a command's traffic while passing it on
    Tap(Box<TapArgs>),
    /// Print the JSON Schema of a protocol
    Schema(SchemaArgs),
    /// Print what each release added, changed and removed
    Releases(ReleasesArgs),
    /// Say what changed between two releases, and whom it breaks
    Diff(Box<DiffArgs>),
    /// List the rules transcripts are checked by
    Rules(RulesArgs),
    /// Say what a rule demands, why, and where it does not hold
    Explain(ExplainArgs),
}

/// Check transcripts: whether every line is what the release writes.
///
/// What release wrote a transcript is found out from the transcript unless stated. Findings go
/// to standard output, each with its place and a part of the line in which payload text is
/// masked. An input that cannot be read does not stop the others.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES, after_long_help = check_long_help())]
pub(crate) struct CheckArgs {
    /// Files, folders, `-` for standard input; standard input if none is given
    ///
    /// Files ending in `.gz` or `.zst` are unpacked. Folders are searched for files ending in
    /// `.jsonl`, `.jsonl.gz` and `.jsonl.zst`, hidden and ignored ones included; links to
    /// folders are not followed.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) judging: Judging,

    /// How to report on standard output
    #[arg(long, value_parser = format(), default_value = Format::Text.as_str())]
    #[arg(help_heading = "Reports")]
    pub(crate) format: Format,

    /// Write a report to a file as well; may be given several times
    ///
    /// The formats are those of `--format`. The folder has to exist. The file has its name only
    /// when it is complete; one that is there already is replaced.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = ReportTo::parse)]
    #[arg(help_heading = "Reports")]
    pub(crate) reports: Vec<ReportTo>,

    /// Expect the findings FILE lists, and no others
    ///
    /// Findings it lists are reported as expected and count at no level. Entries for which there
    /// is no finding any longer, or one with another message, are failures: exit code 1.
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    pub(crate) baseline: Option<PathBuf>,

    /// Rewrite the baseline to what this run finds
    ///
    /// Comments, order and reasons stay. Findings at deny level that are not listed are added,
    /// entries of findings that are gone are taken out. Not with `--side`, `--deny`, `--warn` or
    /// `--allow`, and not where entries are about inputs that were not checked.
    #[arg(long, requires = "baseline", help_heading = "Baseline")]
    pub(crate) update_baseline: bool,

    /// Why findings that are new in the baseline are expected
    #[arg(
        long,
        value_name = "TEXT",
        requires = "update_baseline",
        help_heading = "Baseline"
    )]
    #[arg(value_parser = reason)]
    pub(crate) reason: Option<String>,

    /// Check a file that is still being written, as it grows
    ///
    /// Findings appear with the lines that cause them, in the text and the jsonl format; a last
    /// line that is not complete waits for its rest. Ends when a transcript says that Codex
    /// exited, with `--until-idle`, or when interrupted. A file that is not there yet is waited
    /// for; one that is cut or replaced is read anew, as another input.
    #[arg(
        long,
        requires = "paths",
        conflicts_with = "baseline",
        help_heading = "Following"
    )]
    pub(crate) follow: bool,

    /// End when nothing was written for so many seconds
    ///
    /// The last line is then judged as it stands.
    #[arg(long, value_name = "SECONDS", requires = "follow", value_parser = seconds)]
    #[arg(help_heading = "Following")]
    pub(crate) until_idle: Option<Duration>,

    #[command(flatten)]
    pub(crate) looking: Looking,

    /// How many threads to use for an input of more than a MiB; one if not given
    ///
    /// What is found and in which order does not depend on it. Lines are judged in their order, which
    /// is most of the work, so that one thread is as quick as several on most machines.
    #[arg(short = 'j', long, value_name = "N", help_heading = "Limits")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// What to hold inputs against, and how strictly.
#[derive(Debug, Args)]
pub(crate) struct Judging {
    /// The protocol; found out from each input if not given
    #[arg(long, short, value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,

    /// The release, such as 0.44.0; found out from each input if not given
    ///
    /// `codex-wire releases PROTOCOL` names those at which the protocol changed. A release
    /// between two of them speaks as the one before it.
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// Whether members nobody knows are warned of (open) or denied (exact)
    #[arg(long, value_parser = profile(), default_value = Profile::Open.as_str())]
    pub(crate) profile: Profile,

    /// Judge only what that side wrote, in recordings of both
    #[arg(long, value_parser = side())]
    pub(crate) side: Option<Writer>,

    #[command(flatten)]
    pub(crate) levels: LevelFlags,
}

/// How far to look into inputs, and what to show of them.
#[derive(Debug, Args)]
pub(crate) struct Looking {
    /// Show payload text in excerpts; it is masked otherwise
    #[arg(long)]
    pub(crate) show_values: bool,

    /// The longest line to look into; K, M and G stand for powers of 1024
    #[arg(long, value_name = "N", value_parser = bytes, default_value = "256M")]
    #[arg(help_heading = "Limits")]
    pub(crate) max_line_bytes: usize,

    /// The deepest nesting of arrays and objects to look into, at most 127
    #[arg(long, value_name = "N", value_parser = depth, default_value = DEEPEST)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_depth: usize,

    /// How many values of a message to look at, where something is wrong with it
    #[arg(long, value_name = "N", default_value_t = Limits::default().values)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_values: usize,

    /// How many findings of an input to list, or `all`; further ones are only counted
    ///
    /// 0 lists none. What is counted, and the exit code, do not depend on it.
    #[arg(long, value_name = "N", value_parser = findings, default_value = FINDINGS)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_findings: usize,
}

/// Print the JSON Schema of what a protocol's messages look like.
#[derive(Debug, Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub(crate) struct SchemaArgs {
    /// The protocol; `exec-legacy` is `exec` up to 0.42.0, `core` is what `codex proto` writes
    #[arg(value_name = "PROTOCOL", value_parser = surface())]
    pub(crate) surface: Surface,

    /// The release, such as 0.44.0; the newest known if not given
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// The draft of JSON Schema
    #[arg(long, value_parser = draft(), default_value = Draft::Draft202012.as_str())]
    pub(crate) draft: Draft,

    /// Whether members nobody knows are allowed (open) or not (exact)
    #[arg(long, value_parser = profile(), default_value = Profile::Open.as_str())]
    pub(crate) profile: Profile,

    /// Whose API: every client's (stable), or that of clients that opted in (experimental)
    ///
    /// Only `app-server` has two. Clients that did not opt in are sent members of the
    /// experimental API too, so `stable` is what they may rely on, not all they will meet.
    #[arg(long, value_parser = stability(), default_value = Stability::Experimental.as_str())]
    pub(crate) stability: Stability,

    /// Print the document of all releases, with annotations that say which release writes what
    #[arg(long, action = ArgAction::SetTrue)]
    #[arg(conflicts_with_all = ["release", "draft", "profile", "stability"])]
    pub(crate) timeline: bool,
}

/// Whose releases are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// The surfaces it stands for.
    pub(crate) surfaces: &'static [Surface],
}

/// Print what each release added, changed and removed, oldest first.
#[derive(Debug, Args)]
#[command(after_help = RELEASES_EXAMPLES)]
pub(crate) struct ReleasesArgs {
    /// The protocol; `exec-legacy` is `exec` up to 0.42.0, `core` is what `codex proto` writes,
    /// `app-server` is all that begin so
    #[arg(value_name = "PROTOCOL", value_parser = asked())]
    pub(crate) asked: Asked,

    /// How to print it
    #[arg(long, value_parser = timeline_format(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}

/// List the rules transcripts are checked by: the name of each, how severe a breach is unless
/// stated otherwise, whether real streams always respect it, and what it demands.
#[derive(Debug, Args)]
#[command(after_help = RULES_EXAMPLES)]
pub(crate) struct RulesArgs {
    /// Only rules of that group
    #[arg(value_name = "GROUP", value_parser = named(rules::groups(), |group| group))]
    pub(crate) group: Option<&'static str>,

    /// Only rules about that protocol
    #[arg(long, short, value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,

    /// How to print them
    #[arg(long, value_parser = timeline_format(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}

/// Say what a rule demands, why it matters, and in which releases real streams break it.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The rule, as findings name it
    #[arg(value_name = "RULE")]
    pub(crate) rule: String,
}

fn check_long_help() -> String {
    format!(
        "RULE is one of those that `codex-wire rules` lists, a group such as 'framing/*', or '*' \
         for all.\nSeveral are separated by commas. A later flag wins over an earlier \
         one.\n\n{CHECK_EXAMPLES}"
    )
}

/// Reads one of a set of names, which the help text and the error list.
pub(crate) fn named<T: Clone + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<T> = all.into_iter().collect();
    let names: Vec<&'static str> = all.iter().cloned().map(name).collect();
    PossibleValuesParser::new(&names).try_map(move |text| {
        let at = names.iter().position(|name| *name == text);
        at.map(|at| all[at].clone()).ok_or("not one of the names")
    })
}

pub(crate) fn protocol() -> impl TypedValueParser<Value = Protocol> {
    named(Protocol::ALL.iter().copied(), Protocol::as_str)
}

/// Surfaces by the names of the command line, where `core` stands for its events.
fn surface() -> impl TypedValueParser<Value = Surface> {
    named(Surface::ALL.iter().copied(), surface_name)
}

fn surface_name(surface: Surface) -> &'static str {
    match surface {
        Surface::CoreEvents => Protocol::Core.as_str(),
        other => other.as_str(),
    }
}

/// A surface by itself, or the app-server with all of its.
fn asked() -> impl TypedValueParser<Value = Asked> {
    let one = |surface: &'static Surface| Asked {
        name: surface_name(*surface),
        surfaces: std::slice::from_ref(surface),
    };
    let whole = Asked {
        name: Protocol::AppServer.as_str(),
        surfaces: Protocol::AppServer.surfaces(),
    };
    let mut all: Vec<Asked> = Surface::ALL.iter().map(one).collect();
    let begins = |asked: &Asked| asked.name.starts_with(whole.name);
    let at = all.iter().position(begins).unwrap_or(all.len());
    all.insert(at, whole);
    named(all, |asked| asked.name)
}

pub(crate) fn side() -> impl TypedValueParser<Value = Writer> {
    named([Writer::Codex, Writer::Client], Writer::as_str)
}

fn format() -> impl TypedValueParser<Value = Format> {
    named(Format::ALL.iter().copied(), Format::as_str)
}

/// The formats that can be read as they grow.
pub(crate) fn live_format() -> impl TypedValueParser<Value = Format> {
    named([Format::Text, Format::JsonLines], Format::as_str)
}

/// The timeline and the rules are no report: they are text or a document.
pub(crate) fn timeline_format() -> impl TypedValueParser<Value = Format> {
    named([Format::Text, Format::Json], Format::as_str)
}

/// Reads a reason, which says something.
fn reason(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("say something".to_owned()),
        reason => Ok(reason.to_owned()),
    }
}

fn draft() -> impl TypedValueParser<Value = Draft> {
    named(Draft::ALL, Draft::as_str)
}

pub(crate) fn stability() -> impl TypedValueParser<Value = Stability> {
    named(Stability::ALL, Stability::as_str)
}

fn profile() -> impl TypedValueParser<Value = Profile> {
    named(Profile::ALL, Profile::as_str)
}

/// Reads a number of bytes: `4096`, `64K`, `256M`, `1G`.
fn bytes(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 10),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 20),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .filter(|number| *number > 0)
        .ok_or_else(|| "write it like 4096, 64K, 256M or 1G".to_owned())
}

/// How many findings of an input are listed unless the user says otherwise.
const FINDINGS: &str = "1000";

/// Reads how many findings to list.
fn findings(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        text => text
            .parse()
            .map_err(|_| "write a number, or `all`".to_owned()),
    }
}

/// Reads a time in seconds: `5`, `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| "write it like 5 or 0.5".to_owned())
}

/// The deepest nesting the JSON reader behind the checker goes into.
const DEEPEST: &str = "127";

/// Reads a depth. Beyond the deepest there is nothing to allow: the values are not read.
fn depth(text: &str) -> Result<usize, String> {
    let depth = text.parse().ok();
    depth
        .filter(|depth| (1..=Limits::default().depth).contains(depth))
        .ok_or_else(|| format!("write a number from 1 to {DEEPEST}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn depths() {
        assert_eq!(depth(DEEPEST), Ok(Limits::default().depth));
        assert_eq!(depth("1"), Ok(1));
        for bad in ["", "0", "128", "-1", "x"] {
            assert!(depth(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_of_findings() {
        assert_eq!(findings(FINDINGS), Ok(Limits::default().findings));
        assert_eq!(findings("0"), Ok(0));
        assert_eq!(findings("all"), Ok(usize::MAX));
        for bad in ["", "-1", "none", "1k"] {
            assert!(findings(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(seconds("5"), Ok(Duration::from_secs(5)));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["", "0", "-1", "1s", "inf", "NaN", "1e99"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("64k"), Ok(65_536));
        assert_eq!(bytes("256M"), Ok(Limits::default().line_bytes));
        assert_eq!(bytes("1G"), Ok(1 << 30));
        for bad in ["", "0", "K", "-1", "1.5M", "1T", "99999999999G", "é"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
