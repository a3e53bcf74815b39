//! JSON text as the types see it: a cursor that reads one value after another from a line,
//! and the values that are kept as text because nobody has named them yet.
//!
//! The reader works on text, not on a tree, for three reasons serde's derive cannot combine:
//! a tag may come after the members it governs and errors must still name the exact byte;
//! one object may carry the same key twice with two meanings; and a member this crate does
//! not know must come back exactly as it was written.

mod cursor;
mod extra;
mod raw;

pub use cursor::{Cursor, DEEPEST, DEFAULT_DEPTH, Kind};
pub use extra::Extra;
pub use raw::{Number, Raw};
