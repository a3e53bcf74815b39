//! Runs the client in the stand-in as both releases.

use std::env;

use anyhow::{Context, bail};
use codex_wire_base::{Protocol, Release};
use codex_wire_check::Severity;
use codex_wire_diff::{ClientFailure, ClientResult, ClientRun, ClientTrial};
use codex_wire_live::conformance::{Outcome, Scenario, Trial, Tried, Wanted};

use super::args::UpgradeArgs;
use crate::interrupt;

/// What a client did in a scenario.
pub(super) struct InScenario {
    pub(super) protocol: Protocol,
    pub(super) trial: ClientTrial,
}

impl InScenario {
    /// Whether the client ran with one of the releases.
    pub(super) fn has_run(&self) -> bool {
        self.trial.before.is_tried() || self.trial.after.is_tried()
    }
}

/// Runs the client in each scenario as both releases. Scenarios in which nothing can be learnt are left
/// out: it does not fit them with the newer release, and does not work with the older one.
pub(super) fn trials(
    args: &UpgradeArgs,
    command: &str,
    [from, to]: [Release; 2],
) -> anyhow::Result<Vec<InScenario>> {
    let client = shlex::split(command).filter(|words| !words.is_empty());
    let client = client.context("the command of the client is empty, or a quotation is open")?;
    let own = env::current_exe().context("cannot find this program")?;
    let trial = Trial::new(client, own)
        .faults(args.faults.clone())
        .timeout(args.timeout)
        .stopped_by(interrupt::stop());
    interrupt::watch().context("cannot watch for signals")?;
    let all = Scenario::built_in();
    let mut out = Vec::new();
    let mut reasons = Vec::new();
    for scenario in Scenario::chosen(&all, &args.scenarios, &[Wanted::This(to)])? {
        // Both play the same recording: what differs is due to the release.
        let run = |scenario: &Scenario| -> anyhow::Result<_> {
            let mut all = Vec::new();
            trial.run(scenario, &mut all)?;
            Ok(run_of(&all))
        };
        let (before, after) = (run(&scenario.as_release(from))?, run(&scenario)?);
        let name = scenario.name().to_owned();
        // A client that does not work before, and fits no more, speaks another protocol.
        if let ClientResult::NotTried(reason) = &after.result
            && before.result != ClientResult::Works
        {
            reasons.push(format!("{name}: {reason}"));
            continue;
        }
        out.push(InScenario {
            protocol: scenario.protocol(),
            trial: ClientTrial::new(name, before, after),
        });
    }
    if out.is_empty() {
        bail!("the client fits no scenario: {}", reasons.join("; "));
    }
    Ok(out)
}

/// What came of the runs in a scenario, and what the client showed undisturbed.
fn run_of(all: &[Tried]) -> ClientRun {
    let mut shown = String::new();
    let mut failures = Vec::new();
    let mut reason = None;
    for tried in all {
        match &tried.outcome {
            Outcome::Ran { shown: one, .. } if tried.fault.is_none() => {
                shown.clone_from(&one.stdout);
            }
            Outcome::DoesNotFit(why) => reason = Some(why.clone()),
            _ => {}
        }
        let errors = tried.findings().iter();
        let errors = errors.filter(|finding| finding.severity == Severity::Error);
        failures.extend(errors.map(|finding| ClientFailure {
            fault: tried.fault.map(|fault| fault.short().to_owned()),
            finding: finding.rule.id.to_owned(),
            message: finding.message.clone(),
        }));
    }
    let result = match (reason, failures.is_empty()) {
        (Some(reason), _) => ClientResult::NotTried(reason),
        (None, true) => ClientResult::Works,
        (None, false) => ClientResult::Fails(failures),
    };
    ClientRun { result, shown }
}
