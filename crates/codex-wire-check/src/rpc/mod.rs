//! The third stage: tells of a message of the app-server who wrote it and which request it answers.

pub(crate) mod array;
pub(crate) mod call;
pub(crate) mod dress;
pub(crate) mod evidence;
mod id;
pub(crate) mod readings;
pub(crate) mod tracker;
