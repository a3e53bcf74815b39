//! Tokens used, per response, turn and thread.

use crate::Wire;
use crate::json::Extra;
use crate::rollout::TokenUsage;

/// The tokens that one response of the model used, and the sums so far.
///
/// Since 0.153.0, after the items of the response and before its `token_count`. Upstream calls it
/// best effort: a response whose usage is not known has none.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TokenUsageRecord {
    /// The thread.
    pub thread_id: String,
    /// The turn.
    pub turn_id: String,
    /// The session: the id of the root thread.
    pub session_id: String,
    /// The turn of the root thread that this one belongs to.
    pub root_turn_id: String,
    /// The response, as the provider names it.
    pub response_id: String,
    /// Of this response.
    pub usage: TokenUsage,
    /// Of all responses of the turn so far.
    pub turn_token_usage: TokenUsage,
    /// Of all responses of the thread so far.
    pub thread_token_usage: TokenUsage,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
