//! Implements `codex-wire show`: prints a transcript as a conversation that people read.

use std::io::{self, BufRead, BufReader, Cursor, IsTerminal, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anstream::ColorChoice;
use anyhow::{Context as _, bail};
use chrono::{DateTime, Local};
use clap::{Args, ValueEnum};
use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Options, Outcome, Verdict};
use codex_wire_live::Growing;
use codex_wire_report::conversation::{Form, Topic, Turns, begin_html, end_html};
use codex_wire_report::{
    Conversation, ConversationOptions, SkipReason, Skipped, Styles, Timeline, TimelineOptions,
    escaped, write_json,
};
use codex_wire_session::{Reader, Time};

use crate::exit_code::COULD_NOT_CHECK;
use crate::flags::folder::FolderFlags;
use crate::flags::output::OutputFlags;
use crate::flags::values::{protocol, seconds};
use crate::inputs::{self, Found, Listing, Opened, Unreadable};
use crate::pager::Pager;
use crate::progress::Progress;
use crate::{interrupt, output, output_limit, resolve_release};

const EXAMPLES: &str = "\
Examples:
  codex-wire show run.jsonl
      Show what was said, what ran, what changed, and what it used.
  codex exec --json 'fix the tests' | codex-wire show
      Show a run while it goes on.
  codex-wire show --follow ~/.codex/sessions/2026/11/22/rollout-….jsonl
      Show a session while Codex writes its file.
  codex-wire show --only commands,errors --full run.jsonl
      Show commands with all of their output, and what went wrong.
  codex-wire show --turn 3 --format markdown run.jsonl > turn.md
  codex-wire show --format html run.jsonl > run.html
      Write a page to send to somebody: one file, which fetches nothing and runs nothing.
  codex-wire show --format timeline --mask run.jsonl
      Show each message in a row, with findings where they occur and without texts, for a bug report.

Exit codes:
  0  every input was shown, with or without findings
  2  an input is not a transcript, is of a protocol that the release does not speak, or could not be read; or no input has a message";

/// Show a transcript or a session file as a conversation
///
/// Shows messages, commands with their output, patches as diffs, calls of tools, plans, approvals, errors, durations and tokens,
/// of any surface and any release. Only the beginning and the end of long outputs are shown; `--full` shows all. What breaks the
/// protocol is counted at the end. On a terminal, output goes through `$CODEX_WIRE_PAGER`, `$PAGER` or `less`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Files or folders; standard input if none is given, or for `-`
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) folder: FolderFlags,

    /// The protocol; inferred from each input if not given
    #[arg(long, short, value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,

    /// The release, such as 0.44.0, 0.145 or latest, or a range; inferred from each input if not given
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,

    /// Mask texts, commands, paths and arguments, so that the output can be passed on
    ///
    /// Names of models and tools stay. Not with the format json. `codex-wire scrub` makes a transcript that can be passed on.
    #[arg(long)]
    pub(crate) mask: bool,

    /// The longest row in columns, 0 for no limit [default: the width of the terminal, or 100]
    #[arg(long, value_name = "N")]
    pub(crate) width: Option<usize>,

    /// Do not use a pager
    #[arg(long)]
    pub(crate) no_pager: bool,

    /// Show only these turns: 3, 3..5, 3.. or ..5; can be given several times
    #[arg(long = "turn", value_name = "TURNS", help_heading = "Selection")]
    pub(crate) turns: Vec<Turns>,

    /// Show only items of these kinds, with commas between them
    ///
    /// messages, reasoning, commands, patches, tools, searches, plans, images, approvals, agents, reviews, errors, hooks,
    /// context (what Codex adds to the conversation; shown only if it is named here) and other.
    #[arg(
        long,
        value_name = "KINDS",
        value_delimiter = ',',
        help_heading = "Selection"
    )]
    pub(crate) only: Vec<Topic>,

    /// Show only items that hold this text; case matters if the text has capital letters
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        help_heading = "Selection"
    )]
    pub(crate) grep: Option<String>,

    /// Show outputs, diffs and arguments in full
    #[arg(long, help_heading = "Selection")]
    pub(crate) full: bool,

    /// Show a file while it grows
    #[arg(
        long,
        requires = "paths",
        conflicts_with = "since",
        help_heading = "Following"
    )]
    pub(crate) follow: bool,

    /// End after this many seconds without new data
    #[arg(long, value_name = "SECONDS", requires = "follow", value_parser = seconds)]
    #[arg(help_heading = "Following")]
    pub(crate) until_idle: Option<Duration>,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// A form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// A conversation, for a terminal
    Text,
    /// A conversation in Markdown
    Markdown,
    /// A page for a browser, which fetches nothing and runs nothing
    Html,
    /// The session as JSON, one object for each input
    Json,
    /// A row for each request, action and result, with findings where they occur
    Timeline,
}

