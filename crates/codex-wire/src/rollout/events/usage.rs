//! Token counts and rate limits.
//!
//! How often and with what [`TokenCountEvent`] is written changed, more than its members did:
//!
//! | releases | written |
//! |---|---|
//! | 0.34.0 | after each response |
//! | 0.42.0–0.130.0 | twice for each response: the first repeats the totals of before (`info` is `null` before the first response of a process), the second has the new ones |
//! | from 0.132.0 | once for each response; again with the same totals where a turn ends without one, or settings change |
//!
//! The total starts at zero again when a thread is resumed up to 0.77.0, and goes on from 0.80.0.
//! If the history does not fit the model, upstream writes the whole context window as `total_tokens`
//! and zero for all other counts. Summing `last_token_usage` of every event therefore counts twice;
//! the crate `codex-wire-session` does it right.

use crate::json::{Extra, Number};
use crate::{Maybe, Wire};

/// Tokens used so far. Written after each response in 0.34.0, twice for each response from 0.42.0 to
/// 0.130.0 (the first repeats the totals of before), and once from 0.132.0; again with the same totals
/// where a turn ends without a response, or settings change.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TokenCountEvent {
    /// The counts; `null` until the model has reported any in this process.
    #[wire(nullable)]
    pub info: Maybe<Box<TokenUsageInfo>>,
    /// How much of the limits of the account is used up. Recorded without a login: an object whose
    /// windows are `null`.
    ///
    /// Since 0.40.0.
    #[wire(since = "0.40.0", nullable)]
    pub rate_limits: Maybe<Box<RateLimitSnapshot>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Token counts of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TokenUsageInfo {
    /// Of all requests of the thread; up to 0.77.0 of this process.
    pub total_token_usage: TokenUsage,
    /// Of the last request.
    pub last_token_usage: TokenUsage,
    /// Whether the last request carries reasoning of before. Recorded from 0.166.0, and not in
    /// 0.162.0.
    ///
    /// Since 0.163.0. May be left out until 0.165.0.
    #[wire(since = "0.163.0", optional(until = "0.165.0"))]
    pub last_usage_includes_reasoning: Maybe<bool>,
    /// How many tokens the model takes; `null` if Codex does not know the model.
    #[wire(nullable)]
    pub model_context_window: Maybe<u64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Token counts. As [`TokenUsage`](crate::core_protocol::TokenUsage) of `codex proto`, with the tokens written
/// to the cache since 0.145.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TokenUsage {
    /// Tokens sent to the model, cached ones included.
    pub input_tokens: u64,
    /// Those of them that were read from the cache.
    pub cached_input_tokens: u64,
    /// Those of them that were written to the cache.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0")]
    pub cache_write_input_tokens: Maybe<u64>,
    /// Tokens the model wrote, reasoning included.
    pub output_tokens: u64,
    /// Those of them that were reasoning.
    pub reasoning_output_tokens: u64,
    /// All of them, as the provider counts.
    pub total_tokens: u64,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How much of the limits of the account is used up. Recorded without a login only: the windows and
/// everything else but `limit_id` are `null` there. The dates of members are those of the official
/// schemas of the app-server and of recordings.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RateLimitSnapshot {
    /// Which limit; `codex` for the general one.
    ///
    /// Since 0.100.0.
    #[wire(since = "0.100.0", nullable)]
    pub limit_id: Maybe<String>,
    /// Its name for people.
    ///
    /// Since 0.100.0.
    #[wire(since = "0.100.0", nullable)]
    pub limit_name: Maybe<String>,
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
    /// The credits of the account.
    ///
    /// Since 0.60.1.
    #[wire(since = "0.60.1", nullable)]
    pub credits: Maybe<CreditsSnapshot>,
    /// What this member of a workspace may spend.
    ///
    /// Since 0.137.0.
    #[wire(since = "0.137.0", nullable)]
    pub individual_limit: Maybe<SpendControlLimitSnapshot>,
    /// Whether that is used up.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0", nullable)]
    pub spend_control_reached: Maybe<bool>,
    /// The model that is meant to be used. Not recorded: from the app-server's type.
    ///
    /// Since 0.154.0.
    #[wire(since = "0.154.0", optional)]
    pub normal_model_slug: Maybe<String>,
    /// The plan of the account.
    ///
    /// Since 0.66.0.
    #[wire(since = "0.66.0", nullable)]
    pub plan_type: Maybe<PlanType>,
    /// Which limit is reached.
    ///
    /// Since 0.122.0.
    #[wire(since = "0.122.0", nullable)]
    pub rate_limit_reached_type: Maybe<RateLimitReachedType>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How much of one limit is used up. Never recorded with content; from `codex proto` up to 0.42.0
/// and the official schemas of the app-server from 0.58.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RateLimitWindow {
    /// How much of it, in percent.
    pub used_percent: Number,
    /// Over how many minutes it counts.
    #[wire(nullable)]
    pub window_minutes: Maybe<u64>,
    /// In how many seconds it starts afresh. Replaced by [`resets_at`](Self::resets_at) in a
    /// release that was not recorded.
    ///
    /// Until 0.57.0.
    #[wire(until = "0.57.0", optional, nullable)]
    pub resets_in_seconds: Maybe<u64>,
    /// When it starts afresh, in seconds since 1970. The schema of 0.58.0 has it.
    ///
    /// Since 0.43.0. May be left out until 0.57.0.
    #[wire(since = "0.43.0", optional(until = "0.57.0"), nullable)]
    pub resets_at: Maybe<i64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The credits of an account.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CreditsSnapshot {
    /// Whether there are any.
    pub has_credits: bool,
    /// Whether there is no end of them.
    pub unlimited: bool,
    /// How many, as text.
    #[wire(nullable)]
    pub balance: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a member of a workspace may spend.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SpendControlLimitSnapshot {
    /// All of it, as text.
    pub limit: String,
    /// What is spent, as text.
    pub used: String,
    /// What is left, in percent.
    pub remaining_percent: i32,
    /// When it starts afresh, in seconds since 1970.
    pub resets_at: i64,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The plan of an account. Never recorded: the values are those of the official schemas of the
/// app-server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum PlanType {
    /// `free`
    Free,
    /// `go`
    ///
    /// Since 0.93.0.
    #[wire(since = "0.93.0")]
    Go,
    /// `plus`
    Plus,
    /// `pro`
    Pro,
    /// `prolite`
    ///
    /// Since 0.121.0.
    #[wire(since = "0.121.0")]
    Prolite,
    /// `promax`
    ///
    /// Since 0.158.0.
    #[wire(since = "0.158.0")]
    Promax,
    /// `sci`
    ///
    /// Since 0.164.0.
    #[wire(since = "0.164.0")]
    Sci,
    /// `sci_plus`
    ///
    /// Since 0.164.0.
    #[wire(since = "0.164.0")]
    SciPlus,
    /// `team`
    Team,
    /// `self_serve_business_prolite`
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0")]
    SelfServeBusinessProlite,
    /// `self_serve_business_usage_based`
    ///
    /// Since 0.118.0.
    #[wire(since = "0.118.0")]
    SelfServeBusinessUsageBased,
    /// `business`
    Business,
    /// `ent26`
    ///
    /// Since 0.146.0.
    #[wire(rename = "ent26", since = "0.146.0")]
    Ent26,
    /// `enterprise_cbp_automation`
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0")]
    EnterpriseCbpAutomation,
    /// `enterprise_cbp_usage_based`
    ///
    /// Since 0.118.0.
    #[wire(since = "0.118.0")]
    EnterpriseCbpUsageBased,
    /// `enterprise`
    Enterprise,
    /// `edu`
    Edu,
    /// `edu_plus`
    ///
    /// Since 0.149.0.
    #[wire(since = "0.149.0")]
    EduPlus,
    /// `edu_pro`
    ///
    /// Since 0.149.0.
    #[wire(since = "0.149.0")]
    EduPro,
    /// `unknown`: Codex cannot tell.
    #[wire(rename = "unknown")]
    Unidentified,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// Which limit is reached. Never recorded: the values are those of the official schemas of the
/// app-server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum RateLimitReachedType {
    /// The limit of the plan.
    RateLimitReached,
    /// The credits of a workspace, seen by its owner.
    WorkspaceOwnerCreditsDepleted,
    /// The credits of a workspace, seen by a member.
    WorkspaceMemberCreditsDepleted,
    /// What a workspace may use, seen by its owner.
    WorkspaceOwnerUsageLimitReached,
    /// What a member of a workspace may use.
    WorkspaceMemberUsageLimitReached,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
