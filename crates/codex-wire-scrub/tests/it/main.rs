//! Tests of scrubbing, over all fixtures and over made values.

mod findings;
mod support;
mod survivors;
mod values;
