//! The release ranges of each message set: releases that speak alike.

use codex_wire_base::{Release, Surface};

use crate::documents::kept;

pub use crate::span::Span;

/// The ranges of releases that speak alike, with and without the experimental API, oldest first.
///
/// For a message set with an experimental API a range ends wherever anything changes, even in a
/// definition that nothing uses. So neighbouring ranges may be equal.
pub fn spans(surface: impl Into<Surface>) -> &'static [Span] {
    &kept(surface.into()).spans
}

/// The tags or methods of a message set, in all releases. Empty if its messages have no tag.
pub fn tags(surface: impl Into<Surface>) -> &'static [&'static str] {
    &kept(surface.into()).tags
}

/// The range a release lies in; the first one for releases older than the protocol.
pub(crate) fn span_of(surface: Surface, release: Release) -> Span {
    let known = surface.timeline();
    let release = known.floor(release).unwrap_or(known.first());
    spans(surface)
        .iter()
        .copied()
        .find(|span| span.contains(release))
        .unwrap_or(Span {
            since: release,
            until: release,
        })
}
