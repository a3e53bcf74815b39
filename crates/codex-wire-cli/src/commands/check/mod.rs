//! Implements `codex-wire check`.

mod args;
mod baseline_file;
mod follow;

use std::num::NonZeroUsize;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::Context;
use codex_wire_check::{Checker, Outcome, Verdict};
use codex_wire_report::Format;

use crate::inputs::{self, Source};
use crate::progress::Progress;
use crate::reports::{self, Reports};
use crate::{exit_code, interrupt, output};
pub(crate) use args::CheckArgs;
use baseline_file::BaselineFile;

/// How many threads check an input unless the user says otherwise. Most of the work is done line by
/// line, in order, so a second thread was measured to cost more than it saves: 300 MB in one file
/// took 0.41 s with two threads and 0.23 s with one.
const THREADS: NonZeroUsize = NonZeroUsize::MIN;

/// Checks the inputs that the command line names.
pub(crate) fn run(args: &CheckArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let checker = Checker::new(args.checker.options(&args.limits, color)?)?;
    if args.follow {
        return follow::run(args, &checker, color);
    }
    let paths = inputs::or_stdin(&args.paths, "check")?;
    let baseline = BaselineFile::read(args)?;
    let mut matching = baseline.as_ref().map(|baseline| baseline.begin(args));
    let mut files = reports::files(&args.reports, &args.files_read())?;
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
        if let Some(matching) = &mut matching {
            matching.apply(&mut outcome);
        }
        // The text report shows this to people. They do not read the others.
        if outcome.verdict == Verdict::Unreadable && args.format != Format::Text {
            let reason = outcome.error.as_deref().unwrap_or("unreadable");
            output::complain(color, &format!("cannot check {}: {reason}", outcome.path));
        }
        reports.outcome(&outcome)
    })?;
    if let (Some(baseline), Some(matching)) = (&baseline, &matching) {
        reports.baseline(&baseline.name(), &matching.stale())?;
    }
    let totals = reports.finish()?;
    for (_, file) in files {
        file.keep()?;
    }
    if interrupt::requested() {
        // An incomplete run proves nothing, and it must not rewrite the baseline.
        output::complain(color, "interrupted: not everything was checked");
        return Ok(exit_code::COULD_NOT_CHECK.into());
    }
    if let (Some(baseline), Some(matching)) = (&baseline, matching) {
        matching.finish(baseline, color)?;
    }
    Ok(exit_code::of(&totals))
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
