//! Reads session files.
//!
//! The lines of a session file say most things twice, and every few releases in another way. Each is taken
//! once, whichever release wrote the line. Every line is decided by itself, as one file may hold lines of
//! several releases.

mod answer;
mod call;
mod event;
mod items;
mod lineage;
mod once;
mod patch_text;
mod reader;
mod response_item;
mod settings;
mod state;
mod turn_item;

pub(crate) use state::RolloutReader;
