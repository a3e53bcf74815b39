//! Makes the files under `schemas/`, and their catalogue.

use std::fmt::Write as _;

use codex_wire_base::{MessageSet, Release};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::bundle_name::BundleName;
use crate::codegen::codegen;
use crate::document::{all_releases, transcript};
use crate::documents::kept;
use crate::draft::Draft;
use crate::ids;
use crate::methods;
use crate::own;
use crate::profile::Profile;
use crate::project::project_range;
use crate::ranges::{ReleaseRange, range_of, release_ranges};
use crate::stability::Stability;
use crate::store;

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
    /// The message set it describes; `None` for our own formats.
    pub message_set: Option<MessageSet>,
    /// The releases it is valid for; `None` for our own formats.
    pub releases: Option<ReleaseRange>,
    /// The draft.
    pub draft: Draft,
    /// The protocol, if it is for programs that generate code.
    pub codegen: Option<BundleName>,
    /// The profile; `None` for documents that are not projections.
    pub profile: Option<Profile>,
    /// Whether it includes the experimental API; `None` if there is none, and for documents that
    /// are not projections.
    pub stability: Option<Stability>,
    /// The digest of the file.
    pub sha256: String,
}

impl CatalogEntry {
    /// The entry of a file of which only the draft is known.
    fn of(draft: Draft) -> Self {
        CatalogEntry {
            id: String::new(),
            message_set: None,
            releases: None,
            draft,
            codegen: None,
            profile: None,
            stability: None,
            sha256: String::new(),
        }
    }
}

/// What there is to tell apart: one half where there is no experimental API.
fn stabilities(message_set: MessageSet) -> &'static [Stability] {
    if message_set.has_stabilities() {
        &Stability::ALL
    } else {
        &[Stability::Experimental]
    }
}

/// The digest of a schema that [`project`](crate::project) makes, as in the catalogue: SHA-256 of
/// the document as a file, in hexadecimal.
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
    let text = text_of(message_set.has_stabilities(), schema);
    hex(&Sha256::digest(text.as_bytes()))
}

/// Every file under `schemas/`, the catalogue last.
///
/// These are the documents of all releases, and of the newest release, of forks and of
/// the examples of the documentation a schema in each profile and draft. The newest is called `latest`. [`archive`] has
/// those of all releases, and [`project`](crate::project) makes any.
pub fn publish() -> Vec<Published> {
    let mut files = Vec::new();
    for message_set in MessageSet::ALL.iter().copied() {
        files.push(timeline(message_set));
        let ranges = release_ranges(message_set);
        let newest = ranges.last().map(|range| range.since);
        for range in ranges.iter().filter(|range| is_kept(message_set, **range)) {
            for (profile, draft, stability) in flavours(message_set) {
                let mut file = projection(message_set, *range, profile, draft, stability);
                if Some(range.since) == newest {
                    file.path = ids::path(message_set, "latest", profile, draft, stability);
                }
                files.push(file);
            }
        }
    }
    for name in BundleName::ALL {
        let ranges = name.ranges();
        let newest = ranges.last().into_iter();
        for (range, draft) in newest.flat_map(|range| Draft::ALL.map(|draft| (range, draft))) {
            let mut file = for_generators(name, *range, draft);
            file.path = ids::path_of_codegen(name, "latest", draft);
            files.push(file);
        }
    }
    files.extend(beside());
    files.push(Published {
        path: "schemastore.json".to_owned(),
        text: pretty(&store::entries()),
        entry: None,
    });
    files.push(catalogue(&files));
    files
}

/// Every file of the archive, the catalogue last: the schemas of all releases in each profile and
/// draft, each at the path that its `$id` names. There are thousands, so they are made one by one.
///
/// # Errors
/// What `see` returns.
pub fn archive<E>(
    message_sets: &[MessageSet],
    see: &mut dyn FnMut(&Published) -> Result<(), E>,
) -> Result<(), E> {
    let mut listed = Vec::new();
    let mut give = |file: Published| {
        see(&file)?;
        listed.push(Published {
            text: String::new(),
            ..file
        });
        Ok(())
    };
    for message_set in message_sets.iter().copied() {
        give(timeline(message_set))?;
        // Neighbours are alike, which helps to compress them.
        for (profile, draft, stability) in flavours(message_set) {
            for range in release_ranges(message_set) {
                give(projection(message_set, *range, profile, draft, stability))?;
            }
        }
    }
    let is_whole = |name: &BundleName| {
        let mut own = name.message_sets().iter();
        own.all(|set| message_sets.contains(set))
    };
    for name in BundleName::ALL.into_iter().filter(is_whole) {
        for draft in Draft::ALL {
            for range in name.ranges() {
                give(for_generators(name, range, draft))?;
            }
        }
    }
    beside().into_iter().try_for_each(&mut give)?;
    see(&catalogue(&listed))
}

