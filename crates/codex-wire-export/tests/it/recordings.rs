//! What holds of the exports of every recording.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use codex_wire_export::{Document, Format, Options, export};
use codex_wire_session::{Body, Error, Item, Reader, Session};
use serde_json::Value;

use crate::live::{checker, told};
use golden_files::files;

/// All formats.
pub(crate) const FORMATS: [Format; 4] = [
    Format::Otlp,
    Format::OpenInference,
    Format::Atif,
    Format::Acp,
];

/// The folders of recordings that hold sessions.
const RECORDINGS: &[&str] = &[
    "exec",
    "exec-legacy",
    "core",
    "app-server",
    "rollout",
    "rollout-cross",
    "synthetic",
];

/// The text of a recording.
pub(crate) fn text(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a recording");
    match path.extension().is_some_and(|found| found == "zst") {
        true => zstd::decode_all(bytes.as_slice()).expect("a whole file of zstd"),
        false => bytes,
    }
}

/// Hands out the session of each recording. There are files without one: payloads of hooks, streams of runs that
/// never began.
fn sessions(mut each: impl FnMut(&str, &Session)) {
    let reader = Reader::new();
    let mut count = 0;
    for path in paths() {
        let name = files::short(&path);
        match reader.read(&name, &*text(&path)) {
            Ok(session) => {
                count += 1;
                each(&name, &session);
            }
            Err(Error::NoSession { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(count > 2000, "{count} sessions");
}

/// The files that may hold sessions.
pub(crate) fn paths() -> impl Iterator<Item = PathBuf> {
    RECORDINGS.iter().flat_map(|part| {
        let folder = files::root().join("fixtures").join(part);
        let mut paths = files::below(&folder, "jsonl");
        paths.extend(files::below(&folder, "zst"));
        paths
    })
}

/// The documents of a session as values.
pub(crate) fn documents(session: &Session, format: Format, content: bool) -> Vec<Value> {
    let mut options = Options::new();
    options.content = content;
    let value = |document: &Document<'_>| serde_json::to_value(document).expect("JSON");
    let exported = export(session, format, options);
    exported.documents.iter().map(value).collect()
}

/// The spans of a trace.
pub(crate) fn spans(request: &Value) -> impl Iterator<Item = &Value> {
    let resources = request["resourceSpans"].as_array().expect("an array");
    let scopes = resources.iter().map(|resource| &resource["scopeSpans"][0]);
    scopes.flat_map(|scope| scope["spans"].as_array().expect("an array"))
}

/// The number that an attribute has.
pub(crate) fn number(span: &Value, key: &str) -> u64 {
    let attributes = span["attributes"].as_array().expect("an array");
    let found = attributes.iter().find(|attribute| attribute["key"] == key);
    let value = found.map(|attribute| &attribute["value"]["intValue"]);
    value.map_or(0, |value| {
        value.as_str().expect("text").parse().expect("a number")
    })
}

/// Receivers add the tokens of spans.
#[test]
fn spans_say_each_token_once() {
    let names = [
        (
            Format::Otlp,
            ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"],
        ),
        (
            Format::OpenInference,
            ["llm.token_count.prompt", "llm.token_count.completion"],
        ),
    ];
    sessions(|name, session| {
        let tokens = session.tokens();
        for (format, [input, output]) in names {
            let documents = documents(session, format, false);
            let sum = |key| -> u64 { spans(&documents[0]).map(|span| number(span, key)).sum() };
            assert_eq!(
                (sum(input), sum(output)),
                (tokens.input, tokens.output),
                "{name}, {format:?}"
            );
        }
    });
}

#[test]
fn spans_have_ids_of_their_own_and_parents() {
    sessions(|name, session| {
        let documents = documents(session, Format::Otlp, false);
        let mut ids = HashSet::new();
        for span in spans(&documents[0]) {
            let id = (&span["traceId"], &span["spanId"]);
            assert!(ids.insert(id), "{name}: twice {id:?}");
        }
        let is_elsewhere = session
            .threads
            .iter()
            .any(|thread| thread.lineage.parent.is_some());
        for span in spans(&documents[0]) {
            let Some(parent) = span.get("parentSpanId") else {
                continue;
            };
            let has_parent = ids.contains(&(&span["traceId"], parent));
            let is_thread = span["name"]
                .as_str()
                .is_some_and(|name| name.starts_with("invoke_agent"));
            assert!(
                has_parent || is_thread && is_elsewhere,
                "{name}: no parent of {span}"
            );
        }
    });
}

/// The file of a sub-agent belongs below that of its parent, though they are exported one by one.
#[test]
fn sub_agents_stand_below_their_parents() {
    let mut threads: HashMap<String, (Value, Value)> = HashMap::new();
    let mut children = Vec::new();
    sessions(|name, session| {
        if !name.starts_with("fixtures/rollout/0.169.0/") {
            return;
        }
        let documents = documents(session, Format::Otlp, false);
        let thread = &session.threads[0];
        let span = spans(&documents[0]).next().expect("a span").clone();
        let id = thread.id.clone().expect("an id");
        threads.insert(id, (span["traceId"].clone(), span["spanId"].clone()));
        if let Some(parent) = &thread.lineage.parent {
            children.push((name.to_owned(), parent.clone(), span));
        }
    });
    assert!(children.len() > 3, "{} sub-agents", children.len());
    for (name, parent, span) in children {
        let (trace, id) = &threads[&parent];
        assert_eq!(
            (&span["traceId"], &span["parentSpanId"]),
            (trace, id),
            "{name}"
        );
    }
}

/// The steps of a session file have the tokens of its own turns, and so has the total of each recording.
#[test]
fn trajectories_have_all_tokens() {
    fn totals(trajectory: &Value) -> u64 {
        let total = &trajectory["final_metrics"]["total_prompt_tokens"];
        let children = trajectory.get("subagent_trajectories");
        let children = children.and_then(Value::as_array).into_iter().flatten();
        total.as_u64().unwrap_or(0) + children.map(totals).sum::<u64>()
    }
    let mut embedded = 0;
    sessions(|name, session| {
        let documents = documents(session, Format::Atif, false);
        let sum: u64 = documents.iter().map(totals).sum();
        assert_eq!(sum, session.tokens().input, "{name}");
        let roots = documents.iter();
        embedded += roots
            .filter(|root| root.get("subagent_trajectories").is_some())
            .count();
        if session.protocol.as_deref() == Some("rollout") {
            let steps = documents.iter().flat_map(|root| root["steps"].as_array());
            let metrics = steps.flatten().filter_map(|step| step.get("metrics"));
            let sum: u64 = metrics
                .filter_map(|metrics| metrics["prompt_tokens"].as_u64())
                .sum();
            assert_eq!(sum, session.tokens().input, "the steps of {name}");
        }
    });
    assert!(embedded > 3, "{embedded} trajectories have sub-agents");
}

/// Whoever watches tools needs the end of each call that has one.
#[test]
fn updates_end_what_they_begin() {
    sessions(|name, session| {
        let mut open = HashSet::new();
        for update in documents(session, Format::Acp, false) {
            let thread = update["params"]["sessionId"].clone();
            let update = &update["params"]["update"];
            let id = (thread, update["toolCallId"].clone());
            match update["sessionUpdate"].as_str() {
                Some("tool_call") => {
                    open.insert(id);
                }
                Some("tool_call_update") => assert!(open.contains(&id), "{name}: {id:?}"),
                _ => {}
            }
        }
    });
}

/// Each run counts its items again from 0.
#[test]
fn updates_of_several_runs_have_ids_of_their_own() {
    let run = text(&files::root().join("fixtures/exec/0.169.0/command_ok.jsonl"));
    let session = Reader::new()
        .read("runs", &*run.repeat(3))
        .expect("a session");
    let ids: Vec<String> = documents(&session, Format::Acp, false)
        .iter()
        .map(|update| &update["params"]["update"])
        .filter_map(|update| {
            update["messageId"]
                .as_str()
                .or(update["toolCallId"].as_str())
        })
        .map(str::to_owned)
        .collect();
    let expected = [
        "item_0", "item_1", "item_1", "item_2", "item_0-2", "item_1-2", "item_1-2", "item_2-2",
        "item_0-3", "item_1-3", "item_1-3", "item_2-3",
    ];
    assert_eq!(ids, expected);
}

/// Long texts of an item that are not for everybody's eyes.
fn private(item: &Item) -> Vec<&str> {
    let texts = match &item.body {
        Body::Message(message) => vec![&*message.text],
        Body::Reasoning(reasoning) => vec![&*reasoning.summary, &*reasoning.content],
        Body::Command(command) => {
            let output = command.output.as_deref().unwrap_or_default();
            vec![&*command.command, output]
        }
        Body::ToolCall(call) => vec![call.output.as_deref().unwrap_or_default()],
        Body::Patch(patch) => vec![patch.text.as_deref().unwrap_or_default()],
        Body::Plan(plan) => vec![&*plan.text],
        Body::WebSearch(search) => vec![&*search.query],
        _ => Vec::new(),
    };
    texts.into_iter().filter(|text| text.len() > 20).collect()
}

#[test]
fn traces_without_content_have_none() {
    let mut seen = 0;
    sessions(|name, session| {
        for format in [Format::Otlp, Format::OpenInference] {
            let exported = export(session, format, Options::new());
            let text = serde_json::to_string(&exported.documents[0]).expect("JSON");
            let turns = session.threads.iter().flat_map(|thread| &thread.turns);
            for item in turns.flat_map(|turn| &turn.items) {
                for private in private(item) {
                    let private = serde_json::to_string(private).expect("JSON");
                    let private = private.trim_matches('"');
                    seen += 1;
                    assert!(!text.contains(private), "{name}, {format:?}: {private}");
                }
            }
        }
    });
    assert!(seen > 5_000, "{seen} texts");
}

/// The page has each name that is written, and no other name of ours.
#[test]
fn the_page_has_every_name() {
    fn keys(value: &Value, found: &mut HashSet<String>) {
        match value {
            Value::Object(members) => {
                let name = members.get("key").or_else(|| {
                    let is_event =
                        members.contains_key("attributes") && !members.contains_key("spanId");
                    members.get("name").filter(|_| is_event)
                });
                found.extend(name.and_then(Value::as_str).map(str::to_owned));
                members.values().for_each(|value| keys(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
            _ => {}
        }
    }
    let mut found = HashSet::new();
    sessions(|_, session| {
        for format in [Format::Otlp, Format::OpenInference] {
            keys(&documents(session, format, true)[0], &mut found);
        }
    });
    let checker = checker();
    for (part, checks) in [("rules", true), ("rollout/0.125.0/i_lifecycle", false)] {
        for path in files::below(&files::root().join("fixtures").join(part), "jsonl") {
            let documents = told(&checker, &text(&path), checks, true);
            documents.iter().for_each(|one| keys(one, &mut found));
        }
    }
    assert!(found.len() > 60, "{} names", found.len());
    let page = files::root().join("docs/exporting.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let named: HashSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let mut missing: Vec<_> = found
        .iter()
        .filter(|name| !named.contains(name.as_str()))
        .collect();
    missing.sort();
    assert!(missing.is_empty(), "the page lacks {missing:?}");
    let ours = named.iter().filter(|name| name.starts_with("codex_wire."));
    let mut idle: Vec<_> = ours.filter(|name| !found.contains(**name)).collect();
    idle.sort();
    // Stands for all of them.
    idle.retain(|name| **name != "codex_wire.…");
    assert!(idle.is_empty(), "no recording has {idle:?}");
}
