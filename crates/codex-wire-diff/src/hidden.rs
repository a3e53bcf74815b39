//! Counts what was left out of a comparison.

use crate::change::Verdict;
use crate::difference::Difference;

/// How many differences were left out of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hidden {
    /// By verdict, in the order of [`Verdict::ALL`].
    counts: [usize; Verdict::ALL.len()],
    /// Known corrections that were left out.
    pub corrections: usize,
}

impl Hidden {
    /// The number of differences with this verdict that were left out.
    pub fn count(&self, verdict: Verdict) -> usize {
        let of = Verdict::ALL.iter().zip(self.counts);
        of.filter(|(one, _)| **one == verdict)
            .map(|(_, count)| count)
            .sum()
    }

    /// The number of differences that were left out.
    pub fn differences(&self) -> usize {
        self.counts.iter().sum()
    }

    /// What was left out, in words: `4 compatible`. `None` if nothing was.
    pub fn sentence(&self) -> Option<String> {
        let counts = Verdict::ALL.iter().zip(self.counts);
        let mut out: Vec<String> = counts
            .filter(|(_, count)| *count > 0)
            .map(|(verdict, count)| format!("{count} {verdict}"))
            .collect();
        match self.corrections {
            0 => {}
            1 => out.push("1 known correction".to_owned()),
            many => out.push(format!("{many} known corrections")),
        }
        (!out.is_empty()).then(|| out.join(", "))
    }

    pub(crate) fn add(&mut self, difference: &Difference) {
        let verdict = difference.verdict();
        for (one, count) in Verdict::ALL.iter().zip(&mut self.counts) {
            *count += usize::from(*one == verdict);
        }
    }
}
