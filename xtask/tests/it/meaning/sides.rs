//! The two sides: the official document of a release, and our projections of it. Each is a
//! document of units, with a validator that validates an instance of any of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use app_server_codegen::archive::Bundle;
use app_server_codegen::official::name_of;
use app_server_codegen::types::Type;
use app_server_codegen::{Kind, Model};
use codex_wire::{MessageSet, Release};
use codex_wire_schema::{Draft, Profile, Stability, project};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::classes::CLASSES;
use super::instances::Document;

/// The message sets, with the units their roots are.
const ROOTS: [(MessageSet, &str); 7] = [
    (MessageSet::AppServerClientRequests, "ClientRequest"),
    (
        MessageSet::AppServerClientNotifications,
        "ClientNotification",
    ),
    (MessageSet::AppServerServerRequests, "ServerRequest"),
    (
        MessageSet::AppServerServerNotifications,
        "ServerNotification",
    ),
    (
        MessageSet::AppServerServerResponses,
        "ClientRequest-answers",
    ),
    (
        MessageSet::AppServerClientResponses,
        "ServerRequest-answers",
    ),
    (MessageSet::AppServerErrors, "JSONRPCError"),
];

/// One side: units, and what validates instances of them.
pub(crate) struct Side {
    pub(crate) document: Document,
    /// The `$ref` of each unit.
    pub(crate) references: BTreeMap<String, String>,
    validator: Validator,
    root: Value,
    draft: jsonschema::Draft,
    /// The same, narrowed for each class of differences, made when it is first asked for.
    narrowed: Vec<OnceLock<Validator>>,
}

impl Side {
    fn new(
        root: Map<String, Value>,
        definitions: BTreeMap<String, Value>,
        units: BTreeMap<String, String>,
        draft: jsonschema::Draft,
    ) -> Result<Self, String> {
        let references: BTreeMap<String, String> = units
            .iter()
            .map(|(reference, unit)| (unit.clone(), reference.clone()))
            .collect();
        let properties: Map<String, Value> = references
            .iter()
            .map(|(unit, reference)| (unit.clone(), json!({"$ref": reference})))
            .collect();
        let mut root = root;
        root.insert("properties".into(), Value::Object(properties));
        let root = Value::Object(root);
        Ok(Side {
            document: Document::new(definitions, units),
            references,
            validator: validator(&root, draft)?,
            root,
            draft,
            narrowed: CLASSES.iter().map(|_| OnceLock::new()).collect(),
        })
    }

    /// Whether `value` is an instance of `unit` where the schema is narrowed so.
    pub(crate) fn accepts_narrowed(&self, class: usize, unit: &str, value: &Value) -> bool {
        let narrowed = self.narrowed[class].get_or_init(|| {
            let mut root = self.root.clone();
            (CLASSES[class].narrow)(&mut root);
            validator(&root, self.draft).unwrap()
        });
        narrowed.is_valid(&json!({unit: value}))
    }

    /// Whether `value` is an instance of `unit`.
    pub(crate) fn accepts(&self, unit: &str, value: &Value) -> bool {
        self.validator.is_valid(&json!({unit: value}))
    }

    /// Why it is none.
    pub(crate) fn refusal(&self, unit: &str, value: &Value) -> String {
        let wrapped = json!({unit: value});
        let error = self.validator.iter_errors(&wrapped).next();
        let mut text = error.map_or_else(String::new, |error| error.to_string());
        if let Some((at, _)) = text.char_indices().nth(300) {
            text.truncate(at);
        }
        text
    }
}

fn validator(schema: &Value, draft: jsonschema::Draft) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(false)
        .build(schema)
        .map_err(|error| error.to_string())
}

