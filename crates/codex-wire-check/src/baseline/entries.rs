//! Defines the entries of a baseline, and compares findings with them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use crate::finding::Finding;
use crate::outcome::{Outcome, Verdict};
use crate::rule::Rule;

/// The most inputs that one entry may cover.
pub const WIDEST: u64 = 20;

/// A finding that is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The path of the input as it was given; `*` stands for one whole name.
    pub path: String,
    /// The place within the message as a JSON Pointer; `None` for any.
    pub place: Option<String>,
    /// The exact message of the finding.
    pub message: String,
    /// Why it is expected.
    pub reason: String,
    /// The line of the baseline where the entry begins, from 1.
    pub line: u64,
}

impl Expected {
    /// Whether it can cover several inputs.
    pub fn is_wide(&self) -> bool {
        self.path.split('/').any(|name| name == "*")
    }

    /// Whether it covers the input with that path.
    pub fn covers(&self, path: &str) -> bool {
        let (own, path) = (plain(&self.path), plain(path));
        let mut names = path.split('/');
        own.split('/')
            .all(|own| names.next().is_some_and(|name| own == "*" || own == name))
            && names.next().is_none()
    }

    /// Whether it is about that rule at that place, with any message.
    pub(super) fn is_about(&self, finding: &Finding) -> bool {
        let place = self.place.as_ref();
        *self.rule == *finding.rule && place.is_none_or(|place| *place == finding.place.pointer)
    }

    /// What is wrong with the entry itself.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let partly = |name: &str| name != "*" && name.contains('*');
        if self.path.is_empty() {
            Some("the path is empty")
        } else if self.path.split('/').any(partly) {
            Some("in a path, `*` stands for a whole name between slashes, not for a part of one")
        } else if self.message.is_empty() {
            Some("the message is empty")
        } else if self.reason.trim().is_empty() {
            Some("the reason is empty: say why the finding is expected")
        } else {
            None
        }
    }
}

/// A path in one spelling: without `./` in front, with slashes on systems that have others.
pub(super) fn plain(path: &str) -> Cow<'_, str> {
    let path = path.strip_prefix("./").unwrap_or(path);
    if cfg!(windows) {
        Cow::Owned(path.replace('\\', "/"))
    } else {
        Cow::Borrowed(path)
    }
}

/// Findings that are expected.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    pub(super) entries: Vec<Expected>,
}

/// Why a text is not a baseline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
#[non_exhaustive]
pub struct BaselineError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong there.
    pub message: String,
}

impl BaselineError {
    pub(super) fn new(line: u64, message: impl Into<String>) -> Self {
        BaselineError {
            line,
            message: message.into(),
        }
    }
}

impl Baseline {
    /// A baseline of these entries.
    ///
    /// # Errors
    /// When an entry is incomplete, or equal to another.
    pub fn new(entries: Vec<Expected>) -> Result<Self, BaselineError> {
        let mut seen = HashSet::new();
        for entry in &entries {
            let fault = entry.fault();
            if let Some(fault) = fault {
                return Err(BaselineError::new(entry.line, fault));
            }
            let what = (entry.rule.id, &entry.path, &entry.place, &entry.message);
            if !seen.insert(what) {
                let fault = "an entry above says the same";
                return Err(BaselineError::new(entry.line, fault));
            }
        }
        Ok(Baseline { entries })
    }

    /// The entries, in their order.
    pub fn entries(&self) -> &[Expected] {
        &self.entries
    }

    /// Begins to compare outcomes with the baseline.
    pub fn compare(&self) -> Comparison<'_> {
        Comparison {
            baseline: self,
            tallies: self.entries.iter().map(|_| Tally::default()).collect(),
        }
    }
}

/// Compares the outcomes of a run with a baseline.
#[derive(Clone, Debug)]
pub struct Comparison<'b> {
    pub(super) baseline: &'b Baseline,
    /// What was seen of each entry.
    pub(super) tallies: Vec<Tally>,
}

/// What was seen of an entry.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Inputs that were read and that the entry is about.
    pub(super) inputs: u64,
    /// Those among them in which it was found.
    pub(super) found: u64,
    /// Findings of those inputs that are beyond the limit, so their texts are not known.
    pub(super) dropped: u64,
    /// What was found in its stead.
    pub(super) instead: Option<String>,
}

