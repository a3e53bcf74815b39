//! The third stage: tells of a message of the app-server who wrote it and which request it answers.

pub(crate) mod call;
pub(crate) mod dress;
mod id;
pub(crate) mod readings;
pub(crate) mod tracker;
