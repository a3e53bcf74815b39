//! Packs what is published for other languages and systems.
//!
//! It must not know how a program or a document is made: it takes what is there.

pub mod archives;
mod executable;
pub mod npm;
pub mod platforms;
mod programs;
pub mod python;
pub mod tarball;
pub mod types;

/// The version of all packages: that of the cargo workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
