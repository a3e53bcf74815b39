//! The stage itself: takes an attributed message, and says which releases could have written it.

use codex_wire_base::ReleaseSet;
use serde_json::Value;

use super::identity::Weighed;
use super::possible::Possible;
use super::releases::{Inference, Inferences};
use super::runs::{self, PAGINATED};
use super::state::{MixedReleases, ReleaseState};
use crate::attribution::Attributed;
use crate::attribution::accepted::Accepted;
use crate::attribution::readings::{FirstReading, Readings};
use crate::dialect::Dialect;
use crate::dialect::detect::Shown;
use crate::dialect::json_rpc::{Kind, user_agent};
use crate::violation::{Broken, Violation};
use crate::writer::Writer;

/// A message, and what its releases are.
pub(crate) struct Inferred<'m, 'a, 'c> {
    pub(crate) of: &'m Attributed<'m, 'a>,
    /// The ranges that could have written the stream, this message included.
    pub(crate) possible: ReleaseSet,
    /// What is left to find out about it.
    pub(crate) left: Left<'m>,
    /// Whether a session file has it from another one.
    pub(crate) is_copied: bool,
    /// The releases of the run of lines that has ended in front of this message, if one has.
    pub(crate) run_before: Option<Possible<'c>>,
}

/// What the stages after this one have to find out about a message.
pub(crate) enum Left<'m> {
    /// Nothing: it is valid.
    Nothing,
    /// Its duplicate keys have to be reported. It is valid otherwise.
    Duplicates,
    /// Whether it is valid.
    Validity(Box<Unvalidated<'m>>),
}

/// A message that is to be validated.
pub(crate) struct Unvalidated<'m> {
    pub(crate) readings: Readings<'m>,
    /// The ranges that could have written it.
    pub(crate) bits: ReleaseSet,
    /// Whether no release could have written both it and the stream before it.
    pub(crate) is_mixed: bool,
    /// The ranges that could have written the stream before it, if a compiled schema of the newest of
    /// these has accepted it as what it is.
    pub(crate) accepted_by: Option<ReleaseSet>,
}

