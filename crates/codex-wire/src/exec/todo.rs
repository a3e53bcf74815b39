//! The agent's plan.

use crate::Wire;
use crate::json::Extra;

/// The agent's to-do list: started when it is first written, updated with every change,
/// completed when the turn ends.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TodoListItem {
    /// All entries, as they stand now.
    pub items: Vec<TodoItem>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An entry of the to-do list.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TodoItem {
    /// What to do.
    pub text: String,
    /// Whether it is done.
    pub completed: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
