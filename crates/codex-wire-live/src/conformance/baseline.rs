//! Failures that are known, each with a reason.

use std::fmt;

use codex_wire_replay::faults::find;
use serde::Deserialize;

use crate::conformance::findings::RULES;
use crate::conformance::scenarios::matches;
use crate::conformance::tried::{Outcome, Tried};
use crate::error::BoxError;

/// What the runs without a fault have in its place.
const UNDISTURBED: &str = "undisturbed";

/// The list of expected failures.
#[derive(Debug, Default)]
pub struct Baseline {
    entries: Vec<Entry>,
}

/// The list as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: i64,
    #[serde(default)]
    expected: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    scenario: String,
    fault: Option<String>,
    release: Option<String>,
    finding: String,
    reason: String,
    /// Whether a finding was expected by it.
    #[serde(skip)]
    is_used: bool,
    /// Whether a run was tried in which it could have been.
    #[serde(skip)]
    is_tried: bool,
}

/// An entry that no longer occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stale {
    /// The id of the finding.
    pub finding: String,
    /// The pattern of the scenario.
    pub scenario: String,
    /// The fault, if the entry is about one.
    pub fault: Option<String>,
    /// The release, if the entry is about one.
    pub release: Option<String>,
}

/// What is wrong with a list of expected failures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It is not TOML, or has other keys or values than those that are read.
    #[error("the list of expected failures cannot be read")]
    Unreadable(#[source] BoxError),
    /// It is not of the version that is read.
    #[error("write `version = 1`")]
    Version,
    /// A key is empty in an entry.
    #[error("an entry needs `{0}`")]
    Missing(&'static str),
    /// No rule has this id.
    #[error("there is no finding `{0}`")]
    UnknownFinding(String),
    /// No fault has this id.
    #[error("there is no fault `{0}`")]
    UnknownFault(String),
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = self.fault.as_deref().unwrap_or("any fault");
        let (finding, scenario) = (&self.finding, &self.scenario);
        write!(f, "{finding} in {scenario} with {fault} no longer occurs")
    }
}

impl Baseline {
    /// Reads the list, which is TOML.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let Document { version, expected } =
            toml::from_str(text).map_err(|error| BaselineError::Unreadable(Box::new(error)))?;
        if version != 1 {
            return Err(BaselineError::Version);
        }
        let entries = expected.into_iter().map(Entry::known);
        Ok(Baseline {
            entries: entries.collect::<Result<_, _>>()?,
        })
    }

    /// Marks the findings of a run that are expected.
    pub fn apply(&mut self, tried: &mut Tried) {
        let own: Vec<&mut Entry> = self
            .entries
            .iter_mut()
            .filter(|entry| entry.is_about(tried))
            .collect();
        let Outcome::Ran { findings, .. } = &mut tried.outcome else {
            return;
        };
        for entry in own {
            entry.is_tried = true;
            for finding in findings.iter_mut().filter(|f| f.rule.id == entry.finding) {
                entry.is_used = true;
                finding.expected = Some(entry.reason.clone());
            }
        }
    }

    /// The entries that no longer occur. What was not tried is not stale.
    pub fn stale(&self) -> Vec<Stale> {
        let stale = self
            .entries
            .iter()
            .filter(|entry| entry.is_tried && !entry.is_used);
        let stale = stale.map(|entry| Stale {
            finding: entry.finding.clone(),
            scenario: entry.scenario.clone(),
            fault: entry.fault.clone(),
            release: entry.release.clone(),
        });
        stale.collect()
    }
}

impl Entry {
    /// The entry with the whole id of its fault, if there is what it names.
    fn known(mut self) -> Result<Self, BaselineError> {
        let (scenario, finding) = (&self.scenario, &self.finding);
        for (key, text) in [
            ("scenario", scenario),
            ("finding", finding),
            ("reason", &self.reason),
        ] {
            if text.trim().is_empty() {
                return Err(BaselineError::Missing(key));
            }
        }
        if !RULES.iter().any(|rule| rule.id == self.finding) {
            return Err(BaselineError::UnknownFinding(self.finding));
        }
        if let Some(fault) = self.fault.as_mut().filter(|fault| *fault != UNDISTURBED) {
            match find(fault) {
                Some(known) => known.id.clone_into(fault),
                None => return Err(BaselineError::UnknownFault(fault.clone())),
            }
        }
        Ok(self)
    }

    fn is_about(&self, tried: &Tried) -> bool {
        let fault = tried.fault.map_or(UNDISTURBED, |fault| fault.id);
        let release = tried.scenario.release().to_string();
        matches(&self.scenario, tried.scenario.name())
            && self.fault.as_deref().is_none_or(|own| own == fault)
            && self.release.as_ref().is_none_or(|own| *own == release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_needs_a_reason() {
        let entry = |text: &str| Baseline::parse(&format!("version = 1\n[[expected]]\n{text}"));
        assert!(entry("scenario = '*'\nfinding = 'conformance/hangs'\nreason = 'r'").is_ok());
        for wrong in [
            "scenario = '*'\nfinding = 'conformance/hangs'",
            "scenario = '*'\nfinding = 'conformance/hangs'\nreason = ' '",
            "scenario = '*'\nfinding = 'x'\nreason = 'r'\nrule = 'y'",
        ] {
            assert!(entry(wrong).is_err(), "{wrong}");
        }
        assert!(Baseline::parse("[[expected]]").is_err());
    }

    #[test]
    fn what_never_occurs_is_refused() {
        let entry = |text: &str| {
            let entry = "[[expected]]\nscenario = '*'\nreason = 'r'\n";
            Baseline::parse(&format!("version = 1\n{entry}{text}"))
        };
        for (fault, id) in [
            ("turn-fails", "fault/turn-fails"),
            ("fault/turn-fails", "fault/turn-fails"),
            ("undisturbed", "undisturbed"),
        ] {
            let parsed = entry(&format!("finding = 'conformance/hangs'\nfault = '{fault}'"));
            assert_eq!(parsed.unwrap().entries[0].fault.as_deref(), Some(id));
        }
        for (text, expected) in [
            (
                "finding = 'conformance/hangs'\nfault = 'turn-fail'",
                "there is no fault `turn-fail`",
            ),
            ("finding = 'hangs'", "there is no finding `hangs`"),
        ] {
            assert_eq!(entry(text).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn what_is_no_toml_says_where() {
        for (text, place) in [
            ("expected = [", "line 2, column 13"),
            ("[[expected]]\nrelease = 0.169", "line 3, column 11"),
            ("[[expected]]\nscenarios = '*'", "line 3, column 1"),
        ] {
            let error = Baseline::parse(&format!("version = 1\n{text}")).unwrap_err();
            let source = std::error::Error::source(&error).expect("a reason");
            assert!(source.to_string().contains(place), "{source}");
        }
    }
}
