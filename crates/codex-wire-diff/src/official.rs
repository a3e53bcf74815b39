//! Reads the output of `codex app-server generate-json-schema` as messages.
//!
//! A bundle has unions of requests and notifications; results are tied to their requests by type
//! names only. A folder says all of it again, file by file; a message that several files describe
//! counts once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use codex_wire_base::MessageSet;
use codex_wire_schema::annotated;
use serde_json::{Map, Value, json};

use crate::nodes::is_folder;

/// The definitions of a bundle that describe messages, with the message sets they are.
pub(crate) const MESSAGES: &[(&str, MessageSet)] = &[
    (
        "ClientNotification",
        MessageSet::AppServerClientNotifications,
    ),
    ("ClientRequest", MessageSet::AppServerClientRequests),
    ("JSONRPCError", MessageSet::AppServerErrors),
    (
        "ServerNotification",
        MessageSet::AppServerServerNotifications,
    ),
    ("ServerRequest", MessageSet::AppServerServerRequests),
];

/// The unions of requests, with the message sets that answer them and what these are called here.
/// The names say who answers, as those of the types do.
const ANSWERED: &[(&str, MessageSet, &str)] = &[
    (
        "ClientRequest",
        MessageSet::AppServerServerResponses,
        "ServerResponse",
    ),
    (
        "ServerRequest",
        MessageSet::AppServerClientResponses,
        "ClientResponse",
    ),
];

/// Whether definitions are those of an official bundle.
pub(crate) fn is_bundle(definitions: &Map<String, Value>) -> bool {
    MESSAGES.iter().any(|(name, message_set)| {
        *message_set != MessageSet::AppServerErrors && definitions.contains_key(*name)
    })
}

/// Adds what answers requests to the definitions of a bundle: a union of results, each with the
/// method it answers. `key` is what the definitions are called in the document.
pub(crate) fn with_answers(
    definitions: &mut Map<String, Value>,
    key: &str,
) -> Vec<(&'static str, MessageSet)> {
    let mut out = Vec::new();
    lead_on(definitions, key);
    let places = places(definitions, key);
    for (union, message_set, name) in ANSWERED {
        if definitions.contains_key(*name) {
            continue;
        }
        let Some(branches) = definitions.get(*union).and_then(|union| union.get("oneOf")) else {
            continue;
        };
        let answers: Vec<Value> = branches
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|branch| answer(&places, *message_set, branch))
            .collect();
        if !answers.is_empty() {
            let union = json!({ "oneOf": answers, "title": name });
            definitions.insert((*name).to_owned(), union);
            out.push((*name, *message_set));
        }
    }
    out
}

/// Leads references on that name a definition of the wrong name space: a bundle has the older
/// definitions beside one another, the newer ones under `v2`, and 0.107.0 confuses them.
fn lead_on(definitions: &mut Map<String, Value>, key: &str) {
    let newer = definitions.get("v2").and_then(Value::as_object);
    let moved: BTreeMap<String, String> = newer
        .into_iter()
        .flat_map(Map::keys)
        .filter(|name| !definitions.contains_key(*name))
        .map(|name| (format!("#/{key}/{name}"), format!("#/{key}/v2/{name}")))
        .collect();
    fn walk(node: &mut Value, moved: &BTreeMap<String, String>) {
        match node {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get_mut("$ref")
                    && let Some(to) = moved.get(reference)
                {
                    reference.clone_from(to);
                }
                members.values_mut().for_each(|inner| walk(inner, moved));
            }
            Value::Array(elements) => elements.iter_mut().for_each(|inner| walk(inner, moved)),
            _ => {}
        }
    }
    definitions
        .values_mut()
        .for_each(|inner| walk(inner, &moved));
}

/// The answer to a request, where the bundle has its result.
fn answer(
    places: &BTreeMap<String, String>,
    message_set: MessageSet,
    branch: &Value,
) -> Option<Value> {
    let members = branch.get("properties")?;
    let method = members.get("method")?;
    let name = method
        .get("const")
        .or_else(|| method.get("enum")?.get(0))?
        .as_str()?;
    let known = known(message_set).get(name);
    let params = members.get("params").and_then(|params| params.get("$ref"));
    // A method of a release to come: called after its params, as most are.
    let guessed = params
        .and_then(Value::as_str)
        .and_then(|params| params.rsplit('/').next()?.strip_suffix("Params"))
        .map(|stem| format!("{stem}Response"));
    let mut names = known
        .into_iter()
        .flatten()
        .map(String::as_str)
        .chain(guessed.as_deref());
    let result = names.find_map(|name| places.get(name))?;
    let id = members.get("id")?;
    Some(json!({
        "type": "object",
        "properties": {
            "id": id,
            "method": { "const": name, "type": "string" },
            "result": { "$ref": result },
        },
        "required": ["id", "method", "result"],
    }))
}

