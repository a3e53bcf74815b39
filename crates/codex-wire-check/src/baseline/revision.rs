//! Updates a baseline to the findings of a run: keeps entries, adds new ones, removes stale ones.

use std::collections::BTreeMap;

use super::document::{Edits, rewrite};
use super::entries::{Baseline, BaselineError, Comparison, Expected, Why};
use crate::finding::Severity;
use crate::outcome::{Outcome, Verdict};

/// The update of a baseline from the findings of a run.
#[derive(Clone, Debug)]
pub struct Revision<'b> {
    comparison: Comparison<'b>,
    /// What entries say now, by their order.
    changed: BTreeMap<usize, String>,
    /// The findings that no entry lists, of that severity or worse.
    added: Vec<Expected>,
    /// Why those are expected.
    reason: Option<String>,
    /// The least severity of findings that are added.
    least: Severity,
    /// An input that could not be read or had more findings than were kept.
    hole: Option<Refusal>,
}

/// Why a baseline cannot be updated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// An input could not be read.
    #[error("{path} could not be checked, so what is to be expected of it is not known")]
    Unreadable {
        /// Its path.
        path: String,
    },
    /// An input has more findings than were kept.
    #[error("{path} has {dropped} findings beyond the limit")]
    BeyondLimit {
        /// Its path.
        path: String,
        /// How many.
        dropped: u64,
    },
    /// An entry is about an input that exists but was not checked.
    #[error("line {line} is about {path}, which was not checked")]
    NotChecked {
        /// The line of the entry.
        line: u64,
        /// The path it names.
        path: String,
    },
    /// An entry covers too many inputs.
    #[error("line {line} covers {inputs} inputs, which is too many for one entry")]
    TooWide {
        /// The line of the entry.
        line: u64,
        /// How many inputs.
        inputs: u64,
    },
    /// There are new findings, and no reason says why they are expected.
    #[error("new: {rule} of {path}{}, with no reason why it is expected", and_others(*others))]
    NoReason {
        /// The rule of the first.
        rule: &'static str,
        /// The input of the first.
        path: String,
        /// How many others there are.
        others: usize,
    },
    /// The text is not a baseline.
    #[error(transparent)]
    Text(#[from] BaselineError),
}

fn and_others(number: usize) -> String {
    match number {
        0 => String::new(),
        1 => " and another finding".to_owned(),
        more => format!(" and {more} other findings"),
    }
}

/// An updated baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Revised {
    /// The text.
    pub text: String,
    /// The number of unchanged entries.
    pub kept: usize,
    /// The number of entries with another message.
    pub changed: usize,
    /// The number of removed entries.
    pub removed: usize,
    /// The number of new entries.
    pub added: usize,
}

impl<'b> Revision<'b> {
    /// Begins an update. New findings at error level get `reason`, if it is given.
    pub fn new(baseline: &'b Baseline, reason: Option<&str>) -> Self {
        Revision {
            comparison: baseline.compare(),
            changed: BTreeMap::new(),
            added: Vec::new(),
            reason: reason.map(str::to_owned),
            least: Severity::Error,
            hole: None,
        }
    }

    /// Also adds new findings that are less severe, down to this severity.
    #[must_use]
    pub fn down_to(mut self, least: Severity) -> Self {
        self.least = least;
        self
    }