/// Releases that are kept under `schemas/` beside the newest, as examples in the documentation and
/// in tests.
const EXAMPLES: [(MessageSet, Release); 1] = [(MessageSet::Exec, Release::new(0, 44, 0))];

/// Whether a range of releases has files under `schemas/`.
fn is_kept(message_set: MessageSet, range: ReleaseRange) -> bool {
    let list = message_set.release_list();
    let forks = list.points().iter().map(|point| point.release);
    let examples = EXAMPLES.into_iter().filter(|(of, _)| *of == message_set);
    let mut kept = forks.chain(examples.map(|(_, release)| release));
    range.until == list.latest() || kept.any(|release| range.contains(release))
}

/// Every way in which a range of releases is published.
fn flavours(message_set: MessageSet) -> impl Iterator<Item = (Profile, Draft, Stability)> {
    stabilities(message_set).iter().flat_map(|stability| {
        Profile::PUBLISHED
            .into_iter()
            .flat_map(move |profile| Draft::ALL.map(|draft| (profile, draft, *stability)))
    })
}

/// Whether the schemas of a message set are small and change rarely. Those of the app-server and of
/// session files are large and change with nearly every release.
pub fn is_small(message_set: MessageSet) -> bool {
    !message_set.has_stabilities() && message_set != MessageSet::Rollout
}

/// The document of all releases of a message set.
fn timeline(message_set: MessageSet) -> Published {
    let releases = message_set.release_list();
    let whole = ReleaseRange {
        since: releases.first(),
        until: releases.latest(),
    };
    let entry = CatalogEntry {
        message_set: Some(message_set),
        releases: Some(whole),
        ..CatalogEntry::of(Draft::Draft202012)
    };
    let path = ids::path_of_all(message_set);
    file(path, &all_releases(message_set), entry)
}

/// The schema of a protocol for programs that generate code.
fn for_generators(name: BundleName, range: ReleaseRange, draft: Draft) -> Published {
    let schema = codegen(name, range.since, draft);
    let path = ids::path_of_codegen(name, &range.since.to_string(), draft);
    let text = text_of(name.has_stabilities(), &schema);
    let entry = CatalogEntry {
        codegen: Some(name),
        releases: Some(range),
        ..CatalogEntry::of(draft)
    };
    described(path, text, &schema, entry)
}

/// What is published beside the schemas of Codex's protocols.
fn beside() -> Vec<Published> {
    let of_no_release = |path: &str, schema: &Value| {
        let entry = CatalogEntry::of(Draft::Draft202012);
        file(path.to_owned(), schema, entry)
    };
    let mut files = vec![
        of_no_release("transcript.json", &transcript()),
        Published {
            path: "app-server/methods.json".to_owned(),
            text: pretty(&methods::index()),
            entry: None,
        },
    ];
    files.extend(own::all().map(|(path, schema)| of_no_release(path, &schema)));
    files
}

fn projection(
    message_set: MessageSet,
    range: ReleaseRange,
    profile: Profile,
    draft: Draft,
    stability: Stability,
) -> Published {
    let since = range.since;
    let entry = CatalogEntry {
        message_set: Some(message_set),
        releases: Some(range),
        profile: Some(profile),
        stability: message_set.has_stabilities().then_some(stability),
        ..CatalogEntry::of(draft)
    };
    file(
        ids::path(message_set, &since.to_string(), profile, draft, stability),
        &project_range(message_set, range, profile, draft, stability),
        entry,
    )
}

fn file(path: String, schema: &Value, entry: CatalogEntry) -> Published {
    let is_large = entry.message_set.is_some_and(MessageSet::has_stabilities);
    let text = text_of(is_large, schema);
    described(path, text, schema, entry)
}

/// The file, and its entry with its id and its digest.
fn described(path: String, text: String, schema: &Value, entry: CatalogEntry) -> Published {
    let entry = CatalogEntry {
        id: schema["$id"].as_str().unwrap_or_default().to_owned(),
        sha256: hex(&Sha256::digest(text.as_bytes())),
        ..entry
    };
    Published {
        path,
        text,
        entry: Some(entry),
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
                "protocol": match entry.codegen {
                    Some(name) => Some(name.as_str()),
                    None => entry.message_set.map(|set| set.protocol().as_str()),
                },
                "message_set": entry.message_set.map(MessageSet::as_str),
                "releases": entry.releases.map(|releases| json!({
                    "since": releases.since.to_string(),
                    "until": releases.until.to_string(),
                })),
                "draft": entry.draft.as_str(),
                "profile": match (entry.profile, entry.codegen) {
                    (Some(profile), _) => Some(profile.as_str()),
                    (None, Some(_)) => Some("codegen"),
                    (None, None) => entry.message_set.map(|_| "all-releases"),
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
fn text_of(is_large: bool, schema: &Value) -> String {
    if !is_large {
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
