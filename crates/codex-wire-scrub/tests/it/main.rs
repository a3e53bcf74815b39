//! Tests of scrubbing, over all fixtures and over made values.

mod escapes;
mod findings;
mod hostile;
mod numbers;
mod secrets;
mod support;
mod survivors;
mod values;
