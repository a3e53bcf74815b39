//! Implements `codex-wire check`.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::Context;
use codex_wire_base::{Protocol, Release, Surface};
use codex_wire_check::{Checker, Limits, Options, Outcome, Verdict};
use codex_wire_report::{Format, Totals};

use crate::args::{CheckArgs, Judging, Looking};
use crate::inputs::{self, Source};
use crate::interrupt;
use crate::known::Known;
use crate::progress::Progress;
use crate::reports::{self, Reports};
use crate::{follow, output, resolve};

/// An input has findings at error level, or an entry of the baseline does not hold.
const FINDINGS: u8 = 1;

/// Something could not be checked, or there was nothing to check.
pub(crate) const COULD_NOT_CHECK: u8 = 2;

/// Checks what the command line names.
pub(crate) fn run(args: &CheckArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let checker = Checker::new(options(&args.judging, &args.looking, color)?)?;
    if args.follow {
        return follow::run(args, &checker, color);
    }
    let paths = paths(args)?;
    let known = Known::read(args)?;
    let mut pass = known.as_ref().map(|known| known.begin(args));
    let mut files = reports::files(&args.reports, &taken(args))?;
    let mut out = output::stdout(color);
    let mut reports = Reports::begin(args.format, &mut out, &mut files)?;
    let progress = Progress::new();
    let threads = args.threads.unwrap_or(THREADS);
    interrupt::watch().context("cannot watch for signals")?;
    inputs::visit(&paths, &mut |found| {
        let mut outcome = match found {
            Ok(source) => check(&checker, threads, &source, &progress),
            Err(outcome) => outcome,
        };
        progress.clear();
        if let Some(pass) = &mut pass {
            pass.apply(&mut outcome);
        }
        // The text report says it where people look; they do not see into the others.
        if outcome.verdict == Verdict::Unreadable && args.format != Format::Text {
            let reason = outcome.error.as_deref().unwrap_or("unreadable");
            output::complain(color, &format!("cannot check {}: {reason}", outcome.path));
        }
        reports.outcome(&outcome)
    })?;
    if let (Some(known), Some(pass)) = (&known, &pass) {
        reports.baseline(&known.name(), &pass.stale())?;
    }
    let totals = reports.finish()?;
    for (_, file) in files {
        file.keep()?;
    }
    if interrupt::came() {
        // What was not looked at proves nothing, and no baseline is to be rewritten after that.
        output::complain(color, "interrupted: not everything was checked");
        return Ok(ExitCode::from(COULD_NOT_CHECK));
    }
    if let (Some(known), Some(pass)) = (&known, pass) {
        pass.finish(known, color)?;
    }
    Ok(exit_code(&totals))
}

/// How many threads check an input unless the user says otherwise. One thread has to judge the lines
/// in their order, which is most of the work, so that a second one was measured to cost more than it
/// saves: 300 MB in one file took it 0.41 s where one thread took 0.23 s.
pub(crate) const THREADS: NonZeroUsize = NonZeroUsize::MIN;

/// The files that are read, which no report may replace.
pub(crate) fn taken(args: &CheckArgs) -> Vec<&Path> {
    let inputs = args.paths.iter().chain(&args.baseline);
    inputs.map(PathBuf::as_path).collect()
}

fn check(
    checker: &Checker,
    threads: NonZeroUsize,
    source: &Source,
    progress: &Progress,
) -> Outcome {
    let name = source.name();
    progress.input(&name);
    match source.open(progress) {
        Ok(input) => checker.check_on(threads, &name, input),
        Err(error) => Outcome::unreadable(name, error.to_string()),
    }
}

/// What could not be checked weighs more than what does not conform: a report with a hole in it
/// is not to be taken for a whole one.
pub(crate) fn exit_code(totals: &Totals) -> ExitCode {
    if totals.unreadable > 0 || totals.checked() == 0 {
        ExitCode::from(COULD_NOT_CHECK)
    } else if totals.counts.error > 0 || totals.stale > 0 {
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

/// What the command line says of how to check.
pub(crate) fn options(
    judging: &Judging,
    looking: &Looking,
    color: ColorChoice,
) -> anyhow::Result<Options> {
    let mut options = Options::new();
    options.protocol = judging.protocol;
    options.release = match &judging.release {
        Some(text) => Some(release(judging.protocol, text, color)?),
        None => None,
    };
    options.profile = judging.profile;
    options.levels = judging.levels.levels();
    options.limits = Limits {
        line_bytes: looking.max_line_bytes,
        depth: looking.max_depth,
        values: looking.max_values,
        findings: looking.max_findings,
        ..Limits::default()
    };
    options.side = judging.side;
    options.show_values = looking.show_values;
    Ok(options)
}

/// The release on the first timeline that has it, of the stated protocol if one is stated.
pub(crate) fn release(
    protocol: Option<Protocol>,
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<Release> {
    let surfaces = protocol.map_or(Surface::ALL, Protocol::surfaces);
    Ok(resolve::release(surfaces, text, color)?.1)
}
