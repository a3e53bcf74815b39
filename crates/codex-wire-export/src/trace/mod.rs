//! Traces: a session as spans, in the conventions of whoever reads them.
//!
//! The spans of a session are the same in all conventions: one for each thread, below it one for each turn, below
//! that one for each response of the model and each call of a tool. A [`Vocabulary`] names them.

pub(crate) mod ids;
pub(crate) mod otlp;
mod summary;
pub(crate) mod times;
pub(crate) mod walk;

pub(crate) use summary::{Summary, is_cumulative};
pub(crate) use walk::{Named, Usage, Vocabulary, traces};
