//! Implements `codex-wire usage`: what sessions used, summed up.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::UNIX_EPOCH;

use anstream::ColorChoice;
use anyhow::{Context as _, bail};
use chrono::{DateTime, Local, NaiveDate};
use clap::{Args, ValueEnum};
use codex_wire_live::stand_in::Environment;
use codex_wire_report::usage::{
    UsageOptions, write_usage, write_usage_csv, write_usage_html, write_usage_json,
};
use codex_wire_report::{SkipReason, Skipped, Styles};
use codex_wire_session::usage::{Condition, Fork, Key, Prices, Query, Usage};
use codex_wire_session::{Error, NoSession, Reader, Session, Time};

use crate::exit_code::COULD_NOT_CHECK;
use crate::flags::folder::FolderFlags;
use crate::flags::output::OutputFlags;
use crate::inputs::{self, Found, Listing, Source, Unreadable};
use crate::progress::Progress;
use crate::{output, output_limit};

const EXAMPLES: &str = "\
Examples:
  codex-wire usage
      Sum up the session files of Codex on this machine by day.
  codex-wire usage --by model,project --since 2026-11-01
  codex-wire usage --by thread --top 10
      The ten threads with the most tokens.
  codex-wire usage --by tool
      Calls of tools, how many failed, and how long they took.
  codex-wire usage --where status=failed --where 'tokens>100000' recordings/
  codex-wire usage --cost --format json ~/.codex | jq .total.cost
  codex-wire usage --format html > usage.html

Exit codes:
  0  every input was read, or skipped as standard error says, which also has the first line that holds no message
  2  an input holds no session, or could not be read";

const SINCE: &str = "Count only what happened since DATE, such as 2026-11-20";

const SINCE_MORE: &str = "\
A date begins at midnight UTC; a time is written like 2026-11-20T15:04:05Z. What has no time counts, too. In folders, \
files without activity since then are not read.";

const SKIP: &str =
    "Skip files that you name and that are not transcripts, instead of reporting them";

const SKIP_MORE: &str = "An input that holds no session is then listed as not read. In folders such files are always skipped.";

/// Sum up tokens, turns, durations and tools of sessions
///
/// Reads session files, streams of `codex exec --json` and recordings of `codex app-server`, of any release, and counts each
/// response of a model once: copied turns of forks, counts that Codex repeats, and streams of threads whose session files are
/// read too do not count again. Cached tokens are a part of the input, reasoning is a part of the output.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("since", |since| since.help(SINCE).long_help(format!("{SINCE}\n\n{SINCE_MORE}"))))]
#[command(mut_arg("skip_unknown", |skip| skip.help(SKIP).long_help(format!("{SKIP}\n\n{SKIP_MORE}"))))]
pub(crate) struct UsageArgs {
    /// Files or folders; the folder of Codex (`$CODEX_HOME`, or `~/.codex`) if none is given, standard input for `-`
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) folder: FolderFlags,

    /// What rows have in common: day, week, month, model, release, project, client, thread, tree (a thread with its
    /// sub-agents), status or tool; several with commas
    #[arg(
        long,
        value_name = "KEYS",
        value_delimiter = ',',
        default_value = "day"
    )]
    pub(crate) by: Vec<Key>,

    /// Count only what meets a condition: `model=NAME`, `status!=completed`, `tokens>100000`; can be given several times
    ///
    /// Words choose turns: model, release, project, client, thread, tree, status. Numbers choose rows: tokens, input,
    /// cached, output, reasoning, turns, failed, interrupted, calls, seconds, cost. Rows of tools have calls, failed and
    /// seconds only, and `cost` needs `--cost` or `--prices`.
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,

    /// List only the N rows with the most tokens, or calls of tools
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,

    /// Add what the tokens cost, by the included prices; not with `--by tool`
    ///
    /// They are the list prices of OpenAI's own service for requests of usual length and speed, of the day that the output names.
    #[arg(long)]
    pub(crate) cost: bool,

    /// Add what the tokens cost, by the prices of FILE
    ///
    /// JSON: {"source": "…", "date": "2026-11-20", "currency": "USD", "models": {"NAME": {"input": 5, "cached_input": 0.5,
    /// "output": 30}}}, for a million tokens each.
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,

    /// Begin days at midnight UTC, not at midnight on this machine
    #[arg(long)]
    pub(crate) utc: bool,

    /// The output format
    #[arg(long, value_enum, default_value_t = UsageFormat::Text)]
    pub(crate) format: UsageFormat,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// A form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UsageFormat {
    /// A table for people
    Text,
    /// The table as one JSON document
    Json,
    /// The table as comma-separated values; durations in milliseconds
    Csv,
    /// A page for a browser, without costs
    Html,
}

