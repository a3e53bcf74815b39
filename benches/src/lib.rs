//! Measures how fast codex-wire reads and checks, against what one would write instead.
//!
//! `cargo bench -p benches --features peers` measures with criterion;
//! `cargo run -p benches --release --features peers --bin ratios` prints the comparison as a table. The corpora are in [`corpus`], the ways to read in
//! [`contestants`], the ways to check in [`checking`], the ways to validate alone in [`shapes`].

//! # Features
//! - `types`: the types, and what is compared with them; what counts instructions is built without
//! - `peers`: the crates to compare with, and criterion; `cargo test --workspace` does not build them

#![forbid(unsafe_code)]

pub mod checking;
#[cfg(feature = "types")]
mod contestant;
#[cfg(feature = "types")]
pub mod contestants;
pub mod corpus;
mod exact;
mod faults;
pub mod files;
mod generate;
mod generate_app_server;
mod generate_core;
mod generate_rollout;
#[cfg(feature = "peers")]
pub mod groups;
pub mod measure;
#[cfg(feature = "peers")]
mod peers;
pub mod places;
#[cfg(feature = "types")]
pub mod plain;
#[cfg(feature = "types")]
pub mod plain_app_server;
#[cfg(feature = "types")]
pub mod plain_core;
#[cfg(feature = "types")]
pub mod plain_rollout;
mod random;
pub mod shapes;
mod text;
#[cfg(feature = "types")]
pub mod views;

/// Options that check each line alone: generated streams have the shapes and sizes of real ones, not
/// their order.
#[cfg(test)]
fn shapes_only(mut options: codex_wire_check::Options) -> codex_wire_check::Options {
    for rule in codex_wire_check::rules::RULES.iter() {
        if ["sequence", "rpc", "hooks"].contains(&rule.group()) {
            options.levels.set(rule, None);
        }
    }
    options
}
