//! What was tried, by scenario and release.

use std::collections::BTreeSet;

use codex_wire_base::Release;
use codex_wire_check::Severity;

use crate::conformance::tried::{Outcome, Tried};

/// Runs by scenario and release.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'t> {
    all: &'t [Tried],
}

/// What came of a scenario in a release.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Cell {
    /// How many runs show nothing wrong.
    pub passed: usize,
    /// How many times the client ran.
    pub tried: usize,
    /// What was found first: the name of the finding and of the fault.
    pub first: Option<String>,
    /// Findings that the baseline lists.
    pub expected: usize,
    /// Why the client does not fit the scenario, if it does not.
    pub unfit: Option<String>,
}

impl<'t> Matrix<'t> {
    /// These runs.
    pub fn new(all: &'t [Tried]) -> Self {
        Matrix { all }
    }

    /// The names of scenarios, in the order in which they were tried.
    pub fn names(self) -> Vec<&'t str> {
        let mut names: Vec<&str> = Vec::new();
        for tried in self.all {
            if !names.contains(&tried.scenario.name()) {
                names.push(tried.scenario.name());
            }
        }
        names
    }

    /// The releases, oldest first.
    pub fn releases(self) -> BTreeSet<Release> {
        self.all
            .iter()
            .map(|tried| tried.scenario.release())
            .collect()
    }

    /// What came of a scenario in a release, if it was tried.
    pub fn cell(self, name: &str, release: Release) -> Option<Cell> {
        let is_own =
            |tried: &&Tried| tried.scenario.name() == name && tried.scenario.release() == release;
        let mut cell = None;
        for tried in self.all.iter().filter(is_own) {
            let cell = cell.get_or_insert_with(Cell::default);
            match &tried.outcome {
                Outcome::DoesNotFit(reason) => cell.unfit = Some(reason.clone()),
                Outcome::Ran { findings, .. } => {
                    cell.tried += 1;
                    cell.expected += findings
                        .iter()
                        .filter(|finding| finding.expected.is_some())
                        .count();
                    match tried.worst() {
                        None => cell.passed += 1,
                        Some(finding) => {
                            let fault = tried.fault.map_or("undisturbed", |fault| fault.short());
                            let first = || format!("{} ({fault})", finding.rule.id);
                            cell.first.get_or_insert_with(first);
                        }
                    }
                }
                Outcome::NoPlace => {}
            }
        }
        cell
    }

    /// How many times the client ran.
    pub fn runs(self) -> usize {
        self.all.iter().filter(|tried| tried.has_run()).count()
    }

    /// How many runs show an error that is not expected.
    pub fn failed(self) -> usize {
        self.all
            .iter()
            .filter(|tried| tried.worst().is_some())
            .count()
    }

    /// How many warnings there are that are not expected.
    pub fn warnings(self) -> usize {
        let findings = self.all.iter().flat_map(Tried::findings);
        let warnings = findings
            .filter(|finding| finding.severity == Severity::Warning && finding.expected.is_none());
        warnings.count()
    }
}
