//! Injected faults: what a stand-in does wrong, or differently, on purpose.
//!
//! A fault has a stable id, such as `fault/turn-fails`, and a page in `docs/faults`. [`FAULTS`] lists
//! them; all that a fault says and does stands in its file in `catalog`. [`Faults`] are those of one session.
//! [`Faulty`] puts what they do to messages into any [`Conversation`](crate::Conversation), and [`Faults::of_run`]
//! into a run of `codex exec`. [`Writing`] says what they do to lines, bytes and processes; whoever writes does it.

mod catalog;
mod each_line;
mod edit;
mod effect;
mod fault;
mod faulty;
mod fit;
mod future;
mod injection;
mod into_turns;
mod log;
mod random;
mod response;
mod run;
mod sample;
mod talk;
mod turns;
mod writing;

pub use catalog::{FAULTS, find};
pub use effect::{Act, Parts};
pub use fault::{Expectation, Failure, Fault, Layer, Place, Trial};
pub use faulty::Faulty;
pub use injection::{Faults, Injection};
pub use log::FaultLog;
pub use run::RunFaults;
pub use writing::Writing;
