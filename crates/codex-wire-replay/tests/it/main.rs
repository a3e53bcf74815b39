//! Plays the recordings of this repository.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]
