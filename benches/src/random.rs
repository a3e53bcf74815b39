//! Random numbers that are the same on every machine and in every run.

/// SplitMix64: a counter, scrambled. Good enough to shuffle text, and ten lines long.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A source that always gives the same numbers for the same seed.
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Any number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True `share` times out of 1000.
    pub(crate) fn permille(&mut self, share: usize) -> bool {
        self.below(1000) < share
    }

    /// One of `choices`, which is not empty.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// A number from `low` to `high`, each doubling as likely as the next: small ones are
    /// common, large ones are rare, as sizes of outputs are.
    pub(crate) fn between_log(&mut self, low: usize, high: usize) -> usize {
        let share = self.below(1 << 20) as f64 / f64::from(1 << 20);
        (low as f64 * (high as f64 / low as f64).powf(share)) as usize
    }

    /// A version-7-like UUID.
    pub(crate) fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        format!(
            "01a1f983-{:04x}-7{:03x}-b{:03x}-{:012x}",
            a & 0xffff,
            (a >> 16) & 0xfff,
            (a >> 32) & 0xfff,
            b & 0xffff_ffff_ffff
        )
    }
}
