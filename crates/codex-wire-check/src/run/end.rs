//! Ends a run and makes its outcome.

use super::Run;
use crate::outcome::{Outcome, ReleaseRange, SchemaUsed, Verdict};

impl Run<'_> {
    pub(crate) fn finish(mut self) -> Outcome {
        if self.outcome.identified && self.recognised == 0 && self.lines > 0 {
            let path = std::mem::take(&mut self.outcome.path);
            return Outcome::unreadable(path, self.not_a_transcript());
        }
        self.life_end();
        self.outcome.judge();
        if self.outcome.messages > 0 {
            let releases = self.releases();
            self.outcome.releases = Some(releases);
            // What the release does not speak was held against nothing.
            let judged = self.unspoken.is_none() || self.form.is_some();
            let surfaces = self.form_or_first().surfaces().iter();
            self.outcome.schemas = surfaces
                .filter(|_| judged)
                .map(|surface| SchemaUsed::of(*surface, releases.until))
                .collect();
        }
        self.outcome
    }

    /// What can be said of an input that could not be read to its end: what was found so far, and
    /// that it is not all.
    pub(crate) fn broken(self, error: &std::io::Error) -> Outcome {
        let outcome = self.leave();
        Outcome {
            verdict: Verdict::Unreadable,
            error: Some(format!("reading failed: {error}")),
            ..outcome
        }
    }

    pub(super) fn not_a_transcript(&self) -> String {
        let of = match self.checker.options.protocol {
            Some(protocol) => format!("of {protocol}"),
            None => "of a known protocol".to_owned(),
        };
        match self.looks_like {
            Some(what) => format!("not a transcript {of}: it looks like {what}"),
            None => format!("not a transcript {of}: no line is one of its messages"),
        }
    }

    pub(super) fn releases(&self) -> ReleaseRange {
        let (since, until) = match self.release() {
            Some(release) => (release, release),
            None => {
                let span = self.checker.spec(self.form_or_first()).range(self.possible);
                (span.since, span.until)
            }
        };
        ReleaseRange { since, until }
    }
}