impl Comparison<'_> {
    /// Marks the expected findings of an input, and counts them as expected.
    pub fn apply(&mut self, outcome: &mut Outcome) {
        // The findings of an unreadable input are not known.
        if outcome.verdict == Verdict::Unreadable {
            return;
        }
        let entries = &self.baseline.entries;
        let about: Vec<usize> = (0..entries.len())
            .filter(|at| entries[*at].covers(&outcome.path))
            .collect();
        let mut found = HashSet::new();
        for finding in &mut outcome.findings {
            for at in &about {
                let entry = &entries[*at];
                if !entry.is_about(finding) || entry.message != finding.message {
                    continue;
                }
                found.insert(*at);
                // Several entries may list it; it is counted once.
                if finding.expected.is_none() {
                    finding.expected = Some(entry.reason.clone());
                    outcome.counts.expect(finding.severity);
                }
            }
        }
        let dropped = outcome.dropped();
        for at in about {
            let tally = &mut self.tallies[at];
            tally.inputs += 1;
            tally.found += u64::from(found.contains(&at));
            tally.dropped += dropped;
            let mut findings = outcome.findings.iter();
            let instead = findings
                .find(|finding| finding.expected.is_none() && entries[at].is_about(finding));
            if let (None, Some(instead)) = (&tally.instead, instead) {
                tally.instead = Some(instead.message.clone());
            }
        }
        outcome.settle_verdict();
    }

    /// The stale entries, for the inputs so far, in their order.
    pub fn stale(&self) -> Vec<Stale> {
        let entries = self.baseline.entries.iter().zip(&self.tallies);
        entries
            .filter_map(|(entry, tally)| {
                Some(Stale {
                    entry: entry.clone(),
                    why: tally.fault()?,
                })
            })
            .collect()
    }
}

impl Tally {
    pub(super) fn fault(&self) -> Option<Why> {
        match self {
            Tally { found, .. } if *found > WIDEST => Some(Why::TooWide { inputs: *found }),
            Tally { found: 1.., .. } => None,
            Tally { inputs: 0, .. } => Some(Why::NotChecked),
            Tally {
                dropped: dropped @ 1..,
                ..
            } => Some(Why::BeyondLimit { dropped: *dropped }),
            Tally {
                instead: Some(now), ..
            } => Some(Why::Changed { now: now.clone() }),
            Tally { .. } => Some(Why::Gone),
        }
    }
}

/// A stale entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stale {
    /// The entry.
    pub entry: Expected,
    /// Why it is stale.
    pub why: Why,
}

impl Stale {
    /// A stale entry.
    pub fn new(entry: Expected, why: Why) -> Self {
        Stale { entry, why }
    }
}

/// Why an entry is stale.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The finding no longer occurs.
    Gone,
    /// The place has a finding with another message.
    Changed {
        /// That message.
        now: String,
    },
    /// No input with that path was checked.
    NotChecked,
    /// It may be among the findings beyond the limit.
    BeyondLimit {
        /// The number of these findings.
        dropped: u64,
    },
    /// It covers too many inputs.
    TooWide {
        /// The number of inputs with the finding.
        inputs: u64,
    },
}

