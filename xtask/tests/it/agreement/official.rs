//! Differences compared with the official schemas.
//!
//! A release and what its own `generate-json-schema` writes do not differ, except for corrections
//! that are named. And a message that is said to show a break is one that the official schema of
//! the writing release accepts and that of the reading release refuses.
//!
//! A wide run tries every release, and each with the next one; one of all tests tries witnesses
//! between every two of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};

use app_server_codegen::types::Type;
use app_server_codegen::{Kind, archive};
use codex_wire::{Protocol, Release};
use codex_wire_diff::{
    Change, Comparison, Counterexample, Difference, Side, Which, diff, message_sets,
};
use codex_wire_schema::Stability;
use jsonschema::Validator;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::CORRECTED;
use super::corrections::{TOUCHED, corrections};

/// The official documents by release: stable, and experimental where there is one.
static OFFICIAL: LazyLock<BTreeMap<Release, (Value, Option<Value>)>> = LazyLock::new(|| {
    let all = archive::read(&archive::folder()).unwrap();
    let documents =
        |official: archive::Official| (official.release, official.bundle.read().unwrap());
    all.into_iter().map(documents).collect()
});

/// What was tried: own documents, witnesses, and how many differences each reason explains.
#[derive(Default)]
struct Tried {
    documents: usize,
    witnesses: usize,
    corrected: BTreeMap<String, usize>,
}

static TRIED: LazyLock<Mutex<Tried>> = LazyLock::new(Mutex::default);

pub(crate) fn trials() -> Vec<Trial> {
    let releases: Vec<Release> = OFFICIAL.keys().copied().collect();
    let mut out = vec![Trial::test("official::corrections", corrections)];
    for release in sampling::spread(releases.iter().copied(), 8) {
        let trial = move || own(release);
        out.push(Trial::test(format!("official::own::{release}"), trial));
    }
    let neighbours = releases.windows(2).map(|pair| (pair[0], pair[1]));
    let mut pairs: Vec<(Release, Release)> = sampling::spread(neighbours, 6);
    let last = releases.len() - 1;
    for (from, to) in [(0, last), (last / 2, last), (0, last / 2), (last, last / 2)] {
        pairs.push((releases[from], releases[to]));
    }
    let all = all_pairs(&releases);
    if sampling::is_all() {
        pairs = all;
    } else {
        let far = sampling::few_or(4, 12);
        pairs.extend((0..far).map(|n| all[(2 * n + 1) * all.len() / (2 * far)]));
    }
    pairs.sort();
    pairs.dedup();
    for (before, after) in pairs {
        let trial = move || witnesses(before, after);
        out.push(Trial::test(
            format!("official::witnesses::{before}_{after}"),
            trial,
        ));
    }
    out
}

/// Every release with every other, in both directions: newer ones are read by older ones, too. In
/// an order that has near and far ones anywhere.
fn all_pairs(releases: &[Release]) -> Vec<(Release, Release)> {
    let count = releases.len();
    let apart = (1..count).flat_map(|apart| (0..count).map(move |from| (from, apart)));
    let pair = |(from, apart)| (releases[from], releases[(from + apart) % count]);
    apart.map(pair).collect()
}

/// Prints what was tried.
#[allow(clippy::print_stdout, reason = "the numbers are asked for")]
pub(crate) fn report() {
    let tried = TRIED.lock().unwrap();
    if tried.documents + tried.witnesses == 0 {
        return;
    }
    println!(
        "releases against their own schemas: {} documents; witnesses tried on official schemas: {}",
        tried.documents, tried.witnesses
    );
    for (reason, count) in &tried.corrected {
        println!("  {count} by: {reason}");
    }
}

fn document(release: Release, stability: Stability) -> Option<&'static Value> {
    let (stable, experimental) = OFFICIAL.get(&release)?;
    match stability {
        Stability::Stable => Some(stable),
        _ => experimental.as_ref(),
    }
}

fn side(release: Release, stability: Stability) -> Side {
    Side::release(
        message_sets(Protocol::AppServer, release),
        release,
        stability,
    )
}

