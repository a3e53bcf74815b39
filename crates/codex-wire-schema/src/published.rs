//! Makes the files under `schemas/`, and their catalogue.

use std::fmt::Write as _;

use codex_wire_base::{MessageSet, Release};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::document::{all_releases, transcript};
use crate::documents::kept;
use crate::draft::Draft;
use crate::methods;
use crate::project::{Profile, project, project_range};
use crate::ranges::{ReleaseRange, range_of, release_ranges};
use crate::stability::Stability;

/// A file to publish.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Published {
    /// The path below `schemas/`.
    pub path: String,
    /// The contents.
    pub text: String,
    /// Its line in the catalogue; `None` for the catalogue itself.
    pub entry: Option<CatalogEntry>,
}

/// The entry of a file in the catalogue.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CatalogEntry {
    /// The schema's `$id`.
    pub id: String,
    /// The message set it describes; `None` for our own transcript format.
    pub message_set: Option<MessageSet>,
    /// The releases it is valid for; `None` for the transcript format.
    pub releases: Option<ReleaseRange>,
    /// The draft.
    pub draft: Draft,
    /// The profile; `None` for documents that are not projections.
    pub profile: Option<Profile>,
    /// Whether it includes the experimental API; `None` if there is none, and for documents that
    /// are not projections.
    pub stability: Option<Stability>,
    /// The digest of the file.
    pub sha256: String,
}

/// What there is to tell apart: one half where there is no experimental API.
fn stabilities(message_set: MessageSet) -> &'static [Stability] {
    if message_set.has_stabilities() {
        &Stability::ALL
    } else {
        &[Stability::Experimental]
    }
}

/// The digest of a schema that [`project`] makes, as in the catalogue: SHA-256 of the document as a
/// file, in hexadecimal.
///
/// Digests of exact schemas are stored; for any other the projection is made.
pub fn digest(
    message_set: impl Into<MessageSet>,
    release: Release,
    profile: Profile,
    draft: Draft,
    stability: Stability,
) -> String {
    let message_set = message_set.into();
    let range = range_of(message_set, release);
    let is_kept = profile == Profile::Exact && draft == Draft::Draft202012;
    // Without an experimental API both stabilities are the same.
    let is_whole = stability == Stability::Experimental || !message_set.has_stabilities();
    let set = kept(message_set);
    match set.ranges.iter().position(|known| *known == range) {
        Some(index) if is_kept && is_whole => set.digests[index].to_owned(),
        _ => digest_of(message_set, range, profile, draft, stability),
    }
}

fn digest_of(
    message_set: MessageSet,
    range: ReleaseRange,
    profile: Profile,
    draft: Draft,
    stability: Stability,
) -> String {
    digest_of_schema(
        message_set,
        &project_range(message_set, range, profile, draft, stability),
    )
}

/// The digest of a schema as a file.
pub(crate) fn digest_of_schema(message_set: MessageSet, schema: &Value) -> String {
    hex(&Sha256::digest(
        text_of(Some(message_set), schema).as_bytes(),
    ))
}

/// Every file under `schemas/`, the catalogue last.
///
/// A message set with an experimental API is large and changes with nearly every release. So only
/// its newest release is published, with and without the experimental API. [`project`] makes any
/// other.
pub fn publish() -> Vec<Published> {
    let mut files = Vec::new();
    for message_set in MessageSet::ALL {
        let releases = message_set.release_list();
        let whole = ReleaseRange {
            since: releases.first(),
            until: releases.latest(),
        };
        files.push(file(
            format!("{}/all-releases.json", folder(*message_set)),
            &all_releases(*message_set),
            (Some((*message_set, whole)), Draft::Draft202012, None),
        ));
        let ranges = match release_ranges(*message_set) {
            [.., newest] if message_set.has_stabilities() => std::slice::from_ref(newest),
            all => all,
        };
        for range in ranges {
            for stability in stabilities(*message_set) {
                for profile in Profile::ALL {
                    for draft in Draft::ALL {
                        files.push(projection(*message_set, *range, profile, draft, *stability));
                    }
                }
            }
        }
    }
    files.push(file(
        "transcript.json".to_owned(),
        &transcript(),
        (None, Draft::Draft202012, None),
    ));
    files.push(Published {
        path: "app-server/methods.json".to_owned(),
        text: pretty(&methods::index()),
        entry: None,
    });
    files.push(catalogue(&files));
    files
}

