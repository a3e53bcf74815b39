//! Tests of the formats over outcomes built by hand.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod golden;
mod json;
mod samples;
mod text;
