//! What is found: a part of a protocol that has a name.

use codex_wire_base::MessageSet;

use crate::ir::{Availability, Member, Schema};

/// A part of a protocol that has a name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Its name on the wire; of a type, that of the type.
    pub name: &'static str,
    /// The type in which it stands, or the name of the message set; of a type, its own name.
    pub owner: &'static str,
    /// The first message set in which it stands.
    pub message_set: MessageSet,
    /// The releases that have it, where its type is.
    pub availability: &'static Availability,
    /// The documentation.
    pub about: &'static str,
    /// The member, if it is one.
    pub member: Option<&'static Member>,
    /// Whether a member is among those that every release always writes.
    pub is_required: bool,
    /// The name of the definition of a kind.
    pub definition: Option<&'static str>,
    /// What it holds; nothing of a value.
    pub schema: Option<&'static Schema>,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// A message.
    Message,
    /// A kind of something in a message, such as an item.
    Kind,
    /// A member.
    Member,
    /// A value of an enumeration.
    Value,
    /// A type.
    Type,
}

impl PartKind {
    /// The word in listings.
    pub fn as_str(self) -> &'static str {
        match self {
            PartKind::Message => "message",
            PartKind::Kind => "kind",
            PartKind::Member => "member",
            PartKind::Value => "value",
            PartKind::Type => "type",
        }
    }
}
