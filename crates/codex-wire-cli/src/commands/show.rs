//! Implements `codex-wire show`: prints a transcript as a readable conversation.

use std::io::{self, BufRead, Cursor, IsTerminal, Read as _, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::Args;
use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Options, Outcome, Verdict};
use codex_wire_report::{SkipReason, Skipped, Styles, Timeline, TimelineOptions};

use crate::exit_code::COULD_NOT_CHECK;
use crate::flags::folder::FolderFlags;
use crate::flags::values::protocol;
use crate::inputs::{self, Found, Listing, Opened, Unreadable};
use crate::progress::Progress;
use crate::{output, resolve_release};

const EXAMPLES: &str = "\
Examples:
  codex-wire show run.jsonl
      Show turns, commands, approvals and results, with findings where they occur.
  codex-wire show --show-values --width 0 run.jsonl | less -S
      Show all texts, in rows of any length.
  codex exec --json 'fix the tests' | codex-wire show
      Show a run while it goes on.

Exit codes:
  0  every input was shown, with or without findings
  2  an input is not a transcript, or could not be read";

/// Show a transcript as a readable timeline
///
/// Shows turns, items with status and duration, approvals, plans, tokens and errors, with findings
/// where they occur. Deltas are joined to their item, and a request to its response. Each row begins with its line
/// number and, if the input has times, with the time since its start. Texts, such as the messages of the agent, are
/// masked: `--show-values` shows them.
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

    /// The release, such as 0.44.0; inferred from each input if not given
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// Show payload text; it is masked otherwise
    #[arg(long)]
    pub(crate) show_values: bool,

    /// The longest row in characters, 0 for no limit [default: the width of the terminal, or 100]
    #[arg(long, value_name = "N")]
    pub(crate) width: Option<usize>,
}

/// Shows the inputs.
pub(crate) fn run(args: &ShowArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let mut options = Options::new();
    options.protocol = args.protocol;
    options.release = match &args.release {
        Some(text) => Some(resolve_release::of_protocol(args.protocol, text, color)?),
        None => None,
    };
    options.show_values = args.show_values;
    let checker = Checker::new(options)?;
    let paths = inputs::or_stdin(&args.paths, "show")?;
    let mut options = TimelineOptions::new();
    options.show_values = args.show_values;
    options.styles = Styles::coloured();
    options.live = io::stdout().is_terminal();
    options.width = args.width.unwrap_or_else(width);
    let Listing {
        inputs, skipped, ..
    } = inputs::list(&paths, args.folder.selection());
    let mut skipped = inputs::skipped(skipped);
    let mut shown = Shown {
        checker: &checker,
        options,
        out: output::stdout(color),
        inputs: 0,
        several: inputs.len() > 1 || paths[0].is_dir(),
        code: 0,
    };
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
                Found::Failed(Unreadable { name, error, .. }) => {
                    shown.show(&name, Err(error.to_string()))
                }
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
    Ok(ExitCode::from(shown.code))
}

/// What was shown so far, and how.
struct Shown<'a, W: Write> {
    checker: &'a Checker,
    options: TimelineOptions,
    out: W,
    inputs: usize,
    several: bool,
    code: u8,
}

impl<W: Write> Shown<'_, W> {
    /// Shows an input, or why there is none.
    fn show(
        &mut self,
        name: &str,
        input: Result<Box<dyn BufRead + '_>, String>,
    ) -> anyhow::Result<()> {
        if self.several {
            let place = self.options.styles.place;
            let gap = if self.inputs > 0 { "\n" } else { "" };
            let name = name.escape_debug();
            writeln!(self.out, "{gap}{place}==> {name} <=={place:#}")?;
        }
        self.inputs += 1;
        let mut timeline = Timeline::new(self.options, &mut self.out);
        let outcome = match input {
            Ok(input) => self
                .checker
                .observe(name, input, |step| timeline.step(step))?,
            Err(error) => Outcome::unreadable(name, error),
        };
        timeline.finish(&outcome)?;
        if outcome.verdict == Verdict::Unreadable {
            self.code = COULD_NOT_CHECK;
        }
        self.out.flush()?;
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

/// How much of a file is read to see whether it is a transcript.
const HEAD: u64 = 1 << 20;

/// The width of rows: that of the terminal.
fn width() -> usize {
    output::terminal_width().unwrap_or(100)
}
