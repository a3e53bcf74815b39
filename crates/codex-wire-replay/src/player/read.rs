//! Answers requests that only read, from all recordings, any number of times.

use std::collections::BTreeSet;

use serde_json::Value;

use super::find::is_telling;
use super::state::{Found, State};
use crate::matching::Comparison;
use crate::track::is_flow;

impl State {
    /// The recorded read that answers a request, if it is one.
    ///
    /// Of several that match, the answer is one that was recorded after the same turns. Such answers
    /// come in the order of the recording; the last that is not an error is repeated, so that a request
    /// that first failed and was then retried does not fail forever.
    pub(super) fn find_read(&self, method: &str, params: Option<&Value>) -> Option<Found> {
        let mut candidates = Vec::new();
        for track in self.order() {
            let playing = &self.tracks[track];
            for alike in playing.reads.get(method).into_iter().flatten() {
                let step = alike[0];
                let comparison = self.compare(track, &playing.track.steps[step], params);
                let found = Found {
                    track,
                    step,
                    comparison,
                };
                candidates.push((found, alike));
            }
        }
        let is_recorded = candidates
            .iter()
            .any(|(found, _)| found.comparison.is_exact());
        let telling = match is_recorded {
            true => BTreeSet::new(),
            false => self.telling(
                &candidates
                    .iter()
                    .map(|(found, _)| found)
                    .collect::<Vec<_>>(),
            ),
        };
        let mut fitting = Vec::new();
        for (found, alike) in &candidates {
            let (track, comparison) = (found.track, &found.comparison);
            let fits = match is_recorded {
                true => comparison.is_exact(),
                false => is_near(comparison, &telling),
            };
            let reads = alike.iter().filter(|_| fits).map(|step| Read {
                track,
                step: *step,
                comparison,
            });
            fitting.extend(reads.filter(|read| is_recorded || !self.failed(read)));
        }
        let first = fitting.first()?.track;
        fitting.retain(|read| read.track == first);
        fitting.sort_by_key(|read| read.step);
        let chosen = self.of_this_moment(&fitting)?;
        Some(Found {
            track: chosen.track,
            step: chosen.step,
            comparison: chosen.comparison.clone(),
        })
    }

    /// Of reads of one track, in its order, the one that was recorded after what was played so far.
    fn of_this_moment<'r, 'c>(&self, reads: &'r [Read<'c>]) -> Option<&'r Read<'c>> {
        let epochs = self.epochs(reads);
        let Some(latest) = epochs.iter().flatten().max() else {
            return reads.first();
        };
        let now = reads.iter().zip(&epochs);
        let now = now.filter(|(_, epoch)| epoch.as_ref() == Some(latest));
        let now: Vec<&Read> = now.map(|(read, _)| read).collect();
        let is_unplayed = |read: &&&Read| self.tracks[read.track].played[read.step] == 0;
        now.iter()
            .find(is_unplayed)
            .or_else(|| now.iter().rev().find(|read| !self.failed(read)))
            .or(now.last())
            .copied()
    }

    /// How many steps that move turns on come before each of these reads; `None` if one was not played
    /// yet.
    fn epochs(&self, reads: &[Read<'_>]) -> Vec<Option<usize>> {
        let (mut counted, mut epoch) = (0, Some(0));
        let mut epochs = Vec::with_capacity(reads.len());
        for read in reads {
            let playing = &self.tracks[read.track];
            for at in counted..read.step {
                let step = &playing.track.steps[at];
                if step.method().is_some_and(is_flow) && !step.failed {
                    epoch = epoch
                        .filter(|_| playing.played[at] > 0)
                        .map(|epoch| epoch + 1);
                }
            }
            counted = read.step;
            epochs.push(epoch);
        }
        epochs
    }

    fn failed(&self, read: &Read<'_>) -> bool {
        self.tracks[read.track].track.steps[read.step].failed
    }
}

/// A recorded read that may answer a request.
struct Read<'c> {
    track: usize,
    step: usize,
    comparison: &'c Comparison,
}

/// Whether nothing that differs tells recorded reads apart.
fn is_near(comparison: &Comparison, telling: &BTreeSet<String>) -> bool {
    let mut differences = comparison.differences.iter();
    !comparison.has_wrong_name()
        && differences.all(|d| !d.is_of_type() && !is_telling(&d.pointer, telling))
}
