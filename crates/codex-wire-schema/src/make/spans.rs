//! Finds the ranges of releases that speak alike, from an annotated document.

use std::collections::BTreeSet;

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Release, Surface};

use crate::documents::Document;
use crate::project::{self, Profile, View};
use crate::span::Span;
use crate::stability::Stability;

/// The ranges of releases that speak alike, oldest first.
pub(super) fn find_spans(surface: Surface, document: &'static Document) -> Vec<Span> {
    let cut = cuts(document, surface.timeline().releases());
    if surface.has_stabilities() {
        return cut;
    }
    merged(cut, document, project::as_declared(surface))
}

/// Cuts wherever something begins or ends: only there can two neighbours differ.
fn cuts(document: &'static Document, releases: &[Release]) -> Vec<Span> {
    // Every release at which something begins (`true`) or after which it ends (`false`).
    let mut ends = BTreeSet::new();
    let mut see = |range: Lifetime| {
        ends.extend(range.since.map(|since| (since, true)));
        ends.extend(range.until.map(|until| (until, false)));
    };
    document.root().visit_ranges(&mut see);
    for (_, schema) in document.schemas() {
        schema.visit_ranges(&mut see);
    }
    let mut spans: Vec<Span> = Vec::new();
    for release in releases {
        match spans.last_mut() {
            Some(span)
                if !ends.contains(&(*release, true)) && !ends.contains(&(span.until, false)) =>
            {
                span.until = *release;
            }
            _ => spans.push(Span {
                since: *release,
                until: *release,
            }),
        }
    }
    spans
}

/// Neighbours whose projections are equal become one.
fn merged(spans: Vec<Span>, document: &'static Document, as_declared: bool) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    let mut previous = None;
    for span in spans {
        let view = View {
            release: span.since,
            profile: Profile::Exact,
            as_declared,
            stability: Stability::Experimental,
            surface: None,
        };
        let body = project::body(document, &view);
        match out.last_mut() {
            Some(last) if previous.as_ref() == Some(&body) => last.until = span.until,
            _ => out.push(span),
        }
        previous = Some(body);
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn release(minor: u32) -> Release {
        Release::new(0, minor, 0)
    }

    fn begins(spans: &[Span]) -> Vec<Release> {
        assert_eq!(spans[0].since, release(1));
        assert_eq!(spans.last().map(|span| span.until), Some(release(8)));
        spans.iter().map(|span| span.since).collect()
    }

    #[test]
    fn gaps_and_intervals_cut_spans() {
        let document = Document::of(&json!({"type": "object", "properties": {
            "a": {"type": "string", "x-gaps": [{"since": "0.3.0", "until": "0.4.0"}]},
            "b": {"type": "string", "x-nullable": [{"until": "0.1.0"}, {"since": "0.7.0"}]},
        }}));
        let releases: Vec<Release> = (1..9).map(release).collect();
        let spans = merged(cuts(document, &releases), document, true);
        assert_eq!(begins(&spans), [1, 2, 3, 5, 7].map(release));
    }

    #[test]
    fn what_becomes_stable_cuts_spans_and_merging_looks_at_the_experimental_half() {
        let document = Document::of(&json!({"type": "object", "properties": {
            "a": {"type": "string", "x-since": "0.2.0", "x-experimental": [{"until": "0.4.0"}]},
        }}));
        let releases: Vec<Release> = (1..9).map(release).collect();
        let cut = cuts(document, &releases);
        assert_eq!(begins(&cut), [1, 2, 5].map(release));
        assert_eq!(begins(&merged(cut, document, true)), [1, 2].map(release));
    }
}
