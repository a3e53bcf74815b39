//! The catalogue lists every file, truly; ids are ids.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::{MessageSet, Protocol};
use codex_wire_schema::{
    BASE, CatalogEntry, Draft, Identity, Profile, Stability, archive, digest, publish,
    release_ranges,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{parse, schemas};

#[test]
fn lists_every_file_with_its_digest() {
    let mut files: BTreeMap<String, _> = publish()
        .into_iter()
        .map(|file| (file.path.clone(), file))
        .collect();
    let catalogue = parse(&files.remove("catalog.json").unwrap());
    assert_eq!(catalogue["version"], 1);
    for entry in catalogue["schemas"].as_array().unwrap() {
        let path = entry["path"].as_str().unwrap();
        let file = files
            .remove(path)
            .unwrap_or_else(|| panic!("{path} is listed twice or does not exist"));
        let digest: String = Sha256::digest(file.text.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(entry["sha256"], digest, "{path}");
        let schema = parse(&file);
        assert_eq!(entry["id"], schema["$id"], "{path}");
        let draft: Draft = entry["draft"].as_str().unwrap().parse().unwrap();
        assert_eq!(schema["$schema"], draft.meta_schema(), "{path}");
        let keys: Vec<&String> = entry.as_object().unwrap().keys().collect();
        let mut expected = vec![
            "draft", "id", "path", "profile", "protocol", "releases", "sha256",
        ];
        let is_whole = path.ends_with("/all-releases.json") || path.contains(".codegen.");
        let large = path.starts_with("app-server/") && !is_whole;
        expected.extend(large.then_some("stability"));
        expected.push("message_set");
        expected.sort_unstable();
        assert_eq!(keys, expected, "{path}");
        let named = entry["profile"].as_str().unwrap_or("none");
        if !["all-releases", "codegen", "none"].contains(&named) {
            let identity = Identity::of(schema["$id"].as_str().unwrap()).unwrap();
            assert_eq!(identity.profile, named.parse().ok(), "{path}");
            assert_eq!(identity.draft, draft, "{path}");
            assert_eq!(
                entry["message_set"],
                identity.message_set.as_str(),
                "{path}"
            );
        }
    }
    let unlisted: Vec<&String> = files.keys().collect();
    // Indexes, no schemas.
    assert_eq!(unlisted, ["app-server/methods.json", "schemastore.json"]);
}

/// Published names are promises: these have to stay.
#[test]
fn names_and_ids() {
    let files = publish();
    let paths: BTreeSet<&str> = files.iter().map(|file| &*file.path).collect();
    for path in [
        "catalog.json",
        "exec/all-releases.json",
        "exec/latest.open.json",
        "exec/latest.exact.draft-07.json",
        "exec/0.44.0.open.json",
        "exec/0.44.0.open.draft-07.json",
        "app-server/client-requests/latest.open.experimental.json",
        "rollout/latest.exact.json",
    ] {
        assert!(paths.contains(path), "{path} is gone");
    }
    let id = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        parse(file.unwrap())["$id"].clone()
    };
    for (path, end) in [
        ("exec/all-releases.json", "exec/all-releases.json"),
        ("exec/0.44.0.exact.json", "exec/0.44.0.exact.json"),
        (
            "exec/0.44.0.open.draft-07.json",
            "exec/0.44.0.open.draft-07.json",
        ),
        // The newest has the id that it keeps when there is a newer one.
        ("exec/latest.open.json", "exec/0.145.0.open.json"),
        ("transcript.json", "transcript.json"),
        ("report.json", "report.json"),
        ("report-lines.json", "report-lines.json"),
        ("diff.json", "diff.json"),
        ("diff-transcript.json", "diff-transcript.json"),
        ("script.json", "script.json"),
        ("client-log.json", "client-log.json"),
        ("faults.json", "faults.json"),
        ("session.json", "session.json"),
        ("usage.json", "usage.json"),
        ("identification.json", "identification.json"),
        ("hooks-test.json", "hooks-test.json"),
        ("codex-wire.toml.json", "codex-wire.toml.json"),
    ] {
        assert_eq!(id(path), format!("{BASE}{end}"));
    }
}

/// Each id is the address of one file: of the archive at the path that the id names, and under
/// `schemas/` at the path that the catalogue names. What stands under an id is the same in both.
#[test]
fn each_id_is_the_address_of_one_file() {
    let (mut seen, mut texts) = (BTreeSet::new(), BTreeMap::new());
    let message_sets = [
        MessageSet::Exec,
        MessageSet::Notify,
        MessageSet::AppServerErrors,
    ];
    let all: Result<(), std::convert::Infallible> = archive(&message_sets, &mut |file| {
        assert!(seen.insert(file.path.clone()), "{} stands twice", file.path);
        if let Some(entry) = &file.entry {
            assert_eq!(entry.id, format!("{BASE}{}", file.path));
            texts.insert(entry.id.clone(), file.text.clone());
        }
        Ok(())
    });
    all.unwrap();
    assert!(seen.contains("exec/0.125.0.open.json") && seen.contains("catalog.json"));
    let mut ids = BTreeSet::new();
    for file in publish() {
        let Some(entry) = file.entry else { continue };
        let uri = jsonschema::Uri::parse(entry.id.as_str())
            .unwrap_or_else(|error| panic!("{}: {error}", entry.id));
        assert_eq!(uri.scheme().as_str(), "https");
        assert!(uri.fragment().is_none(), "{uri}");
        let text = texts.get(&entry.id);
        let of_bundle = entry.codegen.map_or(&[][..], |name| name.message_sets());
        let mut sets = entry.message_set.iter().chain(of_bundle);
        let is_in_archive = sets.all(|of| message_sets.contains(of));
        assert_eq!(text, is_in_archive.then_some(&file.text), "{}", file.path);
        assert!(ids.insert(entry.id.clone()), "{} is taken", entry.id);
    }
}

/// Each entry for SchemaStore leads to a schema in this repository.
#[test]
fn entries_for_editors_lead_somewhere() {
    let root = schemas().join("..");
    let read = |path: &str| -> Value {
        let text = std::fs::read_to_string(root.join(path));
        serde_json::from_str(&text.unwrap_or_else(|error| panic!("{path}: {error}"))).unwrap()
    };
    let project = read("packages/project.json");
    let repository = project["repository"].as_str().unwrap();
    let start = format!("https://raw.githubusercontent.com/{repository}/main/");
    let store = read("schemas/schemastore.json");
    let mut names = BTreeSet::new();
    for entry in store["schemas"].as_array().unwrap() {
        let path = entry["url"].as_str().unwrap().strip_prefix(&start).unwrap();
        assert!(read(path)["$schema"].is_string(), "{path}");
        assert!(entry["description"].is_string());
        assert!(names.insert(entry["name"].as_str().unwrap()), "{entry}");
    }
    assert!(!names.is_empty());
}

/// One file states where the repository and the schemas are; packages in other languages read it.
#[test]
fn the_address_is_that_of_the_project() {
    let path = schemas().join("../packages/project.json");
    let project: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(project["schemas"], BASE);
}

/// Of each message set the newest release is published in every profile and draft, and every
/// fork; once per stability if there are two.
#[test]
fn the_newest_release_and_forks_are_published() {
    let entries: Vec<_> = publish()
        .into_iter()
        .filter_map(|file| file.entry)
        .collect();
    let mut forks = 0;
    for message_set in MessageSet::ALL.iter().copied() {
        let list = message_set.release_list();
        let points = list.points().iter().map(|point| point.release);
        forks += list.points().len();
        for release in points.chain([list.latest()]) {
            for (draft, profile) in pairs() {
                let is_of = |e: &&CatalogEntry| {
                    (e.message_set, e.draft, e.profile) == (Some(message_set), draft, Some(profile))
                };
                let holding = entries
                    .iter()
                    .filter(is_of)
                    .filter(|e| e.releases.is_some_and(|range| range.contains(release)))
                    .count();
                let times = if message_set.has_stabilities() { 2 } else { 1 };
                assert_eq!(holding, times, "{message_set} {release} {profile} {draft}");
            }
        }
    }
    assert!(forks > 0);
}

fn pairs() -> impl Iterator<Item = (Draft, Profile)> {
    Draft::ALL
        .into_iter()
        .flat_map(|draft| Profile::PUBLISHED.map(|profile| (draft, profile)))
}

/// Neighbouring ranges differ, else they would be one.
#[test]
fn ranges_are_as_long_as_can_be() {
    let body = |release| -> Value {
        let mut schema = codex_wire_schema::project(
            Protocol::Exec,
            release,
            Profile::Exact,
            Draft::Draft202012,
            codex_wire_schema::Stability::Experimental,
        );
        for key in ["$id", "$comment"] {
            schema[key] = json!(null);
        }
        schema
    };
    let ranges = release_ranges(Protocol::Exec);
    for pair in ranges.windows(2) {
        assert_ne!(body(pair[0].since), body(pair[1].since), "{pair:?}");
    }
    for range in ranges {
        let releases = Protocol::Exec.release_list().releases();
        for release in releases.iter().filter(|r| range.contains(**r)) {
            assert_eq!(body(range.since), body(*release), "{release}");
        }
    }
}

#[test]
fn digests_are_those_of_the_files() {
    let mut seen = 0;
    for entry in publish().into_iter().filter_map(|file| file.entry) {
        let (Some(message_set), Some(releases), Some(profile)) =
            (entry.message_set, entry.releases, entry.profile)
        else {
            continue;
        };
        let stability = entry.stability.unwrap_or(Stability::Experimental);
        for release in [releases.since, releases.until] {
            let digest = digest(message_set, release, profile, entry.draft, stability);
            assert_eq!(digest, entry.sha256, "{}", entry.id);
        }
        seen += 1;
    }
    assert!(seen > 60, "{seen}");
}
