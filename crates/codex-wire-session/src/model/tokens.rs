//! Numbers of tokens.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Numbers of tokens.
///
/// Cached tokens are a part of the input, and reasoning is a part of the output: whoever adds them counts
/// them twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Tokens {
    /// Sent to the model, cached ones included.
    pub input: u64,
    /// Those of the input that were read from the cache.
    pub cached_input: u64,
    /// Those of the input that were written to the cache. Counted since 0.145.0.
    pub cache_write_input: u64,
    /// Written by the model, reasoning included.
    pub output: u64,
    /// Those of the output that were reasoning. `codex exec` counts them since 0.125.0.
    pub reasoning_output: u64,
    /// All of them, as the provider counts.
    pub total: u64,
}

impl Tokens {
    /// So many tokens of the input and of the output, and no others.
    pub fn new(input: u64, output: u64) -> Self {
        Tokens {
            input,
            output,
            total: input.saturating_add(output),
            ..Self::default()
        }
    }

    /// So many of the input were read from the cache.
    #[must_use]
    pub fn cached_input(mut self, tokens: u64) -> Self {
        self.cached_input = tokens;
        self
    }

    /// So many of the output were reasoning.
    #[must_use]
    pub fn reasoning_output(mut self, tokens: u64) -> Self {
        self.reasoning_output = tokens;
        self
    }

    /// Whether there are none.
    pub fn is_zero(&self) -> bool {
        *self == Tokens::default()
    }

    /// What is here beyond `other`. `None` if `other` has more of anything.
    pub fn checked_sub(self, other: Tokens) -> Option<Tokens> {
        Some(Tokens {
            input: self.input.checked_sub(other.input)?,
            cached_input: self.cached_input.checked_sub(other.cached_input)?,
            // A thread that is older than the count has zero before it.
            cache_write_input: self
                .cache_write_input
                .saturating_sub(other.cache_write_input),
            output: self.output.checked_sub(other.output)?,
            reasoning_output: self.reasoning_output.checked_sub(other.reasoning_output)?,
            total: self.total.checked_sub(other.total)?,
        })
    }

    /// Whether this counts the tokens of requests. An estimate of a history's size, which Codex writes in
    /// the same form after a compaction, has a total and nothing else.
    pub(crate) fn is_counted(&self) -> bool {
        self.input > 0 || self.output > 0 || self.total == 0
    }
}

impl Add for Tokens {
    type Output = Tokens;

    fn add(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input.saturating_add(other.input),
            cached_input: self.cached_input.saturating_add(other.cached_input),
            cache_write_input: self
                .cache_write_input
                .saturating_add(other.cache_write_input),
            output: self.output.saturating_add(other.output),
            reasoning_output: self.reasoning_output.saturating_add(other.reasoning_output),
            total: self.total.saturating_add(other.total),
        }
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(counts: I) -> Tokens {
        counts.fold(Tokens::default(), Add::add)
    }
}
