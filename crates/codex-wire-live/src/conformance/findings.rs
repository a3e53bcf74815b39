//! Compares what a client showed with what it should have shown.

use std::collections::BTreeSet;

use codex_wire_check::finding::Location;
use codex_wire_check::{
    Checker, Counts, Finding, Options, Outcome, Profile, Rule, Severity, Verdict, Writer,
};
use codex_wire_replay::faults::{Expectation, Failure, Fault};

use crate::conformance::scenarios::Scenario;
use crate::conformance::sent;
use crate::conformance::shown::Shown;
use crate::conformance::tried::{self, Tried};
use crate::error::Error;

/// How much of a client's standard error is shown: lines, and characters.
const STDERR_LINES: usize = 8;
const STDERR: usize = 1000;

static FAILED: Rule = Rule::of_program(
    "conformance/failed-turn-as-success",
    "a failed turn is shown as one",
    "The turn failed, and the client shows what it shows of a turn that completed. `turn/completed` comes \
     for failed turns too: read `turn.status`. `codex exec` writes `turn.failed` and exits with status 1.",
    Severity::Error,
);

static INTERRUPTED: Rule = Rule::of_program(
    "conformance/interrupted-turn-as-success",
    "an interrupted turn is shown as one",
    "The turn was interrupted, and the client shows what it shows of a turn that completed. There is no \
     error: only `turn.status` says it.",
    Severity::Error,
);

static LOST: Rule = Rule::of_program(
    "conformance/lost-end-as-success",
    "a turn that did not end is not a success",
    "The end of the turn never came, and the client shows what it shows of a turn that completed.",
    Severity::Error,
);

static DISTURBED: Rule = Rule::of_program(
    "conformance/disturbed",
    "what a client should not mind changes nothing",
    "The client shows something else than without the fault: another exit status, another standard output, or it sends \
     other lines. The page of the fault says what a client should do.",
    Severity::Error,
);

static UNCLEAR: Rule = Rule::of_program(
    "conformance/unclear-failure",
    "a failure has another exit status",
    "The client shows something else, but exits as it does after a success.",
    Severity::Warning,
);

static FAILS: Rule = Rule::of_program(
    "conformance/fails-undisturbed",
    "the client succeeds without a fault",
    "The turn completed, or the client did not come so far, and the client exits as after a failure. Nothing else is \
     decided: with a fault, it could show nothing else.",
    Severity::Error,
);

static HANGS: Rule = Rule::of_program(
    "conformance/hangs",
    "the client ends in time",
    "The client was still running after the time that `--timeout` gives it.",
    Severity::Error,
);

static OPEN: Rule = Rule::of_program(
    "conformance/leaves-request-open",
    "the client answers every request of Codex",
    "Codex waits for an answer, and the turn with it.",
    Severity::Error,
);

static LINE: Rule = Rule::of_program(
    "conformance/client-line",
    "the lines of the client conform",
    "A line that the client sent breaks a rule of the release.",
    Severity::Error,
);

static UNSTABLE: Rule = Rule::of_program(
    "conformance/unstable",
    "two undisturbed runs show the same",
    "The standard output differs in more than single words, so it is not compared under faults.",
    Severity::Warning,
);

/// All rules of a trial.
pub(crate) static RULES: &[&Rule] = &[
    &FAILS,
    &FAILED,
    &INTERRUPTED,
    &LOST,
    &DISTURBED,
    &UNCLEAR,
    &HANGS,
    &OPEN,
    &LINE,
    &UNSTABLE,
];

/// What the client shows undisturbed: what two runs have in common.
#[derive(Debug)]
pub(crate) struct Undisturbed {
    shown: Shown,
    /// The words that differ between the runs, by their place; `None` if the runs differ in more.
    masked: Option<BTreeSet<usize>>,
    /// Whether both runs sent the same lines: a client may send names of its own making.
    sends_the_same: bool,
}

impl Undisturbed {
    /// Takes two runs.
    pub(crate) fn new(first: Shown, second: &Shown) -> Self {
        let masked = differing(&first.stdout, &second.stdout);
        Undisturbed {
            sends_the_same: sent::difference(&first, second).is_none(),
            shown: first,
            masked,
        }
    }

    /// What is wrong without any fault.
    pub(crate) fn findings(&self, second: &Shown, scenario: &Scenario) -> Vec<Finding> {
        let mut out = Vec::new();
        if self.shown.timed_out || second.timed_out {
            out.push(finding(&HANGS, "the client did not end".to_owned()));
        }
        for request in self
            .shown
            .open
            .iter()
            .filter(|one| second.open.contains(one))
        {
            out.push(finding(&OPEN, format!("{request} was not answered")));
        }
        if self.masked.is_none() || self.shown.status != second.status {
            out.push(finding(&UNSTABLE, "two undisturbed runs differ".to_owned()));
        }
        out.extend(lines(&self.shown, scenario));
        out
    }

