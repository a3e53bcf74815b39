//! Reads counts of tokens, in the spellings of the protocols.

use serde_json::Value;

use crate::members::Members;
use crate::model::Tokens;

/// `input_tokens`, …: core, session files and `codex exec`, which has no total.
pub(crate) fn snake(usage: &Value) -> Tokens {
    let count = |key| count(usage, key);
    let (input, output) = (count("input_tokens"), count("output_tokens"));
    Tokens {
        input,
        cached_input: count("cached_input_tokens"),
        cache_write_input: count("cache_write_input_tokens"),
        output,
        reasoning_output: count("reasoning_output_tokens"),
        total: match usage.get("total_tokens") {
            Some(_) => count("total_tokens"),
            None => input.saturating_add(output),
        },
    }
}

/// `inputTokens`, …: the app-server.
pub(crate) fn camel(usage: &Value) -> Tokens {
    let count = |key| count(usage, key);
    Tokens {
        input: count("inputTokens"),
        cached_input: count("cachedInputTokens"),
        cache_write_input: count("cacheWriteInputTokens"),
        output: count("outputTokens"),
        reasoning_output: count("reasoningOutputTokens"),
        total: count("totalTokens"),
    }
}

/// A count. One below zero, which Codex can write but never has, counts as none.
fn count(usage: &Value, key: &str) -> u64 {
    usage.count(key).unwrap_or(0)
}
