//! Plays the example scripts as every release, and checks what comes out.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod app_server;
mod client;
mod errors;
mod exec;
mod recorded;
mod recorded_app_server;
mod support;
