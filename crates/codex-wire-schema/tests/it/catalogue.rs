//! The catalogue lists every file, truly; ids are ids.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::Protocol;
use codex_wire_schema::{Draft, Profile, Stability, digest, publish, release_ranges};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::parse;

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
        let large = path.starts_with("app-server/") && !path.ends_with("/all-releases.json");
        expected.extend(large.then_some("stability"));
        expected.push("message_set");
        expected.sort_unstable();
        assert_eq!(keys, expected, "{path}");
        let named = entry["profile"].as_str().unwrap_or("none");
        if !["all-releases", "none"].contains(&named) {
            assert_eq!(schema["x-releases"], entry["releases"], "{path}");
            let profile: Profile = named.parse().unwrap();
            let id = schema["$id"].as_str().unwrap();
            assert!(id.contains(&format!(":{profile}")), "{path}: {id}");
        }
    }
    let unlisted: Vec<&String> = files.keys().collect();
    // An index, no schema.
    assert_eq!(unlisted, ["app-server/methods.json"]);
}

/// Published names are promises: these have to stay.
#[test]
fn names_and_ids() {
    let paths: BTreeSet<String> = publish().into_iter().map(|file| file.path).collect();
    for path in [
        "catalog.json",
        "exec/all-releases.json",
        "exec/0.42.0-0.42.0.exact.json",
        "exec/0.44.0-0.50.0.open.json",
        "exec/0.44.0-0.50.0.open.draft-07.json",
        "exec/0.132.0-0.144.6.exact.json",
    ] {
        assert!(paths.contains(path), "{path} is gone");
    }
    let id = |path: &str| {
        let file = publish().into_iter().find(|file| file.path == path);
        parse(&file.unwrap())["$id"].clone()
    };
    assert_eq!(
        id("exec/all-releases.json"),
        "urn:codex-wire:exec:all-releases"
    );
    assert_eq!(
        id("exec/0.44.0-0.50.0.exact.json"),
        "urn:codex-wire:exec:0.44.0:exact"
    );
    assert_eq!(
        id("exec/0.44.0-0.50.0.open.draft-07.json"),
        "urn:codex-wire:exec:0.44.0:open:draft-07"
    );
}

#[test]
fn ids_are_unique_and_absolute() {
    let mut ids = BTreeSet::new();
    for file in publish() {
        let Some(entry) = file.entry else { continue };
        let uri = jsonschema::Uri::parse(entry.id.as_str())
            .unwrap_or_else(|error| panic!("{}: {error}", entry.id));
        // Nothing that a validator could want to fetch.
        assert_eq!(uri.scheme().as_str(), "urn");
        assert!(uri.fragment().is_none(), "{uri}");
        assert!(ids.insert(entry.id.clone()), "{} is taken", entry.id);
    }
}

/// The files of one draft and profile hold for each release exactly once.
#[test]
fn every_release_has_one_file_per_profile_and_draft() {
    let entries: Vec<_> = publish()
        .into_iter()
        .filter_map(|file| file.entry)
        .collect();
    for timeline in entries.iter().filter(|entry| entry.profile.is_none()) {
        let Some(message_set) = timeline.message_set else {
            continue;
        };
        // Of the large ones the newest release is published, once per stability.
        let (releases, times) = match message_set.release_list().releases() {
            [.., newest] if message_set.has_stabilities() => (std::slice::from_ref(newest), 2),
            all => (all, 1),
        };
        for release in releases {
            for (draft, profile) in pairs() {
                let holding = entries
                    .iter()
                    .filter(|e| e.message_set == Some(message_set) && e.draft == draft)
                    .filter(|e| {
                        e.profile == Some(profile)
                            && e.releases.is_some_and(|range| range.contains(*release))
                    })
                    .count();
                assert_eq!(holding, times, "{message_set} {release} {profile} {draft}");
            }
        }
    }
}

fn pairs() -> impl Iterator<Item = (Draft, Profile)> {
    Draft::ALL
        .into_iter()
        .flat_map(|draft| Profile::ALL.map(|profile| (draft, profile)))
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
        for key in ["$id", "$comment", "x-releases"] {
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
    assert!(seen > 100, "{seen}");
}
