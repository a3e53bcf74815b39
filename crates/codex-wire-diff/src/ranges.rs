//! Which numbers a node allows: a union may have several ranges.

use std::fmt;

/// Ranges of numbers with both of their ends, in order and apart from each other. Where there is no end, it is the
/// least or the greatest number there is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges(Vec<(i128, i128)>);

impl Ranges {
    /// Adds a range. They are not in order until they are joined.
    pub(crate) fn push(&mut self, minimum: Option<i128>, maximum: Option<i128>) {
        let (low, high) = (minimum.unwrap_or(i128::MIN), maximum.unwrap_or(i128::MAX));
        self.0.push((low, high));
    }

    /// Makes one of those between whose ends is nothing: of whole numbers if one follows the other by `step`.
    pub(crate) fn join(&mut self, step: i128) {
        self.0.sort_unstable();
        self.0.dedup_by(|(low, high), (_, before)| {
            let touches = *low <= before.saturating_add(step);
            if touches {
                *before = (*before).max(*high);
            }
            touches
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all numbers of a range are there.
    pub(crate) fn has(&self, low: i128, high: i128) -> bool {
        let behind = self.0.partition_point(|(own, _)| *own <= low);
        behind > 0 && high <= self.0[behind - 1].1
    }

    /// Whether all numbers of others are there.
    pub(crate) fn cover(&self, others: &Ranges) -> bool {
        others.0.iter().all(|(low, high)| self.has(*low, *high))
    }

    /// A number near zero that is there, and among others if there are any.
    pub(crate) fn near_zero(&self, others: &Ranges) -> i128 {
        let ends = self.0.iter().chain(&others.0);
        let ends = ends.flat_map(|(low, high)| [*low, *high]);
        let both = |number: &i128| {
            self.has(*number, *number) && (others.is_empty() || others.has(*number, *number))
        };
        let near = [0].into_iter().chain(ends).filter(both);
        let near = near.min_by_key(|number| number.unsigned_abs());
        match near {
            Some(number) => number,
            None if others.is_empty() => 0,
            None => self.near_zero(&Ranges::default()),
        }
    }

    /// The numbers at the ends of others that are here, and not there.
    pub(crate) fn beyond<'r>(&'r self, others: &'r Ranges) -> impl Iterator<Item = i128> + 'r {
        let beside = others.0.iter().flat_map(|(low, high)| {
            let below = low.checked_sub(1);
            below.into_iter().chain(high.checked_add(1))
        });
        beside.filter(|number| self.has(*number, *number) && !others.has(*number, *number))
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The most that are written out.
        const SHOWN: usize = 6;
        let end = |end: i128| match end {
            i128::MIN | i128::MAX => "…".to_owned(),
            end => end.to_string(),
        };
        for (number, (low, high)) in self.0.iter().take(SHOWN).enumerate() {
            let or = if number > 0 { " or " } else { "" };
            match low == high {
                true => write!(f, "{or}{}", end(*low))?,
                false => write!(f, "{or}{} to {}", end(*low), end(*high))?,
            }
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " or {more} more"),
        }
    }
}
