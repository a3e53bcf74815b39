//! `codex-wire check`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::Context;
use codex_wire::{Protocol, Release, Surface};
use codex_wire_check::{Checker, Limits, Options, Outcome, Verdict};
use codex_wire_report::{Format, Report, Settings, Styles, Totals};

use crate::args::CheckArgs;
use crate::inputs::{self, Source};
use crate::progress::Progress;
use crate::{output, resolve};

/// An input has findings at deny level.
const FINDINGS: u8 = 1;

/// Something could not be checked, or there was nothing to check.
pub(crate) const COULD_NOT_CHECK: u8 = 2;

/// Checks what the command line names.
pub(crate) fn run(args: &CheckArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let paths = paths(args)?;
    let checker = Checker::new(options(args, color)?)?;
    let mut out = output::stdout(color);
    let settings = Settings::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"))
        .with_styles(Styles::coloured());
    let mut report = Report::begin(args.format, settings, &mut out)?;
    let progress = Progress::new();
    inputs::visit(&paths, &mut |found| {
        let outcome = match found {
            Ok(source) => check(&checker, &source, &progress),
            Err(outcome) => outcome,
        };
        progress.clear();
        // The text report says it where people look; they do not see into the others.
        if outcome.verdict == Verdict::Unreadable && args.format != Format::Text {
            let reason = outcome.error.as_deref().unwrap_or("unreadable");
            output::complain(color, &format!("cannot check {}: {reason}", outcome.path));
        }
        report.outcome(&outcome).context("cannot write the report")
    })?;
    let totals = report.finish().context("cannot write the report")?;
    Ok(exit_code(&totals))
}

fn check(checker: &Checker, source: &Source, progress: &Progress) -> Outcome {
    let name = source.name();
    progress.input(&name);
    match source.open(progress) {
        Ok(input) => checker.check(&name, input),
        Err(error) => Outcome::unreadable(name, error.to_string()),
    }
}

/// What could not be checked weighs more than what does not conform: a report with a hole in it
/// is not to be taken for a whole one.
fn exit_code(totals: &Totals) -> ExitCode {
    if totals.unreadable > 0 || totals.checked() == 0 {
        ExitCode::from(COULD_NOT_CHECK)
    } else if totals.counts.deny > 0 {
        ExitCode::from(FINDINGS)
    } else {
        ExitCode::SUCCESS
    }
}

fn paths(args: &CheckArgs) -> anyhow::Result<Vec<PathBuf>> {
    if !args.paths.is_empty() {
        return Ok(args.paths.clone());
    }
    anyhow::ensure!(
        !std::io::stdin().is_terminal(),
        "nothing to check: name files or folders, or pipe a transcript in:\n  \
         codex-wire check run.jsonl\n  \
         codex exec --json 'fix the tests' | codex-wire check\n\
         `codex-wire check --help` tells more"
    );
    Ok(vec![PathBuf::from(inputs::STDIN)])
}

fn options(args: &CheckArgs, color: ColorChoice) -> anyhow::Result<Options> {
    let mut options = Options::new();
    options.protocol = args.protocol;
    options.release = match &args.release {
        Some(text) => Some(release(args.protocol, text, color)?),
        None => None,
    };
    options.profile = args.profile;
    options.levels = args.levels.levels();
    options.limits = Limits {
        line_bytes: args.max_line_bytes,
        depth: args.max_depth,
        findings: args.max_findings,
    };
    options.side = args.side;
    options.show_values = args.show_values;
    Ok(options)
}

/// The release on the first timeline that has it, of the stated protocol if one is stated.
fn release(protocol: Option<Protocol>, text: &str, color: ColorChoice) -> anyhow::Result<Release> {
    let surfaces = protocol.map_or(Surface::ALL, Protocol::surfaces);
    Ok(resolve::release(surfaces, text, color)?.1)
}
