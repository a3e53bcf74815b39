//! The end of the session.

use crate::Wire;
use crate::json::Extra;

/// Codex ends. Other events may still follow.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ShutdownCompleteEvent {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
