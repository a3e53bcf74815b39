//! What pages for a browser have in common: the frame with its policy and the one style sheet, and texts in which nothing is markup.

mod document;
mod plot;
mod texts;

pub use document::style_source;
pub(crate) use document::{begin, end};
pub(crate) use plot::Plot;
pub(crate) use texts::{class_of, facts, prose, push, text, verdict_of};
