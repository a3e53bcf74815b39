//! Token counts that add up.

use std::ops::{Add, AddAssign};

use crate::rollout::{TokenUsage, TokenUsageInfo};

/// Numbers of tokens.
///
/// Cached tokens are a part of the input, reasoning a part of the output: adding them again counts
/// them twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// Sent to the model, cached ones included.
    pub input: u64,
    /// Those of them that were read from the cache.
    pub cached_input: u64,
    /// Those of them that were written to the cache; counted since 0.145.0.
    pub cache_write_input: u64,
    /// Written by the model, reasoning included.
    pub output: u64,
    /// Those of them that were reasoning.
    pub reasoning_output: u64,
    /// All of them, as the provider counts.
    pub total: u64,
}

impl Tokens {
    /// Whether there are none.
    pub fn is_zero(&self) -> bool {
        *self == Tokens::default()
    }

    /// What is here beyond `other`; nothing if `other` has more of anything.
    fn checked_sub(self, other: Tokens) -> Option<Tokens> {
        Some(Tokens {
            input: self.input.checked_sub(other.input)?,
            cached_input: self.cached_input.checked_sub(other.cached_input)?,
            cache_write_input: self
                .cache_write_input
                .saturating_sub(other.cache_write_input),
            output: self.output.checked_sub(other.output)?,
            reasoning_output: self.reasoning_output.checked_sub(other.reasoning_output)?,
            total: self.total.checked_sub(other.total)?,
        })
    }

    /// Whether this counts the tokens of a request, and is no estimate of a history's size: an
    /// estimate has a total and nothing else.
    fn is_counted(&self) -> bool {
        self.input > 0 || self.output > 0 || self.total == 0
    }
}

impl From<&TokenUsage> for Tokens {
    fn from(usage: &TokenUsage) -> Self {
        Tokens {
            input: usage.input_tokens,
            cached_input: usage.cached_input_tokens,
            cache_write_input: usage.cache_write_input_tokens.value().copied().unwrap_or(0),
            output: usage.output_tokens,
            reasoning_output: usage.reasoning_output_tokens,
            total: usage.total_tokens,
        }
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

/// Tells which of the counts in a file are new.
///
/// - A count that repeats the total of before is no new one.
/// - The total may have grown by more than the last request: requests such as those of a compaction
///   were not reported by themselves up to 0.34.0.
/// - After a resume up to 0.77.0 the total starts at zero.
/// - Where a `token_usage_record` came before, the `token_count` of the same response is covered.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenCounter {
    /// The total of the last count.
    total: Option<Tokens>,
    /// The last event had no counts: a process that has not asked the model yet.
    is_unknown: bool,
    /// What records said since the last count.
    recorded: Tokens,
    /// The file goes on where another one ends, whose total is not known.
    goes_on: bool,
}

impl TokenCounter {
    /// Begins with the total of another file.
    pub(super) fn continue_from(&mut self, total: Option<Tokens>) {
        self.total = total;
        self.goes_on = total.is_none();
    }

    /// The tokens of a response that has a record.
    pub(super) fn record(&mut self, usage: Tokens) -> Tokens {
        self.recorded += usage;
        usage
    }

    /// An event without counts.
    pub(super) fn unknown(&mut self) {
        self.is_unknown = true;
    }

    /// The tokens that are new in an event. `may_restart` says that the release is one of those
    /// whose total starts at zero when a thread is resumed, `repeats` that it writes each total
    /// again, `is_first_answer` that the model has answered since the file began.
    pub(super) fn count(
        &mut self,
        info: &TokenUsageInfo,
        may_restart: bool,
        repeats: bool,
        has_answered: bool,
    ) -> Option<Tokens> {
        let total = Tokens::from(&info.total_token_usage);
        let last = Tokens::from(&info.last_token_usage);
        let was_unknown = std::mem::take(&mut self.is_unknown);
        let before = self.total.replace(total);
        let recorded = std::mem::take(&mut self.recorded);
        if !recorded.is_zero() && before == Some(total) {
            // The total of before once more, before that of the record.
            self.recorded = recorded;
            return None;
        }
        if !recorded.is_zero() {
            self.goes_on = false;
            return None;
        }
        let new = match before {
            None if self.goes_on && !has_answered => None,
            None if self.goes_on => Some(last),
            None => Some(total),
            Some(before) if before == total => {
                let is_restart = may_restart && total == last && (was_unknown || !repeats);
                is_restart.then_some(last)
            }
            Some(before) => match total.checked_sub(before) {
                Some(more) if more == last => Some(last),
                Some(_) if may_restart && total == last => Some(last),
                Some(more) => Some(more),
                None => Some(total),
            },
        };
        if new.is_some() {
            self.goes_on = false;
        }
        new.filter(|new| new.is_counted() && !new.is_zero())
    }
}