/// The official document of a release, as one side. A definition that it refers to and does not
/// have is `lent` by another release; says how many those are.
pub(crate) fn official(
    bundle: &Value,
    answers: &BTreeMap<(Kind, String), Type>,
    named: &BTreeSet<String>,
    lent: &dyn Fn(&str, bool) -> Option<Value>,
) -> Result<(Side, usize), String> {
    let mut definitions = BTreeMap::new();
    let mut units = BTreeMap::new();
    let mut by_name = BTreeMap::new();
    let mut root = Map::new();
    let mut tree = bundle["definitions"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    for kind in [Kind::ClientRequest, Kind::ServerRequest] {
        let name = format!("{}-answers", kind.union());
        tree.insert(name, Value::Null);
    }
    let newer = tree
        .get("v2")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let older = tree.iter().filter(|(name, _)| *name != "v2");
    let all = older.map(|(name, schema)| (name.clone(), false, schema));
    let all = all.chain(
        newer
            .iter()
            .map(|(name, schema)| (name.clone(), true, schema)),
    );
    for (name, is_newer, schema) in all {
        let reference = match is_newer {
            true => format!("#/definitions/v2/{name}"),
            false => format!("#/definitions/{name}"),
        };
        // The newer definition stands for both where they are the same.
        by_name.insert(own_name(&name, is_newer), reference.clone());
        definitions.insert(reference, schema.clone());
    }
    for kind in [Kind::ClientRequest, Kind::ServerRequest] {
        let name = format!("{}-answers", kind.union());
        let schema = answers_of(kind, answers, &by_name)?;
        tree.insert(name.clone(), schema.clone());
        definitions.insert(format!("#/definitions/{name}"), schema);
    }
    // The envelope, which the official document declares once for all methods.
    let trace = &bundle["definitions"]["JSONRPCRequest"]["properties"]["trace"];
    if let (false, Some(Value::Object(union))) = (trace.is_null(), tree.get_mut("ClientRequest")) {
        let branches = union.get_mut("oneOf").and_then(Value::as_array_mut);
        for branch in branches.into_iter().flatten() {
            branch["properties"]["trace"] = trace.clone();
        }
        let union = Value::Object(union.clone());
        definitions.insert("#/definitions/ClientRequest".to_owned(), union);
    }
    let dangling = complete(&mut tree, &mut definitions, lent);
    for reference in definitions.keys() {
        let (name, is_newer) = split(reference);
        let own = own_name(name, is_newer);
        if is_root(name) || named.contains(&own) {
            units.insert(reference.clone(), own);
        }
    }
    root.insert("definitions".into(), Value::Object(tree));
    let side = Side::new(root, definitions, units, jsonschema::Draft::Draft7)?;
    Ok((side, dangling))
}

/// What answers requests: which definition that is stands in no official document, so the model
/// says it.
fn answers_of(
    kind: Kind,
    answers: &BTreeMap<(Kind, String), Type>,
    by_name: &BTreeMap<String, String>,
) -> Result<Value, String> {
    let mut branches = Vec::new();
    for ((of, method), result) in answers {
        if *of != kind {
            continue;
        }
        let Type::Reference(result) = result else {
            return Err(format!("`{method}` is answered by {result}"));
        };
        let Some(reference) = by_name.get(result) else {
            continue;
        };
        branches.push(json!({
            "type": "object",
            "properties": {
                "id": {"$ref": "#/definitions/RequestId"},
                "method": {"type": "string", "enum": [method]},
                "result": {"$ref": reference},
            },
            "required": ["id", "method", "result"],
        }));
    }
    Ok(json!({"oneOf": branches}))
}

/// The name a `$ref` ends in, and whether it is of the newer name space.
fn split(reference: &str) -> (&str, bool) {
    let path = reference.trim_start_matches("#/definitions/");
    match path.strip_prefix("v2/") {
        Some(name) => (name, true),
        None => (path, false),
    }
}

fn is_root(name: &str) -> bool {
    ROOTS.iter().any(|(_, unit)| *unit == name)
}

fn own_name(name: &str, is_newer: bool) -> String {
    match is_root(name) {
        true => name.to_owned(),
        false => name_of(name, is_newer),
    }
}

/// Adds the definitions that are referred to and not there, as another release has them. Says how
/// many they are.
fn complete(
    tree: &mut Map<String, Value>,
    definitions: &mut BTreeMap<String, Value>,
    lent: &dyn Fn(&str, bool) -> Option<Value>,
) -> usize {
    let mut count = 0;
    loop {
        let missing = dangling(tree, definitions);
        if missing.is_empty() {
            return count;
        }
        for reference in missing {
            count += 1;
            let (name, is_newer) = split(&reference);
            let schema = lent(name, is_newer).unwrap_or(json!({}));
            match is_newer {
                true => tree["v2"][name] = schema.clone(),
                false => {
                    tree.insert(name.to_owned(), schema.clone());
                }
            }
            definitions.insert(reference, schema);
        }
    }
}

/// References to definitions that are not there.
fn dangling(tree: &Map<String, Value>, definitions: &BTreeMap<String, Value>) -> BTreeSet<String> {
    fn walk(value: &Value, visit: &mut dyn FnMut(&str)) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(reference)) = fields.get("$ref") {
                    visit(reference);
                }
                fields.values().for_each(|value| walk(value, visit));
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
            _ => {}
        }
    }
    let mut out = BTreeSet::new();
    for schema in tree.values() {
        walk(schema, &mut |reference| {
            if !definitions.contains_key(reference) {
                out.insert(reference.to_owned());
            }
        });
    }
    out
}

