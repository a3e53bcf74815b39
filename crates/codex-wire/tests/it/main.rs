//! The promises of the crate, each held by a test: no release's line is lost, every fault has
//! its exact place, nothing panics.

mod core_helpers;
mod core_lossless;
mod core_properties;
mod core_quirks;
mod core_samples;
mod core_types;
mod core_witness;
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
