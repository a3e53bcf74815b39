//! The stage *validation*: validates a message against the schema of the releases that could have written
//! it, and explains what is wrong.

mod choice;
mod dispatch;
pub(crate) mod duplicates;
pub(crate) mod envelope;
pub(crate) mod equivalence;
pub(crate) mod experimental;
pub(crate) mod explanation;
mod hook;
mod part;
pub(crate) mod required_groups;
pub(crate) mod schema_violation;
pub(crate) mod schema_walk;
pub(crate) mod validate;
pub(crate) mod validator;
pub(crate) mod validators;

crate::rule_macros::rule_files!(duplicates, explanation, schema_violation, validate);
