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
      Check all transcripts of a folder against one release.
  codex-wire tap --record run.jsonl -- codex app-server
      Run Codex for a client, pass every byte on, record and check the traffic.
  codex-wire schema exec --release 0.125.0 > exec.schema.json
      Write the JSON Schema of one release to a file.
  codex-wire releases exec
      List what each release added, changed and removed.
  codex-wire diff app-server 0.157.0 0.169.0
      Show what changed between two releases, and which changes break clients.
  codex-wire explain sequence/exec-item-id
      Explain what a rule requires, and how to read its findings.

See `codex-wire COMMAND --help` for the options of a command.";

const CHECK_EXAMPLES: &str = "\
Examples:
  codex-wire check run.jsonl
      Infer the releases that could have written it, and check it against them.
  codex-wire check --release 0.44.0 --profile exact recordings/ old.jsonl.zst
      Allow only what this release writes: no unknown fields.
  codex-wire check --deny '*' --allow schema/unknown-member run.jsonl
      Fail on every warning, but allow unknown fields.
  codex-wire check --format json recordings/ | jq '.inputs[] | select(.verdict != \"conforms\")'
      Write a report for programs. The report has a JSON Schema.
  codex-wire check --report junit=check.xml --report markdown=\"$GITHUB_STEP_SUMMARY\" recordings/
      Write reports for a CI system, and text to standard output.
  codex-wire check --baseline known.toml recordings/
      Accept the findings that the file lists with a reason, and no others.
  codex-wire check --follow run.jsonl
      Check a file while it grows.

Exit codes:
  0    all inputs conform; inputs without messages are allowed
  1    an input has findings at error level, or a finding of the baseline no longer occurs
  2    an input could not be checked (the others were), or no input has messages
  141  the program that reads the output closed it";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  codex-wire schema exec
      Print the schema of the newest release, for clients: unknown fields are allowed.
  codex-wire schema exec --release 0.44.0 --profile exact
      Allow only what this release writes: no unknown fields.
  codex-wire schema exec --draft draft-07 > exec.schema.json
      Write the older draft of JSON Schema, for code generators that need it.
  codex-wire schema exec --timeline
      Print all releases in one document; annotations say which release has what.";

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

/// Check Codex transcripts against the protocol of any Codex release
#[derive(Debug, Parser)]
#[command(name = "codex-wire", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(help_heading = "Global options")]
    color: ColorChoice,
}

impl Cli {
    /// When to use colors.
    pub(crate) fn color(&self) -> anstream::ColorChoice {
        match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
    }
}

// The help of each command is the documentation of its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Box<CheckArgs>),
    Identify(IdentifyArgs),
    Show(ShowArgs),
    Tap(Box<TapArgs>),
    Schema(SchemaArgs),
    Releases(ReleasesArgs),
    Diff(Box<DiffArgs>),
    Rules(RulesArgs),
    Explain(ExplainArgs),
}

/// Check transcripts against a release
///
/// Checks lines, messages, their order, and which response belongs to which request. Without `--release`, the possible releases are inferred from each transcript. Findings go to
/// standard output, each with its place and a part of the line, in which payload text is masked.
/// An input that cannot be read does not stop the others.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES, after_long_help = check_long_help())]
pub(crate) struct CheckArgs {
    /// Files or folders; standard input if none is given, or for `-`
    ///
    /// Files ending in `.gz` or `.zst` are unpacked. Folders are searched for files ending in
    /// `.jsonl`, `.jsonl.gz` and `.jsonl.zst`. Hidden files and files that git ignores are
    /// included; links to folders are not followed.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) judging: Judging,

    /// The format of the report on standard output
    #[arg(long, value_parser = format(), default_value = Format::Text.as_str())]
    #[arg(help_heading = "Reports")]
    pub(crate) format: Format,

    /// Also write a report to a file; can be given several times
    ///
    /// The formats are those of `--format`. The folder must exist. A file that exists is replaced
    /// when the report is complete, and not before.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = ReportTo::parse)]
    #[arg(help_heading = "Reports")]
    pub(crate) reports: Vec<ReportTo>,

    /// Expect the findings that FILE lists, and no others
    ///
    /// Listed findings are reported as expected and do not fail the check. A listed finding that
    /// no longer occurs, or has another message, fails it: exit code 1.
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    pub(crate) baseline: Option<PathBuf>,

    /// Rewrite the baseline with the findings of this run
    ///
    /// Comments, order and reasons are kept. New findings at error level are added, findings that
    /// no longer occur are removed. Not possible with `--side`, `--deny`, `--warn` or `--allow`,
    /// nor when the baseline lists an input that exists but was not checked.
    #[arg(long, requires = "baseline", help_heading = "Baseline")]
    pub(crate) update_baseline: bool,