/// Where definitions stand, of two by one name the newer.
fn places(definitions: &Map<String, Value>, key: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for name in definitions.keys() {
        out.insert(name.clone(), format!("#/{key}/{name}"));
    }
    for (folder, inner) in definitions {
        let Some(inner) = inner.as_object().filter(|inner| is_folder(inner)) else {
            continue;
        };
        for name in inner.keys() {
            out.insert(name.clone(), format!("#/{key}/{folder}/{name}"));
        }
    }
    out
}

/// The definitions that ever were the result of a method, by the types.
fn known(message_set: MessageSet) -> &'static BTreeMap<String, BTreeSet<String>> {
    static SERVER: LazyLock<BTreeMap<String, BTreeSet<String>>> =
        LazyLock::new(|| results(MessageSet::AppServerServerResponses));
    static CLIENT: LazyLock<BTreeMap<String, BTreeSet<String>>> =
        LazyLock::new(|| results(MessageSet::AppServerClientResponses));
    match message_set {
        MessageSet::AppServerServerResponses => &SERVER,
        _ => &CLIENT,
    }
}

fn results(message_set: MessageSet) -> BTreeMap<String, BTreeSet<String>> {
    let document = annotated(message_set).whole();
    let mut out = BTreeMap::new();
    let definitions = document.get("$defs").and_then(Value::as_object);
    for definition in definitions.into_iter().flat_map(Map::values) {
        let Some(members) = definition.get("properties") else {
            continue;
        };
        let method = members.get("method").and_then(|method| method.get("const"));
        if let (Some(method), Some(result)) =
            (method.and_then(Value::as_str), members.get("result"))
        {
            let mut names = BTreeSet::new();
            references(document, result, &mut names);
            out.insert(method.to_owned(), names);
        }
    }
    out
}

/// The definitions a node names, in place or as alternatives.
fn references(document: &Value, node: &Value, out: &mut BTreeSet<String>) {
    if let Some(name) = node.get("$ref").and_then(Value::as_str)
        && let Some(name) = name.strip_prefix("#/$defs/")
        && out.insert(name.to_owned())
        && let Some(target) = document.get("$defs").and_then(|all| all.get(name))
    {
        // A result that had several types is a definition of alternatives.
        for keyword in ["anyOf", "oneOf"] {
            let branches = target.get(keyword).and_then(Value::as_array);
            branches
                .into_iter()
                .flatten()
                .for_each(|branch| references(document, branch, out));
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let branches = node.get(keyword).and_then(Value::as_array);
        branches
            .into_iter()
            .flatten()
            .for_each(|branch| references(document, branch, out));
    }
}

/// The files of a folder that say something no other file says: of a folder with an official
/// bundle the fullest bundle, and what is in no bundle. The second value says whether the
/// folder has an official bundle.
pub(crate) fn once(files: Vec<(String, Value)>) -> (Vec<(String, Value)>, bool) {
    let bundle = |schema: &Value| {
        let definitions = schema.get("definitions").or_else(|| schema.get("$defs"))?;
        let definitions = definitions.as_object()?;
        let describes = ["oneOf", "anyOf", "properties", "$ref"];
        let lone = describes.iter().all(|key| schema.get(key).is_none());
        (lone && is_bundle(definitions)).then(|| {
            let unions = MESSAGES.iter();
            let unions = unions.filter(|(name, _)| definitions.contains_key(*name));
            (unions.count(), names(definitions).len())
        })
    };
    let fullest = (0..files.len())
        .filter_map(|at| Some((bundle(&files[at].1)?, std::cmp::Reverse(at))))
        .max();
    let Some((_, std::cmp::Reverse(fullest))) = fullest else {
        return (files, false);
    };
    let said: BTreeSet<String> = ["definitions", "$defs"]
        .iter()
        .filter_map(|key| files[fullest].1.get(key)?.as_object())
        .flat_map(names)
        .collect();
    let kept = files
        .into_iter()
        .enumerate()
        .filter(|(at, (path, schema))| {
            let title = schema.get("title").and_then(Value::as_str);
            let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
            let stem = file.strip_suffix(".json").unwrap_or(file);
            let again = bundle(schema).is_some()
                || title.is_some_and(|title| said.contains(title))
                || said.contains(stem);
            *at == fullest || !again
        });
    (kept.map(|(_, file)| file).collect(), true)
}

/// The names of definitions, those within folders among them.
fn names(definitions: &Map<String, Value>) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (name, definition) in definitions {
        match definition {
            Value::Object(inner) if is_folder(inner) => out.extend(inner.keys().cloned()),
            _ => {
                out.insert(name.clone());
            }
        }
    }
    out
}
