//! Types for lines of session files as counters of tokens and viewers write them.

use serde::Deserialize;
use serde_json::Value;

/// A line.
#[derive(Debug, Deserialize)]
pub struct Line {
    /// When it was written.
    pub timestamp: String,
    /// What it records.
    #[serde(rename = "type")]
    pub kind: String,
    /// What is recorded.
    pub payload: Value,
}
