//! The promises of the crate, each held by a test: no release's line is lost, every fault has
//! its exact place, nothing panics.

mod findings;
mod grammar;
mod layering;
mod lifetimes;
mod lossless;
mod places;
mod properties;
mod reader;
mod support;
mod three_states;
mod through_serde;
