//! Builds a thread, whatever it is read from.
//!
//! [`thread`] keeps the turns and finds items again by their ids. [`counter`] tells which counts of tokens are
//! new. [`script`] takes the call of a shell off a command.

pub(crate) mod counter;
pub(crate) mod script;
pub(crate) mod thread;
