//! Writes where messages, kinds, members, values and types stand, who writes them, and since when: what
//! [`codex_wire_schema::find`] has found by words.

mod found;
mod json;
mod message;
mod phrases;
mod text;
mod words;

pub use found::Parts;
pub use json::write_parts_json;
pub use text::write_parts;
