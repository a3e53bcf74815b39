//! Tests of the exports, over all recordings of real binaries.

mod golden;
mod hostile;
mod live;
mod recordings;