    /// Takes the findings of an input, and marks those that the updated baseline expects.
    pub fn apply(&mut self, outcome: &mut Outcome) {
        let path = || outcome.path.clone();
        if outcome.verdict == Verdict::Unreadable {
            let hole = Refusal::Unreadable { path: path() };
            self.hole.get_or_insert(hole);
        } else if outcome.dropped() > 0 {
            let dropped = outcome.dropped();
            let hole = Refusal::BeyondLimit {
                path: path(),
                dropped,
            };
            self.hole.get_or_insert(hole);
        }
        self.comparison.apply(outcome);
        let tallies = &self.comparison.tallies;
        let entries = &self.comparison.baseline.entries;
        // An entry about one input that was not found in it may have a new message.
        let open: Vec<usize> = (0..entries.len())
            .filter(|at| tallies[*at].found == 0 && !entries[*at].is_wide())
            .filter(|at| entries[*at].covers(&outcome.path))
            .collect();
        for finding in &mut outcome.findings {
            if finding.expected.is_some() {
                continue;
            }
            let changed = open.iter().copied().find(|at| {
                let now = self.changed.get(at);
                entries[*at].is_about(finding) && now.is_none_or(|now| *now == finding.message)
            });
            let reason = match changed {
                Some(at) => {
                    self.changed.insert(at, finding.message.clone());
                    Some(entries[at].reason.clone())
                }
                None if finding.severity < self.least => None,
                None => {
                    let pointer = &finding.place.pointer;
                    let entry = Expected {
                        rule: finding.rule,
                        path: outcome.path.clone(),
                        place: (!pointer.is_empty()).then(|| pointer.clone()),
                        message: finding.message.clone(),
                        reason: self.reason.clone().unwrap_or_default(),
                        line: 0,
                    };
                    if !self.added.contains(&entry) {
                        self.added.push(entry);
                    }
                    self.reason.clone()
                }
            };
            if reason.is_some() {
                outcome.counts.expect(finding.severity);
                finding.expected = reason;
            }
        }
        if outcome.verdict != Verdict::Unreadable {
            outcome.settle_verdict();
        }
    }

