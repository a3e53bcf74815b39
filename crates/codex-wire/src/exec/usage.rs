//! Token counts.

use crate::json::Extra;
use crate::{Maybe, Wire};

/// Tokens used by the thread, reported when a turn completes.
///
/// A running total over the whole thread: a resumed thread repeats its older tokens since the
/// release between 0.72.0 and 0.80.0, before it started again at zero. All zeros after a turn
/// for which the model reported nothing, and after a review.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens sent to the model, cached ones included.
    pub input_tokens: i64,
    /// Those of them that were read from the cache.
    pub cached_input_tokens: i64,
    /// Those of them that were written to the cache.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0")]
    pub cache_write_input_tokens: Maybe<i64>,
    /// Tokens the model wrote, reasoning included.
    pub output_tokens: i64,
    /// Those of them that were reasoning.
    ///
    /// Since 0.125.0.
    #[wire(since = "0.125.0")]
    pub reasoning_output_tokens: Maybe<i64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
