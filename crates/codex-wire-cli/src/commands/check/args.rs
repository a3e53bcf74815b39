//! The arguments of `codex-wire check`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_check::Severity;
use codex_wire_report::Format;

use crate::config::ConfigFlags;
use crate::flags::checker::CheckerFlags;
use crate::flags::folder::FolderFlags;
use crate::flags::hook::HookFlags;
use crate::flags::limits::LimitFlags;
use crate::flags::output::OutputFlags;
use crate::flags::telemetry::TelemetryFlags;
use crate::flags::values::{named, seconds, threads};
use crate::reports::ReportTo;

const EXAMPLES: &str = "\
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
  codex-wire check ~/.codex
      Check all session files of a home, and whether the databases of Codex agree with them.
  codex-wire check --since 2026-11-01 ~/.codex
      Check the session files that Codex wrote to since that day.
  ./deny.sh < input.json | codex-wire check --protocol hooks --event PreToolUse --side hook
      Check what a hook prints, before Codex refuses it.
  codex-wire check --with-rollout ~/.codex/sessions run.jsonl
      Also compare what Codex wrote with what it kept of the thread.
  codex-wire check --follow run.jsonl
      Check a file while it grows.
  codex-wire check --follow --otlp http://127.0.0.1:4318 rollout-….jsonl
      Also send a trace of each turn to a collector of OpenTelemetry, as soon as it has ended.

Exit codes:
  0    all inputs conform; inputs without messages are allowed
  1    an input has findings at error level, or a finding of the baseline no longer occurs
  2    an input could not be checked (the others were), or no input has messages
  141  the program that reads the output closed it";

/// Check transcripts against a release
///
/// Checks lines, messages, their order, and which response belongs to which request. Without `--release`, the possible releases are inferred from each transcript. Findings go to
/// standard output, each with its place and a part of the line, in which payload text is masked.
/// An input that cannot be read does not stop the others.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub(crate) struct CheckArgs {
    /// Files or folders; standard input if none is given, or for `-`
    ///
    /// Files compressed with gzip or zstd are unpacked. Each member of a tar or zip archive is an
    /// input. Folders are searched for `.jsonl`, `.ndjson`, `.json` and `.log` files, compressed or
    /// not, and for archives. Hidden files and files that git ignores are
    /// included. Links to folders are not followed, except `sessions` and `archived_sessions` in a folder that you name. What
    /// Codex keeps beside its session files is not read: `history.jsonl`, `session_index.jsonl`, traces, other databases than
    /// those that are compared, and a `.jsonl.zst` whose `.jsonl` is there. `.json` and `.log` files of folders that are not transcripts are skipped. The report lists
    /// such files.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) config: ConfigFlags,

    #[command(flatten)]
    pub(crate) folder: FolderFlags,

    #[command(flatten)]
    pub(crate) checker: CheckerFlags,

    #[command(flatten)]
    pub(crate) hook: HookFlags,

    /// Compare the stream with the session file of the same run
    ///
    /// FILE is the session file (rollout) that Codex kept of the thread, plain or compressed, or a
    /// folder such as `~/.codex/sessions`, where the file is found by the id of the thread. Turns,
    /// messages, commands, file changes, tool calls and tokens have to be the same on both sides.
    /// Findings of the session file itself are not reported. Can be given several times: a thread
    /// that was reverted has several files.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["follow", "side", "event"])]
    pub(crate) with_rollout: Vec<PathBuf>,

    /// The folder with the databases of a home, if they are not in the home itself
    ///
    /// In a home of Codex, such as `~/.codex`, the newest `state_N.sqlite` and `thread_history_N.sqlite` are compared with
    /// its session files, and never written to. With this flag, only one home can be named. Without it, the folder is the home
    /// itself. The variable `CODEX_SQLITE_HOME` counts for the home of Codex (`$CODEX_HOME`, or `~/.codex`), and for
    /// another home if that is the only one named that has no databases. With `--since`, `--exclude`, `--side`, `--event` or
    /// `--with-rollout`, databases are not compared, nor by a program that was built without the feature `sqlite`.
    #[arg(long, value_name = "DIR", requires = "paths")]
    #[arg(conflicts_with_all = ["follow", "since", "exclude", "side", "event", "with_rollout"])]
    pub(crate) sqlite_home: Option<PathBuf>,

    /// The format of the report on standard output
    #[arg(long, value_parser = format(), default_value = Format::Text.as_str())]
    #[arg(help_heading = "Reports")]
    pub(crate) format: Format,

    /// Print nothing if nothing is found
    ///
    /// For the text report on standard output. The exit code is the same.
    #[arg(short, long, conflicts_with = "follow", help_heading = "Reports")]
    pub(crate) quiet: bool,

    /// Count findings by rule, and messages by protocol, release and kind
    ///
    /// They stand at the end of text reports, in `statistics` of JSON reports, and in a line of JSON Lines.
    #[arg(long, conflicts_with = "follow", help_heading = "Reports")]
    pub(crate) statistics: bool,

    /// Also write a report to a file; can be given several times
    ///
    /// The formats are those of `--format`. The folder must exist. An existing file is replaced
    /// only when the report is complete.
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
    /// Comments, order and reasons are kept. New findings at error level are added, with
    /// `--update-baseline=warnings` also warnings; findings that no longer occur are removed. Not
    /// possible with `--side`, `--deny`, `--warn` or `--allow`, nor when the baseline lists an input
    /// that exists but was not checked.
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "errors",
        help_heading = "Baseline"
    )]
    #[arg(value_parser = added_to_baseline())]
    pub(crate) update_baseline: Option<Severity>,

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
    /// truncated or replaced is read again from its start, as a new input. If the file is removed, or
    /// compressed as Codex does with session files, the check ends.
    #[arg(
        long,
        requires = "paths",
        conflicts_with_all = ["baseline", "since"],
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
    pub(crate) telemetry: TelemetryFlags,

    #[command(flatten)]
    pub(crate) limits: LimitFlags,

    #[command(flatten)]
    pub(crate) output: OutputFlags,

    /// The number of threads [default: one for each processor, at most 8]
    ///
    /// Each thread checks another input. The findings and their order do not depend on it.
    #[arg(short = 'j', long, value_name = "N", value_parser = threads(), help_heading = "Limits")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Whether `codex-wire.toml` names the baseline.
    #[arg(skip)]
    pub(crate) has_configured_baseline: bool,

    /// Whether the command line names inputs, so that others are not missed.
    #[arg(skip)]
    pub(crate) names_inputs: bool,

    /// The file that settings come from.
    #[arg(skip)]
    pub(crate) config_file: Option<PathBuf>,
}