/// Which of our projections are one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ours {
    /// The known ones, of everything.
    Known,
    /// The exact ones of what Codex reads.
    Read,
    /// The exact ones of what it writes.
    Written,
    /// As these, but with members optional that Codex always writes though its schema lets them be
    /// left out.
    WrittenLeavingOut,
}

/// Some of our projections of a release, as one side. The units are those that the official
/// document has: `shared`.
pub(crate) fn ours(
    release: Release,
    stability: Stability,
    ours: Ours,
    shared: &BTreeMap<String, String>,
) -> Result<Side, String> {
    let mut definitions = BTreeMap::new();
    let mut units = BTreeMap::new();
    let mut tree = Map::new();
    for (message_set, unit) in ROOTS {
        let is_meant = match ours {
            Ours::Known => true,
            Ours::Read => !message_set.is_written(),
            Ours::Written | Ours::WrittenLeavingOut => message_set.is_written(),
        };
        if !is_meant {
            continue;
        }
        let of = |profile| project(message_set, release, profile, Draft::Draft202012, stability);
        let mut root = match ours {
            Ours::Known => of(Profile::Known),
            Ours::Read | Ours::Written => of(Profile::Exact),
            Ours::WrittenLeavingOut => leaving_out(of(Profile::Exact), &of(Profile::Known)),
        };
        let inner = root.as_object_mut().and_then(|root| {
            root.remove("$id");
            root.remove("$schema");
            root.remove("$defs")
        });
        let Some(Value::Object(inner)) = inner else {
            continue;
        };
        // A release may have no such messages at all.
        if root.get("not").is_some() || root["oneOf"] == json!([]) {
            continue;
        }
        let all = inner.into_iter().chain([(unit.to_owned(), root)]);
        for (name, schema) in all {
            let reference = format!("#/$defs/{name}");
            if tree.get(&name).is_some_and(|known| *known != schema) {
                return Err(format!(
                    "`{name}` differs between two message_sets of {release}"
                ));
            }
            let own = super::own_name(&name);
            if shared.contains_key(own) {
                units.insert(reference.clone(), own.to_owned());
            }
            definitions.insert(reference, schema.clone());
            tree.insert(name, schema);
        }
    }
    let mut root = Map::new();
    root.insert("$defs".into(), Value::Object(tree));
    Side::new(root, definitions, units, jsonschema::Draft::Draft202012)
}

/// An exact projection that requires what the known one requires.
fn leaving_out(mut exact: Value, known: &Value) -> Value {
    for (name, definition) in exact["$defs"].as_object_mut().into_iter().flatten() {
        let required = &known["$defs"][name]["required"];
        if !required.is_null() {
            definition["required"] = required.clone();
        }
    }
    exact
}

/// What answers the requests of a release, by the model.
pub(crate) fn answers(
    model: &Model,
    results: &app_server_codegen::results::Results,
    release: Release,
    stability: Stability,
) -> Result<BTreeMap<(Kind, String), Type>, String> {
    let experimental = stability == Stability::Experimental;
    let mut out = BTreeMap::new();
    for (kind, method) in model.at(release, experimental).methods.into_keys() {
        if !kind.is_request() {
            continue;
        }
        let versions = results
            .of(model, kind, &method)
            .map_err(|error| error.to_string())?;
        let held = versions
            .into_iter()
            .find(|(_, availability)| availability.holds(release, experimental));
        if let Some((result, _)) = held {
            out.insert((kind, method), result);
        }
    }
    Ok(out)
}

/// The documents of a release: for every client, and with the experimental API.
pub(crate) fn documents(bundle: &Bundle) -> Result<Vec<(Stability, Value)>, String> {
    let (stable, experimental) = bundle.read().map_err(|error| error.to_string())?;
    let mut out = vec![(Stability::Stable, stable)];
    out.extend(experimental.map(|document| (Stability::Experimental, document)));
    Ok(out)
}
