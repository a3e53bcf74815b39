//! Implements `codex-wire conformance`: runs a client against a stand-in that misbehaves.

mod args;
mod baseline;
mod findings;
mod scenarios;
mod stage;
mod table;
mod tried;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_base::Protocol;
use codex_wire_replay::faults::{Expectation, FAULTS, FaultKind, Injection};
use codex_wire_report::{Format, Styles};

pub(crate) use args::ConformanceArgs;
use baseline::Baseline;
use findings::{Undisturbed, outcome};
use scenarios::Scenario;
use stage::{Shown, Stage};
use tried::{Result, Tried};

use crate::reports::{self, Reports};
use crate::{exit_code, output};

/// How long a slow start is here, in milliseconds: clients that mind do so after less.
const SLOW: u64 = 1000;

/// Runs the command.
pub(crate) fn run(args: &ConformanceArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let client = shlex::split(&args.client).filter(|words| !words.is_empty());
    let client = client.context("the command of the client is empty, or a quotation is open")?;
    let mut baseline = match &args.baseline {
        Some(path) => Baseline::read(path)?,
        None => Baseline::default(),
    };
    let scenarios = scenarios::chosen(&args.scenarios, &args.releases, &args.recordings, color)?;
    let mut all = Vec::new();
    for scenario in &scenarios {
        try_scenario(scenario, args, &client, &mut all)?;
    }
    for tried in &mut all {
        if let Result::Ran(_, findings) = &mut tried.result {
            baseline.apply(&tried.scenario, tried.fault, findings);
        }
    }
    finish(args, &all, &baseline, color)
}

/// Runs the client in a scenario: twice undisturbed, then once with each fault.
fn try_scenario(
    scenario: &Scenario,
    args: &ConformanceArgs,
    client: &[String],
    out: &mut Vec<Tried>,
) -> anyhow::Result<()> {
    let stage = match Stage::new(scenario) {
        Ok(stage) => stage,
        // Not every recording can be played as every release.
        Err(error) if scenario.is_told => {
            out.push(Tried {
                scenario: scenario.clone(),
                fault: None,
                result: Result::DoesNotFit(format!("{error:#}")),
            });
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let run = |faults: &[Injection]| stage.run(client, faults, args.seed, args.timeout);
    let (first, second) = (run(&[])?, run(&[])?);
    let mut push = |fault, result| {
        out.push(Tried {
            scenario: scenario.clone(),
            fault,
            result,
        });
    };
    if let Some(reason) = unfit(&first) {
        push(None, Result::DoesNotFit(reason));
        return Ok(());
    }
    let undisturbed = Undisturbed::new(first.clone(), &second);
    let found = undisturbed.findings(&second, scenario);
    let hangs = first.timed_out;
    push(None, Result::Ran(Box::new(first), found));
    if hangs {
        // It would hang with every fault, too.
        return Ok(());
    }
    for injection in injections(args, scenario) {
        let (together, expectation) = with_company(&injection, scenario.protocol);
        let shown = run(&together)?;
        let fault = injection.fault;
        let result = match shown.injected.contains(fault.id) {
            true => {
                let found = undisturbed
                    .compare(&shown, fault, expectation)
                    .into_iter()
                    .collect();
                Result::Ran(Box::new(shown), found)
            }
            false => Result::NoPlace,
        };
        push(Some(fault), result);
    }
    Ok(())
}

/// Why a client does not fit a scenario, if it does not.
fn unfit(shown: &Shown) -> Option<String> {
    if let Some(miss) = shown.misses.first() {
        return Some(miss.clone());
    }
    shown.exchange.is_empty().then(|| {
        let said = shown
            .stderr
            .lines()
            .rfind(|line| line.contains("codex-wire:"));
        match said {
            Some(line) => line.trim().to_owned(),
            None => "the client did not start the stand-in".to_owned(),
        }
    })
}

/// The faults to try: those that the user chose, or all that make sense for the protocol.
fn injections(args: &ConformanceArgs, scenario: &Scenario) -> Vec<Injection> {
    let all = || {
        FAULTS
            .iter()
            .filter_map(|fault| Injection::parse(fault.id).ok())
    };
    let mut chosen: Vec<Injection> = match args.faults.as_slice() {
        [] => all().collect(),
        own => own.to_vec(),
    };
    chosen.retain(|injection| injection.fault.protocols.contains(&scenario.protocol));
    for injection in &mut chosen {
        if injection.fault.kind == FaultKind::SlowStart {
            injection.number.get_or_insert(SLOW);
        }
    }
    chosen
}

/// A fault with those that it needs, and what the client then has to show. A run of `codex exec` gets a
/// signal only if it does not end.
fn with_company(injection: &Injection, protocol: Protocol) -> (Vec<Injection>, Expectation) {
    let own = injection.clone();
    let company = Injection::parse("turn-never-ends").ok();
    match (injection.fault.kind, protocol, company) {
        (FaultKind::IgnoresSigterm, Protocol::Exec, Some(company)) => {
            (vec![own, company], Expectation::End)
        }
        _ => (vec![own], injection.fault.expectation),
    }
}

/// Writes all reports. Returns the exit code.
fn finish(
    args: &ConformanceArgs,
    all: &[Tried],
    baseline: &Baseline,
    color: ColorChoice,
) -> anyhow::Result<ExitCode> {
    let ran = || {
        all.iter()
            .filter(|tried| matches!(tried.result, Result::Ran(..)))
    };
    if ran().next().is_none() {
        let reasons: Vec<String> = all.iter().filter_map(reason).collect();
        bail!("the client fits no scenario: {}", reasons.join("; "));
    }
    let stale = baseline.stale();
    if let Some(path) = &args.table {
        fs::write(path, table::markdown(all))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &args.badge {
        fs::write(path, table::badge(all))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let in_use = [&args.table, &args.badge, &args.baseline];
    let in_use: Vec<&Path> = in_use.into_iter().flatten().map(PathBuf::as_path).collect();
    let mut files = reports::files(&args.reports, &in_use)?;
    let mut out = output::stdout(color);
    let mut nowhere = std::io::sink();
    let is_text = args.format == Format::Text;
    if is_text {
        table::text(&mut out, all, &Styles::coloured())?;
    }
    let shown: &mut dyn std::io::Write = if is_text { &mut nowhere } else { &mut out };
    let mut reports = Reports::begin(args.format, shown, &mut files, false)?;
    for tried in ran() {
        if let Result::Ran(shown, findings) = &tried.result {
            reports.outcome(&outcome(
                &tried.path(),
                &tried.scenario,
                shown,
                findings.clone(),
            )?)?;
        }
    }
    reports.finish()?;
    out.flush()?;
    drop(out);
    for (_, file) in files {
        file.keep()?;
    }
    for entry in &stale {
        output::complain(color, &format!("the baseline is stale: {entry}"));
    }
    let fails = !stale.is_empty() || all.iter().any(|tried| tried.worst().is_some());
    Ok(match fails {
        true => ExitCode::from(exit_code::FINDINGS),
        false => ExitCode::SUCCESS,
    })
}

fn reason(tried: &Tried) -> Option<String> {
    match &tried.result {
        Result::DoesNotFit(reason) => Some(format!("{}: {reason}", tried.scenario.name)),
        _ => None,
    }
}
