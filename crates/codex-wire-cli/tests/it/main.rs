//! The program as a user meets it: arguments in; text, exit code and nothing else out.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod baseline;
mod bases;
mod calls;
mod check;
mod config;
mod convert;
mod diff;
mod double;
mod example;
mod exports;
mod find;
mod forms;
#[cfg(feature = "sqlite")]
mod home;
mod hooks;
mod hooks_test;
// Names that are not text, pipes with names and `/proc` are there on some systems only.
mod archives;
#[cfg(target_os = "linux")]
mod hostile;
mod inputs;
mod listen;
mod manual;
#[cfg(target_os = "linux")]
mod memory;
mod named_releases;
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
mod session_files;
mod settings;
mod show;
mod support;
// A script in the place of a program.
#[cfg(unix)]
mod table;
// Ended by a signal.
#[cfg(unix)]
mod tap_sockets;
mod tour;
mod upgrade;
mod with_rollout;
