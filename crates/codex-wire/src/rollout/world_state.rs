//! What Codex reports to the model of its surroundings.

use crate::Wire;
use crate::json::{Extra, Raw};

/// What Codex reports to the model of its surroundings: agents, environments, permissions, skills, tools.
///
/// Since 0.143.0. Written in full once per context window, then with the parts that changed. The
/// parts and their shapes change from release to release, so they are any JSON here: `model` was a
/// string, an object in 0.165.0 and 0.166.0, and a string again.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WorldStateItem {
    /// Whether all parts are there; otherwise only those that changed, `null` for one that is
    /// gone.
    pub full: bool,
    /// The parts by name.
    pub state: crate::Map<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
