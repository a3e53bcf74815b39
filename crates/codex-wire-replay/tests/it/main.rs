//! Plays the recordings and the example scripts of this repository, and decides differently from the
//! recorded clients.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]
#![allow(clippy::print_stdout, reason = "counts what was played")]

mod arguments;
mod as_release;
mod branches;
mod client;
mod faults;
mod fixtures;
mod misses;
mod names;
mod pages;
mod parts;
mod script;
mod type_files;
