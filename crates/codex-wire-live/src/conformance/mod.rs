//! Runs a client against a stand-in that misbehaves, and says what breaks it.
//!
//! No expectations have to be written: what the client shows with a fault is compared with what it shows without
//! one. A [`Trial`] runs it in a [`Scenario`], and a [`Baseline`] marks what is expected.

mod baseline;
mod findings;
mod matrix;
mod processes;
mod run;
mod scenarios;
mod sent;
mod shown;
mod stage;
mod tried;

pub use baseline::{Baseline, BaselineError, Stale};
pub(crate) use findings::RULES;
pub use matrix::{Cell, Matrix};
pub(crate) use processes::end_group;
pub use run::Trial;
pub use scenarios::{Scenario, Wanted};
pub use shown::Shown;
pub use tried::{Outcome, Tried};
