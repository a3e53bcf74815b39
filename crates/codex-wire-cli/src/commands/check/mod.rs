//! Implements `codex-wire check`.

mod args;
mod baseline_file;
mod bases;
mod follow;
#[cfg(feature = "sqlite")]
mod home;
mod hook;
mod with_rollout;

use std::io::BufRead;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::Context;
use codex_wire_check::{Checker, Outcome, Step, Verdict};
use codex_wire_inputs::in_order;
use codex_wire_report::{Format, Kinds, SkipReason, Skipped, Statistics, TrackWatch, unreadable};

use crate::flags::folder::{self, FolderFlags};
use crate::inputs::{self, Found, Listing, Opened, Source, Unreadable};
use crate::progress::Progress;
use crate::reports::{self, Reports};
use crate::{exit_code, interrupt, message_kind, output, output_limit};
pub(crate) use args::CheckArgs;
use baseline_file::BaselineFile;
use bases::Bases;
use hook::Hook;
use with_rollout::Rollouts;

/// Checks the inputs that the command line names.
pub(crate) fn run(args: &CheckArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    output_limit::allow(args.output.max_output);
    let args = &args.with_config()?;
    let checker = Checker::new(args.checker.options(&args.limits, color)?)?;
    let hook = Hook::of(args)?;
    if args.follow {
        return follow::run(args, &checker, color);
    }
    if args.telemetry.otlp.is_some() {
        anyhow::bail!(
            "`--otlp` tells what happens: use it with `--follow`, or `codex-wire convert --to otlp`"
        );
    }
    let paths = inputs::or_stdin(&args.paths, "check")?;
    #[cfg(not(feature = "sqlite"))]
    if args.sqlite_home.is_some() {
        anyhow::bail!(
            "this program was built without the feature `sqlite`, and reads no databases"
        );
    }
    #[cfg(feature = "sqlite")]
    let homes = home::homes(args)?;
    let rollouts = Rollouts::find(&args.with_rollout, args.limits.limits())?;
    let baseline = BaselineFile::read(args)?;
    let mut matching = baseline.as_ref().map(|baseline| baseline.begin(args));
    let mut files = reports::files(&args.reports, &args.files_read())?;
    let mut out = output::stdout(color);
    let mut reports = Reports::begin(args.format, &mut out, &mut files, args.quiet)?;
    interrupt::watch().context("cannot watch for signals")?;
    let Listing {
        inputs,
        skipped,
        bytes,
        ..
    } = inputs::list(&paths, args.folder.selection());
    let mut skipped = inputs::skipped(skipped);
    let progress = Progress::of(inputs.len(), bytes);
    let threads = folder::threads(args.threads, inputs.len());
    let bases = Bases::find(&inputs, args.limits.limits());
    let work = Work {
        checker: &checker,
        hook: hook.as_ref(),
        rollouts: rollouts.as_ref(),
        bases: bases.as_ref(),
        folder: &args.folder,
        counts_kinds: args.statistics,
        draws: draws(args) && inputs.len() <= DRAWN,
        progress: &progress,
    };
    let run = |input: &Result<Source, Unreadable>, give: &mut dyn FnMut(Checked)| match input {
        Ok(source) => work.check_all(source, give),
        Err(unreadable) => give(Ok((outcome_of(unreadable), Observed::default()))),
    };
    let weight = |checked: &Checked| {
        checked
            .as_ref()
            .map_or(1, |(outcome, _)| outcome.findings.len() + 1)
    };
    let mut statistics = Statistics::default();
    let mut report = |mut outcome: Outcome, observed: Observed| {
        let Observed { kinds, watch } = observed;
        let _cleared = progress.clear();
        if let Some(matching) = &mut matching {
            matching.apply(&mut outcome);
        }
        if args.statistics {
            statistics.add(&outcome, &kinds);
        }
        // The text report shows this to people. They do not read the others.
        if outcome.verdict == Verdict::Unreadable && args.format != Format::Text {
            output::complain(color, &unreadable(&outcome));
        }
        if let Some(watch) = watch {
            reports.tracks(&watch.finish());
        }
        reports.outcome(&outcome)
    };
    in_order(
        threads,
        &inputs,
        interrupt::stop(),
        run,
        weight,
        |checked| match checked {
            Ok((outcome, observed)) => report(outcome, observed),
            Err(file) => {
                skipped.push(file);
                Ok(())
            }
        },
    )?;
    #[cfg(feature = "sqlite")]
    for home in homes {
        if interrupt::requested() {
            break;
        }
        for outcome in home.compare(&checker, args)? {
            skipped.retain(|file| file.path != outcome.path);
            report(outcome, Observed::default())?;
        }
    }
    reports.skipped(&skipped)?;
    if args.format != Format::Text {
        output::remark_skipped(color, &skipped);
    }
    if let (Some(baseline), Some(matching)) = (&baseline, &matching) {
        reports.baseline(&baseline.name(), &matching.stale())?;
    }
    if args.statistics {
        reports.statistics(&statistics);
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

fn outcome_of(unreadable: &Unreadable) -> Outcome {
    Outcome::unreadable(unreadable.name.clone(), unreadable.error.to_string())
}

/// How many inputs are drawn; of more, a page has the findings alone.
const DRAWN: usize = 50;

/// Whether a report draws inputs.
fn draws(args: &CheckArgs) -> bool {
    let mut formats = args.reports.iter().map(|report| report.format);
    args.format == Format::Html || formats.any(|format| format == Format::Html)
}

/// The outcome of an input and what else is known of it, or why it was skipped.
type Checked = Result<(Outcome, Observed), Skipped>;

/// What is observed of an input while it is checked.
#[derive(Default)]
struct Observed {
    kinds: Kinds,
    /// For its tracks, if they are drawn.
    watch: Option<TrackWatch>,
}

impl Observed {
    fn step(&mut self, step: &Step<'_>) {
        message_kind::count(step, &mut self.kinds);
        if let Some(watch) = &mut self.watch {
            watch.step(step);
        }
    }
}

/// What is done with each input.
struct Work<'a> {
    checker: &'a Checker,
    hook: Option<&'a Hook<'a>>,
    rollouts: Option<&'a Rollouts>,
    bases: Option<&'a Bases<'a>>,
    folder: &'a FolderFlags,
    /// Whether kinds of message are counted, for statistics.
    counts_kinds: bool,
    /// Whether inputs are drawn.
    draws: bool,
    progress: &'a Progress,
}

impl Work<'_> {
    /// Checks an input, or each member of an archive.
    fn check_all(&self, source: &Source, give: &mut dyn FnMut(Checked)) {
        self.progress.input(&source.name());
        source.each(self.progress, &self.folder.exclude, |found| {
            give(match found {
                Found::Skipped(file) => Err(inputs::skipped_file(file)),
                Found::Failed(unreadable) => Ok((outcome_of(&unreadable), Observed::default())),
                Found::Input(opened) => {
                    let may_skip = self.folder.skips(&opened);
                    let mut observed = Observed {
                        kinds: Kinds::default(),
                        watch: self.draws.then(|| TrackWatch::new(&opened.name)),
                    };
                    let outcome = self.check(source, opened, &mut observed);
                    match outcome.foreign && may_skip {
                        true => Err(Skipped::new(outcome.path, SkipReason::NoTranscript)),
                        false => Ok((outcome, observed)),
                    }
                }
            });
        });
    }

    fn check(&self, source: &Source, opened: Opened<'_>, seen: &mut Observed) -> Outcome {
        let observes = self.counts_kinds || self.draws;
        let check = |name: &str, input: Box<dyn BufRead + '_>, seen: &mut Observed| {
            if !observes {
                return self.checker.check(name, input);
            }
            let observed = self.checker.observe(name, input, |step| {
                seen.step(step);
                Ok(())
            });
            observed.unwrap_or_else(|error| Outcome::unreadable(name, error.to_string()))
        };
        match (self.hook, self.rollouts, self.bases) {
            (Some(hook), ..) => {
                hook.check(self.checker, &opened.name, opened.input, &mut seen.kinds)
            }
            (None, Some(rollouts), _) => {
                let each = |step: &Step<'_>| seen.step(step);
                rollouts.check(self.checker, opened, self.progress, each)
            }
            (None, None, Some(bases)) => {
                let mut check = |name: &str, input: Box<dyn BufRead + '_>| check(name, input, seen);
                bases.check(self.checker, source, opened, &mut check)
            }
            (None, None, None) => check(&opened.name, opened.input, seen),
        }
    }
}
