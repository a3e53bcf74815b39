//! Implements `codex-wire conformance`: runs a client against a stand-in that misbehaves.

mod args;
mod table;

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_base::ReleaseChoice;
use codex_wire_live::Error;
use codex_wire_live::conformance::{Baseline, Outcome, Scenario, Stale, Trial, Tried, Wanted};
use codex_wire_report::{Format, Styles};

use crate::atomic_file::AtomicFile;
use crate::reports::{self, Reports};
use crate::{exit_code, interrupt, output, resolve_release};
pub(crate) use args::ConformanceArgs;

/// Runs the command.
pub(crate) fn run(args: &ConformanceArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let client = shlex::split(&args.client).filter(|words| !words.is_empty());
    let client = client.context("the command of the client is empty, or a quotation is open")?;
    let mut baseline = match &args.baseline {
        Some(path) => baseline(path)?,
        None => Baseline::default(),
    };
    let scenarios = scenarios(args, color)?;
    let own = env::current_exe().context("cannot find this program")?;
    let trial = Trial::new(client, own)
        .faults(args.faults.clone())
        .seed(args.seed)
        .timeout(args.timeout)
        .stopped_by(interrupt::stop());
    interrupt::watch().context("cannot watch for signals")?;
    let files = Files::begin(args)?;
    let mut all = Vec::new();
    let mut runs = scenarios
        .iter()
        .map(|scenario| trial.run(scenario, &mut all));
    match runs.find_map(Result::err) {
        // What was tried before is reported.
        None | Some(Error::Interrupted) => {}
        Some(error) => return Err(error.into()),
    }
    for tried in &mut all {
        baseline.apply(tried);
    }
    finish(args.format, files, &all, &stale(args, &baseline), color)
}

/// The files of the reports.
struct Files {
    table: Option<AtomicFile>,
    badge: Option<AtomicFile>,
    reports: Vec<(Format, AtomicFile)>,
}

impl Files {
    /// Begins all: what cannot be written is said before the client runs.
    fn begin(args: &ConformanceArgs) -> anyhow::Result<Self> {
        let baseline = args.baseline.iter();
        let mut in_use: Vec<PathBuf> = baseline.map(|path| reports::absolute(path)).collect();
        let mut begin = |path: &Option<PathBuf>| {
            let file = path.as_deref().map(|path| reports::file(path, &mut in_use));
            file.transpose()
        };
        let (table, badge) = (begin(&args.table)?, begin(&args.badge)?);
        let in_use: Vec<&Path> = in_use.iter().map(PathBuf::as_path).collect();
        Ok(Files {
            table,
            badge,
            reports: reports::files(&args.reports, &in_use)?,
        })
    }
}

/// Reads the list of expected failures.
fn baseline(path: &Path) -> anyhow::Result<Baseline> {
    let shown = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    Baseline::parse(&text).with_context(|| format!("in {shown}"))
}

/// The entries that no longer occur. What may occur with a fault or in a release that the user left out is none of them.
fn stale(args: &ConformanceArgs, baseline: &Baseline) -> Vec<Stale> {
    let is_wide = |text: &String| matches!(text.as_str(), "recorded" | "all");
    let all_releases = args.releases.is_empty() || args.releases.iter().any(is_wide);
    let mut stale = baseline.stale();
    stale.retain(|entry| {
        (entry.fault.is_some() || args.faults.is_empty())
            && (entry.release.is_some() || all_releases)
    });
    stale
}

/// The scenarios that the user chose, each in the releases that the user chose.
fn scenarios(args: &ConformanceArgs, color: ColorChoice) -> anyhow::Result<Vec<Scenario>> {
    let wanted = args.releases.iter().map(|text| {
        Ok(match text.as_str() {
            "recorded" => Wanted::Recorded,
            "all" => Wanted::All,
            text => match resolve_release::choice(None, text, color)? {
                ReleaseChoice::One(release) => Wanted::This(release),
                ReleaseChoice::Range(range) => Wanted::Within(range),
            },
        })
    });
    let wanted = wanted.collect::<anyhow::Result<Vec<_>>>()?;
    let all = match args.recordings.as_slice() {
        [] => Scenario::built_in(),
        paths => Scenario::of_recordings(super::replay::recordings(paths)?, &wanted)?,
    };
    Ok(Scenario::chosen(&all, &args.scenarios, &wanted)?)
}

/// Writes all reports. Returns the exit code.
fn finish(
    format: Format,
    files: Files,
    all: &[Tried],
    stale: &[Stale],
    color: ColorChoice,
) -> anyhow::Result<ExitCode> {
    if !all.iter().any(Tried::has_run) && !interrupt::requested() {
        let reasons: Vec<String> = all.iter().filter_map(reason).collect();
        bail!("the client fits no scenario: {}", reasons.join("; "));
    }
    let (table, badge) = (table::markdown(all), table::badge(all));
    for (file, text) in [(files.table, table), (files.badge, badge)] {
        if let Some(mut file) = file {
            let written = file.write_all(text.as_bytes());
            written.with_context(|| format!("cannot write {}", file.path().display()))?;
            file.keep()?;
        }
    }
    let mut files = files.reports;
    let mut out = output::stdout(color);
    let mut nowhere = io::sink();
    let is_text = format == Format::Text;
    if is_text {
        table::text(&mut out, all, &Styles::coloured())?;
    }
    let shown: &mut dyn io::Write = if is_text { &mut nowhere } else { &mut out };
    let mut reports = Reports::begin(format, shown, &mut files, false)?;
    for tried in all {
        if let Some(outcome) = tried.report()? {
            reports.outcome(&outcome)?;
        }
    }
    reports.finish()?;
    out.flush()?;
    drop(out);
    for (_, file) in files {
        file.keep()?;
    }
    if interrupt::requested() {
        output::complain(color, "interrupted: not everything was tried");
        return Ok(exit_code::COULD_NOT_CHECK.into());
    }
    for entry in stale {
        output::complain(color, &format!("the baseline is stale: {entry}"));
    }
    let fails = !stale.is_empty() || all.iter().any(|tried| tried.worst().is_some());
    Ok(match fails {
        true => ExitCode::from(exit_code::FINDINGS),
        false => ExitCode::SUCCESS,
    })
}

fn reason(tried: &Tried) -> Option<String> {
    match &tried.outcome {
        Outcome::DoesNotFit(reason) => Some(format!("{}: {reason}", tried.scenario.name())),
        _ => None,
    }
}
