//! Differences held against the official schemas.
//!
//! A release and what its own `generate-json-schema` writes do not differ, but for corrections
//! that are named. And a message that is said to show a break is one that the official schema of
//! the writing release accepts and that of the reading release refuses.
//!
//! A sample of releases is tried; `CODEX_WIRE_SPANS=all` tries them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use codex_wire::{Protocol, Release};
use codex_wire_diff::{
    Change, Comparison, Counterexample, Difference, Side, Which, diff, surfaces,
};
use codex_wire_model::facts::{Facts, Owner, Part, Place, differences};
use codex_wire_model::repository::{Tables, root};
use codex_wire_model::types::Type;
use codex_wire_model::{Kind, archive, store};
use codex_wire_schema::Stability;
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

use super::CORRECTED;

/// Definitions of which the model folds alternatives that share a tag, or leaves out a least
/// length: there alone a release may differ from its own schema. Empty once it keeps them.
const FOLDED: &[&str] = &[
    "CollaborationModeMask.reasoning_effort",
    "ContentItem",
    "FunctionCallOutputContentItem",
    "ReasoningEffort",
    "ResponseItem",
    "ThreadItem",
    "UserInput",
];

/// The official documents by release: stable, and experimental where there is one.
static OFFICIAL: LazyLock<BTreeMap<Release, (Value, Option<Value>)>> = LazyLock::new(|| {
    let bundles = archive::read(&archive::file()).unwrap();
    let documents = |bundle: archive::Bundle| (bundle.release, bundle.documents().unwrap());
    bundles.into_iter().map(documents).collect()
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
    for release in sample(&releases) {
        let trial = move || own(release);
        out.push(Trial::test(format!("official::own::{release}"), trial));
    }
    let mut pairs: Vec<(Release, Release)> =
        releases.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs = sample(&pairs);
    let last = releases.len() - 1;
    for (from, to) in [(0, last), (last / 2, last), (0, last / 2), (last, last / 2)] {
        pairs.push((releases[from], releases[to]));
    }
    for (before, after) in pairs {
        let trial = move || witnesses(before, after);
        out.push(Trial::test(
            format!("official::witnesses::{before}_{after}"),
            trial,
        ));
    }
    out
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

fn sample<T: Copy>(all: &[T]) -> Vec<T> {
    if std::env::var("CODEX_WIRE_SPANS").is_ok_and(|spans| spans == "all") {
        return all.to_vec();
    }
    let step = all.len().div_ceil(8).max(1);
    let mut out: Vec<T> = all.iter().copied().step_by(step).collect();
    out.extend(all.last());
    out
}

fn document(release: Release, stability: Stability) -> Option<&'static Value> {
    let (stable, experimental) = OFFICIAL.get(&release)?;
    match stability {
        Stability::Stable => Some(stable),
        _ => experimental.as_ref(),
    }
}

fn side(release: Release, stability: Stability) -> Side {
    Side::release(surfaces(Protocol::AppServer, release), release, stability)
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
        let strange = |difference: &&Difference| !folded(&difference.place);
        let strange = found.differences.iter().filter(strange);
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

fn folded(place: &str) -> bool {
    // A variant of its own is called after its tag and the union.
    FOLDED.iter().any(|name| {
        place
            .split_once(name)
            .is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(['<', '.']))
    })
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
    let judges = [before, after].map(|release| Judge::new(release, stability));
    let mut lines = Vec::new();
    for (difference, example) in examples(&found) {
        let writer = usize::from(example.accepted_by == Which::After);
        let (Some(accepted), Some(refused)) = (
            judges[writer].accepts(difference, &example.value),
            judges[1 - writer].accepts(difference, &example.value),
        ) else {
            // The official schema of a side does not know the method at all, or refers to a
            // definition it does not have: the overlay has both.
            let mut tried = TRIED.lock().unwrap();
            *tried
                .corrected
                .entry("methods of the overlay".to_owned())
                .or_default() += 1;
            continue;
        };
        TRIED.lock().unwrap().witnesses += 1;
        if accepted && !refused || folded(&difference.place) || folded(&difference.former_place) {
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
struct Judge {
    document: Value,
    /// Results by the requests they answer.
    results: BTreeMap<(Kind, String), Type>,
}

impl Judge {
    fn new(release: Release, stability: Stability) -> Self {
        let mut document = document(release, stability).unwrap().clone();
        bounded(&mut document);
        let (model, tables) = &*CORRECTED;
        let known = super::model::document(model, &tables.results, release, stability);
        let results = known.map(|known| known.results).unwrap_or_default();
        Judge {
            document,
            results: results
                .into_iter()
                .map(|(key, signature)| (key, signature.value))
                .collect(),
        }
    }

    /// Whether the official schema accepts a message; `None` where it has no such method.
    fn accepts(&self, difference: &Difference, message: &Value) -> Option<bool> {
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
            let methods = self.document["definitions"][union]["oneOf"].as_array()?;
            let has = |arm: &Value| arm["properties"]["method"]["enum"][0] == method;
            if !about && !methods.iter().any(has) {
                return None;
            }
            return self.valid(&start, message);
        }
        let kind = if of("app-server-server-responses") {
            Kind::ClientRequest
        } else {
            Kind::ServerRequest
        };
        let Type::Reference(result) = self.results.get(&(kind, method.to_owned()))? else {
            return None;
        };
        let newer = &self.document["definitions"]["v2"][result];
        let start = match newer.is_null() {
            false => format!("#/definitions/v2/{result}"),
            true => format!("#/definitions/{result}"),
        };
        self.document.pointer(&start[1..])?;
        self.valid(&start, &message["result"])
    }

    /// `None` where the schema refers to a definition it does not have.
    fn valid(&self, start: &str, value: &Value) -> Option<bool> {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "allOf": [{"$ref": start}],
            "definitions": self.document["definitions"],
        });
        let validator = jsonschema::validator_for(&schema).ok()?;
        Some(validator.is_valid(value))
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

/// The places that entries of the overlay touch, with the releases and the reason.
type Touched = BTreeMap<String, (BTreeSet<Release>, String)>;

static TOUCHED: LazyLock<Touched> = LazyLock::new(|| touched().unwrap());

/// One entry of the overlay as text, with its reason.
fn entries() -> Result<Vec<(String, String)>, Failed> {
    let text = std::fs::read_to_string(store::folder().join("overlay.toml"))?;
    let mut out: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if line == "[[entry]]" || line == "[[family]]" {
            out.push((String::new(), String::new()));
        }
        if let Some((reason, body)) = out.last_mut() {
            if let Some(said) = line.strip_prefix("reason = ") {
                *reason = serde_json::from_str(said)?;
            }
            body.push_str(line);
            body.push('\n');
        }
    }
    Ok(out)
}

fn touched() -> Result<Touched, Failed> {
    let tables = Tables::load()?;
    let plain = store::load(&store::folder())?;
    let corrected = tables.overlay.apply(&plain)?;
    let entries = entries()?;
    let mut out = Touched::new();
    for release in &plain.releases {
        let without = plain.at(*release, true).facts();
        let with = corrected.at(*release, true).facts();
        let found = differences(&without, &with);
        let whole: BTreeSet<&Owner> = found
            .iter()
            .filter(|difference| difference.place.part == Part::Whole)
            .map(|difference| &difference.place.owner)
            .collect();
        for difference in &found {
            let Place { owner, part } = &difference.place;
            if whole.contains(owner) && *part != Part::Whole {
                continue;
            }
            let Some(place) = place(owner, part) else {
                continue;
            };
            let reason =
                reason(&entries, owner, part).ok_or_else(|| format!("no entry for {place}"))?;
            let known = out
                .entry(place)
                .or_insert_with(|| (BTreeSet::new(), reason));
            known.0.insert(*release);
        }
        // What is only reached by way of a correction is part of it: a definition the official
        // schema has and nowhere refers to, or refers to and does not have.
        let mentions = |facts: &Facts, name: &str| -> Vec<Place> {
            let of = |text: &String| {
                text.split(|c: char| !c.is_alphanumeric())
                    .any(|w| w == name)
            };
            let all = facts.iter().filter(|(_, text)| of(text));
            all.map(|(place, _)| place.clone()).collect()
        };
        let mut first: Vec<(String, String)> = Vec::new();
        let mut second: Vec<(String, String)> = Vec::new();
        for difference in &found {
            let Place { owner, part } = &difference.place;
            let Some(reason) = reason(&entries, owner, part) else {
                continue;
            };
            if let (Owner::Definition(name), Part::Whole, None) = (owner, part, &difference.first) {
                for place in mentions(&with, name) {
                    if let Some(place) = self::place(&place.owner, &place.part) {
                        let known = out.entry(place);
                        let known = known.or_insert_with(|| (BTreeSet::new(), reason.clone()));
                        known.0.insert(*release);
                    }
                }
            }
            first.extend(
                difference
                    .first
                    .iter()
                    .map(|text| (text.clone(), reason.clone())),
            );
            second.extend(
                difference
                    .second
                    .iter()
                    .map(|text| (text.clone(), reason.clone())),
            );
        }
        for (mut waiting, own, other) in [(first, &without, &with), (second, &with, &without)] {
            let mut part: BTreeMap<String, String> = BTreeMap::new();
            while let Some((text, reason)) = waiting.pop() {
                for word in text.split(|c: char| !c.is_alphanumeric()) {
                    let owner = Owner::Definition(word.to_owned());
                    let whole = Place {
                        owner,
                        part: Part::Whole,
                    };
                    if part.contains_key(word) || !own.contains_key(&whole) {
                        continue;
                    }
                    let within = |place: &Place| match &place.owner {
                        Owner::Definition(name) => name == word || part.contains_key(name),
                        _ => false,
                    };
                    if !mentions(other, word).iter().all(within) {
                        continue;
                    }
                    part.insert(word.to_owned(), reason.clone());
                    let members = own.iter().filter(|(place, _)| place.owner == whole.owner);
                    waiting.extend(members.map(|(_, text)| (text.clone(), reason.clone())));
                }
            }
            for (name, reason) in part {
                let known = out.entry(name).or_insert_with(|| (BTreeSet::new(), reason));
                known.0.insert(*release);
            }
        }
        // The envelope is told of once, beside the union of requests.
        let beside = Place {
            owner: Owner::Definition("JSONRPCRequest".to_owned()),
            part: Part::Member(None, "trace".to_owned()),
        };
        if with.contains_key(&beside) {
            for place in ["ClientRequest.trace", "app-server-client-requests.trace"] {
                let reason = "The union of requests leaves `trace` to `JSONRPCRequest`, which declares it for every request of the client.";
                let known = out.entry(place.to_owned());
                let known = known.or_insert_with(|| (BTreeSet::new(), reason.to_owned()));
                known.0.insert(*release);
            }
        }
    }
    Ok(out)
}

/// A place as comparisons name it.
fn place(owner: &Owner, part: &Part) -> Option<String> {
    let name = match owner {
        Owner::Messages(_) => return None,
        Owner::Method(_, method) => method,
        Owner::Definition(name) => name,
    };
    Some(match part {
        Part::Whole | Part::Alternative(_) => name.clone(),
        Part::Variant(tag) => format!("{name}<{tag}>"),
        Part::Member(None, member) => format!("{name}.{member}"),
        Part::Member(Some(tag), member) => format!("{name}<{tag}>.{member}"),
        Part::Value(value) | Part::Content(value) => format!("{name}={value}"),
        Part::Result => return None,
    })
}

/// The reason of the entry that speaks of a part.
fn reason(entries: &[(String, String)], owner: &Owner, part: &Part) -> Option<String> {
    let owner = match owner {
        Owner::Messages(_) => return None,
        Owner::Method(_, name) | Owner::Definition(name) => name.as_str(),
    };
    let member = match part {
        Part::Member(_, name) | Part::Value(name) | Part::Content(name) => Some(name.as_str()),
        _ => None,
    };
    let word = |body: &str, wanted: &str| {
        body.split(|c: char| !(c.is_alphanumeric() || "_/-".contains(c)))
            .any(|word| word == wanted)
    };
    let full = entries.iter().find(|(_, body)| {
        let prefix = body
            .lines()
            .find_map(|line| line.strip_prefix("prefix = \""));
        let family = prefix.and_then(|prefix| prefix.strip_suffix('"'));
        family.is_some_and(|prefix| owner.starts_with(prefix))
            || word(body, owner) && member.is_none_or(|member| word(body, member))
    });
    full.map(|(reason, _)| reason.clone())
}

/// The list of corrections that `codex-wire-diff` has is made from the overlay.
fn corrections() -> Result<(), Failed> {
    let path: PathBuf = root().join("crates/codex-wire-diff/src/corrections.txt");
    let releases: Vec<Release> = CORRECTED.0.releases.iter().copied().collect();
    let mut by_reason: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for (place, (known, reason)) in &*TOUCHED {
        let lives: Vec<Value> = runs(&releases, known)
            .into_iter()
            .map(Value::from)
            .collect();
        by_reason
            .entry(reason)
            .or_default()
            .insert(place.clone(), Value::Array(lives));
    }
    let mut text = String::from(
        "# Where releases of the app-server are described otherwise than their official schemas have it.\n\
         # Made from crates/codex-wire-model/model/overlay.toml: UPDATE=1 cargo test -p xtask --test it official::corrections\n",
    );
    for (reason, places) in by_reason {
        let _ = writeln!(text, "! {reason}");
        for (place, lives) in places {
            for life in lives
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
            {
                let _ = writeln!(text, "{place} {life}");
            }
        }
    }
    if std::env::var("UPDATE").is_ok_and(|value| value == "1") {
        std::fs::write(&path, &text)?;
    }
    compare(&path, &text)
}

fn compare(path: &Path, text: &str) -> Result<(), Failed> {
    if std::fs::read_to_string(path)? == text {
        return Ok(());
    }
    Err(format!(
        "{} is not what the overlay says; set UPDATE=1",
        path.display()
    )
    .into())
}

/// Runs of neighbouring releases: `0.143.0..`, `0.58.0..0.104.0`.
fn runs(all: &[Release], known: &BTreeSet<Release>) -> Vec<String> {
    let mut out: Vec<(Release, Release)> = Vec::new();
    let mut last = None;
    for (at, release) in all.iter().enumerate() {
        if !known.contains(release) {
            continue;
        }
        match out.last_mut() {
            Some(run) if last == at.checked_sub(1) && at > 0 => run.1 = *release,
            _ => out.push((*release, *release)),
        }
        last = Some(at);
    }
    let text = |(since, until): (Release, Release)| match all.last() == Some(&until) {
        true => format!("{since}.."),
        false => format!("{since}..{until}"),
    };
    out.into_iter().map(text).collect()
}
