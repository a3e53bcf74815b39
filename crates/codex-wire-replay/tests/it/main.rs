//! Plays the recordings and the example scripts of this repository, and decides differently from the
//! recorded clients.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod branches;
mod client;
mod faults;
mod fixtures;
mod misses;
mod names;
mod pages;
mod script;
