//! What generated packages have to hold.

mod golden;
mod project;
mod python;
mod support;
