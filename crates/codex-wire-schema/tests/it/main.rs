//! The published schemas: that they are what the types say now, that they are sound, that they
//! are shaped for other languages, and that they say of each release what is known of it.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod audit;
mod catalogue;
mod codegen;
mod drift;
mod find;
mod history;
mod method_schema;
mod support;