/// Shows the inputs.
pub(crate) fn run(args: &ShowArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    output_limit::allow(args.output.max_output);
    let has_selection =
        args.full || args.grep.is_some() || !args.only.is_empty() || !args.turns.is_empty();
    if has_selection && matches!(args.format, ShowFormat::Json | ShowFormat::Timeline) {
        bail!(
            "`--turn`, `--only`, `--grep` and `--full` choose what of a conversation is shown: use the format text, markdown or html"
        );
    }
    if args.mask && args.format == ShowFormat::Json {
        bail!(
            "the format json has every text: `--mask` works with text, markdown, html and timeline; `codex-wire scrub` makes a transcript whose session can be passed on"
        );
    }
    if args.follow && args.format == ShowFormat::Json {
        bail!("the format json has the whole session: it cannot be used with `--follow`");
    }
    let paths = inputs::or_stdin(&args.paths, "show")?;
    let is_live = args.follow || paths.iter().any(|path| is_stdin(path));
    let options = options(args, color)?;
    let pages = matches!(args.format, ShowFormat::Text | ShowFormat::Timeline);
    let mut shown = Shown {
        checker: Checker::new(options.clone())?,
        reader: Reader::with(Checker::new(options)?),
        format: args.format,
        conversation: conversation(args, is_live),
        timeline: timeline(args, is_live),
        color,
        out: Pager::new(color, pages && !is_live && !args.no_pager),
        inputs: 0,
        several: false,
        is_exercised: false,
        code: 0,
    };
    let result = match args.format {
        ShowFormat::Html => page(args, &paths, &mut shown, color),
        _ => all_inputs(args, &paths, &mut shown, color),
    };
    let is_paged = shown.out.is_paged();
    let flushed = shown.out.finish();
    match result {
        // The user has seen enough.
        Err(error) if is_paged && crate::exit_code::is_closed_output(&error) => {}
        result => result?,
    }
    flushed?;
    if args.format != ShowFormat::Json && shown.inputs > 0 && !shown.is_exercised {
        shown.code = COULD_NOT_CHECK;
    }
    Ok(ExitCode::from(shown.code))
}

/// Shows the inputs on one page.
fn page(
    args: &ShowArgs,
    paths: &[PathBuf],
    shown: &mut Shown,
    color: ColorChoice,
) -> anyhow::Result<()> {
    let title = match paths {
        [path] if !is_stdin(path) => path.display().to_string(),
        _ => "codex-wire show".to_owned(),
    };
    begin_html(&mut shown.out, &title)?;
    all_inputs(args, paths, shown, color)?;
    end_html(&mut shown.out)?;
    Ok(())
}

