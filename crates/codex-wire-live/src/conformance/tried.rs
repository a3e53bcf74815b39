//! A run of the client, and what came of it.

use codex_wire_check::{Finding, Severity};
use codex_wire_replay::faults::Fault;

use crate::conformance::scenarios::Scenario;
use crate::conformance::shown::Shown;

/// A run of the client, or one that was left out.
#[derive(Debug)]
#[non_exhaustive]
pub struct Tried {
    /// The scenario.
    pub scenario: Scenario,
    /// The fault; none for the undisturbed runs.
    pub fault: Option<&'static Fault>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The client ran.
    Ran {
        /// What it showed.
        shown: Box<Shown>,
        /// What is wrong with that, the worst first.
        findings: Vec<Finding>,
    },
    /// The fault had no place in it.
    NoPlace,
    /// The client does something else than the scenario, with the reason.
    DoesNotFit(String),
}

impl Tried {
    /// The name of the run in reports.
    pub fn path(&self) -> String {
        let fault = self.fault.map_or("undisturbed", Fault::short);
        let (name, release) = (self.scenario.name(), self.scenario.release());
        format!("{name}/{release}/{fault}")
    }

    /// What is wrong; nothing if the client did not run.
    pub fn findings(&self) -> &[Finding] {
        match &self.outcome {
            Outcome::Ran { findings, .. } => findings,
            _ => &[],
        }
    }

    /// Whether the client ran.
    pub fn has_run(&self) -> bool {
        matches!(self.outcome, Outcome::Ran { .. })
    }

    /// The first error that is not expected.
    pub fn worst(&self) -> Option<&Finding> {
        self.findings()
            .iter()
            .find(|f| f.severity == Severity::Error && f.expected.is_none())
    }
}
