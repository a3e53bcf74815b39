//! What several runs of one scene have in common.

use std::collections::BTreeMap;

/// A step of a run, and which one of its kind it is, from 1.
type Occurrence<'r> = (&'r str, usize);

/// The runs of one scene that are taken together: how often each step occurs in them, and in which order.
///
/// A step is a message that Codex wrote, by its kind and status, without ids, texts and times.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs<'r> {
    /// The different runs. How often each of them was seen says nothing about what is possible.
    runs: Vec<&'r [String]>,
}

impl<'r> Runs<'r> {
    pub(super) fn new(runs: impl IntoIterator<Item = &'r [String]>) -> Self {
        let mut out = Runs::default();
        for run in runs {
            out.add(run);
        }
        out
    }

    pub(super) fn add(&mut self, run: &'r [String]) {
        if !self.runs.contains(&run) {
            self.runs.push(run);
        }
    }

    pub(super) fn join(&mut self, other: &Runs<'r>) {
        for run in &other.runs {
            self.add(run);
        }
    }

    pub(super) fn all(&self) -> &[&'r [String]] {
        &self.runs
    }

    /// The least and the greatest number of times that a run has each step.
    pub(super) fn counts(&self) -> BTreeMap<&'r str, [usize; 2]> {
        let mut all: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for (index, run) in self.runs.iter().enumerate() {
            let counts = count(run);
            for (step, [least, _]) in &mut all {
                if !counts.contains_key(step) {
                    *least = 0;
                }
            }
            for (step, count) in counts {
                // What no run before had was there no time at least.
                let first = [if index == 0 { count } else { 0 }, count];
                let [least, greatest] = all.entry(step).or_insert(first);
                *least = count.min(*least);
                *greatest = count.max(*greatest);
            }
        }
        all
    }

    /// Where in each run the steps are that `choose` chooses.
    pub(super) fn places(
        &self,
        choose: impl Fn(&str) -> bool,
    ) -> Vec<BTreeMap<Occurrence<'r>, usize>> {
        let places = self.runs.iter().map(|run| {
            let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
            let mut places = BTreeMap::new();
            for (place, step) in run.iter().enumerate().filter(|(_, step)| choose(step)) {
                let number = seen.entry(step).or_default();
                *number += 1;
                places.insert((step.as_str(), *number), place);
            }
            places
        });
        places.collect()
    }
}

fn count(run: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for step in run {
        *counts.entry(step.as_str()).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(steps: &str) -> Vec<String> {
        steps.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_step_is_counted_in_the_runs_without_it_too() {
        let runs = [run("a b b"), run("a c"), run("a b c")];
        let runs = Runs::new(runs.iter().map(Vec::as_slice));
        let counts: Vec<_> = runs.counts().into_iter().collect();
        assert_eq!(counts, [("a", [1, 1]), ("b", [0, 2]), ("c", [0, 1])]);
    }

    #[test]
    fn equal_runs_are_one() {
        let runs = [run("a"), run("a")];
        assert_eq!(Runs::new(runs.iter().map(Vec::as_slice)).all().len(), 1);
    }
}
