//! Checks the order of `codex exec --json`: one run, one turn, its items.

mod evidence;
pub(crate) mod items;
pub(crate) mod results;
mod run;

pub(super) use self::run::Exec;

crate::rule_macros::rule_files!(items, results, run);