impl ReleaseState {
    /// Takes a message into account. `accepted` says what a compiled schema has accepted it as.
    pub(crate) fn infer<'m, 'a, 'c>(
        &mut self,
        inferences: &'c Inferences,
        attributed: &'m Attributed<'m, 'a>,
        accepted: Option<&Accepted>,
    ) -> (Inferred<'m, 'a, 'c>, Vec<Violation>) {
        let inference = inferences.of(attributed.dialect);
        let message = attributed.message;
        let mut violations = Vec::new();
        self.examine_dialect(inferences, attributed);
        if attributed.forgets_releases {
            self.restart(inference.ranges());
        }
        // In a session file another release may have gone on with this line.
        if attributed.dialect == Dialect::Rollout
            && let Some(line) = &attributed.session_line
        {
            self.runs.observe(message.line.origin.line, line);
        }
        if let Some(call) = &attributed.call
            && (call.writer, call.kind) == (Writer::Codex, Kind::Response)
            && let Some(name) = user_agent(message.view)
        {
            let reported = self.reported(inference.ranges(), message.message_ref(), name);
            violations.extend(reported);
        }
        let mut inferred = Inferred {
            of: attributed,
            possible: self.possible,
            left: self.left(attributed, accepted),
            is_copied: self.runs.is_copied(),
            run_before: None,
        };
        if let Left::Validity(unvalidated) = &mut inferred.left {
            let (bits, creator) = bits(inference, attributed, &unvalidated.readings);
            unvalidated.bits = bits;
            if let (Some(identity), Some(creator)) = (&mut self.identity, creator) {
                identity.created_by(creator);
            }
            if self.runs.is_migrated() {
                self.migrated(inference.ranges(), inference.ranges().from(PAGINATED));
            }
            unvalidated.accepted_by = unvalidated.accepted_by.map(|_| self.possible);
            if inferred.is_copied && self.identity.is_none() {
                // It tells nothing of the releases of the lines around it.
            } else if inferred.is_copied || self.identity.is_some() {
                self.weigh(inference, attributed, unvalidated, inferred.is_copied);
                inferred.left = Left::Nothing;
            } else {
                if let Some(creator) = creator {
                    self.created_by(inference.ranges(), creator, bits);
                }
                inferred.run_before = self.end_run(inference, bits);
                let mixed = self.narrow_to(inference, attributed.writer_by_message(), bits);
                unvalidated.is_mixed = mixed.is_some();
                violations.extend(mixed);
            }
            inferred.possible = self.possible;
        }
        (inferred, violations)
    }

    /// Takes note of what a message shows of the dialect by itself, where a stream is only identified.
    fn examine_dialect(&mut self, inferences: &Inferences, attributed: &Attributed<'_, '_>) {
        let (Some(identity), Some((before, shown))) = (&mut self.identity, &attributed.shown)
        else {
            return;
        };
        let line = attributed.message.line.origin.line;
        match shown {
            Shown::Nothing => identity.add_unrecognized(line),
            Shown::Same => {}
            Shown::Restart => identity.restart(),
            Shown::Other(found) => {
                let [before, here] = [before, found].map(|d| inferences.of(*d).ranges());
                identity.mix(line, (before, self.possible), here);
            }
        }
    }

    /// Decides what is left to find out about a message, depending on what the fast path has found.
    fn left<'m>(&self, attributed: &Attributed<'m, '_>, accepted: Option<&Accepted>) -> Left<'m> {
        // `identify` only excludes releases. A message that all of them write excludes none, and if
        // no release is left, there is none to exclude.
        if let Some(identity) = &self.identity {
            let is_no_news = accepted.is_some_and(|accepted| {
                let writer = attributed.writer_by_message();
                accepted.is_valid_kind(attributed) && identity.is_within(writer, accepted.by)
            });
            if identity.is_mixed() || is_no_news {
                return Left::Nothing;
            }
        }
        let is_accepted =
            accepted.is_some_and(|accepted| accepted.is_valid(attributed, self.possible));
        if is_accepted && self.release().is_some() {
            match (attributed.message.duplicates.is_empty(), attributed.writer) {
                (true, _) => return Left::Nothing,
                // Only the duplicate keys of a message of Codex are left to report.
                (false, Some(Writer::Codex)) => return Left::Duplicates,
                (false, _) => {}
            }
        }
        Left::Validity(Box::new(Unvalidated {
            readings: Readings::of(attributed),
            bits: ReleaseSet::EMPTY,
            is_mixed: false,
            accepted_by: is_accepted.then_some(self.possible),
        }))
    }

    /// Weighs a message of a stream that is only identified.
    fn weigh(
        &mut self,
        inference: &Inference,
        attributed: &Attributed<'_, '_>,
        unvalidated: &Unvalidated<'_>,
        is_copied: bool,
    ) {
        let Some(identity) = self.identity.as_mut().filter(|_| !is_copied) else {
            return;
        };
        let Readings { last, first } = &unvalidated.readings;
        let weighed = Weighed {
            side: attributed.side,
            writer: attributed.writer_by_message(),
            readings: [
                Some(&*last.message),
                first.as_ref().map(FirstReading::message),
            ],
            bits: unvalidated.bits,
        };
        let at = attributed.message.message_ref();
        if attributed.is_known
            && let Some(left) = identity.weigh(inference, &mut self.runs, at, &weighed)
        {
            self.possible = left;
        }
    }

    /// Ends the run of lines of a session file, if no release of it could have written this message
    /// and a process may have begun with it. Returns the releases of that run.
    fn end_run<'c>(&mut self, inference: &'c Inference, bits: ReleaseSet) -> Option<Possible<'c>> {
        let bits = bits & self.at_first(inference.ranges());
        let ends = self.stated.is_none()
            && !bits.is_empty()
            && (self.possible & bits).is_empty()
            && self.runs.begin().is_some();
        ends.then(|| {
            let before = self.possible_in(inference.ranges());
            self.begin_run(bits);
            before
        })
    }

    /// Leaves the releases that could have written this message too, unless the release is known, or none of those that
    /// the user asks for could have.
    fn narrow_to(
        &mut self,
        inference: &Inference,
        writer: Writer,
        bits: ReleaseSet,
    ) -> Option<Violation> {
        let is_mixed = self.release().is_none()
            && self.may_be(inference.ranges(), bits)
            && !self.narrow(writer == Writer::Codex, bits);
        is_mixed.then(|| {
            let ranges = inference.ranges();
            let mixed = MixedReleases {
                here: ranges.availability(bits),
                before: ranges.availability(self.possible),
            };
            mixed.at_last("")
        })
    }
}

/// The ranges that could have written a message, and the release it names as the one that created
/// the session file.
fn bits(
    inference: &Inference,
    attributed: &Attributed<'_, '_>,
    readings: &Readings<'_>,
) -> (ReleaseSet, Option<codex_wire_base::Release>) {
    let of = |message: &Value, is_sound: bool| match is_sound {
        true => inference.of_call(attributed.side, attributed.call.as_ref(), message),
        // A missing part excludes nothing.
        false => inference.ranges().all(),
    };
    let Readings { last, first } = readings;
    let mut bits = of(&last.message, last.tree.omitted.is_sound());
    if let Some(first) = first {
        bits &= of(first.message(), first.tree.omitted.is_sound());
    }
    let creator = match attributed.dialect {
        Dialect::Rollout => runs::creator(&last.message),
        _ => None,
    };
    (bits, creator)
}
