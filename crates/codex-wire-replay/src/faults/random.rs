//! Numbers that follow from a seed.

/// Numbers that look random and follow from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Begins with a seed.
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A number below `bound`; 0 if that is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The shift keeps the number within any `usize`.
        let number = usize::try_from(mixed >> 33).unwrap_or(0);
        number.checked_rem(bound).unwrap_or(0)
    }
}
