//! Tests of the formats over outcomes built by hand.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod conversation;
mod formats;
mod golden;
mod html;
mod html_reader;
mod json;
mod jsonl;
mod junit;
mod page;
mod samples;
mod sarif;
mod text;
mod tracks;
mod usage;
mod valid;
