//! Types and schemas, held against each other: what the types write for a release is what the
//! schemas of that release accept.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod every_type;
mod generated;
