//! The promises of the crate, each held by a test: no release's line is lost, every fault has
//! its exact place, nothing panics.

mod api;
mod app_server_client;
mod app_server_envelope;
mod app_server_lossless;
mod app_server_media;
mod app_server_places;
mod app_server_properties;
mod app_server_samples;
mod app_server_types;
mod availability;
mod circles;
mod core_helpers;
mod core_lossless;
mod core_properties;
mod core_quirks;
mod core_samples;
mod core_types;
mod core_witness;
mod derived;
mod grammar;
mod hooks_lossless;
mod items;
mod layering;
mod lossless;
mod outside;
mod places;
mod properties;
mod reader;
mod release_ranges;
mod rollout_and_core;
mod rollout_lossless;
mod support;
mod three_states;
mod through_serde;
mod unsupported;
