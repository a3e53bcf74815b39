//! Injected faults: what a stand-in does wrong, or differently, on purpose.
//!
//! A fault has a stable id, such as `fault/turn-fails`, and a page in `docs/faults`. [`FAULTS`] lists
//! them. [`Faults`] are those of one session. Faults of messages are made here: [`Faulty`] puts them
//! into any [`Conversation`](crate::Conversation), and [`Faults::of_run`] into a run of `codex exec`.
//! Faults of bytes, time and processes are made by the program that writes.

mod catalog;
mod edit;
mod fault;
mod faulty;
mod fit;
mod future;
mod injection;
mod random;
mod run;
mod sample;
mod texts;
mod turns;

pub use catalog::{FAULTS, find};
pub use fault::{Expectation, Fault, FaultKind, Place};
pub use faulty::Faulty;
pub use injection::{FaultLog, Faults, Injection};
pub use random::Random;
pub use run::RunFaults;