    /// What is wrong if the client fails without any fault: then nothing else can be decided.
    pub(crate) fn failure(&self) -> Option<Finding> {
        let Shown {
            status,
            timed_out,
            turn_completed,
            stderr,
            ..
        } = &self.shown;
        // A client that says of a failed turn that it failed is right.
        if *timed_out || *status == Some(0) || *turn_completed == Some(false) {
            return None;
        }
        let ended = match status {
            Some(status) => format!("the client exits with status {status} without any fault"),
            None => "a signal ends the client without any fault".to_owned(),
        };
        let finding = finding(&FAILS, ended);
        Some(match last_lines(stderr) {
            text if text.is_empty() => finding.with_help("it wrote nothing to standard error"),
            text => finding.with_help(format!("it wrote to standard error: {text}")),
        })
    }

    /// What is wrong in a run with a fault.
    pub(crate) fn compare(
        &self,
        shown: &Shown,
        fault: &Fault,
        expectation: Expectation,
    ) -> Option<Finding> {
        if shown.timed_out {
            let text = format!("the client did not end with {}", fault.id);
            return Some(finding(&HANGS, text).with_help(fault.client));
        }
        let difference = self.difference(shown, fault, expectation);
        let is_status = shown.status != self.shown.status;
        match (expectation, difference) {
            (Expectation::Same, Some(difference)) => {
                let text = format!("with {}, {difference}", fault.id);
                Some(finding(&DISTURBED, text).with_help(fault.client))
            }
            (Expectation::SameOrFailure, Some(difference)) if !is_status => {
                let text = format!(
                    "with {}, {difference}, and the exit status is the same",
                    fault.id
                );
                Some(finding(&UNCLEAR, text).with_help(fault.client))
            }
            (Expectation::Failure(failure), None) => Some(unnoticed(failure, fault)),
            (Expectation::End, None) => Some(unnoticed(Failure::LostEnd, fault)),
            _ => None,
        }
    }

    /// How a run differs from the undisturbed ones, in words; `None` if it shows the same.
    fn difference(&self, shown: &Shown, fault: &Fault, expectation: Expectation) -> Option<String> {
        let status =
            |status: Option<i32>| status.map_or("a signal".to_owned(), |s| format!("status {s}"));
        if shown.status != self.shown.status {
            return Some(format!(
                "the client exits with {} and not with {}",
                status(shown.status),
                status(self.shown.status)
            ));
        }
        if let Some(masked) = &self.masked {
            let mut text = shown.stdout.clone();
            for residue in fault.residue {
                text = text.replace(residue, "");
            }
            if let Some(line) = first_difference(&self.shown.stdout, &text, masked) {
                return Some(format!("line {line} of the standard output differs"));
            }
        }
        // Where the session ends early, the client sends less; that alone shows nothing to anybody.
        let compares_lines = expectation == Expectation::Same && self.sends_the_same;
        sent::difference(&self.shown, shown).filter(|_| compares_lines)
    }
}

impl Tried {
    /// The outcome of a run of the client, as a report has it: its findings, under the name of the run. Nothing if
    /// the client did not run.
    ///
    /// # Errors
    /// If there is no checker for the release.
    pub fn report(&self) -> Result<Option<Outcome>, Error> {
        let tried::Outcome::Ran { shown, findings } = &self.outcome else {
            return Ok(None);
        };
        let checker = checker(&self.scenario)?;
        let mut stream = checker.stream(&self.path());
        stream.feed(&shown.exchange);
        let (mut outcome, _) = stream.leave();
        outcome.error = None;
        outcome.counts = Counts::default();
        for finding in findings {
            match finding.expected {
                Some(_) => outcome.counts.expected += 1,
                None => outcome.counts.add(finding.severity),
            }
        }
        outcome.findings.clone_from(findings);
        outcome.verdict = match outcome.counts.error {
            0 => Verdict::Conforms,
            _ => Verdict::Findings,
        };
        Ok(Some(outcome))
    }
}

/// A failure that the client takes for a success.
fn unnoticed(failure: Failure, fault: &Fault) -> Finding {
    let (rule, what) = match failure {
        Failure::FailedTurn => (&FAILED, "a failed turn"),
        Failure::InterruptedTurn => (&INTERRUPTED, "an interrupted turn"),
        Failure::LostEnd => (&LOST, "a turn that did not end"),
    };
    let text = format!("{what} is shown as a success ({})", fault.id);
    finding(rule, text).with_help(fault.client)
}

