//! Answers requests that only read, from all recordings, any number of times.

use serde_json::Value;

use super::find::is_telling;
use super::state::{Found, State};
use crate::track::is_flow;

impl State {
    /// The recorded read that answers a request, if it is one.
    ///
    /// Of several that match, the answer is one that was recorded after the same turns. Such answers
    /// come in the order of the recording; the last that is no error is repeated, so that a request
    /// that first failed and was then retried does not fail forever.
    pub(super) fn find_read(&self, method: &str, params: Option<&Value>) -> Option<Found> {
        let mut candidates = Vec::new();
        for track in self.order() {
            for (at, step) in self.tracks[track].track.steps.iter().enumerate() {
                if step.is_pooled() && step.method() == Some(method) {
                    let comparison = self.compare(track, step, params);
                    candidates.push(Found {
                        track,
                        step: at,
                        comparison,
                    });
                }
            }
        }
        let all: Vec<&Found> = candidates.iter().collect();
        let mut fitting: Vec<&Found> = candidates
            .iter()
            .filter(|c| c.comparison.is_exact())
            .collect();
        if fitting.is_empty() {
            let telling = self.telling(&all);
            fitting = all;
            fitting.retain(|found| {
                let failed = self.tracks[found.track].track.steps[found.step].failed;
                let differences = &found.comparison.differences;
                !failed
                    && !found.comparison.has_wrong_name()
                    && differences
                        .iter()
                        .all(|d| !d.is_of_type() && !is_telling(&d.pointer, &telling))
            });
        }
        let chosen = self.of_this_moment(&fitting)?;
        Some(Found {
            track: chosen.track,
            step: chosen.step,
            comparison: chosen.comparison.clone(),
        })
    }

    fn of_this_moment<'c>(&self, fitting: &[&'c Found]) -> Option<&'c Found> {
        let first = fitting.first()?;
        let of_track = fitting.iter().filter(|found| found.track == first.track);
        let epochs: Vec<(&Found, Option<usize>)> =
            of_track.map(|found| (*found, self.epoch(found))).collect();
        let latest = epochs.iter().filter_map(|(_, epoch)| *epoch).max();
        let Some(latest) = latest else {
            return Some(first);
        };
        let now: Vec<&Found> = epochs
            .iter()
            .filter(|(_, epoch)| *epoch == Some(latest))
            .map(|(found, _)| *found)
            .collect();
        let played = |found: &Found| self.tracks[found.track].played[found.step];
        let failed = |found: &Found| self.tracks[found.track].track.steps[found.step].failed;
        now.iter()
            .find(|found| played(found) == 0)
            .or_else(|| now.iter().rev().find(|found| !failed(found)))
            .or(now.last())
            .copied()
    }

    /// How many steps that move turns on come before a read; `None` if one was not played yet.
    fn epoch(&self, found: &Found) -> Option<usize> {
        let playing = &self.tracks[found.track];
        let before = playing.track.steps[..found.step].iter().enumerate();
        let mut count = 0;
        for (at, step) in before {
            if step.method().is_some_and(is_flow) && !step.failed {
                if playing.played[at] == 0 {
                    return None;
                }
                count += 1;
            }
        }
        Some(count)
    }
}
