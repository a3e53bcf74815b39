//! Token counts and rate limits.

use std::fmt;

use crate::json::{Extra, Number};
use crate::{Maybe, Wire};

/// Tokens used.
///
/// Up to 0.30.0 the counts of the last request stand here directly; from 0.31.0 they stand in
/// `info`, for the whole session and for the last request.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TokenCountEvent {
    /// The counts; `null` until the model has reported any.
    ///
    /// Since 0.31.0.
    #[wire(since = "0.31.0", nullable)]
    pub info: Maybe<Box<TokenUsageInfo>>,
    /// How much of the user's limits is used up; `null` where the provider does not say.
    ///
    /// Since 0.40.0.
    #[wire(since = "0.40.0", nullable)]
    pub rate_limits: Maybe<Box<RateLimitSnapshot>>,
    /// Tokens sent to the model, cached ones included.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0")]
    pub input_tokens: Maybe<u64>,
    /// Those of them that were read from the cache.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0", nullable)]
    pub cached_input_tokens: Maybe<u64>,
    /// Tokens the model wrote, reasoning included.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0")]
    pub output_tokens: Maybe<u64>,
    /// Those of them that were reasoning.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0", nullable)]
    pub reasoning_output_tokens: Maybe<u64>,
    /// All of them.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0")]
    pub total_tokens: Maybe<u64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl TokenCountEvent {
    /// The tokens of the last request, wherever the release writes them.
    pub fn last(&self) -> Option<TokenUsage> {
        match &self.info {
            Maybe::Value(info) => Some(info.last_token_usage.clone()),
            Maybe::Null => None,
            Maybe::Absent => self.flat(),
        }
    }

    /// The tokens of the whole session, wherever the release writes them; up to 0.30.0 only the last
    /// request is known.
    pub fn total(&self) -> Option<TokenUsage> {
        self.info.value().map(|info| info.total_token_usage.clone())
    }

    /// The counts of the early form.
    fn flat(&self) -> Option<TokenUsage> {
        let count = |member: &Maybe<u64>| member.value().copied();
        Some(TokenUsage::new(
            count(&self.input_tokens)?,
            count(&self.cached_input_tokens).unwrap_or(0),
            count(&self.output_tokens)?,
            count(&self.reasoning_output_tokens).unwrap_or(0),
            count(&self.total_tokens)?,
        ))
    }
}

/// Token counts of a session.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TokenUsageInfo {
    /// Of all requests of the session.
    pub total_token_usage: TokenUsage,
    /// Of the last request.
    pub last_token_usage: TokenUsage,
    /// How many tokens the model takes; `null` if Codex does not know the model.
    #[wire(nullable)]
    pub model_context_window: Maybe<u64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Token counts.
///
/// ```
/// use codex_wire::core_protocol::{FinalOutput, TokenUsage};
///
/// let usage = TokenUsage::new(1200u64, 1000u64, 300u64, 50u64, 1500u64);
/// assert_eq!(usage.blended_total(), 500);
/// assert_eq!(
///     FinalOutput::from(usage).to_string(),
///     "Token usage: total=500 input=200 (+ 1000 cached) output=300 (reasoning 50)",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TokenUsage {
    /// Tokens sent to the model, cached ones included.
    pub input_tokens: u64,
    /// Those of them that were read from the cache.
    pub cached_input_tokens: u64,
    /// Tokens the model wrote, reasoning included.
    pub output_tokens: u64,
    /// Those of them that were reasoning.
    pub reasoning_output_tokens: u64,
    /// All of them.
    pub total_tokens: u64,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl TokenUsage {
    /// Whether nothing was used.
    pub fn is_zero(&self) -> bool {
        self.total_tokens == 0
    }

    /// Tokens that were read from the cache.
    pub fn cached_input(&self) -> u64 {
        self.cached_input_tokens
    }

    /// Tokens sent to the model that were not in the cache.
    pub fn non_cached_input(&self) -> u64 {
        self.input_tokens.saturating_sub(self.cached_input_tokens)
    }

    /// The one figure to show: what was sent afresh and what was written.
    pub fn blended_total(&self) -> u64 {
        self.non_cached_input().saturating_add(self.output_tokens)
    }

    /// About how many tokens the conversation fills of the model's window. Reasoning is not
    /// counted, for it is dropped when the turn is over; within a turn the figure is low.
    pub fn tokens_in_context_window(&self) -> u64 {
        self.total_tokens
            .saturating_sub(self.reasoning_output_tokens)
    }

    /// About how much is left of the model's window, in percent, rounded down.
    ///
    /// `baseline` is what the window holds before the user has said anything, such as the
    /// instructions. It is not counted on either side, so that a session begins at 100.
    pub fn percent_of_context_window_remaining(&self, context_window: u64, baseline: u64) -> u8 {
        let Some(window) = context_window
            .checked_sub(baseline)
            .filter(|window| *window > 0)
        else {
            return 0;
        };
        let used = self.tokens_in_context_window().saturating_sub(baseline);
        let left = window.saturating_sub(used);
        u8::try_from(u128::from(left) * 100 / u128::from(window)).unwrap_or(100)
    }
}