    /// The reason to write to new entries of the baseline
    #[arg(
        long,
        value_name = "TEXT",
        requires = "update_baseline",
        help_heading = "Baseline"
    )]
    #[arg(value_parser = reason)]
    pub(crate) reason: Option<String>,

    /// Check a file while it grows
    ///
    /// Each finding is printed as soon as its line is complete, in the text or jsonl format. The
    /// check ends when the transcript records the exit of Codex, after `--until-idle` seconds, or
    /// when interrupted. If the file does not exist yet, the check waits for it. A file that is
    /// truncated or replaced is read again from its start, as a new input.
    #[arg(
        long,
        requires = "paths",
        conflicts_with = "baseline",
        help_heading = "Following"
    )]
    pub(crate) follow: bool,

    /// End after this many seconds without new data
    ///
    /// The last line is then checked even if it has no line end.
    #[arg(long, value_name = "SECONDS", requires = "follow", value_parser = seconds)]
    #[arg(help_heading = "Following")]
    pub(crate) until_idle: Option<Duration>,

    #[command(flatten)]
    pub(crate) looking: Looking,

    /// The number of threads for an input larger than 1 MiB [default: 1]
    ///
    /// The findings and their order do not depend on it. Most of the work has to be done line by
    /// line, so one thread is as fast as several on most machines.
    #[arg(short = 'j', long, value_name = "N", help_heading = "Limits")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// What to check inputs against, and how strictly.
#[derive(Debug, Args)]
pub(crate) struct Judging {
    /// The protocol; inferred from each input if not given
    #[arg(long, short, value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,

    /// The release, such as 0.44.0; inferred from each input if not given
    ///
    /// `codex-wire releases PROTOCOL` lists the releases that changed the protocol. A release
    /// between two of them has the protocol of the earlier one.
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// Whether unknown fields are warnings (open) or errors (exact)
    #[arg(long, value_parser = profile(), default_value = Profile::Open.as_str())]
    pub(crate) profile: Profile,

    /// Check only what this side wrote, in recordings of both directions
    #[arg(long, value_parser = side())]
    pub(crate) side: Option<Writer>,

    #[command(flatten)]
    pub(crate) levels: LevelFlags,
}

/// How far to read inputs, and what to show of them.
#[derive(Debug, Args)]
pub(crate) struct Looking {
    /// Show payload text in excerpts; it is masked otherwise
    #[arg(long)]
    pub(crate) show_values: bool,

    /// The longest line to check, in bytes; K, M and G are powers of 1024
    #[arg(long, value_name = "N", value_parser = bytes, default_value = "256M")]
    #[arg(help_heading = "Limits")]
    pub(crate) max_line_bytes: usize,

    /// The deepest nesting of arrays and objects to check, at most 127
    #[arg(long, value_name = "N", value_parser = depth, default_value = DEEPEST)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_depth: usize,

    /// How many values of an invalid message to check
    #[arg(long, value_name = "N", default_value_t = Limits::default().values)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_values: usize,

    /// How many findings of an input to list, or `all`; the others are only counted
    ///
    /// 0 lists none. The counts and the exit code do not depend on it.
    #[arg(long, value_name = "N", value_parser = findings, default_value = FINDINGS)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_findings: usize,
}

/// Print the JSON Schema of a release
#[derive(Debug, Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub(crate) struct SchemaArgs {
    /// The protocol; `exec-legacy` is `exec` up to 0.42.0, `core` is what `codex proto` writes
    #[arg(value_name = "PROTOCOL", value_parser = surface())]
    pub(crate) surface: Surface,

    /// The release, such as 0.44.0; the newest if not given
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// The draft of JSON Schema
    #[arg(long, value_parser = draft(), default_value = Draft::Draft202012.as_str())]
    pub(crate) draft: Draft,

    /// Whether unknown fields are allowed (open) or not (exact)
    #[arg(long, value_parser = profile(), default_value = Profile::Open.as_str())]
    pub(crate) profile: Profile,

    /// Only the API for every client (stable), or also what clients opt in to (experimental)
    ///
    /// Only `app-server` has both. Codex sends experimental fields to other clients too: `stable` is
    /// what a client can rely on, not all that it receives.
    #[arg(long, value_parser = stability(), default_value = Stability::Experimental.as_str())]
    pub(crate) stability: Stability,

    /// Print one document for all releases, with annotations that say which release has what
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

/// List what each release added, changed and removed
///
/// The oldest release comes first.
#[derive(Debug, Args)]
#[command(after_help = RELEASES_EXAMPLES)]
pub(crate) struct ReleasesArgs {
    /// The protocol; `exec-legacy` is `exec` up to 0.42.0, `core` is what `codex proto` writes,
    /// `app-server` stands for all message sets of the app-server
    #[arg(value_name = "PROTOCOL", value_parser = asked())]
    pub(crate) asked: Asked,

    /// The output format
    #[arg(long, value_parser = timeline_format(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}

/// List the rules
///
/// Prints the name of each rule, its level, whether real Codex always respects it (holds) or not
/// (advisory), and what it requires.
#[derive(Debug, Args)]
#[command(after_help = RULES_EXAMPLES)]
pub(crate) struct RulesArgs {
    /// Only rules of this group
    #[arg(value_name = "GROUP", value_parser = named(rules::groups(), |group| group))]
    pub(crate) group: Option<&'static str>,

    /// Only rules about this protocol
    #[arg(long, short, value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,

    /// The output format
    #[arg(long, value_parser = timeline_format(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}

/// Explain a rule: what it requires, why, and in which releases real Codex breaks it
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The name of the rule, as in findings
    #[arg(value_name = "RULE")]
    pub(crate) rule: String,
}

fn check_long_help() -> String {
    format!(
        "RULE is a rule that `codex-wire rules` lists, a group such as 'framing/*', or '*' for \
         all.\nSeparate several by commas. A later flag overrides an earlier one.\n\n{CHECK_EXAMPLES}"
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
        "" => Err("write a reason".to_owned()),
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
