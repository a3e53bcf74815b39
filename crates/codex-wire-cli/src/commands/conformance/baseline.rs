//! Failures that are known, each with a reason.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use codex_wire_check::Finding;
use codex_wire_replay::faults::Fault;
use toml::{Table, Value};

use super::scenarios::{Scenario, matches};

/// The list of expected failures.
#[derive(Debug, Default)]
pub(super) struct Baseline {
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

impl Baseline {
    /// Reads the list.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        Baseline::parse(&text).with_context(|| format!("in {shown}"))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let table: Table = text.parse()?;
        if table.get("version").and_then(Value::as_integer) != Some(1) {
            bail!("write `version = 1`");
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
                _ => bail!("`{key}` is unknown: write [[expected]]"),
            }
        }
        Ok(Baseline { entries })
    }

    /// Marks the findings of a run that are expected.
    pub(super) fn apply(
        &mut self,
        scenario: &Scenario,
        fault: Option<&Fault>,
        findings: &mut [Finding],
    ) {
        for entry in self
            .entries
            .iter_mut()
            .filter(|entry| entry.is_about(scenario, fault))
        {
            entry.is_tried = true;
            for finding in findings.iter_mut().filter(|f| f.rule.id == entry.finding) {
                entry.is_used = true;
                finding.expected = Some(entry.reason.clone());
            }
        }
    }

    /// The entries that no longer occur, in words. What was not tried is not stale.
    pub(super) fn stale(&self) -> Vec<String> {
        let stale = self
            .entries
            .iter()
            .filter(|entry| entry.is_tried && !entry.is_used);
        let shown = stale.map(|entry| {
            let fault = entry.fault.as_deref().unwrap_or("any fault");
            format!(
                "{} in {} with {fault} no longer occurs",
                entry.finding, entry.scenario
            )
        });
        shown.collect()
    }
}

impl Entry {
    fn is_about(&self, scenario: &Scenario, fault: Option<&Fault>) -> bool {
        let fault = fault.map_or("undisturbed", |fault| fault.id);
        matches(&self.scenario, &scenario.name)
            && self.fault.as_deref().is_none_or(|own| own == fault)
            && self
                .release
                .as_ref()
                .is_none_or(|own| *own == scenario.release.to_string())
    }
}

fn entry(value: &Value) -> anyhow::Result<Entry> {
    let Some(table) = value.as_table() else {
        bail!("write [[expected]]");
    };
    let known = ["scenario", "fault", "release", "finding", "reason"];
    if let Some(other) = table.keys().find(|key| !known.contains(&key.as_str())) {
        bail!("`{other}` is unknown; there are {}", known.join(", "));
    }
    let text = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    let needed = |key: &str| {
        let given = text(key).filter(|text| !text.trim().is_empty());
        given.with_context(|| format!("an entry needs `{key}`"))
    };
    Ok(Entry {
        scenario: needed("scenario")?,
        finding: needed("finding")?,
        reason: needed("reason")?,
        fault: text("fault"),
        release: text("release"),
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
}
