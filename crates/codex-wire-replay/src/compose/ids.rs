//! Ids and times: like those of Codex, and the same in every run.

/// Makes ids, and counts time on.
#[derive(Clone, Debug)]
pub(crate) struct Ids {
    state: u64,
    ms: u64,
    calls: u32,
}

impl Ids {
    /// Ids from a seed, with a clock that stands at `ms` milliseconds after 1970.
    pub(crate) fn new(seed: u64, ms: u64) -> Self {
        Ids {
            state: seed,
            ms,
            calls: 0,
        }
    }

    /// The time in milliseconds.
    pub(crate) fn ms(&self) -> u64 {
        self.ms
    }

    /// The time in seconds.
    pub(crate) fn seconds(&self) -> u64 {
        self.ms / 1000
    }

    /// Time passes: a little with every message.
    pub(crate) fn tick(&mut self) {
        self.ms += 1;
    }

    /// An id of a thread or a turn: a UUID of version 7, which begins with the time.
    pub(crate) fn uuid(&mut self) -> String {
        let (high, low) = (self.random(), self.random());
        let time = self.ms & 0xffff_ffff_ffff;
        self.tick();
        format!(
            "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
            time >> 16,
            time & 0xffff,
            high & 0xfff,
            0x8000 | (high >> 16) & 0x3fff,
            low & 0xffff_ffff_ffff
        )
    }

    /// An id that the model gives: `call_…`, `msg_…`.
    pub(crate) fn model(&mut self, prefix: &str) -> String {
        self.calls += 1;
        let random = self.random();
        format!("{prefix}_{:04}{random:016x}", self.calls)
    }

    /// SplitMix64, so that a seed is all that ids depend on.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
