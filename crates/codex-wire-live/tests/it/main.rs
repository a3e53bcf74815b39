//! What needs no program to stand between: the rest is tested where there is one, with `codex-wire-cli`.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod hooks;
mod recordings;
mod stand_in;
mod tap;
