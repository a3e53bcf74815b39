//! Sets of releases, as bits.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use crate::release_list::releases::LONGEST;

/// A set of releases of one protocol, or of release ranges, given by their positions in an ordered
/// list.
///
/// It always has room for the longest list of releases; the size follows from the lists.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ReleaseSet([u64; WORDS]);

const WORDS: usize = LONGEST.div_ceil(BITS);
const BITS: usize = u64::BITS as usize;

impl ReleaseSet {
    /// The empty set.
    pub const EMPTY: ReleaseSet = ReleaseSet([0; WORDS]);

    /// All positions, even those after the end of the list.
    pub const ALL: ReleaseSet = ReleaseSet([u64::MAX; WORDS]);

    /// Only the position `place`; empty if no list is that long.
    pub const fn one(place: usize) -> Self {
        let mut words = [0; WORDS];
        if place / BITS < WORDS {
            words[place / BITS] = 1 << (place % BITS);
        }
        ReleaseSet(words)
    }

    /// The first `count`.
    pub const fn first(count: usize) -> Self {
        let mut words = [0; WORDS];
        let mut index = 0;
        while index < WORDS {
            words[index] = match count.saturating_sub(index * BITS) {
                left if left >= BITS => u64::MAX,
                left => (1 << left) - 1,
            };
            index += 1;
        }
        ReleaseSet(words)
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set has the position `place`.
    pub fn contains(self, place: usize) -> bool {
        !(self & Self::one(place)).is_empty()
    }

    /// The positions in the set, oldest first.
    pub fn places(mut self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            let oldest = self.oldest()?;
            self &= !Self::one(oldest);
            Some(oldest)
        })
    }

    /// The place of the oldest.
    pub fn oldest(self) -> Option<usize> {
        let index = self.0.iter().position(|word| *word != 0)?;
        Some(index * BITS + self.0[index].trailing_zeros() as usize)
    }

    /// The place of the newest.
    pub fn newest(self) -> Option<usize> {
        let index = self.0.iter().rposition(|word| *word != 0)?;
        Some(index * BITS + BITS - 1 - self.0[index].leading_zeros() as usize)
    }
}

impl FromIterator<usize> for ReleaseSet {
    /// The ones at those places.
    fn from_iter<I: IntoIterator<Item = usize>>(places: I) -> Self {
        let places = places.into_iter();
        places.fold(Self::EMPTY, |set, place| set | Self::one(place))
    }
}

impl BitAnd for ReleaseSet {
    type Output = ReleaseSet;

    /// Those in both.
    #[inline]
    fn bitand(mut self, other: ReleaseSet) -> ReleaseSet {
        self &= other;
        self
    }
}

impl BitAndAssign for ReleaseSet {
    #[inline]
    fn bitand_assign(&mut self, other: ReleaseSet) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
    }
}

impl BitOr for ReleaseSet {
    type Output = ReleaseSet;

    /// Those in either.
    #[inline]
    fn bitor(mut self, other: ReleaseSet) -> ReleaseSet {
        self |= other;
        self
    }
}

impl BitOrAssign for ReleaseSet {
    #[inline]
    fn bitor_assign(&mut self, other: ReleaseSet) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }
}

impl Not for ReleaseSet {
    type Output = ReleaseSet;

    /// All other positions, even those after the end of the list.
    #[inline]
    fn not(self) -> ReleaseSet {
        ReleaseSet(self.0.map(|word| !word))
    }
}

impl fmt::Debug for ReleaseSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.places()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Protocol;

    #[test]
    fn every_release_of_every_protocol_has_a_place() {
        for protocol in Protocol::ALL {
            let count = protocol.release_list().releases().len();
            let last = ReleaseSet::one(count - 1);
            assert_eq!(
                (last.oldest(), last.newest()),
                (Some(count - 1), Some(count - 1))
            );
            assert_eq!(ReleaseSet::first(count).len(), count);
        }
    }

    #[test]
    fn places_are_told_apart_across_words() {
        let set: ReleaseSet = [3, 64, 100].into_iter().collect();
        assert_eq!(
            (set.oldest(), set.newest(), set.len()),
            (Some(3), Some(100), 3)
        );
        assert!(set.contains(64) && !set.contains(63));
        let rest = set & !ReleaseSet::first(65);
        assert_eq!((rest.oldest(), rest.len()), (Some(100), 1));
        assert_eq!(ReleaseSet::first(64).newest(), Some(63));
        assert_eq!(ReleaseSet::EMPTY.newest(), None);
        assert_eq!(format!("{set:?}"), "{3, 64, 100}");
        assert!(ReleaseSet::one(usize::MAX).is_empty());
    }
}
