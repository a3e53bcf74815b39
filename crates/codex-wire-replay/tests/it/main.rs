//! Plays the recordings of this repository, and decides differently from them.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod branches;
mod client;
mod fixtures;
mod misses;
mod names;