fn all_inputs(
    args: &ShowArgs,
    paths: &[PathBuf],
    shown: &mut Shown,
    color: ColorChoice,
) -> anyhow::Result<()> {
    match args.follow {
        true => follow(args, paths, shown),
        false => all(args, paths, shown, color),
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == inputs::STDIN
}

fn options(args: &ShowArgs, color: ColorChoice) -> anyhow::Result<Options> {
    let mut options = Options::new();
    options.protocol = args.protocol;
    if let Some(text) = &args.release {
        let choice = resolve_release::choice(args.protocol, text, color)?;
        resolve_release::limit(&mut options, choice);
    }
    options.show_values = !args.mask;
    Ok(options)
}

fn conversation(args: &ShowArgs, is_live: bool) -> ConversationOptions {
    let mut options = ConversationOptions::new();
    options.form = match args.format {
        ShowFormat::Markdown => Form::Markdown,
        ShowFormat::Html => Form::Html,
        _ => Form::Text,
    };
    options.width = args.width.unwrap_or_else(width);
    options.full = args.full;
    options.mask = args.mask;
    options.only.clone_from(&args.only);
    options.turns.clone_from(&args.turns);
    options.grep.clone_from(&args.grep);
    options.styles = Styles::coloured();
    options.live = is_live || io::stdout().is_terminal();
    options.clock = local;
    options
}

fn timeline(args: &ShowArgs, is_live: bool) -> TimelineOptions {
    let mut options = TimelineOptions::new();
    options.show_values = !args.mask;
    options.styles = Styles::coloured();
    options.live = is_live || io::stdout().is_terminal();
    options.width = args.width.unwrap_or_else(width);
    options
}

/// A point in time on the clock of this machine.
fn local(time: Time) -> String {
    match DateTime::from_timestamp_millis(time.ms()) {
        Some(time) => time
            .with_timezone(&Local)
            .format("%Y-%m-%d %H:%M:%S")
            .to_string(),
        None => time.to_string(),
    }
}

/// Shows a file while it grows.
fn follow(args: &ShowArgs, paths: &[PathBuf], shown: &mut Shown) -> anyhow::Result<()> {
    let [path] = paths else {
        bail!("`--follow` takes one file");
    };
    let name = path.display().to_string();
    if path.as_os_str() == inputs::STDIN || path.is_dir() {
        bail!("{name}: `--follow` takes one file; standard input is always shown as it comes");
    }
    interrupt::watch().context("cannot watch for signals")?;
    let growing = Growing::new(path, interrupt::stop()).until_idle(args.until_idle);
    shown.show(&name, Ok(Box::new(BufReader::new(growing))))
}

/// Shows all inputs.
fn all(
    args: &ShowArgs,
    paths: &[PathBuf],
    shown: &mut Shown,
    color: ColorChoice,
) -> anyhow::Result<()> {
    let Listing {
        inputs, skipped, ..
    } = inputs::list(paths, args.folder.selection());
    let mut skipped = inputs::skipped(skipped);
    shown.several = inputs.len() > 1 || paths[0].is_dir();
    for input in inputs {
        // The rows show the progress.
        let progress = Progress::new();
        let source = match input {
            Ok(source) => source,
            Err(Unreadable { name, error, .. }) => {
                shown.show(&name, Err(error.to_string()))?;
                continue;
            }
        };
        let mut result = Ok(());
        source.each(&progress, &args.folder.exclude, |found| {
            if result.is_err() {
                return;
            }
            result = match found {
                Found::Skipped(file) => {
                    skipped.push(inputs::skipped_file(file));
                    Ok(())
                }
                Found::Failed(failed) => shown.show(&failed.name, Err(failed.error.to_string())),
                Found::Input(opened) => {
                    // What a name within an archive says.
                    shown.several |= opened.name != source.name();
                    match args.folder.skips(&opened) {
                        true => shown.show_or_skip(opened, &mut skipped),
                        false => shown.show(&opened.name, Ok(opened.input)),
                    }
                }
            };
        });
        result?;
    }
    output::remark_skipped(color, &skipped);
    Ok(())
}

/// What was shown so far, and how.
struct Shown {
    checker: Checker,
    reader: Reader,
    format: ShowFormat,
    conversation: ConversationOptions,
    timeline: TimelineOptions,
    color: ColorChoice,
    out: Pager,
    inputs: usize,
    several: bool,
    /// An input has a message.
    is_exercised: bool,
    code: u8,
}

impl Shown {
    /// Shows an input, or why there is none.
    fn show(
        &mut self,
        name: &str,
        input: Result<Box<dyn BufRead + '_>, String>,
    ) -> anyhow::Result<()> {
        if self.format == ShowFormat::Json {
            return self.json(name, input);
        }
        if let (Err(error), true) = (&input, self.format != ShowFormat::Html) {
            let what = format!("cannot read {}: {error}", escaped(name));
            output::complain(self.color, &what);
            self.code = COULD_NOT_CHECK;
            return Ok(());
        }
        self.conversation.input = self.inputs;
        // A page has the name of each input above it.
        if self.several && self.format != ShowFormat::Html {
            let place = self.timeline.styles.place;
            let gap = if self.inputs > 0 { "\n" } else { "" };
            let name = name.escape_debug();
            match self.format {
                ShowFormat::Markdown => writeln!(
                    self.out,
                    "{gap}<!-- {} -->\n",
                    name.to_string().replace("--", "- -")
                )?,
                _ => writeln!(self.out, "{gap}{place}==> {name} <=={place:#}")?,
            }
        }
        self.inputs += 1;
        let unreadable = |error| Outcome::unreadable(name, error);
        let outcome = match self.format {
            ShowFormat::Timeline => {
                let mut timeline = Timeline::new(self.timeline, &mut self.out);
                let outcome = match input {
                    Ok(input) => self
                        .checker
                        .observe(name, input, |step| timeline.step(step))?,
                    Err(error) => unreadable(error),
                };
                timeline.finish(&outcome)?;
                outcome
            }
            _ => {
                let before = self.out.written;
                let mut conversation = Conversation::new(name, &self.conversation, &mut self.out);
                let outcome = match input {
                    Ok(input) => self
                        .checker
                        .observe(name, input, |step| conversation.step(step))?,
                    Err(error) => unreadable(error),
                };
                conversation.finish(&outcome)?;
                if self.out.written == before && outcome.messages > 0 {
                    let options = &self.conversation;
                    let given = [
                        (!options.turns.is_empty(), "`--turn`"),
                        (!options.only.is_empty(), "`--only`"),
                        (options.grep.is_some(), "`--grep`"),
                    ];
                    let given = given.iter().filter(|(is_given, _)| *is_given);
                    let flags: Vec<&str> = given.map(|(_, flag)| *flag).collect();
                    let text = match flags.is_empty() {
                        true => "no turn has anything in it".to_owned(),
                        false => format!("nothing matches {}", flags.join(" and ")),
                    };
                    output::remark(self.color, &format!("{name}: {text}"));
                }
                outcome
            }
        };
        if let Some(reason) = unspoken(&outcome) {
            let path = escaped(&outcome.path);
            output::complain(self.color, &format!("cannot show {path}: {reason}"));
            self.code = COULD_NOT_CHECK;
        }
        self.is_exercised |= outcome.messages > 0;
        if outcome.verdict == Verdict::Unreadable {
            self.code = COULD_NOT_CHECK;
        }
        self.out.flush()?;
        Ok(())
    }

    /// Writes the session of an input.
    fn json(
        &mut self,
        name: &str,
        input: Result<Box<dyn BufRead + '_>, String>,
    ) -> anyhow::Result<()> {
        let session = match input {
            Ok(input) => self
                .reader
                .read(name, input)
                .map_err(|error| format!("cannot read {error}")),
            Err(error) => Err(format!("cannot read {name}: {error}")),
        };
        match session {
            Ok(session) => {
                write_json(&mut self.out, &session)?;
                writeln!(self.out)?;
            }
            Err(error) => {
                output::complain(self.color, &error);
                self.code = COULD_NOT_CHECK;
            }
        }
        Ok(())
    }

    /// Shows an input, unless its first lines are of no transcript.
    fn show_or_skip(
        &mut self,
        opened: Opened<'_>,
        skipped: &mut Vec<Skipped>,
    ) -> anyhow::Result<()> {
        let Opened {
            name, mut input, ..
        } = opened;
        let mut head = Vec::new();
        if let Err(error) = input.by_ref().take(HEAD).read_to_end(&mut head) {
            return self.show(&name, Err(error.to_string()));
        }
        let known = self.checker.identify(&head[..])?;
        if known.foreign {
            skipped.push(Skipped::new(name, SkipReason::NoTranscript));
            return Ok(());
        }
        self.show(&name, Ok(Box::new(Cursor::new(head).chain(input))))
    }
}

/// Why nothing of an input could be shown, if the release that the user states does not speak its protocol.
fn unspoken(outcome: &Outcome) -> Option<&str> {
    let is_spoken = outcome.messages == 0 || !outcome.schemas.is_empty();
    let first = outcome.findings.first().filter(|_| !is_spoken)?;
    Some(&first.message)
}

/// How much of a file is read to see whether it is a transcript.
const HEAD: u64 = 1 << 20;

/// The width of rows: that of the terminal.
fn width() -> usize {
    output::terminal_width().unwrap_or(100)
}
