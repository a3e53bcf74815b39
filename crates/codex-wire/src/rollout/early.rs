//! Session files of 0.20.0 to 0.29.0: lines without an envelope.

use crate::json::{Extra, Raw};
use crate::rollout::ResponseItem;
use crate::{Maybe, Wire};

/// One line of a session file of 0.20.0 to 0.29.0.
///
/// The kind of a line follows from its members. Lines have no time, and no line says which
/// release wrote it.
///
/// ```
/// use codex_wire::rollout::EarlyLine;
///
/// let line: EarlyLine = codex_wire::from_str(r#"{"record_type":"state"}"#)?;
/// assert!(matches!(line, EarlyLine::Record(record) if record.record_type == "state"));
/// # Ok::<(), codex_wire::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all lines are items, which a box would only move"
)]
pub enum EarlyLine {
    /// An entry of the conversation: it has a `type`.
    Item(ResponseItem),
    /// A note of Codex itself: it has a `record_type`.
    Record(EarlyRecord),
    /// What the session is: the first line.
    Header(EarlyHeader),
    /// A line that this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

impl EarlyLine {
    /// The entry of the conversation, if the line is one.
    pub fn response_item(&self) -> Option<&ResponseItem> {
        match self {
            EarlyLine::Item(item) => Some(item),
            _ => None,
        }
    }
}

/// What a session is: the first line of an early file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyHeader {
    /// The session, a random UUID. The name of the file ends with it.
    pub id: String,
    /// When it began, in UTC.
    pub timestamp: String,
    /// The user's instructions, `AGENTS.md`; `null` if there are none.
    #[wire(nullable)]
    pub instructions: Maybe<String>,
    /// The repository of the working folder; left out where there is none.
    #[wire(optional)]
    pub git: Maybe<crate::rollout::GitInfo>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A note of Codex itself in an early file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyRecord {
    /// What it notes. Only `state` is written, after each batch of entries.
    pub record_type: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