    /// The text of the updated baseline. `exists` says whether an input that was not checked still
    /// exists.
    ///
    /// # Errors
    /// When the run does not have all findings, or a new finding has no reason.
    pub fn finish(mut self, text: &str, exists: &dyn Fn(&str) -> bool) -> Result<Revised, Refusal> {
        if let Some(hole) = self.hole {
            return Err(hole);
        }
        let entries = &self.comparison.baseline.entries;
        let mut removed = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let (line, path) = (entry.line, entry.path.clone());
            match self.comparison.tallies[at].fault() {
                None => {}
                Some(Why::TooWide { inputs }) => return Err(Refusal::TooWide { line, inputs }),
                Some(Why::NotChecked) if entry.is_wide() || exists(&path) => {
                    return Err(Refusal::NotChecked { line, path });
                }
                Some(_) if self.changed.contains_key(&at) => {}
                Some(_) => removed.push(at),
            }
        }
        if let (None, Some(first)) = (&self.reason, self.added.first()) {
            return Err(Refusal::NoReason {
                rule: first.rule.id,
                path: first.path.clone(),
                others: self.added.len() - 1,
            });
        }
        let edits = Edits {
            messages: std::mem::take(&mut self.changed),
            removed,
            added: std::mem::take(&mut self.added),
        };
        let text = rewrite(text, &edits)?;
        // What is written must be what the next run reads.
        Baseline::parse(&text)?;
        Ok(Revised {
            text,
            kept: entries.len() - edits.messages.len() - edits.removed.len(),
            changed: edits.messages.len(),
            removed: edits.removed.len(),
            added: edits.added.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, Location};
    use crate::framing::frame::CRLF;
    use crate::validation::explanation::{NULL, UNKNOWN_MEMBER, UNKNOWN_VALUE};

    const TEXT: &str = r#"# What our fork does differently.

# Pauses commands.
[[expected]]
rule = "schema/unknown-value"   # see #12
path = "a.jsonl"
place = "/item/status"
message = "old"  # as of 3.1
reason = "we pause"

# About to go.
[[expected]]
path    = 'b.jsonl'
rule    = 'schema/unknown-member'
message = 'kept as it is'
reason  = 'by hand'

[[expected]]
rule = "framing/crlf"
path = "*"
message = "the line ends with a carriage return"
reason = """
Windows"""
# The end.
"#;

    fn outcome(path: &str, findings: &[(&'static crate::rule::Rule, &str, &str)]) -> Outcome {
        let mut outcome = Outcome::new(path);
        outcome.messages = 1;
        for (rule, pointer, message) in findings {
            let place = Location {
                pointer: (*pointer).into(),
                ..Location::default()
            };
            let finding = Finding::new(rule, rule.level, place, *message);
            outcome.counts.add(finding.severity);
            outcome.findings.push(finding);
        }
        outcome.settle_verdict();
        outcome
    }

    fn crlf() -> (&'static crate::rule::Rule, &'static str, &'static str) {
        (&CRLF, "", "the line ends with a carriage return")
    }

    fn revise(
        text: &str,
        reason: Option<&str>,
        mut outcomes: Vec<Outcome>,
    ) -> Result<Revised, Refusal> {
        let baseline = Baseline::parse(text).unwrap();
        let mut revision = Revision::new(&baseline, reason);
        outcomes.iter_mut().for_each(|o| revision.apply(o));
        let done = revision.finish(text, &|path| path == "there.jsonl");
        if let Ok(revised) = &done {
            // The same run passes with what was written.
            let baseline = Baseline::parse(&revised.text).unwrap();
            let mut comparison = baseline.compare();
            for outcome in &mut outcomes {
                let mut fresh = Outcome::new(outcome.path.clone());
                fresh.messages = 1;
                fresh.findings = outcome.findings.clone();
                for finding in &mut fresh.findings {
                    finding.expected = None;
                    fresh.counts.add(finding.severity);
                }
                comparison.apply(&mut fresh);
                assert_eq!(fresh.counts.error, 0);
            }
            assert_eq!(comparison.stale(), []);
        }
        done
    }

    fn as_listed() -> Vec<Outcome> {
        vec![
            outcome("a.jsonl", &[(&UNKNOWN_VALUE, "/item/status", "old")]),
            outcome(
                "b.jsonl",
                &[(&UNKNOWN_MEMBER, "/x", "kept as it is"), crlf()],
            ),
        ]
    }

    #[test]
    fn warnings_are_added_when_they_are_wanted() {
        let revised = |least: Option<Severity>| {
            let baseline = Baseline::parse("").unwrap();
            let mut revision = Revision::new(&baseline, Some("so far"));
            if let Some(least) = least {
                revision = revision.down_to(least);
            }
            let mut found = outcome("b.jsonl", &[(&UNKNOWN_MEMBER, "/x", "is new"), crlf()]);
            for (finding, severity) in found
                .findings
                .iter_mut()
                .zip([Severity::Warning, Severity::Note])
            {
                finding.severity = severity;
            }
            revision.apply(&mut found);
            let expected = found.findings.iter().filter(|f| f.expected.is_some());
            let expected = expected.count();
            (revision.finish("", &|_| false).unwrap().added, expected)
        };
        assert_eq!(revised(None), (0, 0));
        assert_eq!(revised(Some(Severity::Warning)), (1, 1));
        assert_eq!(revised(Some(Severity::Note)), (2, 2));
    }

    #[test]
    fn nothing_changes_when_nothing_changed() {
        let revised = revise(TEXT, None, as_listed()).unwrap();
        assert_eq!(revised.text, TEXT);
        assert_eq!((revised.kept, revised.changed), (3, 0));
    }

    #[test]
    fn comments_order_and_reasons_stay() {
        let now = outcome("a.jsonl", &[(&UNKNOWN_VALUE, "/item/status", "new")]);
        let both = vec![
            now,
            outcome("b.jsonl", &[crlf(), (&NULL, "/y", "is \"null\"")]),
        ];
        let revised = revise(TEXT, Some("so far"), both).unwrap();
        let counts = (
            revised.kept,
            revised.changed,
            revised.removed,
            revised.added,
        );
        assert_eq!(counts, (1, 1, 1, 1));
        let cut = TEXT.find("\n# About to go.").unwrap()
            ..TEXT.find("\n[[expected]]\nrule = \"framing").unwrap();
        let mut expected = TEXT.to_owned();
        expected.replace_range(cut, "");
        let expected = expected.replace("\"old\"", "\"new\"")
            + "\n[[expected]]\nrule = \"schema/null\"\npath = \"b.jsonl\"\nplace = \"/y\"\n\
               message = 'is \"null\"'\nreason = \"so far\"\n";
        assert_eq!(revised.text, expected);
    }

    #[test]
    fn what_is_about_the_whole_file_outlives_the_first_entry() {
        let mut outcomes = as_listed();
        outcomes[0] = outcome("a.jsonl", &[]);
        let text = revise(TEXT, None, outcomes).unwrap().text;
        assert!(
            text.starts_with("# What our fork does differently.\n\n# About to go.\n[[expected]]\n"),
            "{text}"
        );
        let gone = ["a.jsonl", "b.jsonl"].map(|path| outcome(path, &[]));
        let text = revise(TEXT, None, gone.into()).unwrap().text;
        assert_eq!(text, "# What our fork does differently.\n\n# The end.\n");
    }

    #[test]
    fn an_empty_text_becomes_a_baseline() {
        let found = || vec![outcome("a", &[(&NULL, "", "m"), (&NULL, "", "m")])];
        let revised = revise("", Some("r"), found()).unwrap();
        assert_eq!(
            revised.text,
            "[[expected]]\nrule = \"schema/null\"\npath = \"a\"\nmessage = \"m\"\nreason = \"r\"\n"
        );
        assert_eq!(revised.added, 1);
        let noted = "# Nothing yet.";
        let revised = revise(noted, Some("r"), found()).unwrap();
        assert!(revised.text.starts_with("# Nothing yet.\n\n[[expected]]"));
    }

    #[test]
    fn a_run_that_does_not_tell_all_changes_nothing() {
        let refused = |reason, outcomes| revise(TEXT, reason, outcomes).unwrap_err();
        let mut new = as_listed();
        new.push(outcome("c", &[(&NULL, "", "m"), (&NULL, "/x", "m")]));
        assert_eq!(
            refused(None, new).to_string(),
            "new: schema/null of c and another finding, with no reason why it is expected"
        );
        let mut unread = as_listed();
        unread.push(Outcome::unreadable("c", "no such file"));
        assert!(matches!(refused(None, unread), Refusal::Unreadable { .. }));
        let mut beyond = as_listed();
        beyond[0].counts.error += 3;
        let limit = Refusal::BeyondLimit {
            path: "a.jsonl".into(),
            dropped: 3,
        };
        assert_eq!(refused(None, beyond), limit);
        // The entry with the star is about inputs without an entry of their own.
        let none = refused(None, vec![]);
        assert!(
            matches!(none, Refusal::NotChecked { line: 18, .. }),
            "{none}"
        );
        let there = "[[expected]]\nrule = \"schema/null\"\npath = \"there.jsonl\"\n\
                     message = \"m\"\nreason = \"r\"\n";
        let unchecked = revise(there, None, vec![]).unwrap_err();
        assert!(matches!(unchecked, Refusal::NotChecked { line: 1, .. }));
        let gone = there.replace("there", "gone");
        assert_eq!(revise(&gone, None, vec![]).unwrap().removed, 1);
    }

    #[test]
    fn faults_of_the_text_are_placed() {
        for (text, line, word) in [
            ("[[expected]\n", 1, ""),
            ("\n[[known]]\n", 2, "`known` is not known"),
            ("expected = 1\n", 1, "[[expected]]"),
            ("\n\n[[expected]]\npath = 'a'\n", 3, "has no `rule`"),
            ("[[expected]]\nrule = 1\n", 2, "`rule` is a text"),
            (
                "[[expected]]\nrule = 'schema/nul'\n",
                2,
                "no rule `schema/nul`",
            ),
            ("[[expected]]\nwhy = 'x'\n", 2, "`why` is not known"),
            (
                "[[expected]]\nrule = 'schema/null'\npath = 'a'\nmessage = 'm'\nreason = ''\n",
                1,
                "reason is empty",
            ),
        ] {
            let error = Baseline::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.message.contains(word), "{text}: {error}");
        }
    }
}
