//! What an export makes.

use serde::{Serialize, Serializer};

use crate::trace::otlp;
use crate::{acp, atif};

/// A document: JSON, by way of `serde`.
#[derive(Debug)]
pub struct Document<'a>(pub(crate) Content<'a>);

#[derive(Debug)]
pub(crate) enum Content<'a> {
    Traces(otlp::Traces<'a>),
    Trajectory(Box<atif::Trajectory<'a>>),
    Update(Box<acp::Notification<'a>>),
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Content::Traces(traces) => traces.serialize(serializer),
            Content::Trajectory(trajectory) => trajectory.serialize(serializer),
            Content::Update(update) => update.serialize(serializer),
        }
    }
}
