//! Counts findings by rule.

use std::collections::BTreeMap;

use codex_wire_check::{Counts, Outcome, Rule};

use crate::totals::Totals;

/// Findings by rule, as far as they are listed.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleCounts(BTreeMap<&'static str, RuleCount>);

/// The findings of a rule.
#[derive(Clone, Debug)]
pub(crate) struct RuleCount {
    pub(crate) rule: &'static Rule,
    pub(crate) counts: Counts,
    /// How many inputs have one.
    pub(crate) inputs: u64,
}

impl RuleCounts {
    /// Counts the findings of an input. What is expected is counted apart.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        let mut seen: Vec<&str> = Vec::new();
        for finding in &outcome.findings {
            let rule = finding.rule;
            let row = self.0.entry(rule.id).or_insert_with(|| RuleCount {
                rule,
                counts: Counts::default(),
                inputs: 0,
            });
            match finding.expected {
                Some(_) => row.counts.expected += 1,
                None => row.counts.add(finding.severity),
            }
            if !seen.contains(&rule.id) {
                seen.push(rule.id);
                row.inputs += 1;
            }
        }
    }

    /// The rules, in the order of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &RuleCount> {
        self.0.values()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many findings are beyond the limit, so that their rules are not known.
    pub(crate) fn beyond(&self, totals: &Totals) -> u64 {
        let listed: u64 = self.iter().map(|row| row.counts.total()).sum();
        totals.counts.total().saturating_sub(listed)
    }
}