impl CheckArgs {
    /// The arguments with what `codex-wire.toml` says, where the command line says nothing.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn with_config(&self) -> anyhow::Result<Self> {
        let mut args = self.clone();
        args.names_inputs = !args.paths.is_empty();
        let Some(config) = self.config.read()? else {
            return Ok(args);
        };
        // What a hook reads or prints is one input.
        if args.paths.is_empty() && args.hook.event.is_none() {
            args.paths = config.paths;
        }
        args.folder.exclude.extend(config.exclude);
        let checker = &mut args.checker;
        if checker.release.is_none() {
            checker.release = config.release;
        }
        checker.profile = checker.profile.or(config.profile);
        checker.levels.after(config.levels);
        if args.baseline.is_none() && !args.follow {
            args.has_configured_baseline = config.baseline.is_some();
            args.baseline = config.baseline;
        }
        args.config_file = Some(config.path);
        Ok(args)
    }

    /// The files that are read. No report may replace one of them.
    pub(crate) fn files_read(&self) -> Vec<&Path> {
        let inputs = self.paths.iter().chain(&self.baseline);
        let inputs = inputs.chain(&self.with_rollout).chain(&self.config_file);
        inputs.map(PathBuf::as_path).collect()
    }
}

fn long_help() -> String {
    format!(
        "RULE is a rule that `codex-wire rules` lists, a group such as 'framing/*', or '*' for \
         all.\nSeparate several by commas. A later flag overrides an earlier one.\n\n{EXAMPLES}"
    )
}

fn format() -> impl TypedValueParser<Value = Format> {
    named(Format::ALL.iter().copied(), Format::as_str)
}

/// Which new findings an update adds.
fn added_to_baseline() -> impl TypedValueParser<Value = Severity> {
    named([Severity::Error, Severity::Warning], |least| match least {
        Severity::Error => "errors",
        _ => "warnings",
    })
}

/// Reads a reason, which must not be empty.
fn reason(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("write a reason".to_owned()),
        reason => Ok(reason.to_owned()),
    }
}
