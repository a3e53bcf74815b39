//! The program as a user meets it: arguments in; text, exit code and nothing else out.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod baseline;
mod check;
mod diff;
mod inputs;
mod pipes;
mod readme;
mod reports;
mod rules;
mod settings;
mod show;
mod support;
mod tour;