/// A release does not differ from its own schema, nor from a folder that says it file by file.
fn own(release: Release) -> Result<(), Failed> {
    let mut lines = Vec::new();
    for stability in Stability::ALL {
        let Some(schema) = document(release, stability) else {
            continue;
        };
        let ours = side(release, stability);
        let bundle = Side::document("bundle", schema.clone())?;
        let found = diff(&ours, &bundle)?;
        TRIED.lock().unwrap().documents += 1;
        for corrected in &found.corrections {
            let mut tried = TRIED.lock().unwrap();
            *tried
                .corrected
                .entry(corrected.reason.to_owned())
                .or_default() += 1;
        }
        let strange = found.differences.iter();
        lines.extend(strange.map(|d| format!("{stability}: {}: {}", d.place, d.sentence())));
        // Answers and errors are compared too.
        if !found.left_out.is_empty() {
            lines.push(format!("{stability}: not compared: {:?}", found.left_out));
        }
        let folder = diff(&ours, &folder(schema)?)?;
        if folder.to_json()["differences"] != found.to_json()["differences"] {
            lines.push(format!(
                "{stability}: the folder has {} differences, the bundle {}",
                folder.differences.len(),
                found.differences.len()
            ));
        }
    }
    match lines.is_empty() {
        true => Ok(()),
        false => Err(lines.join("\n").into()),
    }
}

/// A bundle as the folder Codex writes beside it: a file for each definition, with all that it
/// needs within.
fn folder(bundle: &Value) -> Result<Side, Failed> {
    let definitions = bundle["definitions"].as_object().ok_or("no definitions")?;
    let mut files = vec![(
        "codex_app_server_protocol.schemas.json".to_owned(),
        titled(bundle, "CodexAppServerProtocol"),
    )];
    let mut file = |path: String, name: &str, definition: &Value| {
        let mut schema = titled(definition, name);
        schema["definitions"] = bundle["definitions"].clone();
        files.push((path, schema));
    };
    for name in ["ClientRequest", "ServerNotification", "RequestId"] {
        if let Some(definition) = definitions.get(name) {
            file(format!("{name}.json"), name, definition);
        }
    }
    let newer = definitions.get("v2").and_then(Value::as_object);
    for (name, definition) in newer.into_iter().flatten().step_by(40) {
        file(format!("v2/{name}.json"), name, definition);
    }
    Ok(Side::folder("folder", files)?)
}

fn titled(schema: &Value, title: &str) -> Value {
    let mut schema = schema.clone();
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!(title);
    schema
}

/// Every message that is said to show a break does so by the official schemas.
fn witnesses(before: Release, after: Release) -> Result<(), Failed> {
    let stability = |release| match document(release, Stability::Experimental) {
        Some(_) => Stability::Experimental,
        None => Stability::Stable,
    };
    let stability = [before, after]
        .map(stability)
        .into_iter()
        .find(|stability| *stability == Stability::Stable)
        .unwrap_or(Stability::Experimental);
    let found = diff(&side(before, stability), &side(after, stability))?;
    let schemas = [before, after].map(|release| OfficialSchema::new(release, stability));
    let mut lines = Vec::new();
    for (difference, example) in examples(&found) {
        let writer = usize::from(example.accepted_by == Which::After);
        let answers =
            [writer, 1 - writer].map(|at| schemas[at].accepts(difference, &example.value));
        let (accepted, refused) = match answers {
            [Ok(accepted), Ok(refused)] => (accepted, refused),
            // The official schema of a side does not know the method at all, or refers to a
            // definition it does not have: an entry of the overlay has to have it.
            [written, read] => {
                let lacks = [(writer, written), (1 - writer, read)].into_iter();
                let lacks = lacks.filter_map(|(at, answers)| Some((at, answers.err()?)));
                for (at, lacking) in lacks {
                    let release = [before, after][at];
                    match added_at(release, &lacking) {
                        Some(reason) => {
                            let mut tried = TRIED.lock().unwrap();
                            *tried.corrected.entry(reason).or_default() += 1;
                        }
                        None => lines.push(format!(
                            "{}: {}: the official schema of {release} has no {lacking}, and no entry \
                             of the overlay has it: {}",
                            difference.place,
                            difference.sentence(),
                            example.value
                        )),
                    }
                }
                continue;
            }
        };
        TRIED.lock().unwrap().witnesses += 1;
        if accepted && !refused {
            continue;
        }
        let reason = [before, after]
            .iter()
            .find_map(|release| corrected_at(*release, difference, &example.value));
        match reason {
            Some(reason) => {
                let mut tried = TRIED.lock().unwrap();
                *tried.corrected.entry(reason).or_default() += 1;
            }
            None => lines.push(format!(
                "{}: {}: the writer {}, the reader {}: {}",
                difference.place,
                difference.sentence(),
                if accepted { "accepts" } else { "refuses" },
                if refused { "accepts" } else { "refuses" },
                example.value
            )),
        }
    }
    match lines.is_empty() {
        true => Ok(()),
        false => Err(lines.join("\n").into()),
    }
}

