//! Collects the evidence for an identification.
//!
//! Messages from Codex decide the releases. Messages from the client show the release that the
//! client was built for, which may be another; they count only if there is nothing from Codex.

use codex_wire_program::View;
use std::cmp::Reverse;

use codex_wire_base::{Protocol, Release, ReleaseSet, Surface, transcript};
use serde_json::Value;

use super::{Run, Source};
use crate::checker::Checker;
use crate::finding::Writer;
use crate::form::{Form, Spec};
use crate::identify::{Claim, Evidence, Identification, Kind, Releases, StreamForm, Tally};
use crate::placement::{Part, What};
use crate::words::subject;

/// Where Codex says which release it is.
const SAID: &str = "/result/userAgent";

/// What is being found out.
#[derive(Default)]
pub(super) struct Identity {
    /// The spans that could have written what each side wrote, once it wrote something.
    possible: [Option<ReleaseSet>; 2],
    clues: Vec<Clue>,
    claim: Option<Claim>,
    strays: Tally,
    misfits: Tally,
    /// Why no single release can have written it.
    mixed: Option<String>,
    /// Which release Codex says it is.
    told: Option<Release>,
}

impl Identity {
    /// The spans that could have written what either side wrote; none where nothing is known.
    pub(super) fn known(&self) -> ReleaseSet {
        let sides = self.possible.iter().flatten();
        sides.fold(ReleaseSet::EMPTY, |known, side| known | *side)
    }

    /// Whether all spans that could have written what a side wrote are among these, or it no longer
    /// matters.
    pub(super) fn is_within(&self, writer: Writer, bits: ReleaseSet) -> bool {
        let possible = self.possible[writer as usize];
        self.mixed.is_some() || possible.is_some_and(|possible| (possible & !bits).is_empty())
    }

