//! Implements `codex-wire show`: prints a transcript as a readable conversation.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::Args;
use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Options, Outcome, Verdict};
use codex_wire_report::{Styles, Timeline, TimelineOptions};

use crate::exit_code::COULD_NOT_CHECK;
use crate::flags::values::protocol;
use crate::inputs::{self, Source};
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
/// number and, if the input has times, with the time since its start. Payload text is masked.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Files or folders; standard input if none is given, or for `-`
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

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
    let progress = Progress::new();
    let mut out = output::stdout(color);
    let mut code = 0;
    let mut shown = 0;
    inputs::visit(&paths, &mut |found| {
        let several = paths.len() > 1 || paths[0].is_dir();
        let name = match &found {
            Ok(source) => source.name(),
            Err(outcome) => outcome.path.clone(),
        };
        if several {
            let place = options.styles.place;
            let gap = if shown > 0 { "\n" } else { "" };
            let name = name.escape_debug();
            writeln!(out, "{gap}{place}==> {name} <=={place:#}")?;
        }
        shown += 1;
        let outcome = match found {
            Ok(source) => show(&checker, &source, options, &mut out)?,
            Err(outcome) => {
                Timeline::new(options, &mut out).finish(&outcome)?;
                outcome
            }
        };
        progress.clear();
        if outcome.verdict == Verdict::Unreadable {
            code = COULD_NOT_CHECK;
        }
        Ok(out.flush()?)
    })?;
    Ok(ExitCode::from(code))
}

fn show(
    checker: &Checker,
    source: &Source,
    options: TimelineOptions,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    // The rows show the progress.
    let progress = Progress::new();
    let name = source.name();
    let input = match source.open(&progress) {
        Ok(input) => input,
        Err(error) => {
            let outcome = Outcome::unreadable(name, error.to_string());
            Timeline::new(options, out).finish(&outcome)?;
            return Ok(outcome);
        }
    };
    let mut timeline = Timeline::new(options, out);
    let outcome = checker.observe(&name, input, |step| timeline.step(step))?;
    timeline.finish(&outcome)?;
    Ok(outcome)
}

/// The width of rows: that of the terminal, which shells put into `COLUMNS`.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok();
    let columns = columns.filter(|_| io::stdout().is_terminal());
    columns
        .and_then(|columns| columns.parse().ok())
        .unwrap_or(100)
}
