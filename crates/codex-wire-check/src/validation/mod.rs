//! The fifth stage: validates a message against the schema of the releases that could have written
//! it, and explains what is wrong.

mod choice;
mod dispatch;
pub(crate) mod duplicates;
mod envelope;
mod equivalence;
mod experimental;
mod explanation;
mod part;
mod required_groups;
mod schema_walk;
pub(crate) mod validate;
mod validator;
pub(crate) mod validators;
pub(crate) mod violation;
