//! Finds the step that answers what the client sent.
//!
//! A step whose content is equal, after names are bound, is taken. Otherwise a step is taken if nothing
//! that differs tells recorded requests apart: with one recorded turn, any prompt gets it; with two, the
//! prompt has to be one of theirs. What Codex refused, it refuses again only if nothing differs.

use std::collections::BTreeSet;

use codex_wire_base::Protocol;
use serde_json::Value;

use super::state::{Found, State};
use crate::matching::{Comparison, compare};
use crate::miss::Nearest;
use crate::names::Names;
use crate::track::{Sent, Step};

/// Members in which the client decides: they always tell answers and requests apart.
const DECISIONS: &[&str] = &["action", "decision", "success", "error", "result"];

impl State {
    /// The step that answers a request or notification, or the nearest ones if none does.
    pub(super) fn find(&self, sent: &Sent, content: Option<&Value>) -> Result<Found, Vec<Nearest>> {
        let is_same = |step: &Step| step.sent == *sent && !step.is_pooled();
        self.find_among(content, &|_, step| is_same(step))
            .map_err(|nearest| match nearest.is_empty() {
                true => self.played(&is_same),
                false => nearest,
            })
    }

    /// The last step of that sort, which was played already.
    fn played(&self, is_same: &dyn Fn(&Step) -> bool) -> Vec<Nearest> {
        let of_track = |track: usize| {
            let track = &self.tracks[track].track;
            let step = track.steps.iter().rfind(|step| is_same(step))?;
            Some(Nearest {
                recording: track.name.clone(),
                line: step.number,
                differences: Vec::new(),
            })
        };
        self.order()
            .into_iter()
            .find_map(of_track)
            .into_iter()
            .collect()
    }

    /// As [`Self::find`], among the steps that are of that sort.
    pub(super) fn find_among(
        &self,
        content: Option<&Value>,
        is_same: &dyn Fn(usize, &Step) -> bool,
    ) -> Result<Found, Vec<Nearest>> {
        let mut candidates = Vec::new();
        for track in self.order() {
            let playing = &self.tracks[track];
            for (at, step) in playing.track.steps.iter().enumerate() {
                if playing.played[at] > 0 || !is_same(track, step) {
                    continue;
                }
                let found = Found {
                    track,
                    step: at,
                    comparison: self.compare(track, step, content),
                };
                if found.comparison.is_exact() {
                    return Ok(found);
                }
                candidates.push(found);
            }
        }
        let next = self.next_of_each(&candidates);
        let telling = self.telling(&next);
        let fits = next.iter().find(|found| {
            let differences = &found.comparison.differences;
            differences
                .iter()
                .all(|d| !d.is_of_type() && !is_telling(&d.pointer, &telling))
        });
        match fits {
            Some(found) => Ok(Found {
                track: found.track,
                step: found.step,
                comparison: found.comparison.clone(),
            }),
            None => Err(self.nearest(&candidates)),
        }
    }

    /// The step of another recording that is the same as one that was found.
    pub(super) fn same_step(
        &self,
        other: usize,
        found: (usize, usize),
        sent: &Sent,
        content: Option<&Value>,
    ) -> Option<Found> {
        let recorded = &self.tracks[found.0].track.steps[found.1];
        let playing = &self.tracks[other];
        let steps = playing.track.steps.iter().enumerate();
        let mut same = steps.filter(|(at, step)| {
            let is_sent = match (&step.sent, sent) {
                (Sent::Answer(asked), Sent::Answer(live)) => self.answers(other, asked, live),
                (own, sent) => own == sent,
            };
            playing.played[*at] == 0
                && is_sent
                && !step.is_pooled()
                && step.failed == recorded.failed
        });
        same.find_map(|(at, step)| {
            let comparison = self.compare(other, step, content);
            let is_as_recorded = || {
                let both = compare(
                    step.content.as_ref(),
                    recorded.content.as_ref(),
                    &Names::default(),
                    &|_, _| false,
                );
                both.is_exact() && !comparison.has_wrong_name()
            };
            (comparison.is_exact() || is_as_recorded()).then_some(Found {
                track: other,
                step: at,
                comparison,
            })
        })
    }

    pub(super) fn compare(&self, track: usize, step: &Step, content: Option<&Value>) -> Comparison {
        let playing = &self.tracks[track];
        let is_made_later = |kind, name: &str| {
            let made = playing.track.made.get(&(kind, name.to_owned()));
            made.is_some_and(|at| playing.played[*at] == 0)
        };
        let mut comparison = compare(
            step.content.as_ref(),
            content,
            &playing.names,
            &is_made_later,
        );
        if self.protocol == Protocol::Core {
            comparison
                .differences
                .retain(|d| d.pointer != "/id" || d.is_name);
        }
        comparison
    }

    /// The tracks: the lead first, then those that are current, then the others.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.tracks.len()).collect();
        order.sort_by_key(|at| (*at != self.lead, !self.tracks[*at].is_current));
        order
    }

    /// Of each current recording the first candidate that may be played although something differs.
    fn next_of_each<'c>(&self, candidates: &'c [Found]) -> Vec<&'c Found> {
        let mut next: Vec<&Found> = Vec::new();
        for found in candidates {
            let playing = &self.tracks[found.track];
            let is_first = next.iter().all(|other| other.track != found.track);
            if is_first
                && playing.is_current
                && !playing.track.steps[found.step].failed
                && !found.comparison.has_wrong_name()
            {
                next.push(found);
            }
        }
        next
    }

    /// The places in which recorded requests differ from each other.
    pub(super) fn telling(&self, candidates: &[&Found]) -> BTreeSet<String> {
        let content = |found: &Found| {
            let steps = &self.tracks[found.track].track.steps;
            steps[found.step].content.as_ref()
        };
        let mut telling = BTreeSet::new();
        let Some((first, rest)) = candidates.split_first() else {
            return telling;
        };
        for other in rest {
            let found = compare(
                content(first),
                content(other),
                &Names::default(),
                &|_, _| false,
            );
            telling.extend(found.differences.into_iter().map(|d| d.pointer));
        }
        telling
    }

    /// The candidate with the fewest differences.
    fn nearest(&self, candidates: &[Found]) -> Vec<Nearest> {
        let nearest = candidates
            .iter()
            .min_by_key(|found| found.comparison.differences.len());
        let nearest = nearest.map(|found| {
            let track = &self.tracks[found.track].track;
            Nearest {
                recording: track.name.clone(),
                line: track.steps[found.step].number,
                differences: found.comparison.differences.clone(),
            }
        });
        nearest.into_iter().collect()
    }
}

/// Whether a place is one that tells requests apart, or lies within one, or around one.
pub(super) fn is_telling(pointer: &str, telling: &BTreeSet<String>) -> bool {
    let last = pointer.rsplit('/').next().unwrap_or("");
    if pointer.is_empty() || DECISIONS.contains(&last) {
        return true;
    }
    let within = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    telling
        .iter()
        .any(|other| within(pointer, other) || within(other, pointer))
}
