//! Traces: a session as spans, in the conventions of whoever reads them.
//!
//! The spans of a session are the same in all conventions: one for each thread, below it one for each turn, below
//! that one for each response of the model and each call of a tool. A [`Vocabulary`] names them.

mod ids;
pub(crate) mod otlp;
mod times;
mod walk;

pub(crate) use walk::{Named, Usage, Vocabulary, traces};