/// The folder of a message set below `schemas/`.
fn folder(message_set: MessageSet) -> String {
    let name = message_set.as_str();
    match name.strip_prefix("app-server-") {
        Some(part) => format!("app-server/{part}"),
        None => name.to_owned(),
    }
}

fn projection(
    message_set: MessageSet,
    range: ReleaseRange,
    profile: Profile,
    draft: Draft,
    stability: Stability,
) -> Published {
    let named = message_set.has_stabilities().then_some(stability);
    let half = match named {
        Some(stability) => format!(".{stability}"),
        None => String::new(),
    };
    let suffix = match draft {
        Draft::Draft202012 => "",
        Draft::Draft07 => ".draft-07",
    };
    let (since, until) = (range.since, range.until);
    let releases = match named {
        Some(_) => "latest".to_owned(),
        None => format!("{since}-{until}"),
    };
    let mut out = file(
        format!(
            "{}/{releases}.{profile}{half}{suffix}.json",
            folder(message_set)
        ),
        &project(message_set, since, profile, draft, stability),
        (Some((message_set, range)), draft, Some(profile)),
    );
    if let Some(entry) = &mut out.entry {
        entry.stability = named;
    }
    out
}

fn file(
    path: String,
    schema: &Value,
    (whose, draft, profile): (Option<(MessageSet, ReleaseRange)>, Draft, Option<Profile>),
) -> Published {
    let text = text_of(whose.map(|(message_set, _)| message_set), schema);
    let id = schema["$id"].as_str().unwrap_or_default().to_owned();
    let sha256 = hex(&Sha256::digest(text.as_bytes()));
    Published {
        path,
        text,
        entry: Some(CatalogEntry {
            id,
            message_set: whose.map(|(message_set, _)| message_set),
            releases: whose.map(|(_, releases)| releases),
            draft,
            profile,
            stability: None,
            sha256,
        }),
    }
}

fn catalogue(files: &[Published]) -> Published {
    let schemas: Vec<Value> = files
        .iter()
        .filter_map(|file| {
            let entry = file.entry.as_ref()?;
            let mut line = json!({
                "id": entry.id,
                "path": file.path,
                "protocol": entry.message_set.map(|message_set| message_set.protocol().as_str()),
                "message_set": entry.message_set.map(MessageSet::as_str),
                "releases": entry.releases.map(|releases| json!({
                    "since": releases.since.to_string(),
                    "until": releases.until.to_string(),
                })),
                "draft": entry.draft.as_str(),
                "profile": match entry.profile {
                    Some(profile) => Some(profile.as_str()),
                    None => entry.message_set.map(|_| "all-releases"),
                },
                "sha256": entry.sha256,
            });
            if let Some(stability) = entry.stability {
                line["stability"] = json!(stability.as_str());
            }
            Some(line)
        })
        .collect();
    Published {
        path: "catalog.json".into(),
        text: pretty(&json!({"version": 1, "schemas": schemas})),
        entry: None,
    }
}

/// A document as a file. The large ones have a line per definition, so that a change shows where
/// it is.
fn text_of(message_set: Option<MessageSet>, schema: &Value) -> String {
    if !message_set.is_some_and(MessageSet::has_stabilities) {
        return pretty(schema);
    }
    let mut out = String::from("{");
    for (index, (key, value)) in schema.as_object().into_iter().flatten().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(out, "{comma}\n  {}: ", json!(key));
        match value {
            Value::Object(definitions) if key == "$defs" || key == "definitions" => {
                out.push('{');
                for (index, (name, definition)) in definitions.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    let _ = write!(out, "{comma}\n    {}: {definition}", json!(name));
                }
                out.push_str("\n  }");
            }
            Value::Array(branches) if key == "oneOf" => {
                out.push('[');
                for (index, branch) in branches.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    let _ = write!(out, "{comma}\n    {branch}");
                }
                out.push_str("\n  ]");
            }
            other => {
                let _ = write!(out, "{other}");
            }
        }
    }
    out.push_str("\n}\n");
    out
}

fn pretty(value: &Value) -> String {
    let mut text = format!("{value:#}");
    text.push('\n');
    text
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