fn examples(found: &Comparison) -> impl Iterator<Item = (&Difference, &Counterexample)> {
    let each = |difference: &'_ Difference| -> Vec<usize> {
        let judgements = difference.judgements.iter().enumerate();
        judgements
            .filter(|(_, judgement)| judgement.counterexample.is_some())
            .map(|(at, _)| at)
            .collect()
    };
    found.differences.iter().flat_map(move |difference| {
        let list = each(difference);
        list.into_iter().filter_map(move |at| {
            let example = difference.judgements[at].counterexample.as_ref()?;
            Some((difference, example))
        })
    })
}

/// The official schema of a release, by message.
struct OfficialSchema {
    document: Value,
    /// By where in the document it starts, or a definition that is referred to and not there. Messages of one
    /// union share it.
    validators: RefCell<BTreeMap<String, Result<Validator, String>>>,
    /// Results by the requests they answer.
    results: BTreeMap<(Kind, String), Type>,
}

impl OfficialSchema {
    fn new(release: Release, stability: Stability) -> Self {
        let mut document = document(release, stability).unwrap().clone();
        bounded(&mut document);
        let (model, tables) = &*CORRECTED;
        let known = super::model::document(model, &tables.results, release, stability);
        let results = known.map(|known| known.results).unwrap_or_default();
        OfficialSchema {
            document,
            validators: RefCell::default(),
            results: results
                .into_iter()
                .map(|(key, signature)| (key, signature.value))
                .collect(),
        }
    }

    /// Whether the official schema accepts a message; the method or the definition that it does not
    /// have, where that is needed.
    fn accepts(&self, difference: &Difference, message: &Value) -> Result<bool, String> {
        let method = message["method"].as_str().unwrap_or_default();
        let of = |part: &str| {
            difference
                .messages
                .iter()
                .any(|known| known.part == part && known.name == method)
        };
        // Of a message that came or went the other side has none, and refuses it.
        let about = matches!(
            difference.change,
            Change::MessageAdded | Change::MessageRemoved | Change::MessageRenamed
        );
        let union = [
            ("app-server-client-requests", "ClientRequest"),
            ("app-server-server-requests", "ServerRequest"),
            ("app-server-client-notifications", "ClientNotification"),
            ("app-server-server-notifications", "ServerNotification"),
        ]
        .into_iter()
        .find(|(part, _)| of(part) && message.get("result").is_none());
        if let Some((_, union)) = union {
            let start = format!("#/definitions/{union}");
            let methods = self.document["definitions"][union]["oneOf"].as_array();
            let methods = methods.ok_or_else(|| union.to_owned())?;
            let has = |branch: &Value| branch["properties"]["method"]["enum"][0] == method;
            if !about && !methods.iter().any(has) {
                return Err(method.to_owned());
            }
            return self.valid(&start, message);
        }
        let kind = if of("app-server-server-responses") {
            Kind::ClientRequest
        } else {
            Kind::ServerRequest
        };
        let Some(Type::Reference(result)) = self.results.get(&(kind, method.to_owned())) else {
            return Err(method.to_owned());
        };
        let newer = &self.document["definitions"]["v2"][result];
        let start = match newer.is_null() {
            false => format!("#/definitions/v2/{result}"),
            true => format!("#/definitions/{result}"),
        };
        if self.document.pointer(&start[1..]).is_none() {
            return Err(result.clone());
        }
        self.valid(&start, &message["result"])
    }

