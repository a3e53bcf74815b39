//! Checks what hooks print: what the schema allows and Codex refuses or ignores.
//!
//! The state is the input of the run at hand: where it was recorded, it says which tool an input is
//! for. Runs do not depend on each other.

pub(crate) mod effects;
mod evidence;
mod output;
pub(crate) mod run;

pub(crate) use self::output::{Hooks, OtherEvent};

crate::rule_macros::rule_files!(output, run);
