//! Collects the evidence for an identification.
//!
//! Messages from Codex decide the releases. Messages from the client show the release that the
//! client was built for, which may be another; they count only if there is nothing from Codex.

use std::cmp::Reverse;

use codex_wire_base::{MessageSet, Protocol, Release, ReleaseSet, transcript};
use serde_json::Value;

use super::identification::{
    Claim, Evidence, Identification, Kind, LineRun, Releases, StreamDialect, Tally,
};
use super::parts::{Part, What};
use super::releases::Inference;
use super::runs::Runs;
use crate::dialect::Dialect;
use crate::dialect::ranges::Ranges;
use crate::phrasing::subject;
use crate::violation::MessageRef;
use crate::writer::Writer;

/// Where Codex reports which release it is.
pub(crate) const USER_AGENT: &str = "/result/userAgent";

/// What is being found out.
#[derive(Default)]
pub(crate) struct Identity {
    /// The ranges that could have written what each side wrote, once it wrote something.
    possible: [Option<ReleaseSet>; 2],
    clues: Vec<Clue>,
    claim: Option<Claim>,
    unrecognized: Tally,
    unmatched: Tally,
    /// Why no single release can have written it.
    mixed: Option<String>,
    /// Which release Codex reports.
    reported: Option<Release>,
    /// Which release a session file names as the one that created it.
    creator: Option<Release>,
    /// The runs of lines before the one at hand, of a session file.
    runs: Vec<PastRun>,
    /// Where the run at hand begins.
    begun: Option<u64>,
    /// The lines in front of which a process may have begun.
    opening: Opening,
}

/// What is known where a process may have begun to write.
struct Opening {
    /// The number of the line in front of which it may have begun.
    line: Option<u64>,
    /// The ranges that could have written the lines before.
    before: ReleaseSet,
    /// The ranges that could have written the lines since then.
    since: ReleaseSet,
}

impl Default for Opening {
    fn default() -> Self {
        Opening {
            line: None,
            before: ReleaseSet::EMPTY,
            since: ReleaseSet::EMPTY,
        }
    }
}

/// A run of lines that is over.
struct PastRun {
    since: u64,
    possible: ReleaseSet,
}

impl Identity {
    /// The ranges that could have written what either side wrote; none where nothing is known.
    pub(crate) fn known(&self) -> ReleaseSet {
        let sides = self.possible.iter().flatten();
        sides.fold(ReleaseSet::EMPTY, |known, side| known | *side)
    }

    /// Whether all ranges that could have written what a side wrote are among these, or it no longer
    /// matters.
    pub(crate) fn is_within(&self, writer: Writer, bits: ReleaseSet) -> bool {
        let possible = self.possible[writer as usize];
        self.mixed.is_some() || possible.is_some_and(|possible| (possible & !bits).is_empty())
    }

    /// Whether it is known that no single release can have written it.
    pub(crate) fn is_mixed(&self) -> bool {
        self.mixed.is_some()
    }
}

/// A part of a message that narrowed the releases.
struct Clue {
    writer: Writer,
    line: u64,
    message: u64,
    pointer: String,
    what: String,
    bits: ReleaseSet,
}

/// A message as it is weighed.
pub(crate) struct Weighed<'m> {
    /// Its side, which is an index of the dialect's message sets, if it is known.
    pub(crate) side: Option<usize>,
    pub(crate) writer: Writer,
    /// The message, and again with the first of duplicate keys, if there are any.
    pub(crate) readings: [Option<&'m Value>; 2],
    /// The ranges that could have written it.
    pub(crate) bits: ReleaseSet,
}

impl Identity {
    /// A line that holds no message.
    pub(crate) fn add_unrecognized(&mut self, line: u64) {
        self.unrecognized.add(line);
    }

    /// The dialect was taken for another than it is: nothing has been read.
    pub(crate) fn restart(&mut self) {
        self.possible = [None; 2];
        self.clues.clear();
    }

    /// A line is a message of a dialect other than that of the lines before, which these ranges
    /// could have written.
    pub(crate) fn mix(
        &mut self,
        line: u64,
        (before, possible): (&Ranges, ReleaseSet),
        here: &Ranges,
    ) {
        let about = |ranges: &Ranges, bits| {
            StreamDialect::of(ranges.dialect, ranges.range(bits).until).about()
        };
        let text = format!(
            "line {line} is a message of {}, and the lines before are of {}",
            about(here, here.all()),
            about(before, possible)
        );
        self.mixed.get_or_insert(text);
    }

    /// What a recording says of itself.
    pub(crate) fn claim(&mut self, start: &transcript::Start) {
        let claim = Claim {
            protocol: start.protocol.value().cloned(),
            release: start.release.value().cloned(),
            holds: None,
        };
        if claim.protocol.is_some() || claim.release.is_some() {
            self.claim = Some(claim);
        }
    }

