//! What is known of the releases that could have written a stream.

use codex_wire_base::{Release, ReleaseSet};

use super::identity::{Identity, USER_AGENT};
use super::possible::Possible;
use super::runs::Runs;
use crate::dialect::ranges::Ranges;
use crate::rule_macros::rules;
use crate::violation::{Broken, MessageRef, Violation};
use codex_wire_base::shape::ReleaseBounds;

/// The releases that could have written a stream, as far as its messages tell.
pub(crate) struct ReleaseState {
    /// The release the user or the recording states.
    pub(crate) stated: Option<Release>,
    /// The releases that the user states, one of which it is.
    pub(crate) among: ReleaseBounds,
    /// The release Codex itself reports.
    reported: Option<Release>,
    /// The ranges that could have written everything so far; by the dialect, once it is known.
    pub(crate) possible: ReleaseSet,
    /// Those that could have written what Codex wrote so far.
    by_codex: ReleaseSet,
    /// Whether it wrote anything: until then the client's lines tell what they can.
    codex_wrote: bool,
    /// The release that a session file names as the one that created it, while nothing speaks against
    /// its having written the run of lines at hand.
    creator: Option<Release>,
    /// Where in a session file a run of lines of another release may begin.
    pub(crate) runs: Runs,
    /// What the input is, where nothing but that is to be found out.
    pub(crate) identity: Option<Box<Identity>>,
}

impl ReleaseState {
    pub(crate) fn new(stated: Option<Release>, among: ReleaseBounds) -> Self {
        ReleaseState {
            stated,
            among,
            reported: None,
            possible: ReleaseSet::EMPTY,
            by_codex: ReleaseSet::EMPTY,
            codex_wrote: false,
            creator: None,
            runs: Runs::default(),
            identity: None,
        }
    }

    /// The state of a stream that is only identified.
    pub(crate) fn identifying() -> Self {
        ReleaseState {
            identity: Some(Box::default()),
            ..ReleaseState::new(None, ReleaseBounds::ALWAYS)
        }
    }

    /// The ranges that can have written a stream of which nothing has been read.
    pub(crate) fn at_first(&self, ranges: &Ranges) -> ReleaseSet {
        match self.stated {
            Some(release) => ranges.only(release),
            None => ranges.within(self.among),
        }
    }

    /// Whether the user lets one of these ranges be the one that wrote the stream.
    pub(crate) fn may_be(&self, ranges: &Ranges, bits: ReleaseSet) -> bool {
        !(self.at_first(ranges) & bits).is_empty()
    }

    /// The recording states the release, or shows it. What the user states counts first.
    pub(crate) fn state(&mut self, release: Option<Release>) {
        self.stated = self.stated.or(release);
    }

    /// Nothing has been read of a stream of this dialect.
    pub(crate) fn restart(&mut self, ranges: &Ranges) {
        self.possible = self.at_first(ranges);
        self.by_codex = self.possible;
    }

    /// The release that is known, from the user, the recording or Codex itself.
    pub(crate) fn release(&self) -> Option<Release> {
        self.stated.or(self.reported).or(self.creator)
    }

    /// The releases that could have written the stream.
    pub(crate) fn possible_in<'r>(&self, ranges: &'r Ranges) -> Possible<'r> {
        let release_list = ranges.dialect.release_list();
        let asked = ranges.floor(self.among);
        Possible::new(
            release_list,
            self.release(),
            asked,
            &ranges.ranges,
            self.possible,
        )
    }

    /// A session file names the release that created it, in a message that the ranges `bits` could have
    /// written. A fork has the line of the file it copies, too.
    pub(crate) fn created_by(&mut self, ranges: &Ranges, release: Release, bits: ReleaseSet) {
        let known = ranges.dialect.release_list().floor(release).is_some();
        let only = ranges.only(release);
        let is_asked = self.stated.is_none() && self.may_be(ranges, only);
        if !is_asked || !known || (only & bits).is_empty() {
            return;
        }
        self.creator = Some(release);
        (self.possible, self.by_codex) = (only, only);
    }

    /// A session file was written again by one of these releases.
    pub(crate) fn migrated(&mut self, ranges: &Ranges, bits: ReleaseSet) {
        if let Some(identity) = &mut self.identity {
            identity.settle(bits);
        }
        if self.stated.is_none() && self.may_be(ranges, bits) {
            let bits = bits & self.at_first(ranges);
            (self.possible, self.by_codex) = (bits, bits);
        }
    }

    /// A run of lines begins in a session file, whose first line these ranges could have written.
    pub(crate) fn begin_run(&mut self, bits: ReleaseSet) {
        self.creator = None;
        (self.possible, self.by_codex) = (bits, bits);
    }

    /// Codex reports which release it is. That settles it, unless a release is stated. Returns what
    /// is wrong with it.
    pub(crate) fn reported(
        &mut self,
        ranges: &Ranges,
        at: MessageRef,
        user_agent: &str,
    ) -> Option<Violation> {
        let known = |release: &Release| ranges.dialect.release_list().floor(*release).is_some();
        let release = Release::in_user_agent(user_agent).filter(known)?;
        if let Some(identity) = &mut self.identity {
            if let Some(bits) = identity.reported(ranges, at, release) {
                self.possible = bits;
            }
            return None;
        }
        let bits = ranges.only(release);
        if self.stated.is_some() || !self.may_be(ranges, bits) {
            return None;
        }
        let reported = self.reported.unwrap_or(release);
        let is_mixed = (bits & self.by_codex).is_empty() || reported != release;
        let violation = is_mixed.then(|| {
            let before = ranges.availability(self.by_codex);
            OtherReleaseReported { release, before }.at_last(USER_AGENT)
        });
        self.reported = Some(release);
        (self.possible, self.by_codex) = (bits, bits);
        violation
    }

    /// Takes into account which ranges could have written a message. Returns false where none
    /// could have written it and what Codex wrote before.
    ///
    /// What a client writes tells which releases the client was made for, not which one it talks
    /// to. It counts until Codex writes something. That Codex answers a method with a result is
    /// Codex's own word: the result is inferred by the method it answers.
    pub(crate) fn narrow(&mut self, written: bool, bits: ReleaseSet) -> bool {
        if written {
            let by_codex = self.by_codex & bits;
            if by_codex.is_empty() {
                return false;
            }
            (self.by_codex, self.possible) = (by_codex, by_codex);
            self.codex_wrote = true;
        } else if !self.codex_wrote && !(self.possible & bits).is_empty() {
            self.possible &= bits;
        }
        true
    }
}

rules! {
    MIXED_RELEASES {
        summary: "one release can have written all messages of the stream",
        id: "schema/mixed-releases",
        explanation: "Each message narrows down the releases that could have written the stream. \
            After this message none is left: two streams were joined, or the writer mixes \
            messages of several releases. The rest is checked against the releases that fit the \
            earlier messages.",
        evidence: "Every recorded stream is identified as written by a range that includes its \
            release.",
    } => {
        MixedReleases { here: ReleaseBounds, before: ReleaseBounds }:
            "only {here} write such a message, and the lines before come from {before}",
        OtherReleaseReported { release: Release, before: ReleaseBounds }:
            "Codex says it is {release}, and the lines before come from {before}",
    }
}
