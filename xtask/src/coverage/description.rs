//! Describes what coverage searches: a document, and the side that writes its messages.

use codex_wire::{Protocol, Surface};
use serde_json::Value;

/// The description of the messages of a surface.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// The annotated document.
    pub document: &'a Value,
    /// The name of its root.
    pub root: &'a str,
    /// Whether Codex writes the messages, or the document says of what it reads as well how it
    /// may be spelt. Elsewhere it takes more spellings than it writes: a member that it has a
    /// default for may be left out, and one that may be left out may be `null`.
    pub written: bool,
    /// Whether the alternatives of the root are frames around params or results, which go by the
    /// root's name.
    pub frames: bool,
}

impl Description<'static> {
    /// The description of a surface.
    pub fn of(surface: Surface) -> Self {
        let document = codex_wire_schema::annotated(surface).whole();
        Description {
            document,
            root: document["title"].as_str().unwrap_or("Message"),
            written: surface.is_written() || surface.is_declared(),
            frames: surface.protocol() == Protocol::AppServer,
        }
    }
}
