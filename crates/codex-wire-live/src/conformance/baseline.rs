//! Failures that are known, each with a reason.

use std::fmt;

use codex_wire_replay::faults::find;
use toml::{Table, Value};

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

#[derive(Debug)]
struct Entry {
    scenario: String,
    fault: Option<String>,
    release: Option<String>,
    finding: String,
    reason: String,
    /// Whether a finding was expected by it.
    is_used: bool,
    /// Whether a run was tried in which it could have been.
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
    /// It is not TOML.
    #[error("the list of expected failures is not TOML")]
    NotToml(#[source] BoxError),
    /// It is not of the version that is read.
    #[error("write `version = 1`")]
    Version,
    /// It has another key than `version` and `expected`.
    #[error("`{0}` is unknown: write [[expected]]")]
    UnknownKey(String),
    /// An entry is not a table.
    #[error("write [[expected]]")]
    NotATable,
    /// An entry has a key that entries do not have.
    #[error("`{}` is unknown; there are {}", .0, KEYS.join(", "))]
    UnknownKeyOfEntry(String),
    /// The value of a key of an entry is not a text.
    #[error("`{0}` is a text")]
    NotAText(String),
    /// A key is missing in an entry, or empty.
    #[error("an entry needs `{0}`")]
    Missing(String),
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
        let table: Table = text
            .parse()
            .map_err(|error| BaselineError::NotToml(Box::new(error)))?;
        if table.get("version").and_then(Value::as_integer) != Some(1) {
            return Err(BaselineError::Version);
        }
        let mut entries = Vec::new();
        for (key, value) in &table {
            match (key.as_str(), value) {
                ("version", _) => {}
                ("expected", Value::Array(list)) => {
                    for value in list {
                        entries.push(entry(value)?);
                    }
                }
                _ => return Err(BaselineError::UnknownKey(key.clone())),
            }
        }
        Ok(Baseline { entries })
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
    fn is_about(&self, tried: &Tried) -> bool {
        let fault = tried.fault.map_or(UNDISTURBED, |fault| fault.id);
        let release = tried.scenario.release().to_string();
        matches(&self.scenario, tried.scenario.name())
            && self.fault.as_deref().is_none_or(|own| own == fault)
            && self.release.as_ref().is_none_or(|own| *own == release)
    }
}

/// The keys of an entry.
const KEYS: [&str; 5] = ["scenario", "fault", "release", "finding", "reason"];

fn entry(value: &Value) -> Result<Entry, BaselineError> {
    let Some(table) = value.as_table() else {
        return Err(BaselineError::NotATable);
    };
    if let Some(other) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(BaselineError::UnknownKeyOfEntry(other.clone()));
    }
    let text = |key: &str| match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(BaselineError::NotAText(key.to_owned())),
    };
    let needed = |key: &str| {
        let given = text(key)?.filter(|text| !text.trim().is_empty());
        given.ok_or_else(|| BaselineError::Missing(key.to_owned()))
    };
    let finding = needed("finding")?;
    if !RULES.iter().any(|rule| rule.id == finding) {
        return Err(BaselineError::UnknownFinding(finding));
    }
    let fault = match text("fault")? {
        Some(fault) if fault != UNDISTURBED => match find(&fault) {
            Some(known) => Some(known.id.to_owned()),
            None => return Err(BaselineError::UnknownFault(fault)),
        },
        fault => fault,
    };
    Ok(Entry {
        scenario: needed("scenario")?,
        finding,
        reason: needed("reason")?,
        fault,
        release: text("release")?,
        is_used: false,
        is_tried: false,
    })
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
            (
                "finding = 'conformance/hangs'\nrelease = 0.169",
                "`release` is a text",
            ),
            ("finding = 'hangs'", "there is no finding `hangs`"),
        ] {
            assert_eq!(entry(text).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn what_is_no_toml_says_where() {
        let error = Baseline::parse("version = 1\nexpected = [").unwrap_err();
        let source = std::error::Error::source(&error).expect("a reason");
        assert!(source.to_string().contains("line 2"), "{source}");
    }
}
