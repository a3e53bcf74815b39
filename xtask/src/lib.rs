//! Implements the chores of this repository, as functions that the program and tests call.
//!
//! It must not know anything that other crates need: no crate may depend on it.

#![forbid(unsafe_code)]

pub mod accounting;
pub mod app_server;
pub mod arguments;
pub mod behaviour;
pub mod coverage;
pub mod databases;
pub mod documents;
pub mod fixtures;
pub mod generate;
pub mod hooks;
pub mod instructions;
mod offline;
pub mod pack;
pub mod probe;
pub mod record;
pub mod refold;
pub mod regressions;
mod repository;
pub mod rollouts;
pub mod schemas;
pub mod verdicts;

pub use repository::repository;