/// Token counts as the line Codex prints at the end of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FinalOutput {
    /// The counts.
    pub token_usage: TokenUsage,
}

impl From<TokenUsage> for FinalOutput {
    fn from(token_usage: TokenUsage) -> Self {
        FinalOutput { token_usage }
    }
}

impl fmt::Display for FinalOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usage = &self.token_usage;
        let (total, input) = (usage.blended_total(), usage.non_cached_input());
        write!(f, "Token usage: total={total} input={input}")?;
        if usage.cached_input_tokens > 0 {
            write!(f, " (+ {} cached)", usage.cached_input_tokens)?;
        }
        write!(f, " output={}", usage.output_tokens)?;
        if usage.reasoning_output_tokens > 0 {
            write!(f, " (reasoning {})", usage.reasoning_output_tokens)?;
        }
        Ok(())
    }
}

/// How much of the user's limits is used up.
///
/// 0.40.0 wrote the figures side by side; from 0.41.0 each limit is an object of its own.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RateLimitSnapshot {
    /// The limit over a few hours.
    ///
    /// Since 0.41.0.
    #[wire(since = "0.41.0", nullable)]
    pub primary: Maybe<RateLimitWindow>,
    /// The limit over a few days.
    ///
    /// Since 0.41.0.
    #[wire(since = "0.41.0", nullable)]
    pub secondary: Maybe<RateLimitWindow>,
    /// How much of the first limit is used up, in percent.
    ///
    /// Until 0.40.0.
    #[wire(until = "0.40.0")]
    pub primary_used_percent: Maybe<Number>,
    /// How much of the second limit is used up, in percent.
    ///
    /// Until 0.40.0.
    #[wire(until = "0.40.0")]
    pub secondary_used_percent: Maybe<Number>,
    /// How large the first limit is against the second, in percent.
    ///
    /// Until 0.40.0.
    #[wire(until = "0.40.0")]
    pub primary_to_secondary_ratio_percent: Maybe<Number>,
    /// Over how many minutes the first limit counts.
    ///
    /// Until 0.40.0.
    #[wire(until = "0.40.0")]
    pub primary_window_minutes: Maybe<u64>,
    /// Over how many minutes the second limit counts.
    ///
    /// Until 0.40.0.
    #[wire(until = "0.40.0")]
    pub secondary_window_minutes: Maybe<u64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl RateLimitSnapshot {
    /// The limit over a few hours, however the release writes it.
    pub fn first(&self) -> Option<RateLimitWindow> {
        let early = || window(&self.primary_used_percent, &self.primary_window_minutes);
        self.primary.value().cloned().or_else(early)
    }

    /// The limit over a few days, however the release writes it.
    pub fn second(&self) -> Option<RateLimitWindow> {
        let early = || window(&self.secondary_used_percent, &self.secondary_window_minutes);
        self.secondary.value().cloned().or_else(early)
    }
}

fn window(used: &Maybe<Number>, minutes: &Maybe<u64>) -> Option<RateLimitWindow> {
    let mut window = RateLimitWindow::new(used.value()?.clone());
    window.window_minutes = *minutes;
    Some(window)
}

/// How much of one limit is used up.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RateLimitWindow {
    /// How much of it, in percent.
    pub used_percent: Number,
    /// Over how many minutes it counts.
    #[wire(nullable)]
    pub window_minutes: Maybe<u64>,
    /// In how many seconds it starts afresh.
    #[wire(nullable)]
    pub resets_in_seconds: Maybe<u64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