impl Why {
    /// The word in reports.
    pub fn as_str(&self) -> &'static str {
        match self {
            Why::Gone => "gone",
            Why::Changed { .. } => "changed",
            Why::NotChecked => "not-checked",
            Why::BeyondLimit { .. } => "beyond-limit",
            Why::TooWide { .. } => "too-wide",
        }
    }
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expected {
            rule, path, place, ..
        } = &self.entry;
        write!(f, "the expected {rule} ")?;
        if let Some(place) = place.as_ref().filter(|place| !place.is_empty()) {
            write!(f, "at {place} ")?;
        }
        write!(f, "of {path} ")?;
        match &self.why {
            Why::Gone => write!(f, "no longer occurs"),
            Why::Changed { now } => write!(f, "now says: {now}"),
            Why::NotChecked => write!(f, "was not searched: no such input was checked"),
            Why::BeyondLimit { dropped } => write!(
                f,
                "is not listed, but {dropped} findings are beyond the limit"
            ),
            Why::TooWide { inputs } => {
                write!(f, "covers {inputs} inputs, more than {WIDEST}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Location, Severity};
    use crate::validation::explanation::UNKNOWN_VALUE;

    fn entry(path: &str, place: Option<&str>, message: &str) -> Expected {
        Expected {
            rule: &UNKNOWN_VALUE,
            path: path.into(),
            place: place.map(str::to_owned),
            message: message.into(),
            reason: "known".into(),
            line: 1,
        }
    }

    fn outcome(path: &str, findings: &[(&str, &str)]) -> Outcome {
        let mut outcome = Outcome::new(path);
        outcome.messages = 3;
        for (pointer, message) in findings {
            let place = Location {
                pointer: (*pointer).into(),
                ..Location::default()
            };
            outcome.findings.push(Finding::new(
                &UNKNOWN_VALUE,
                Severity::Error,
                place,
                *message,
            ));
            outcome.counts.add(Severity::Error);
        }
        outcome.settle_verdict();
        outcome
    }

    fn stale(entries: Vec<Expected>, outcomes: &mut [Outcome]) -> Vec<Why> {
        let baseline = Baseline::new(entries).unwrap();
        let mut comparison = baseline.compare();
        outcomes.iter_mut().for_each(|o| comparison.apply(o));
        comparison.stale().into_iter().map(|s| s.why).collect()
    }

    #[test]
    fn a_listed_finding_is_expected() {
        let mut all = [outcome("a", &[("/x", "m"), ("/x", "m"), ("/y", "m")])];
        assert_eq!(stale(vec![entry("a", Some("/x"), "m")], &mut all), []);
        assert_eq!((all[0].counts.error, all[0].counts.expected), (1, 2));
        assert_eq!(all[0].verdict, Verdict::Findings);
        assert_eq!(all[0].findings[1].expected.as_deref(), Some("known"));
        assert_eq!(all[0].findings[2].expected, None);
        // Without a place, any will do.
        let mut all = [outcome("./a", &[("/x", "m"), ("/y", "m")])];
        assert_eq!(stale(vec![entry("a", None, "m")], &mut all), []);
        assert_eq!((all[0].verdict, all[0].dropped()), (Verdict::Conforms, 0));
    }

    #[test]
    fn what_no_longer_occurs_is_stale() {
        let entries = || vec![entry("a", Some("/x"), "m")];
        let gone = &mut [outcome("a", &[("/y", "m")])];
        assert_eq!(stale(entries(), gone), [Why::Gone]);
        let changed = &mut [outcome("a", &[("/x", "n")])];
        let now = "n".to_owned();
        assert_eq!(stale(entries(), changed), [Why::Changed { now }]);
        assert_eq!(changed[0].counts.error, 1);
        let other = &mut [outcome("b", &[("/x", "m")])];
        assert_eq!(stale(entries(), other), [Why::NotChecked]);
        let unread = &mut [Outcome::unreadable("a", "no such file")];
        assert_eq!(stale(entries(), unread), [Why::NotChecked]);
        assert_eq!(unread[0].verdict, Verdict::Unreadable);
        let mut beyond = outcome("a", &[]);
        beyond.counts.error = 2;
        let limit = Why::BeyondLimit { dropped: 2 };
        assert_eq!(stale(entries(), &mut [beyond]), [limit]);
    }

    #[test]
    fn a_star_is_one_whole_name() {
        for (pattern, path, covered) in [
            ("a/*/c", "a/b/c", true),
            ("a/*/c", "./a/b/c", true),
            ("*/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("*", "a/b", false),
            ("a/*/c", "a/c", false),
            ("a/*", "b/a", false),
        ] {
            assert_eq!(entry(pattern, None, "m").covers(path), covered, "{pattern}");
        }
        for bad in ["a*", "*.jsonl", "a/**/b", "a/b*c/d"] {
            let error = Baseline::new(vec![entry(bad, None, "m")]).unwrap_err();
            assert!(error.message.contains("whole name"), "{bad}: {error}");
        }
    }

    #[test]
    fn a_star_covers_not_too_much() {
        let inputs = |number: u64| -> Vec<Outcome> {
            let one = |at| outcome(&format!("a/{at}"), &[("/x", "m")]);
            (0..number).map(one).collect()
        };
        let wide = || vec![entry("a/*", None, "m")];
        assert_eq!(stale(wide(), &mut inputs(WIDEST)), []);
        let inputs = &mut inputs(WIDEST + 1);
        assert_eq!(stale(wide(), inputs), [Why::TooWide { inputs: 21 }]);
    }

    #[test]
    fn entries_are_whole_and_differ() {
        let fault = |entry: Expected| Baseline::new(vec![entry]).unwrap_err().message;
        assert!(fault(entry("", None, "m")).contains("path"));
        assert!(fault(entry("a", None, "")).contains("message"));
        let mut unreasoned = entry("a", None, "m");
        unreasoned.reason = " ".into();
        assert!(fault(unreasoned).contains("reason"));
        let twice = vec![entry("a", None, "m"), entry("a", None, "m")];
        assert!(Baseline::new(twice).unwrap_err().message.contains("same"));
    }
}
