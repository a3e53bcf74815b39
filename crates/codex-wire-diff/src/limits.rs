//! Limits the cost of a comparison.
//!
//! A foreign document can be made arbitrarily expensive: a definition that doubles at every level
//! is short to write and endless to unfold. Work is counted, not timed, so that the same documents
//! give the same answer on any machine. A comparison that needs more than [`STEPS`] ends with an
//! error that says so. A proof that would need more is left out, and the verdict says why.

use std::cell::Cell;

/// Pairs of nodes, members, variants and values that are examined. The longest comparison of two
/// releases takes a fiftieth of it.
pub(crate) const STEPS: u64 = 20_000_000;

/// Changes that are listed; further ones are counted.
pub(crate) const LISTED: usize = 10_000;

/// Changes that are kept before those found in several parts are put together.
pub(crate) const FOUND: usize = 100_000;

/// Messages named beside changes, all together.
pub(crate) const MENTIONS: usize = 1_000_000;

/// Steps of all proofs, and of one: values made, and nodes of the description a validator meets.
pub(crate) const PROOFS: u64 = 20_000_000;
pub(crate) const PROOF: u64 = 2_000_000;

/// Values a message may hold that shows a change, and how deep they may nest. Codex itself reads
/// no deeper than 128 levels.
pub(crate) const VALUES: u64 = 20_000;
pub(crate) const DEEP: usize = 100;

/// The longest name in a report, in bytes.
pub(crate) const NAME: usize = 200;

/// What is left of a comparison's means.
#[derive(Debug)]
pub(crate) struct Budget {
    steps: Cell<u64>,
    found: Cell<usize>,
    proofs: Cell<u64>,
    proof: Cell<u64>,
    beyond: Cell<u64>,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Budget {
            steps: Cell::new(STEPS),
            found: Cell::new(FOUND),
            proofs: Cell::new(PROOFS),
            proof: Cell::new(PROOF),
            beyond: Cell::new(0),
        }
    }

    /// Spends steps of the comparison; `false` when there are none left.
    pub(crate) fn step(&self, count: usize) -> bool {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let left = self.steps.get().saturating_sub(count);
        self.steps.set(left);
        left > 0
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }

    /// How many steps the comparison has taken.
    pub(crate) fn taken(&self) -> u64 {
        STEPS - self.steps.get() + (PROOFS - self.proofs.get())
    }

    /// Whether another change is kept. What is not is counted.
    pub(crate) fn keeps(&self) -> bool {
        match self.found.get().checked_sub(1) {
            Some(left) => {
                self.found.set(left);
                true
            }
            None => {
                self.beyond.set(self.beyond.get() + 1);
                false
            }
        }
    }

    /// How many changes were found and not kept.
    pub(crate) fn beyond(&self) -> u64 {
        self.beyond.get()
    }

    /// Begins another proof.
    pub(crate) fn prove(&self) {
        self.proof.set(PROOF);
    }

    /// Spends steps of a proof; `false` when there are none left.
    pub(crate) fn proves(&self, count: u64) -> bool {
        let (one, all) = (
            self.proof.get().saturating_sub(count),
            self.proofs.get().saturating_sub(count),
        );
        self.proof.set(one);
        self.proofs.set(all);
        one > 0 && all > 0
    }

    /// Gives a proof up that would take too many steps.
    pub(crate) fn gives_up(&self) {
        self.proof.set(0);
    }

    /// Spends steps of all proofs, for what serves several; `false` when there are not as many
    /// left.
    pub(crate) fn proves_at_all(&self, count: u64) -> bool {
        let left = self.proofs.get();
        self.proofs.set(left.saturating_sub(count));
        left > count
    }

    /// Why a proof was given up, if it was.
    pub(crate) fn gave_up(&self) -> Option<String> {
        if self.proofs.get() == 0 {
            Some(format!(
                "not tried: the proofs of a comparison may take {PROOFS} steps"
            ))
        } else if self.proof.get() == 0 {
            Some(format!(
                "not shown: a proof may take {PROOF} steps, and its message hold {VALUES} values"
            ))
        } else {
            None
        }
    }
}

/// A name as it is shown: a long one is cut, and a number distinguishes it from others.
pub(crate) fn shown(name: &str) -> std::borrow::Cow<'_, str> {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    if name.len() <= NAME {
        return name.into();
    }
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let end = (0..=NAME / 2).rev().find(|end| name.is_char_boundary(*end));
    let start = &name[..end.unwrap_or(0)];
    format!("{start}… ({} bytes, {:016x})", name.len(), hasher.finish()).into()
}
