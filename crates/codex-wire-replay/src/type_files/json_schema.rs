//! The files of `generate-json-schema`: a document for each message, and all of them in one.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::Release;
use serde_json::{Map, Value, json};

use super::titles::Titles;

const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// The file with all schemas.
const BUNDLE: &str = "codex_app_server_protocol.schemas.json";

/// The file with those of the newer name space, which becomes the only one.
const NEWER_BUNDLE: &str = "codex_app_server_protocol.v2.schemas.json";

/// The first release that writes it.
const WRITES_NEWER_BUNDLE: Release = Release::new(0, 110, 0);

/// What the newer bundle has of the older name space, as far as the release has it.
const SHARED: [&str; 3] = ["ClientRequest", "EventMsg", "ServerNotification"];

/// Messages whose title the bundle had not in 0.58.0 and 0.98.0, and had in 0.107.0.
const UNTITLED: [&str; 2] = ["NewConversationParams", "RequestId"];

/// The first release that gives them one.
const TITLED: Release = Release::new(0, 107, 0);

const PREFIX: &str = "#/definitions/";
const NEWER: &str = "#/definitions/v2/";

/// The files by their paths, from the archived bundle and the archived documents of messages.
pub(super) fn files(release: Release, bundle: Value, messages: Value) -> BTreeMap<String, String> {
    let titles = Titles::of(release);
    let mut files = BTreeMap::new();
    let known = &messages["definitions"];
    let documents = messages["files"].as_object().into_iter().flatten();
    let paths: BTreeSet<&str> = documents.clone().map(|(path, _)| path.as_str()).collect();
    for (path, file) in documents {
        let mut schema = file["schema"].clone();
        let definitions = definitions(file, known);
        if !definitions.is_empty() {
            schema["definitions"] = Value::Object(definitions);
        }
        message(&mut schema, path, titles);
        files.insert(format!("{path}.json"), text(&schema));
    }
    let bundle = whole(release, bundle, &paths);
    if release >= WRITES_NEWER_BUNDLE {
        files.insert(NEWER_BUNDLE.to_owned(), text(&newer(&bundle)));
    }
    files.insert(BUNDLE.to_owned(), text(&bundle));
    files
}

/// As Codex writes JSON.
fn text(schema: &Value) -> String {
    format!("{schema:#}")
}

/// The definitions of a document: those that it shares with most, and its own.
fn definitions(file: &Value, known: &Value) -> Map<String, Value> {
    let shared = file["shared"].as_array().into_iter().flatten();
    let shared = shared.filter_map(Value::as_str);
    let shared = shared.map(|name| (name.to_owned(), known[name].clone()));
    let own = file["own"].as_object().cloned().unwrap_or_default();
    shared.chain(own).collect()
}

/// Completes the document of a message.
fn message(schema: &mut Value, path: &str, titles: Titles) {
    let name = path.rsplit('/').next().unwrap_or(path);
    if let Value::Object(schema) = schema {
        schema.insert("$schema".to_owned(), json!(DRAFT));
        // Files are named without what Rust does not take in the name of a type.
        let title = match name.strip_prefix("Nullable") {
            Some(of) => format!("Nullable_{of}"),
            None if name == "Option<()>" => "Nullable_Null".to_owned(),
            None => name.to_owned(),
        };
        schema.insert("title".to_owned(), json!(title));
    }
    titles.write(schema, &path.replace('/', "::"));
}

/// Completes the bundle. The messages in it are documents like those with a file of their own.
fn whole(release: Release, mut bundle: Value, paths: &BTreeSet<&str>) -> Value {
    let titles = Titles::of(release);
    if let Value::Object(bundle) = &mut bundle {
        bundle.insert("$schema".to_owned(), json!(DRAFT));
        bundle.insert("title".to_owned(), json!("CodexAppServerProtocol"));
    }
    let complete = |name: &str, schema: &mut Value, folders: &[&str]| {
        let path = |folder| format!("{folder}{name}");
        let mut own = folders.iter().map(path);
        let is_titled = release >= TITLED || !UNTITLED.contains(&name);
        match own.find(|path| is_titled && paths.contains(path.as_str())) {
            Some(path) => message(schema, &path, titles),
            None => titles.write(schema, name),
        }
    };
    let named = bundle["definitions"].as_object_mut();
    for (name, schema) in named.into_iter().flatten() {
        match (name.as_str(), schema) {
            ("v2", Value::Object(newer)) => {
                let newer = newer.iter_mut();
                newer.for_each(|(name, schema)| complete(name, schema, &["v2/"]));
            }
            (name, schema) => complete(name, schema, &["", "v1/"]),
        }
    }
    bundle
}

/// The newer bundle, from the bundle: with one name space.
fn newer(bundle: &Value) -> Value {
    let all = &bundle["definitions"];
    let mut named = all["v2"].as_object().cloned().unwrap_or_default();
    // What the shared ones lead to in the older name space.
    let is_there = |name: &&str| !all[*name].is_null();
    let mut waiting: Vec<&str> = SHARED.into_iter().filter(is_there).collect();
    let mut older = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if older.insert(name) {
            let mut found = BTreeSet::new();
            references(&all[name], &mut found);
            let found = found.into_iter();
            waiting.extend(
                found
                    .filter(|to| !to.starts_with(NEWER))
                    .filter_map(|to| to.strip_prefix(PREFIX)),
            );
        }
    }
    for name in older {
        if SHARED.contains(&name) || !named.contains_key(name) {
            named.insert(name.to_owned(), all[name].clone());
        }
    }
    let mut newer = bundle.clone();
    newer["title"] = json!("CodexAppServerProtocolV2");
    newer["definitions"] = Value::Object(named);
    lead_to_one_name_space(&mut newer);
    newer
}

/// Collects what a schema refers to.
fn references<'v>(schema: &'v Value, out: &mut BTreeSet<&'v str>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(to) if key == "$ref" => _ = out.insert(to),
                    value => references(value, out),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|one| references(one, out)),
        _ => {}
    }
}

fn lead_to_one_name_space(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(to) if key == "$ref" => *to = to.replace(NEWER, PREFIX),
                    value => lead_to_one_name_space(value),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(lead_to_one_name_space),
        _ => {}
    }
}
