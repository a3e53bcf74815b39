//! What generated packages have to hold.

mod comments;
mod golden;
mod project;
mod python;
mod support;