/// Sums up the inputs.
pub(crate) fn run(args: &UsageArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    output_limit::allow(args.output.max_output);
    if args.format == UsageFormat::Html && (args.cost || args.prices.is_some()) {
        bail!(
            "`--format html` shows no costs: leave out `--cost` and `--prices`, or take another format"
        );
    }
    if args.by.contains(&Key::Tool) && (args.cost || args.prices.is_some()) {
        bail!("`--by tool` has no costs: leave out `--cost` and `--prices`, or `tool`");
    }
    let mut counting = Counting {
        reader: Reader::new(),
        usage: Usage::new(query(args)?),
        skipped: Vec::new(),
        problems: Vec::new(),
    };
    let paths = match args.paths.as_slice() {
        [] => vec![home()?],
        paths => paths.to_vec(),
    };
    let Listing {
        mut inputs,
        skipped,
        bytes,
        ..
    } = inputs::list(&paths, args.folder.selection());
    counting.skipped = inputs::skipped(skipped);
    // A file counts once, however many paths lead to it.
    let mut files = HashSet::new();
    inputs.retain(|input| {
        let path = input.as_ref().ok().and_then(Source::path);
        let path = path.and_then(|path| fs::canonicalize(path).ok());
        path.is_none_or(|path| files.insert(path))
    });
    // Of streams of a thread less is kept if its session file is read first.
    inputs.sort_by_key(|input| !input.as_ref().is_ok_and(is_session_file));
    let progress = Progress::of(inputs.len(), bytes);
    for input in &inputs {
        match input {
            Ok(source) => counting.source(source, &args.folder, &progress),
            Err(unreadable) => counting.problem(unreadable),
        }
    }
    counting.forks(&inputs, &progress);
    drop(progress.clear());
    let Counting {
        usage,
        skipped,
        problems,
        ..
    } = counting;
    let first_unread = usage.first_unread().map(str::to_owned);
    let table = usage.finish();
    let mut out = output::stdout(color);
    match args.format {
        UsageFormat::Json => write_usage_json(&mut out, &table)?,
        UsageFormat::Csv => write_usage_csv(&mut out, &table)?,
        UsageFormat::Html => write_usage_html(&mut out, &table)?,
        // Nothing was read: a table of zeros says nothing.
        UsageFormat::Text if table.inputs == 0 && !problems.is_empty() => {}
        UsageFormat::Text => {
            let mut options = UsageOptions::new();
            options.styles = Styles::coloured();
            options.plot = io::stdout().is_terminal();
            write_usage(&mut out, &table, options)?;
        }
    }
    out.flush()?;
    output::remark_skipped(color, &skipped);
    if let Some(first) = first_unread {
        let more = match table.unread - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        output::remark(color, &format!("not counted: {first}{more}"));
    }
    for problem in &problems {
        output::complain(color, problem);
    }
    Ok(match problems.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(COULD_NOT_CHECK),
    })
}

fn query(args: &UsageArgs) -> anyhow::Result<Query> {
    let mut query = args
        .by
        .iter()
        .fold(Query::new(), |query, key| query.by(*key));
    query = args
        .conditions
        .iter()
        .fold(query, |query, condition| query.condition(condition.clone()));
    if let Some(since) = args.folder.since {
        let since = since.time().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since = i64::try_from(since.as_millis()).ok();
        query = match since.and_then(Time::from_ms) {
            Some(since) => query.since(since),
            None => query,
        };
    }
    if let Some(top) = args.top {
        query = query.top(top);
    }
    if !args.utc {
        query = query.days(local);
    }
    query = match (&args.prices, args.cost) {
        (Some(path), _) => query.prices(prices(path)?),
        (None, true) => query.prices(Prices::included()),
        (None, false) => query,
    };
    query
        .check()
        .context("`--where` compares what no row has")?;
    Ok(query)
}