fn checker(scenario: &Scenario) -> Result<Checker, codex_wire_check::Error> {
    let list = scenario.protocol().release_list();
    let mut options = Options::new();
    options.protocol = Some(scenario.protocol());
    options.release = list.floor(scenario.release());
    options.profile = Profile::Known;
    options.side = Some(Writer::Client);
    Checker::new(options)
}

/// The findings about lines of the client.
fn lines(shown: &Shown, scenario: &Scenario) -> Vec<Finding> {
    let Ok(checker) = checker(scenario) else {
        return Vec::new();
    };
    let mut stream = checker.stream("client");
    stream.feed(&shown.exchange);
    let (outcome, _) = stream.leave();
    let own = outcome.findings.into_iter().filter(|finding| {
        finding.severity == Severity::Error && finding.writer == Some(Writer::Client)
    });
    let own = own.map(|found| {
        let mut finding = finding(&LINE, format!("{}: {}", found.rule.id, found.message));
        finding.place = found.place;
        finding
    });
    own.collect()
}

fn finding(rule: &'static Rule, message: String) -> Finding {
    Finding::new(rule, rule.level, Location::new(1, 1), message)
}

/// The end of what a client wrote to standard error.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let last = lines[lines.len().saturating_sub(STDERR_LINES)..].join("\n");
    let from = last.char_indices().rev().nth(STDERR - 1);
    match from {
        Some((at, _)) if at > 0 => format!("…{}", &last[at..]),
        _ => last,
    }
}

/// A text as words and what stands between them.
fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let goes_on = chars
            .peek()
            .is_some_and(|(_, next)| is_word(c) && is_word(*next));
        if !goes_on {
            let end = at + c.len_utf8();
            out.push(&text[start..end]);
            start = end;
        }
    }
    out
}

/// The places of words that differ; `None` if the texts have not the same number of words.
fn differing(one: &str, other: &str) -> Option<BTreeSet<usize>> {
    let (one, other) = (words(one), words(other));
    let pairs = one.iter().zip(&other).enumerate();
    let differing = pairs.filter(|(_, (a, b))| a != b).map(|(at, _)| at);
    (one.len() == other.len()).then(|| differing.collect())
}

/// The first line in which two texts differ, masked words aside.
fn first_difference(one: &str, other: &str, masked: &BTreeSet<usize>) -> Option<usize> {
    let (one, other) = (words(one), words(other));
    let mut line = 1;
    for at in 0..one.len().max(other.len()) {
        let (a, b) = (one.get(at), other.get(at));
        if a != b && !(masked.contains(&at) && a.is_some() && b.is_some()) {
            return Some(line);
        }
        line += usize::from(a == Some(&"\n"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use codex_wire_replay::faults::find;

    fn shown(stdout: &str, status: i32) -> Shown {
        Shown {
            stdout: stdout.to_owned(),
            status: Some(status),
            ..Shown::default()
        }
    }

    fn found(
        undisturbed: &Undisturbed,
        stdout: &str,
        status: i32,
        fault: &str,
    ) -> Option<&'static str> {
        let fault = find(fault).expect("a fault");
        let finding = undisturbed.compare(&shown(stdout, status), fault, fault.expectation);
        finding.map(|finding| finding.rule.id)
    }

    #[test]
    fn what_differs_between_two_runs_is_masked() {
        let undisturbed = Undisturbed::new(
            shown("took 12ms\nDone.\n", 0),
            &shown("took 9ms\nDone.\n", 0),
        );
        assert_eq!(
            found(&undisturbed, "took 1ms\nDone.\n", 0, "split-writes"),
            None
        );
        assert_eq!(
            found(&undisturbed, "took 1ms\nLost.\n", 0, "split-writes"),
            Some("conformance/disturbed")
        );
        assert_eq!(
            found(&undisturbed, "took 1ms\n", 0, "split-writes"),
            Some("conformance/disturbed")
        );
        assert_eq!(
            found(&undisturbed, "took 3ms\nDone.\n", 0, "turn-fails"),
            Some("conformance/failed-turn-as-success")
        );
        assert_eq!(
            found(&undisturbed, "took 3ms\nDone.\n", 1, "turn-fails"),
            None
        );
    }

    #[test]
    fn separators_do_not_count() {
        let undisturbed = Undisturbed::new(shown("All done.\n", 0), &shown("All done.\n", 0));
        let text = "All \u{2028}\u{85}done.\u{2028}\u{85}\n";
        assert_eq!(found(&undisturbed, text, 0, "line-separator"), None);
        assert_eq!(
            found(&undisturbed, text, 0, "slow-start"),
            Some("conformance/disturbed")
        );
        assert_eq!(
            found(&undisturbed, "All\n", 0, "stdout-noise"),
            Some("conformance/unclear-failure")
        );
        assert_eq!(found(&undisturbed, "All\n", 2, "stdout-noise"), None);
    }
}
