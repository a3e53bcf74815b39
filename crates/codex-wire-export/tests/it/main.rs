//! Tests of the exports, over all recordings of real binaries.

mod files;
mod golden;
mod hostile;
mod recordings;