    /// A session file names the release that created it; a fork also that of the file it copies.
    pub(crate) fn created_by(&mut self, release: Release) {
        self.creator.get_or_insert(release);
    }

    /// The lines are of one of these releases, whatever they say.
    pub(crate) fn settle(&mut self, bits: ReleaseSet) {
        self.possible[Writer::Codex as usize].get_or_insert(bits);
    }

    /// Takes a message into account. Returns the ranges that are left, if it excludes some.
    pub(crate) fn weigh(
        &mut self,
        inference: &Inference,
        runs: &mut Runs,
        at: MessageRef,
        weighed: &Weighed<'_>,
    ) -> Option<ReleaseSet> {
        let ranges = inference.ranges();
        let before = self.possible[weighed.writer as usize].unwrap_or(ranges.all());
        if self.mixed.is_some() {
            return None;
        }
        // Lines that exclude nothing are not weighed, so this may be a later line than the one that opens.
        if runs.opened() != self.opening.line {
            self.opening = Opening {
                line: runs.opened(),
                before,
                since: ranges.all(),
            };
        }
        if !weighed.bits.is_empty() {
            self.opening.since &= weighed.bits;
        }
        let after = before & weighed.bits;
        if after == before {
            self.possible[weighed.writer as usize] = Some(after);
            return None;
        }
        if weighed.bits.is_empty() {
            self.unmatched.add(at.line);
            return None;
        }
        let excluded = if after.is_empty() {
            before
        } else {
            before & !after
        };
        let evidence = parts(inference, weighed, excluded);
        if is_left_over(ranges, weighed, &evidence) {
            self.unmatched.add(at.line);
            return None;
        }
        if (after.is_empty() || self.loses_creator(ranges, before, after))
            && let Some(since) = runs.begin()
        {
            self.runs.push(PastRun {
                since: self.begun.unwrap_or(1),
                possible: self.opening.before,
            });
            self.begun = Some(since);
            self.clues.clear();
            self.clues.extend(clues(&evidence, weighed.writer, at));
            let possible = match self.opening.since {
                ReleaseSet::EMPTY => weighed.bits,
                since => since,
            };
            self.possible[weighed.writer as usize] = Some(possible);
            return Some(possible);
        }
        if after.is_empty() {
            // Clients speak what they like, and a build that calls itself by a number may be
            // another than the one that was released.
            // What is missing proves little where answers are as long as here: real ones lack
            // what their schema requires.
            let lacks = |part: &Part| rank(&part.what) >= rank(&What::Null);
            let proves_little = ranges.dialect == Dialect::AppServer && evidence.iter().all(lacks);
            if self.reported.is_some() || proves_little || weighed.writer == Writer::Client {
                self.unmatched.add(at.line);
                return None;
            }
            let why = evidence.first().map(words);
            let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
            self.mixed = Some(format!(
                "line {}{why} is of {}, and the lines before are of {}",
                at.line,
                Releases::of(ranges, weighed.bits),
                Releases::of(ranges, before)
            ));
            return None;
        }
        self.clues.extend(clues(&evidence, weighed.writer, at));
        self.possible[weighed.writer as usize] = Some(after);
        Some(after)
    }

    /// Whether the release that created a session file wrote the lines before, and cannot have written
    /// this one.
    fn loses_creator(&self, ranges: &Ranges, before: ReleaseSet, after: ReleaseSet) -> bool {
        let creator = self.creator.filter(|_| self.begun.is_none());
        creator.is_some_and(|creator| {
            let only = ranges.only(creator);
            !(before & only).is_empty() && (after & only).is_empty()
        })
    }

    /// Codex reports which release it is. Returns the range of that release, if nothing speaks
    /// against it.
    pub(crate) fn reported(
        &mut self,
        ranges: &Ranges,
        at: MessageRef,
        release: Release,
    ) -> Option<ReleaseSet> {
        let bits = ranges.only(release);
        let before = self.possible[Writer::Codex as usize].unwrap_or(ranges.all());
        let listed = ranges.dialect.release_list().floor(release);
        let other = self.reported.is_some() && self.reported != listed;
        if (before & bits).is_empty() || other {
            let before = match self.reported {
                Some(reported) => Releases::only(ranges, reported),
                None => Releases::of(ranges, before),
            };
            let text = format!(
                "on line {} Codex says it is {release}, and the lines before are of {before}",
                at.line
            );
            self.mixed.get_or_insert(text);
            return None;
        }
        self.reported = listed;
        self.clues.push(Clue {
            writer: Writer::Codex,
            line: at.line,
            message: at.message,
            pointer: USER_AGENT.to_owned(),
            what: "`userAgent` names the release".to_owned(),
            bits,
        });
        self.possible[Writer::Codex as usize] = Some(bits);
        Some(bits)
    }