    /// Whether it is known that no single release can have written it.
    pub(super) fn is_mixed(&self) -> bool {
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
pub(super) struct Weighed<'m> {
    /// Its side, which is an index of the form's surfaces, if it is known.
    pub(super) side: Option<usize>,
    pub(super) writer: Writer,
    /// The message, and again with the first of doubled keys where there are any.
    pub(super) readings: [Option<&'m Value>; 2],
    /// The spans that could have written it.
    pub(super) bits: ReleaseSet,
}

impl<'c> Run<'c> {
    /// A run that only finds out what the input is.
    pub(crate) fn identifying(checker: &'c Checker) -> Self {
        let mut run = Run::new(checker, "");
        run.stated = None;
        run.outcome.protocol = None;
        run.outcome.identified = true;
        run.identity = Some(Box::default());
        run
    }

    /// A line that holds no message.
    pub(super) fn stray(&mut self) {
        let line = self.lines;
        if let Some(identity) = &mut self.identity {
            identity.strays.add(line);
        }
    }

    /// Looks at what form a message by itself is of.
    pub(super) fn tell_form(&mut self, message: View<'_>) {
        if self.identity.is_none() {
            return;
        }
        let Some(found) = Form::of(message) else {
            return self.stray();
        };
        let Some(form) = self.form else { return };
        let goes_on = (form, found) == (Form::ExecLegacy, Form::Core);
        if form == found || goes_on || !found.is_sure_of(message) {
            return;
        }
        if self.recognised == 0 {
            // What came before only looked like something.
            self.form = None;
            self.outcome.protocol = None;
            if let Some(identity) = &mut self.identity {
                identity.possible = [None; 2];
                identity.clues.clear();
            }
            return;
        }
        self.other_form(found);
    }

    /// A message of another form than that of the stream.
    fn other_form(&mut self, found: Form) {
        let releases = self.possible;
        let Some(form) = self.form else { return };
        let spec = self.checker.spec(form);
        let about = |form, spec: &Spec, bits| StreamForm::of(form, spec.range(bits).until).about();
        let before = about(form, spec, releases);
        let other = self.checker.spec(found);
        let here = about(found, other, other.all());
        let text = format!(
            "line {} is a message of {here}, and the lines before are of {before}",
            self.lines
        );
        if let Some(identity) = &mut self.identity {
            identity.mixed.get_or_insert(text);
        }
    }

    /// What a recording says of itself.
    pub(super) fn claims(&mut self, start: &transcript::Start) {
        let claim = Claim {
            protocol: start.protocol.value().cloned(),
            release: start.release.value().cloned(),
            holds: None,
        };
        let is_empty = claim.protocol.is_none() && claim.release.is_none();
        if let (Some(identity), false) = (&mut self.identity, is_empty) {
            identity.claim = Some(claim);
        }
    }

    /// Takes a message into account.
    pub(super) fn weigh(&mut self, source: &Source<'_>, spec: &Spec, weighed: &Weighed<'_>) {
        let message = self.outcome.messages;
        let (Some(identity), Some(_)) = (&mut self.identity, self.form) else {
            return;
        };
        let before = identity.possible[weighed.writer as usize].unwrap_or(spec.all());
        if identity.mixed.is_some() {
            return;
        }
        let after = before & weighed.bits;
        if after == before {
            identity.possible[weighed.writer as usize] = Some(after);
            return;
        }
        if weighed.bits.is_empty() {
            return identity.misfits.add(source.line);
        }
        let excluded = if after.is_empty() {
            before
        } else {
            before & !after
        };
        let told = parts(spec, weighed, excluded);
        if is_left_over(spec, weighed, &told) {
            return identity.misfits.add(source.line);
        }
        if after.is_empty() {
            // Clients speak what they like, and a build that calls itself by a number may be
            // another than the one that was released.
            // What is missing proves little where answers are as long as here: real ones lack
            // what their schema demands.
            let lacks = |part: &Part| rank(&part.what) >= rank(&What::Null);
            let proves_little = spec.form == Form::AppServer && told.iter().all(lacks);
            if identity.told.is_some() || proves_little || weighed.writer == Writer::Client {
                return identity.misfits.add(source.line);
            }
            let why = told.first().map(words);
            let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
            identity.mixed = Some(format!(
                "line {}{why} is of {}, and the lines before are of {}",
                source.line,
                Releases::of(spec, weighed.bits),
                Releases::of(spec, before)
            ));
            return;
        }
        identity.clues.extend(told.iter().map(|part| Clue {
            writer: weighed.writer,
            line: source.line,
            message,
            pointer: part.pointer.clone(),
            what: words(part),
            bits: part.bits,
        }));
        identity.possible[weighed.writer as usize] = Some(after);
        self.possible = after;
    }

    /// Codex says which release it is.
    pub(super) fn says(&mut self, source: &Source<'_>, spec: &Spec, release: Release) {
        let message = self.outcome.messages;
        let bits = spec.only(release);
        let Some(identity) = &mut self.identity else {
            return;
        };
        let before = identity.possible[Writer::Codex as usize].unwrap_or(spec.all());
        let listed = spec.form.timeline().floor(release);
        let other = identity.told.is_some() && identity.told != listed;
        if (before & bits).is_empty() || other {
            let before = match identity.told {
                Some(told) => Releases::only(spec, told),
                None => Releases::of(spec, before),
            };
            let text = format!(
                "on line {} Codex says it is {release}, and the lines before are of {before}",
                source.line
            );
            identity.mixed.get_or_insert(text);
            return;
        }
        identity.told = listed;
        identity.clues.push(Clue {
            writer: Writer::Codex,
            line: source.line,
            message,
            pointer: SAID.to_owned(),
            what: "`userAgent` names the release".to_owned(),
            bits,
        });
        identity.possible[Writer::Codex as usize] = Some(bits);
        self.possible = bits;
    }

    /// What is known by now.
    pub(crate) fn identification(&self, given_up: Option<&str>) -> Identification {
        let mut known = Identification {
            kind: Kind::Unknown,
            protocol: None,
            form: None,
            releases: None,
            evidence: Vec::new(),
            claim: None,
            messages: self.outcome.messages,
            strays: None,
            misfits: None,
            reason: given_up.map(str::to_owned),
        };
        let Some(identity) = &self.identity else {
            return known;
        };
        known.strays = identity.strays.some();
        known.misfits = identity.misfits.some();
        known.claim.clone_from(&identity.claim);
        if self.recognised == 0 || given_up.is_some() {
            let reason = known.reason.take();
            known.reason = Some(
                reason.unwrap_or_else(|| match (self.lines, known.messages) {
                    (0, _) => "the input is empty".to_owned(),
                    (_, 0) if known.strays.is_none() => "the input holds no messages".to_owned(),
                    _ => self.not_a_transcript(),
                }),
            );
            return known;
        }
        let form = self.form_or_first();
        let spec = self.checker.spec(form);
        let [codex, client] = identity.possible;
        let writer = match codex {
            Some(_) => Writer::Codex,
            None => Writer::Client,
        };
        let bits = codex.or(client).unwrap_or(spec.all());
        let releases = match identity.told {
            Some(release) => Releases::only(spec, release),
            None => Releases::of(spec, bits),
        };
        known.protocol = Some(form.protocol());
        known.form = Some(StreamForm::of(form, spec.range(bits).until));
        known.evidence = evidence(spec, &identity.clues, writer, bits);
        if let Some(release) = identity.told {
            let said = |evidence: &Evidence| evidence.pointer == SAID;
            known.evidence.retain(said);
            for evidence in &mut known.evidence {
                evidence.releases = Releases::only(spec, release);
            }
        }
        if let Some(claim) = &mut known.claim {
            claim.holds = holds(claim, form, &releases);
        }
        known.kind = Kind::Identified;
        if let Some(mixed) = &identity.mixed {
            known.kind = Kind::Mixed;
            known.reason = Some(mixed.clone());
        }
        known.releases = Some(releases);
        known
    }
}

impl Tally {
    fn add(&mut self, line: u64) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }

    fn some(self) -> Option<Self> {
        (self.count > 0).then_some(self)
    }
}

/// Whether the messages fit what the recording says.
fn holds(claim: &Claim, form: Form, releases: &Releases) -> Option<bool> {
    let protocol: Option<Protocol> = match &claim.protocol {
        Some(name) => Some(name.parse().ok()?),
        None => None,
    };
    if protocol.is_some_and(|protocol| protocol != form.protocol()) {
        return Some(false);
    }
    match &claim.release {
        Some(text) => {
            let release = form.timeline().resolve(text).ok()?;
            Some(releases.contains(release))
        }
        None => protocol.map(|_| true),
    }
}

/// Whether it is an answer of a method that no schema has any longer. The client named it, and
/// Codex goes on to answer such methods.
fn is_left_over(spec: &Spec, weighed: &Weighed<'_>, told: &[Part]) -> bool {
    let newest = spec
        .all()
        .newest()
        .map_or(ReleaseSet::EMPTY, ReleaseSet::one);
    let surfaces = spec.form.surfaces();
    let surface = weighed.side.and_then(|side| surfaces.get(side));
    surface == Some(&Surface::AppServerServerResponses)
        && told.iter().any(|part| {
            matches!(part.what, What::Kind(_))
                && part.pointer.is_empty()
                && (part.bits & newest).is_empty()
        })
}

/// The fewest parts that exclude `excluded`, the most telling ones first.
fn parts(spec: &Spec, weighed: &Weighed<'_>, excluded: ReleaseSet) -> Vec<Part> {
    let Some(side) = weighed.side else {
        return Vec::new();
    };
    let readings = weighed.readings.iter().flatten();
    let all: Vec<Part> = readings
        .flat_map(|message| spec.parts(side, message, excluded))
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
fn evidence(spec: &Spec, clues: &[Clue], writer: Writer, bits: ReleaseSet) -> Vec<Evidence> {
    let clues: Vec<&Clue> = clues.iter().filter(|clue| clue.writer == writer).collect();
    let all: Vec<ReleaseSet> = clues.iter().map(|clue| clue.bits).collect();
    let mut chosen = cover(&all, spec.all() & !bits, |_| 0);
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
                releases: Releases::of(spec, clue.bits),
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
