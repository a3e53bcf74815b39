//! Holds the model of the app-server protocol: every method, definition, member and value with the
//! releases that have it, folded from the official schemas of those releases.
//!
//! # From official schemas to types
//!
//! | step | where |
//! |---|---|
//! | what all releases say of their app-server: schemas and TypeScript | `src/type_files/` of codex-wire-replay, [`archive`] |
//! | what one document says, in the terms of the model | [`official`], [`Snapshot`] |
//! | all releases in one: facts with their releases | [`Model::fold`], [`Model::at`] |
//! | the model as text, reviewed like source | `model/methods.model`, `model/definitions/`, [`text`] |
//! | corrections, each with its reason and evidence | `model/overlay.toml`, [`overlay`] |
//! | what is always written though it may be left out, from TypeScript | `model/written.model`, [`written`], [`typescript`] |
//! | the part of that which recordings lack | `model/left-out.toml`, [`written::LeftOut`] |
//! | which result answers which request | `model/results.toml`, [`results::Results`] |
//! | which definition is in which module | `model/domains.toml`, [`domains`] |
//! | which Cargo feature a method belongs to | `model/features.toml`, [`features`] |
//! | names that upstream lacks and no rule gives | `model/names.toml`, [`naming`] |
//! | the documentation, which is ours | `docs/`, [`docs`] |
//! | what code written by hand reads of the types | `model/accessors.toml`, [`accessors::Accessors`] |
//! | the Rust types | [`rust`], `codex_wire::app_server` |
//!
//! The text and the types are never edited: they follow from the archive and the tables.
//! [`repository`] knows which files those are.
//!
//! The schemas of hooks are kept here as well, in `official/hooks.tar.zst` ([`hooks`]): they come from
//! the same program. There are few of them, so their types are written by hand, and a test of `xtask`
//! compares the two.
//!
//! # When something changes
//!
//! - A new release: `cargo xtask sync --codex PATH` asks the installed program, folds its answer
//!   in, says what is new, changed and gone, and rewrites everything. If a new definition
//!   belongs to no domain or a new request has no result, it says so and writes nothing.
//! - A table: `cargo xtask sync`.
//! - The writer of the types, so that they no longer compile: `cargo run -p app-server-codegen
//!   --bin regenerate` does the same without building them, since this crate depends on
//!   `codex-wire` without its protocols.
//!
//! Tests compare the model without corrections with the bundle of every release, the corrected model
//! with the files of its single messages, the text and the types with what follows from the archive,
//! and the tables with what exists. A test of `xtask` compares the types with the corrected model.
//!
//! This crate must not know the types it writes, nor transcripts or findings: it can be built
//! when the types cannot.

#![forbid(unsafe_code)]

pub mod accessors;
pub mod archive;
pub mod availability;
pub mod docs;
pub mod domains;
mod error;
pub mod facts;
pub mod features;
mod fold;
pub mod hooks;
mod merge;

pub mod model;
pub mod names;
pub mod naming;
pub mod official;
pub mod overlay;
pub mod repository;
pub mod results;
pub mod rust;
pub mod snapshot;
pub mod store;
pub mod text;
pub mod types;
pub mod typescript;
pub mod written;

pub use availability::{Availability, Channels};
pub use error::Error;
pub use model::Model;
pub use snapshot::{Kind, Snapshot};
