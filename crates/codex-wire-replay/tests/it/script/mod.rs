//! Plays the example scripts as every release, and checks what comes out.

mod app_server;
mod client;
mod decisions;
mod errors;
mod exec;
mod json;
mod output;
mod page;
mod proto;
mod read_state;
mod recorded;
mod recorded_app_server;
mod reviews;
mod support;
mod turns;
