//! The chores, on the repository itself and on small ones made for a test.

#![allow(clippy::unwrap_used, reason = "what supports tests fails by panicking")]

mod coverage;
mod fixtures;
mod transcripts;
