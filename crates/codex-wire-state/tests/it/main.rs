//! Tests of reading databases: nothing is written, whatever lies beside them, and hostile ones are bounded.

#![allow(clippy::unwrap_used)]

mod access;
mod hostile;
mod support;
