//! A run of the client, and what came of it.

use codex_wire_check::{Finding, Severity};
use codex_wire_replay::faults::Fault;

use super::scenarios::Scenario;
use super::stage::Shown;

/// A run of the client, or one that was left out.
pub(super) struct Tried {
    pub(super) scenario: Scenario,
    /// The fault; none for the undisturbed runs.
    pub(super) fault: Option<&'static Fault>,
    pub(super) result: Result,
}

/// What came of a run.
pub(super) enum Result {
    /// The client ran.
    Ran(Box<Shown>, Vec<Finding>),
    /// The fault had no place in it.
    NoPlace,
    /// The client does something else than the scenario, with the reason.
    DoesNotFit(String),
}

impl Tried {
    /// The name of the run in reports.
    pub(super) fn path(&self) -> String {
        let fault = self.fault.map_or("undisturbed", Fault::short);
        format!("{}/{}/{fault}", self.scenario.name, self.scenario.release)
    }

    /// The first finding that counts, the worst ones before others.
    pub(super) fn worst(&self) -> Option<&Finding> {
        let Result::Ran(_, findings) = &self.result else {
            return None;
        };
        findings
            .iter()
            .find(|f| f.severity == Severity::Error && f.expected.is_none())
    }
}