    /// Whether a value is valid; a definition that the schema refers to and does not have.
    fn valid(&self, start: &str, value: &Value) -> Result<bool, String> {
        let mut validators = self.validators.borrow_mut();
        let known = validators.entry(start.to_owned());
        let validator = known.or_insert_with(|| self.validator(start)).as_ref();
        validator
            .map(|validator| validator.is_valid(value))
            .map_err(Clone::clone)
    }

    fn validator(&self, start: &str) -> Result<Validator, String> {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "allOf": [{"$ref": start}],
            "definitions": self.document["definitions"],
        });
        jsonschema::validator_for(&schema).map_err(|error| {
            let mut seen = BTreeSet::new();
            let lacking = self.lacking(&schema["allOf"], &mut seen);
            lacking.unwrap_or_else(|| error.to_string())
        })
    }

    /// The name of a definition that a schema leads to and the document does not have.
    fn lacking(&self, schema: &Value, seen: &mut BTreeSet<String>) -> Option<String> {
        match schema {
            Value::Object(members) => {
                let reference = members.get("$ref").and_then(Value::as_str);
                let here = reference.filter(|to| seen.insert((*to).to_owned()));
                let there =
                    here.and_then(|to| match self.document.pointer(to.strip_prefix('#')?) {
                        Some(definition) => self.lacking(definition, seen),
                        None => to.rsplit('/').next().map(str::to_owned),
                    });
                there.or_else(|| members.values().find_map(|inner| self.lacking(inner, seen)))
            }
            Value::Array(items) => items.iter().find_map(|inner| self.lacking(inner, seen)),
            _ => None,
        }
    }
}

/// Formats of integers as the bounds they stand for, which a validator passes over.
fn bounded(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(bounded),
        Value::Object(object) => {
            let bounds = match object.get("format").and_then(Value::as_str) {
                Some("uint8") => Some((json!(0), json!(u8::MAX))),
                Some("uint16") => Some((json!(0), json!(u16::MAX))),
                Some("uint32") => Some((json!(0), json!(u32::MAX))),
                Some("uint64" | "uint") => Some((json!(0), json!(u64::MAX))),
                Some("int32") => Some((json!(i32::MIN), json!(i32::MAX))),
                Some("int64") => Some((json!(i64::MIN), json!(i64::MAX))),
                _ => None,
            };
            if let Some((minimum, maximum)) = bounds {
                object.insert("minimum".to_owned(), minimum);
                object.insert("maximum".to_owned(), maximum);
            }
            object.values_mut().for_each(bounded);
        }
        _ => {}
    }
}

/// The reason of the entry of the overlay by which a release has a method or a definition.
fn added_at(release: Release, name: &str) -> Option<String> {
    let (releases, reason) = TOUCHED.get(name)?;
    releases.contains(&release).then(|| reason.clone())
}

/// The reason of an entry of the overlay that a witness meets at a release: its own place, or one
/// of the values it holds.
fn corrected_at(release: Release, difference: &Difference, message: &Value) -> Option<String> {
    let text = message.to_string();
    TOUCHED.iter().find_map(|(place, (releases, reason))| {
        let own = [&difference.place, &difference.former_place];
        let within = own.iter().any(|own| {
            own.strip_prefix(place.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '<', '[']))
        });
        // A variant of a corrected definition within the message.
        let tag = place
            .split_once('<')
            .and_then(|(_, rest)| rest.split_once('>'));
        let holds = tag.is_some_and(|(tag, _)| text.contains(&format!("\"type\":\"{tag}\"")));
        (releases.contains(&release) && (within || holds)).then(|| reason.clone())
    })
}
