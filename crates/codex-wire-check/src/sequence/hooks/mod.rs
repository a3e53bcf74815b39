//! Checks what hooks print: what the schema allows and Codex refuses or ignores. And what hooks read: the
//! order of the events of a session.
//!
//! What a hook prints depends on the input of its own run alone, which says which tool it is for.

pub(crate) mod effects;
mod evidence;
mod order;
mod output;
pub(crate) mod run;

pub(crate) use self::output::{Hooks, OtherEvent, needs_command};

crate::rule_macros::rule_files!(order, output, run);
