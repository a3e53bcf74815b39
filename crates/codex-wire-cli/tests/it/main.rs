//! The program as a user meets it: arguments in; text, exit code and nothing else out.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod baseline;
mod check;
// Runs clients in Python.
#[cfg(unix)]
mod conformance;
mod diff;
// Names that are no text, pipes with names and `/proc` are there on some systems only.
#[cfg(target_os = "linux")]
mod hostile;
mod inputs;
mod listen;
mod picture;
mod pipes;
mod readme;
mod replay;
mod replay_faults;
#[cfg(target_os = "linux")]
mod replay_limits;
mod replay_script;
mod reports;
mod rules;
mod scrub;
mod settings;
mod show;
mod support;
mod tour;
