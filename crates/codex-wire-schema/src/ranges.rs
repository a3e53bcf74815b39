//! The release ranges of each message set: releases that speak alike.

use codex_wire_base::{MessageSet, Release};

use crate::documents::kept;

pub use codex_wire_base::ReleaseRange;

/// The ranges of releases that speak alike, with and without the experimental API, oldest first.
///
/// For a message set with an experimental API a range ends wherever anything changes, even in a
/// definition that nothing uses. So neighbouring ranges may be equal.
pub fn release_ranges(message_set: impl Into<MessageSet>) -> &'static [ReleaseRange] {
    &kept(message_set.into()).ranges
}

/// The tags or methods of a message set, in all releases. Empty if its messages have no tag.
pub fn tags(message_set: impl Into<MessageSet>) -> &'static [&'static str] {
    &kept(message_set.into()).tags
}

/// The range a release lies in; the first one for releases older than the protocol.
pub(crate) fn range_of(message_set: MessageSet, release: Release) -> ReleaseRange {
    let known = message_set.release_list();
    let release = known.floor(release).unwrap_or(known.first());
    release_ranges(message_set)
        .iter()
        .copied()
        .find(|range| range.contains(release))
        .unwrap_or(ReleaseRange {
            since: release,
            until: release,
        })
}