fn prices(path: &Path) -> anyhow::Result<Prices> {
    let cannot = || format!("cannot read {}", path.display());
    let text = std::fs::read_to_string(path).with_context(cannot)?;
    Prices::read(&text).with_context(cannot)
}

/// The day on the clock of this machine.
fn local(time: Time) -> Option<NaiveDate> {
    let time = DateTime::from_timestamp_millis(time.ms())?;
    Some(time.with_timezone(&Local).date_naive())
}

/// The folder of Codex.
fn home() -> anyhow::Result<PathBuf> {
    let home = Environment::of_process().codex_home();
    home.filter(|path| path.is_dir()).context(
        "there is no folder of Codex here: name files or folders\n\
         See `codex-wire usage --help` for all options.",
    )
}

fn is_session_file(source: &Source) -> bool {
    let name = source.path().and_then(Path::file_name);
    name.is_some_and(|name| name.to_string_lossy().starts_with("rollout-"))
}

/// The thread that a session file is named after: `…-UUID.jsonl`, or with `.gz` or `.zst` behind it.
fn thread_in_name(name: &str) -> Option<&str> {
    let packed = [".gz", ".zst"]
        .iter()
        .find_map(|end| name.strip_suffix(end));
    let stem = packed.unwrap_or(name).strip_suffix(".jsonl")?;
    stem.get(stem.len().checked_sub(36)?..)
}

/// What is counted so far.
struct Counting {
    reader: Reader,
    usage: Usage,
    skipped: Vec<Skipped>,
    problems: Vec<String>,
}

impl Counting {
    fn source(&mut self, source: &Source, folder: &FolderFlags, progress: &Progress) {
        progress.input(&source.name());
        source.each(progress, &folder.exclude, |found| match found {
            Found::Skipped(file) => self.skipped.push(inputs::skipped_file(file)),
            Found::Failed(unreadable) => self.problem(&unreadable),
            Found::Input(opened) => {
                // Of a folder, what holds no session says nothing of usage.
                let is_listed = matches!(source, Source::Listed(_));
                let may_skip = is_listed || folder.skips(&opened);
                match self.usage.read(&self.reader, &opened.name, opened.input) {
                    Ok(()) => {}
                    Err(Error::NoSession { reason, .. })
                        if may_skip && !matches!(reason, NoSession::Unreadable(_)) =>
                    {
                        let file = Skipped::new(opened.name, SkipReason::NoTranscript);
                        self.skipped.push(file);
                    }
                    Err(error) => self.problems.push(format!("cannot read {error}")),
                }
            }
        });
    }

    fn problem(&mut self, Unreadable { name, error, .. }: &Unreadable) {
        self.problems.push(format!("cannot read {name}: {error}"));
    }

    /// Counts the forks that need the files of their parents.
    fn forks(&mut self, inputs: &[Result<Source, Unreadable>], progress: &Progress) {
        let forks = self.usage.forks();
        if forks.is_empty() {
            return;
        }
        let mut by_name = HashMap::new();
        let mut by_thread = HashMap::new();
        for source in inputs.iter().flatten() {
            let name = source.name();
            if let Some(thread) = thread_in_name(&name) {
                by_thread.entry(thread.to_owned()).or_insert(source);
            }
            by_name.insert(name, source);
        }
        for Fork { source, parent, .. } in forks {
            let of_parent = by_thread.get(&parent);
            let parent = of_parent.and_then(|source| self.session(source, progress));
            let fork = by_name.get(&source);
            match fork.and_then(|source| self.session(source, progress)) {
                Some(fork) => self.usage.fork(fork, parent.as_ref()),
                None => self.problems.push(format!(
                    "cannot count {source}: a fork made before 0.100.0 is read twice: name it as a file, not in an archive or a pipe"
                )),
            }
        }
    }

    fn session(&mut self, source: &Source, progress: &Progress) -> Option<Session> {
        // A pipe is over.
        source.path().filter(|path| path.is_file())?;
        let opened = source.open(progress).ok()?;
        self.reader.read(&opened.name, opened.input).ok()
    }
}
