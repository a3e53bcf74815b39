//! Runs a client in a scenario: twice undisturbed, then once with each fault.

use std::path::PathBuf;
use std::time::Duration;

use codex_wire_base::Protocol;
use codex_wire_inputs::Stop;
use codex_wire_replay::faults::{FAULTS, Injection};

use crate::conformance::findings::Undisturbed;
use crate::conformance::scenarios::Scenario;
use crate::conformance::stage::Stage;
use crate::conformance::tried::{Outcome, Tried};
use crate::error::Error;
use crate::notice::Causes;

/// How a client is tried.
#[derive(Clone, Debug)]
pub struct Trial {
    client: Vec<String>,
    program: PathBuf,
    faults: Vec<Injection>,
    seed: u64,
    timeout: Duration,
    stop: Stop,
}

impl Trial {
    /// Tries the client that these words run: a program and its arguments, in which `{codex}` stands for the path of
    /// the stand-in. The stand-in is also the first `codex` on the PATH, and in the variables in which clients look
    /// for one. `program` is one that plays under the name of Codex, as
    /// [`Installation`](crate::stand_in::Installation) does.
    pub fn new(client: Vec<String>, program: PathBuf) -> Self {
        Trial {
            client,
            program,
            faults: Vec::new(),
            seed: 0,
            timeout: Duration::from_secs(20),
            stop: Stop::new(),
        }
    }

    /// The faults to try; all if none are given.
    #[must_use]
    pub fn faults(mut self, faults: Vec<Injection>) -> Self {
        self.faults = faults;
        self
    }

    /// What faults leave open follows from this number.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How long the client may take; 20 seconds if that is not said.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// What ends the client, and the trial, early.
    #[must_use]
    pub fn stopped_by(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    /// Runs the client in a scenario. What came of each run is added to `all`, also of those before an error.
    ///
    /// # Errors
    /// If the stand-in cannot be installed, or the client not be started, or if a stop is requested
    /// ([`Error::Interrupted`]).
    pub fn run(&self, scenario: &Scenario, all: &mut Vec<Tried>) -> Result<(), Error> {
        let tried = |fault, outcome| Tried {
            scenario: scenario.clone(),
            fault,
            outcome,
        };
        let stage = match Stage::new(scenario, &self.program) {
            Ok(stage) => stage,
            // Not every recording can be played as every release.
            Err(error) if scenario.is_converted() => {
                let reason = Causes(&error).to_string();
                all.push(tried(None, Outcome::DoesNotFit(reason)));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let run = |faults: &[Injection]| {
            let limits = (self.timeout, &self.stop);
            stage.run(&self.client, faults, self.seed, limits)
        };
        let (first, second) = (run(&[])?, run(&[])?);
        if let Some(reason) = first.misses.first().cloned() {
            all.push(tried(None, Outcome::DoesNotFit(reason)));
            return Ok(());
        }
        let undisturbed = Undisturbed::new(first.clone(), &second);
        let has_turn = scenario.has_turn()?;
        // What a client should make of a recording without a turn is not known.
        let failure = undisturbed.failure().filter(|_| has_turn);
        if let Some(finding) = failure {
            let (shown, findings) = (Box::new(first), vec![finding]);
            all.push(tried(None, Outcome::Ran { shown, findings }));
            return Ok(());
        }
        // Whoever runs `codex exec` has begun a turn.
        let begins = first.starts_turn || scenario.protocol() == Protocol::Exec;
        let lacks = match first.exchange.is_empty() {
            true => Some("the client did not start the stand-in"),
            false if begins || first.timed_out || !has_turn => None,
            false => Some("the client started no turn"),
        };
        if let Some(reason) = lacks {
            all.push(tried(None, Outcome::DoesNotFit(reason.to_owned())));
            return Ok(());
        }
        let findings = undisturbed.findings(&second, scenario);
        let hangs = first.timed_out;
        let shown = Box::new(first);
        all.push(tried(None, Outcome::Ran { shown, findings }));
        if hangs {
            // It would hang with every fault, too.
            return Ok(());
        }
        for injection in self.injections(scenario.protocol()) {
            let (together, expectation) = injection.with_company(Some(scenario.protocol()));
            let shown = run(&together)?;
            let fault = injection.fault;
            let outcome = match shown.injected.contains(fault.id) {
                true => {
                    let finding = undisturbed.compare(&shown, fault, expectation);
                    Outcome::Ran {
                        shown: Box::new(shown),
                        findings: finding.into_iter().collect(),
                    }
                }
                false => Outcome::NoPlace,
            };
            all.push(tried(Some(fault), outcome));
        }
        Ok(())
    }

    /// The faults to try: those that the user chose, or all that make sense for the protocol.
    fn injections(&self, protocol: Protocol) -> Vec<Injection> {
        let all = || FAULTS.iter().map(|fault| Injection::of(fault));
        let mut chosen: Vec<Injection> = match self.faults.as_slice() {
            [] => all().collect(),
            own => own.to_vec(),
        };
        chosen.retain(|injection| injection.fault.protocols.contains(&protocol));
        for injection in &mut chosen {
            injection.number = injection.number.or(injection.fault.trial.number);
        }
        chosen
    }
}
