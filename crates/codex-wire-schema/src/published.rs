//! The files under `schemas/`, and the ranges of releases they hold for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use codex_wire::{Release, Surface};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::annotations::{life_of, lifetime_in};
use crate::document::{annotated, timeline, transcript};
use crate::draft::Draft;
use crate::project::{self, Profile, project};

/// Consecutive releases that speak alike, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub since: Release,
    /// The last one known.
    pub until: Release,
}

impl Span {
    /// Whether `release` lies within.
    pub fn contains(&self, release: Release) -> bool {
        self.since <= release && release <= self.until
    }

    pub(crate) fn text(&self) -> String {
        if self.since == self.until {
            self.since.to_string()
        } else {
            format!("{} to {}", self.since, self.until)
        }
    }
}

/// A file to publish.
#[derive(Clone, Debug)]
pub struct Published {
    /// The path below `schemas/`.
    pub path: String,
    /// The contents.
    pub text: String,
    /// Its line in the catalogue; `None` for the catalogue itself.
    pub entry: Option<CatalogEntry>,
}

/// What the catalogue says of a file.
#[derive(Clone, Debug)]
pub struct CatalogEntry {
    /// The schema's `$id`.
    pub id: String,
    /// Whose messages it describes; `None` for the transcript format, which is our own.
    pub surface: Option<Surface>,
    /// The releases it holds for; `None` for the transcript format.
    pub releases: Option<Span>,
    /// The draft.
    pub draft: Draft,
    /// The profile; `None` for documents that are no projections.
    pub profile: Option<Profile>,
    /// The digest of the file.
    pub sha256: String,
}

/// The ranges of releases that speak alike, oldest first.
pub fn spans(surface: impl Into<Surface>) -> &'static [Span] {
    static SPANS: LazyLock<BTreeMap<Surface, Vec<Span>>> = LazyLock::new(|| {
        let all = Surface::ALL.iter();
        all.map(|surface| (*surface, find_spans(*surface)))
            .collect()
    });
    &SPANS[&surface.into()]
}

/// Only where something begins or ends can two neighbours differ, so only there is compared.
fn find_spans(surface: Surface) -> Vec<Span> {
    let document = annotated(surface);
    let releases = surface.timeline().releases();
    let mut ends = BTreeSet::new();
    lifetime_ends(document, &mut ends);
    let mut spans: Vec<Span> = Vec::new();
    let mut previous = None;
    for release in releases {
        let boundary = ends.contains(&(*release, true))
            || spans
                .last()
                .is_none_or(|span| ends.contains(&(span.until, false)));
        if boundary {
            let body = project::body(document, *release, Profile::Exact, surface.is_written());
            if previous.as_ref() != Some(&body) {
                spans.push(Span {
                    since: *release,
                    until: *release,
                });
                previous = Some(body);
            }
        }
        if let Some(span) = spans.last_mut() {
            span.until = *release;
        }
    }
    spans
}

/// Every release at which something begins (`true`) or after which it ends (`false`).
fn lifetime_ends(schema: &Value, out: &mut BTreeSet<(Release, bool)>) {
    match schema {
        Value::Object(object) => {
            for life in [life_of(object), lifetime_in(schema)] {
                out.extend(life.since.map(|since| (since, true)));
                out.extend(life.until.map(|until| (until, false)));
            }
            object.values().for_each(|value| lifetime_ends(value, out));
        }
        Value::Array(array) => array.iter().for_each(|value| lifetime_ends(value, out)),
        _ => {}
    }
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

/// Every file under `schemas/`, the catalogue last.
pub fn publish() -> Vec<Published> {
    let mut files = Vec::new();
    for surface in Surface::ALL {
        let releases = surface.timeline();
        let whole = Span {
            since: releases.first(),
            until: releases.latest(),
        };
        files.push(file(
            format!("{surface}/timeline.json"),
            &timeline(*surface),
            (Some((*surface, whole)), Draft::Draft202012, None),
        ));
        for span in spans(*surface) {
            for profile in Profile::ALL {
                for draft in Draft::ALL {
                    let suffix = match draft {
                        Draft::Draft202012 => "",
                        Draft::Draft07 => ".draft-07",
                    };
                    files.push(file(
                        format!(
                            "{surface}/{}-{}.{profile}{suffix}.json",
                            span.since, span.until
                        ),
                        &project(*surface, span.since, profile, draft),
                        (Some((*surface, *span)), draft, Some(profile)),
                    ));
                }
            }
        }
    }
    files.push(file(
        "transcript.json".to_owned(),
        &transcript(),
        (None, Draft::Draft202012, None),
    ));
    files.push(catalogue(&files));
    files
}

fn file(
    path: String,
    schema: &Value,
    (whose, draft, profile): (Option<(Surface, Span)>, Draft, Option<Profile>),
) -> Published {
    let text = pretty(schema);
    let id = schema["$id"].as_str().unwrap_or_default().to_owned();
    let sha256 = hex(&Sha256::digest(text.as_bytes()));
    Published {
        path,
        text,
        entry: Some(CatalogEntry {
            id,
            surface: whose.map(|(surface, _)| surface),
            releases: whose.map(|(_, releases)| releases),
            draft,
            profile,
            sha256,
        }),
    }
}

fn catalogue(files: &[Published]) -> Published {
    let schemas: Vec<Value> = files
        .iter()
        .filter_map(|file| {
            let entry = file.entry.as_ref()?;
            Some(json!({
                "id": entry.id,
                "path": file.path,
                "protocol": entry.surface.map(|surface| surface.protocol().as_str()),
                "surface": entry.surface.map(Surface::as_str),
                "releases": entry.releases.map(|releases| json!({
                    "since": releases.since.to_string(),
                    "until": releases.until.to_string(),
                })),
                "draft": entry.draft.as_str(),
                "profile": match entry.profile {
                    Some(profile) => Some(profile.as_str()),
                    None => entry.surface.map(|_| "timeline"),
                },
                "sha256": entry.sha256,
            }))
        })
        .collect();
    Published {
        path: "catalog.json".into(),
        text: pretty(&json!({"version": 1, "schemas": schemas})),
        entry: None,
    }
}

fn pretty(value: &Value) -> String {
    let mut text = format!("{value:#}");
    text.push('\n');
    text
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
