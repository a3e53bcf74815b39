//! The files of types are whole. Whether they are those of the release `cargo test -p xtask --test it -- type_files`
//! asks real binaries.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::{MessageSet, Release};
use codex_wire_replay::{Language, type_files};
use serde_json::Value;

/// The first release with an experimental API.
const EXPERIMENTAL: Release = Release::new(0, 95, 0);

/// What the bundles of old releases lead to and do not have: real ones neither.
const DANGLING: [&str; 6] = [
    "#/definitions/v2/SandboxPolicy",
    "#/definitions/AbsolutePathBuf",
    "#/definitions/MessagePhase",
    "#/definitions/ThreadId",
    "#/definitions/UserInput",
    "#/definitions/WebSearchAction",
];

fn files(release: Release, language: Language, is_experimental: bool) -> BTreeMap<String, String> {
    type_files(release, language, is_experimental).unwrap_or_else(|| panic!("{release}"))
}

/// The first, the last, and some between them.
fn releases() -> Vec<Release> {
    let list = MessageSet::AppServerClientRequests.release_list();
    let all = list.releases().iter().copied();
    sampling::spread(all, 4)
}

#[test]
fn every_schema_has_what_it_leads_to() {
    for release in releases() {
        for is_experimental in [false, true] {
            let files = files(release, Language::JsonSchema, is_experimental);
            for bundle in [
                "codex_app_server_protocol.schemas.json",
                "v2/ThreadStartParams.json",
            ] {
                assert!(files.contains_key(bundle), "{release}: {bundle}");
            }
            for (path, text) in &files {
                let schema: Value = serde_json::from_str(text).unwrap();
                assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
                assert!(schema["title"].is_string(), "{release}: {path}");
                let mut references = BTreeSet::new();
                collect(&schema, &mut references);
                for to in references {
                    let pointer = to.strip_prefix('#').unwrap();
                    let is_there = schema.pointer(pointer).is_some() || DANGLING.contains(&to);
                    assert!(is_there, "{release}: {path}: {to}");
                }
            }
        }
    }
}

fn collect<'v>(schema: &'v Value, out: &mut BTreeSet<&'v str>) {
    match schema {
        Value::Object(members) => {
            out.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|value| collect(value, out));
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, out)),
        _ => {}
    }
}

#[test]
fn every_type_has_what_it_imports() {
    for release in releases() {
        for is_experimental in [false, true] {
            let files = files(release, Language::TypeScript, is_experimental);
            for (path, code) in &files {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                for line in code.lines().filter(|line| line.contains(" from \"")) {
                    let (_, from) = line.split_once(" from \"").unwrap();
                    let from = from.trim_end_matches("\";");
                    let (folder, name) = match from.strip_prefix("../") {
                        Some(name) => ("", name),
                        None => (folder, from.trim_start_matches("./")),
                    };
                    let name = match folder {
                        "" => name.to_owned(),
                        folder => format!("{folder}/{name}"),
                    };
                    let is_there = [format!("{name}.ts"), format!("{name}/index.ts")];
                    let is_there = is_there.iter().any(|name| files.contains_key(name));
                    assert!(is_there, "{release}: {path}: {line}");
                }
            }
        }
    }
}

#[test]
fn the_experimental_api_is_there_where_a_release_has_one() {
    for release in releases() {
        let count = |is_experimental| {
            let files = files(release, Language::TypeScript, is_experimental);
            files.values().map(String::len).sum::<usize>()
        };
        let is_more = count(true) > count(false);
        assert_eq!(is_more, release >= EXPERIMENTAL, "{release}");
    }
}

#[test]
fn a_release_that_nobody_asked_has_none() {
    for release in [Release::new(0, 57, 0), Release::new(0, 127, 0)] {
        assert_eq!(type_files(release, Language::TypeScript, true), None);
    }
}