    /// What is known by now of an input with so many messages. `unknown` says why nothing is, if
    /// nothing is.
    pub(crate) fn identification(
        &self,
        ranges: &Ranges,
        messages: u64,
        unknown: Option<String>,
    ) -> Identification {
        let mut known = Identification {
            claim: self.claim.clone(),
            messages,
            unrecognized: self.unrecognized.some(),
            unmatched: self.unmatched.some(),
            reason: unknown,
            created_by: self.creator,
            runs: self.runs_of(ranges),
            ..Identification::default()
        };
        if known.reason.is_some() {
            return known;
        }
        let dialect = ranges.dialect;
        let [codex, client] = self.possible;
        let writer = match codex {
            Some(_) => Writer::Codex,
            None => Writer::Client,
        };
        let bits = codex.or(client).unwrap_or(ranges.all());
        let releases = match self.reported {
            Some(release) => Releases::only(ranges, release),
            None => Releases::of(ranges, bits),
        };
        known.protocol = Some(dialect.protocol());
        known.dialect = Some(StreamDialect::of(dialect, ranges.range(bits).until));
        known.evidence = evidence(ranges, &self.clues, writer, bits);
        if let Some(release) = self.reported {
            let reported = |evidence: &Evidence| evidence.pointer == USER_AGENT;
            known.evidence.retain(reported);
            for evidence in &mut known.evidence {
                evidence.releases = Releases::only(ranges, release);
            }
        }
        if let Some(claim) = &mut known.claim {
            claim.holds = holds(claim, dialect, &releases);
        }
        known.kind = Kind::Identified;
        if let Some(mixed) = &self.mixed {
            known.kind = Kind::Mixed;
            known.reason = Some(mixed.clone());
        }
        known.releases = Some(releases);
        known
    }

    /// The runs of lines, if there are several.
    fn runs_of(&self, ranges: &Ranges) -> Vec<LineRun> {
        let last = self.begun.map(|since| PastRun {
            since,
            possible: self.possible[Writer::Codex as usize].unwrap_or(ranges.all()),
        });
        let mut runs: Vec<LineRun> = Vec::new();
        for run in self.runs.iter().chain(&last) {
            if let Some(before) = runs.last_mut() {
                before.until = Some(run.since - 1);
            }
            runs.push(LineRun {
                since: run.since,
                until: None,
                releases: Releases::of(ranges, run.possible),
            });
        }
        runs
    }

    /// Whether a line that holds no message was seen.
    pub(crate) fn has_unrecognized(&self) -> bool {
        self.unrecognized.some().is_some()
    }
}

/// Whether the messages fit what the recording says.
fn holds(claim: &Claim, dialect: Dialect, releases: &Releases) -> Option<bool> {
    let protocol: Option<Protocol> = match &claim.protocol {
        Some(name) => Some(name.parse().ok()?),
        None => None,
    };
    if protocol.is_some_and(|protocol| protocol != dialect.protocol()) {
        return Some(false);
    }
    match &claim.release {
        Some(text) => {
            let release = dialect.release_list().resolve(text).ok()?;
            Some(releases.contains(release))
        }
        None => protocol.map(|_| true),
    }
}

/// Whether it is an answer of a method that no schema has any longer. The client named it, and
/// Codex goes on to answer such methods.
fn is_left_over(ranges: &Ranges, weighed: &Weighed<'_>, evidence: &[Part]) -> bool {
    let newest = ranges
        .all()
        .newest()
        .map_or(ReleaseSet::EMPTY, ReleaseSet::one);
    let message_sets = ranges.dialect.message_sets();
    let message_set = weighed.side.and_then(|side| message_sets.get(side));
    message_set == Some(&MessageSet::AppServerServerResponses)
        && evidence.iter().any(|part| {
            matches!(part.what, What::Kind(_))
                && part.pointer.is_empty()
                && (part.bits & newest).is_empty()
        })
}

/// The parts of a message, as they are kept.
fn clues(parts: &[Part], writer: Writer, at: MessageRef) -> impl Iterator<Item = Clue> {
    parts.iter().map(move |part| Clue {
        writer,
        line: at.line,
        message: at.message,
        pointer: part.pointer.clone(),
        what: words(part),
        bits: part.bits,
    })
}

