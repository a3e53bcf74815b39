//! Follows JSON-RPC: who wrote a message of the app-server, and which request it answers.

pub(crate) mod array;
pub(crate) mod call;
pub(crate) mod dress;
pub(crate) mod evidence;
mod id;
pub(crate) mod tracker;

crate::rule_macros::rule_files!(array, tracker);
