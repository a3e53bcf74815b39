//! Describes what coverage searches: a document, and the side that writes its messages.

use codex_wire::{MessageSet, Protocol};
use codex_wire_schema::{Document, annotated};

/// The description of the messages of a message set.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The annotated document.
    pub document: &'static Document,
    /// The name of its root.
    pub root: &'static str,
    /// Whether Codex writes the messages, or the document says of what it reads as well how it
    /// may be spelt. Elsewhere it takes more spellings than it writes: a member that it has a
    /// default for may be left out, and one that may be left out may be `null`.
    pub written: bool,
    /// Whether the variants of the root are frames around params or results, which go by the
    /// root's name.
    pub frames: bool,
}

impl Description {
    /// The description of a message set.
    pub fn of(message_set: MessageSet) -> Self {
        let document = annotated(message_set);
        Description {
            document,
            root: document.root().title.as_deref().unwrap_or("Message"),
            written: message_set.is_written() || message_set.is_declared(),
            frames: message_set.protocol() == Protocol::AppServer,
        }
    }
}
