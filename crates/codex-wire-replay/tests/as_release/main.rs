//! Recordings of one release, played as another one: what is written is what that release writes.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]
#![allow(clippy::print_stdout, reason = "counts what was played")]

#[path = "../it/client.rs"]
#[allow(dead_code, reason = "the tests of misses use more of it")]
mod client;
mod pairs;
mod recorded;
mod support;
