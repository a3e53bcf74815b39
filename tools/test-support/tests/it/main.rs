//! Types and schemas, compared with each other: what the types write for a release is what the
//! schemas of that release accept.
//!
//! All tests of the crate are here: as a test of itself, its code for each type would be compiled again.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod every_type;
mod generated;
mod messages;
