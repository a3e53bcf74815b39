//! The typed schema model: what the annotated documents say, as Rust values.
//!
//! A [`Schema`] describes all releases at once: every member, variant and value carries its
//! [`Availability`]. Projections, lists of changes and coverage read this model; only its reader and
//! its writer know how annotations are spelled in JSON. Text is borrowed from the embedded
//! documents, so reading a definition copies almost nothing.

mod availability;
mod model;
mod open;
pub(crate) mod read;
pub(crate) mod write;

pub(crate) use availability::covers;
pub use availability::{Availability, except};
pub use model::{
    Choice, EnumValue, ExternalVariant, Kind, Member, Object, Schema, Spelling, Tagged,
    TaggedVariant, Text, Undeclared, UntaggedVariant, Variant,
};
pub use write::is_annotation;
