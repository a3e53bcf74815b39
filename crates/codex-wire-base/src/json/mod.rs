//! Reads JSON text without a tree: a cursor over one line, and values kept as text.
//!
//! serde's derive cannot do three things at once that reading Codex needs. A tag may come after the
//! members it governs, and errors still have to name the exact byte. One object may carry the same
//! key twice, with two meanings. And a member that the types do not know has to come back exactly
//! as it was written.

mod extra;
mod order;
mod raw;
#[doc(hidden)]
pub mod tokens;

pub use crate::cursor::{Cursor, DEEPEST, DEFAULT_DEPTH};
#[doc(hidden)]
pub use crate::escape::{Escape, escape};
pub use crate::kind::Kind;
pub use extra::Extra;
pub use order::MemberOrder;
pub use raw::{Number, Raw};
