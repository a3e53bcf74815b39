//! Ends an input, and makes its outcome.

use codex_wire_base::lines::Line;
use codex_wire_base::transcript;

use super::Pipeline;
use super::observed::{ObservedLine, Part};
use crate::dialect::mcp_server::McpServer;
use crate::finding::Finding;
use crate::inference::identification::Identification;
use crate::line::Text;
use crate::outcome::{Outcome, SchemaUsed, Verdict};
use codex_wire_base::ReleaseRange;

impl Pipeline<'_> {
    /// The end of the input. Returns what was found.
    pub(crate) fn finish(mut self) -> Outcome {
        if self.infers_release()
            && self.attribution.dialect.recognized == 0
            && self.framing.lines > 0
            && !self.framing.has_long_line
        {
            let reason = self.not_a_transcript();
            return self.give_up(reason);
        }
        let foreign = self.is_foreign();
        self.finish_order();
        let mut outcome = Outcome::new(std::mem::take(&mut self.path));
        outcome.protocol = self.attribution.dialect.protocol;
        outcome.identified = self.infers_release();
        outcome.foreign = foreign;
        outcome.messages = self.framing.messages;
        if self.framing.messages > 0 {
            let releases = self.release_range();
            outcome.releases = Some(releases);
            // What the release does not speak was compared with nothing.
            let validated = self.attribution.dialect.unspoken.is_none()
                || self.attribution.dialect.dialect.is_some();
            let message_sets = self.attribution.dialect.or_first().message_sets().iter();
            outcome.schemas = message_sets
                .filter(|_| validated)
                .map(|message_set| SchemaUsed::of(*message_set, releases.until))
                .collect();
        }
        (outcome.findings, outcome.counts) = self.diagnostics.into_findings();
        let has_side = self.checker.options.side.is_some();
        outcome.other_side = has_side && self.framing.messages > 0 && !self.is_exercised;
        outcome.settle_verdict();
        outcome
    }

    /// The rest of the input is not read, for this reason.
    pub(crate) fn give_up(self, reason: String) -> Outcome {
        let foreign = self.is_foreign();
        let mut outcome = Outcome::unreadable(self.path, reason);
        outcome.foreign = foreign;
        outcome
    }

    /// Whether none of its lines is of Codex or its client.
    fn is_foreign(&self) -> bool {
        let is_named = matches!(self.attribution.dialect.mcp_server, McpServer::Named(_));
        self.framing.lines > 0 && self.attribution.dialect.recognized == 0 && !is_named
    }

    /// What is missing is missing now, and every severity is settled.
    fn finish_order(&mut self) {
        let mut violations = self.sequence.finish();
        violations.extend(self.attribution.rpc.end(&self.sequence.end));
        self.report(Text::new(self.framing.last.end(), ""), violations);
        let possible = self.possible();
        self.diagnostics.settle(&possible);
    }

    /// What can be said of an input that could not be read to its end: what was found so far, and
    /// that it is not all.
    pub(crate) fn broken(self, error: &std::io::Error) -> Outcome {
        let error = match self.framing.last.line {
            0 => error.to_string(),
            line => format!("reading failed after line {line}: {error}"),
        };
        let outcome = self.leave();
        Outcome {
            verdict: Verdict::Unreadable,
            error: Some(error),
            // What follows is not known.
            foreign: false,
            ..outcome
        }
    }

    /// What can be said of an input that goes on: what it lacks may still come.
    pub(crate) fn leave(mut self) -> Outcome {
        self.sequence.goes_on();
        self.finish()
    }

    /// Whether the release is inferred rather than stated.
    pub(super) fn infers_release(&self) -> bool {
        self.releases.stated.is_none()
    }

    /// Why the input is not a transcript.
    pub(super) fn not_a_transcript(&self) -> String {
        self.attribution
            .dialect
            .not_a_transcript(self.checker.options.protocol)
    }

    fn release_range(&self) -> ReleaseRange {
        let (since, until) = match self.releases.release() {
            Some(release) => (release, release),
            None => {
                let dialect = self.attribution.dialect.or_first();
                let ranges = self.checker.inference(dialect).ranges();
                let range = ranges.range(self.releases.possible);
                // Releases that the user does not ask for may speak like those.
                let asked = ranges.floor(self.releases.among);
                let since = asked
                    .since
                    .map_or(range.since, |since| since.max(range.since));
                let until = asked
                    .until
                    .map_or(range.until, |until| until.min(range.until));
                (since, until)
            }
        };
        ReleaseRange { since, until }
    }

    /// What is known by now of an input that is identified.
    pub(crate) fn identification(&self, given_up: Option<&str>) -> Identification {
        let default = Default::default();
        let identity = self.releases.identity.as_deref().unwrap_or(&default);
        let is_unknown = self.attribution.dialect.recognized == 0 || given_up.is_some();
        let unknown = is_unknown.then(|| match (given_up, self.framing.lines) {
            (Some(reason), _) => reason.to_owned(),
            (None, 0) => "the input is empty".to_owned(),
            (None, _) if self.framing.messages == 0 && !identity.has_unrecognized() => {
                "the input holds no messages".to_owned()
            }
            (None, _) => self.not_a_transcript(),
        });
        let dialect = self.attribution.dialect.or_first();
        let ranges = self.checker.inference(dialect).ranges();
        let mut known = identity.identification(ranges, self.framing.messages, unknown);
        // Of what was given up before its first line nothing is known but that.
        known.foreign = self.is_foreign() || given_up.is_some() && self.framing.lines == 0;
        known
    }

    /// What was found so far.
    pub(crate) fn findings(&self) -> &[Finding] {
        self.diagnostics.findings()
    }

    /// Whether it is known to be a transcript: a message has shown it, or the user says so.
    pub(crate) fn is_recognized(&self) -> bool {
        self.attribution.dialect.recognized > 0 || !self.infers_release()
    }

    /// Codex exits; `line` is the record of the exit, if there is one.
    pub(crate) fn exit(&mut self, exit: &transcript::Exit, line: Option<&Line<'_>>) {
        if let Some(line) = line {
            self.framing.end_at(line);
        }
        self.sequence.exit(exit);
    }

    /// Whether Codex exited.
    pub(crate) fn has_exited(&self) -> bool {
        self.sequence.end.exit.is_some()
    }

    /// Keeps what the next line holds, in place of what the last one held.
    pub(crate) fn observe_next(&mut self, observed: ObservedLine) {
        self.observed = Some(Box::new(observed));
    }

    /// When the last line was recorded, and what it held, if that is kept.
    pub(crate) fn observed(&self) -> Option<(Option<u64>, Vec<Part<'_>>)> {
        let observed = self.observed.as_deref()?;
        Some((
            observed.ms,
            observed.parts(self.attribution.dialect.protocol),
        ))
    }
}