/// The fewest parts that exclude `excluded`, the most telling ones first.
fn parts(inference: &Inference, weighed: &Weighed<'_>, excluded: ReleaseSet) -> Vec<Part> {
    let Some(side) = weighed.side else {
        return Vec::new();
    };
    let readings = weighed.readings.iter().flatten();
    let all: Vec<Part> = readings
        .flat_map(|message| inference.parts(side, message, excluded))
        .collect();
    let bits: Vec<ReleaseSet> = all.iter().map(|part| part.bits).collect();
    let chosen = cover(&bits, excluded, |index| rank(&all[index].what));
    chosen.into_iter().map(|index| all[index].clone()).collect()
}

/// Which parts people believe most readily: what is there rather than what is missing.
fn rank(what: &What) -> usize {
    match what {
        What::Kind(_) | What::Here => 0,
        What::Value(_) | What::Spelling(_) => 1,
        What::Null => 2,
        What::Shape(_) => 3,
        What::Absent => 4,
    }
}

/// What narrowed the releases to `bits`, as little of it as will do.
fn evidence(ranges: &Ranges, clues: &[Clue], writer: Writer, bits: ReleaseSet) -> Vec<Evidence> {
    let clues: Vec<&Clue> = clues.iter().filter(|clue| clue.writer == writer).collect();
    let all: Vec<ReleaseSet> = clues.iter().map(|clue| clue.bits).collect();
    let mut chosen = cover(&all, ranges.all() & !bits, |_| 0);
    chosen.sort_unstable();
    chosen
        .into_iter()
        .map(|index| {
            let clue = clues[index];
            Evidence {
                line: clue.line,
                message: clue.message,
                pointer: clue.pointer.clone(),
                what: clue.what.clone(),
                releases: Releases::of(ranges, clue.bits),
            }
        })
        .collect()
}

/// The indices of few of `sets` that between them leave out all of `excluded`, those that leave
/// out the most first; of equal ones the lowest in rank, then the first.
fn cover(
    sets: &[ReleaseSet],
    mut excluded: ReleaseSet,
    rank: impl Fn(usize) -> usize,
) -> Vec<usize> {
    let mut chosen = Vec::new();
    while !excluded.is_empty() {
        let gain = |index: &usize| (excluded & !sets[*index]).len();
        let best = (0..sets.len()).min_by_key(|index| (Reverse(gain(index)), rank(*index)));
        let Some(best) = best.filter(|best| gain(best) > 0) else {
            break;
        };
        excluded &= sets[best];
        chosen.push(best);
    }
    // A greedy choice may have made an earlier one needless.
    for index in (0..chosen.len()).rev() {
        let without = |others: &[usize]| {
            let mut others = others.iter().enumerate().filter(|(at, _)| *at != index);
            others.try_fold(ReleaseSet::ALL, |bits, (_, set)| Some(bits & sets[*set]))
        };
        let together = chosen
            .iter()
            .fold(ReleaseSet::ALL, |bits, set| bits & sets[*set]);
        if without(&chosen) == Some(together) {
            chosen.remove(index);
        }
    }
    chosen
}

/// What tells about a part, in words.
fn words(part: &Part) -> String {
    let here = subject(&part.pointer);
    match &part.what {
        What::Here => here,
        What::Absent => {
            let holder = part
                .pointer
                .rsplit_once('/')
                .map_or("", |(holder, _)| holder);
            format!("{} without {here}", subject(holder))
        }
        What::Kind(kind) if part.pointer.is_empty() => format!("`{kind}`"),
        What::Kind(kind) => format!("{here} of kind `{kind}`"),
        What::Value(value) => format!("{here} is `{value}`"),
        What::Spelling(key) => format!("{here} names its kind by `{key}`"),
        What::Null => format!("{here} is `null`"),
        What::Shape(kind) => format!("{here} is {kind} of that form"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_parts_are_enough() {
        let none = |_: usize| 0;
        let set = |bits: u32| (0..32).filter(|place| bits >> place & 1 == 1).collect();
        assert_eq!(
            cover(&[set(0b0111), set(0b0011), set(0b1111)], set(0b1100), none),
            [1]
        );
        assert_eq!(
            cover(&[set(0b0111), set(0b1110)], set(0b1001), none),
            [0, 1]
        );
        assert_eq!(
            cover(&[set(0b0111), set(0b0111)], set(0b1000), |index| 1 - index),
            [1]
        );
        assert_eq!(
            cover(&[set(0b1111)], set(0b1000), none),
            Vec::<usize>::new()
        );
        // The biggest is needless once the two others are there.
        let sets = [0b00_0111, 0b11_0001, 0b00_1111].map(set);
        let chosen = cover(&sets, set(0b11_1110), none);
        let together = chosen
            .iter()
            .fold(ReleaseSet::ALL, |bits, set| bits & sets[*set]);
        assert!((together & set(0b11_1110)).is_empty());
    }
}
