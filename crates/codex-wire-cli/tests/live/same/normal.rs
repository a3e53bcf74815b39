//! Lines without what a run makes up: ids, times, paths.

use std::collections::BTreeSet;

use serde_json::Value;

/// A line in its normal form.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    /// The method and what the message is about; the type of an event of exec.
    kind: String,
    value: Value,
}

/// Where the lines differ: the first that has another kind, or the places that differ of the first that
/// has the same.
pub(super) fn difference(recorded: &[Line], played: &[Line]) -> String {
    let same = recorded.iter().zip(played);
    let from = same.take_while(|(real, played)| real == played).count();
    let (Some(real), Some(line)) = (recorded.get(from), played.get(from)) else {
        return kinds(from, recorded, played);
    };
    if real.kind != line.kind {
        return kinds(from, recorded, played);
    }
    let mut out = format!("line {from}, {}:", real.kind);
    places(&real.value, &line.value, "", &mut out);
    out
}

fn kinds(from: usize, recorded: &[Line], played: &[Line]) -> String {
    let next = |lines: &[Line]| -> Vec<String> {
        let lines = lines.iter().skip(from).take(5);
        lines.map(|line| line.kind.clone()).collect()
    };
    let (real, played) = (next(recorded), next(played));
    format!("line {from}:\n  real   {real:?}\n  played {played:?}")
}

fn places(real: &Value, played: &Value, pointer: &str, out: &mut String) {
    if real == played {
        return;
    }
    match (real, played) {
        (Value::Object(real), Value::Object(played)) => {
            let names: BTreeSet<&String> = real.keys().chain(played.keys()).collect();
            for name in names {
                let of = |members: &serde_json::Map<String, Value>| members.get(name).cloned();
                let (real, played) = (of(real), of(played));
                let pointer = format!("{pointer}/{name}");
                match (real, played) {
                    (Some(real), Some(played)) => places(&real, &played, &pointer, out),
                    (real, played) => different(real.as_ref(), played.as_ref(), &pointer, out),
                }
            }
        }
        (Value::Array(real), Value::Array(played)) if real.len() == played.len() => {
            for (index, (real, played)) in real.iter().zip(played).enumerate() {
                places(real, played, &format!("{pointer}/{index}"), out);
            }
        }
        _ => different(Some(real), Some(played), pointer, out),
    }
}

fn different(real: Option<&Value>, played: Option<&Value>, pointer: &str, out: &mut String) {
    let text = |value: Option<&Value>| -> String {
        let text = value.map_or("nothing".to_owned(), Value::to_string);
        text.chars().take(200).collect()
    };
    *out += &format!(
        "\n  {pointer}: real {}, played {}",
        text(real),
        text(played)
    );
}

/// What Codex sends while something else goes on: tokens and limits while tools run, and in 0.98.0 the start
/// of a turn while it takes the prompt. A busy machine also changes whether a thread starts before its
/// request is answered. Their place is a race, so they are compared on their own, behind the others.
const RACES: [&str; 4] = [
    "thread/tokenUsage/updated",
    "account/rateLimits/updated",
    "turn/started",
    "thread/started",
];

/// The lines, without those of a kind that is listed as different, and without members that are. Those
/// of other agents stay out: a script has the lines of one thread.
pub(super) fn lines(messages: &[Value], is_different: &dyn Fn(&str) -> bool) -> Vec<Line> {
    let (mut out, mut races): (Vec<Line>, Vec<Line>) = (Vec::new(), Vec::new());
    let started = messages
        .iter()
        .find(|message| message["method"] == "thread/started");
    let thread = started.map(|started| started["params"]["thread"]["id"].clone());
    for message in messages {
        let params = &message["params"];
        let its = [&params["threadId"], &params["thread"]["id"]];
        let mut its = its.into_iter().filter(|id| id.is_string());
        if its.next().is_some_and(|its| Some(its) != thread.as_ref()) {
            continue;
        }
        let mut value = message.clone();
        let kind = kind(&value);
        let mut parts = kind.split(' ');
        let first = parts.next().unwrap_or_default();
        if is_different(&kind) || is_different(first) {
            continue;
        }
        plain(&mut value, "", &kind, is_different);
        let line = Line { kind, value };
        if RACES.contains(&line.kind.as_str()) {
            races.push(line);
            continue;
        }
        match out.last_mut() {
            // However many there are.
            Some(last) if is_delta(&line.kind) && last.kind == line.kind => {
                let more = line.value["params"]["delta"].as_str().unwrap_or_default();
                if let Value::String(text) = &mut last.value["params"]["delta"] {
                    text.push_str(more);
                }
            }
            _ => out.push(line),
        }
    }
    races.sort_by(|one, other| one.kind.cmp(&other.kind));
    out.extend(races);
    out
}

fn is_delta(kind: &str) -> bool {
    kind.ends_with("Delta") || kind.ends_with("/delta")
}

fn kind(message: &Value) -> String {
    let Some(first) = message["method"].as_str().or(message["type"].as_str()) else {
        let kind = if message.get("error").is_some() {
            "error"
        } else {
            "result"
        };
        return kind.to_owned();
    };
    if first.starts_with("codex/event/") {
        return "codex/event".to_owned();
    }
    let mut kind = first.to_owned();
    for pointer in ["/item/type", "/params/item/type", "/params/status/type"] {
        if let Some(text) = message.pointer(pointer).and_then(Value::as_str) {
            kind += " ";
            kind += text;
        }
    }
    kind
}

/// Makes what differs between two runs the same.
fn plain(value: &mut Value, name: &str, kind: &str, is_different: &dyn Fn(&str) -> bool) {
    match value {
        Value::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            for name in names {
                let first = kind.split(' ').next().unwrap_or_default();
                let pointers = [
                    format!("{kind} {name}"),
                    format!("{first} {name}"),
                    format!("* {name}"),
                ];
                if pointers.iter().any(|pointer| is_different(pointer)) {
                    members.remove(&name);
                }
            }
            // Agents are named by their threads.
            let states = name == "agentsStates" || name == "agents_states";
            *members = std::mem::take(members)
                .into_iter()
                .map(|(name, mut value)| {
                    plain(&mut value, &name, kind, is_different);
                    (if states { "<agent>".to_owned() } else { name }, value)
                })
                .collect();
        }
        Value::Array(items) => {
            for item in items.iter_mut() {
                plain(item, name, kind, is_different);
            }
            // The files of a patch have no order.
            if name == "changes" {
                items.sort_by_key(|change| change["path"].to_string());
            }
        }
        Value::Number(_) if is_time(name) => *value = 0.into(),
        Value::String(text) => *text = text_of(text, name),
        _ => {}
    }
}

fn is_time(name: &str) -> bool {
    name.ends_with("At") || name.ends_with("Ms") || name.ends_with("_ms")
}

fn text_of(text: &str, name: &str) -> String {
    let is_id = ["id", "ids", "revision", "userAgent"].contains(&name)
        || name.ends_with("Id")
        || name.ends_with("Ids")
        || name.ends_with("_id")
        || name.ends_with("_ids");
    if is_id {
        return format!("<{name}>");
    }
    // The stage is somewhere below a folder of its own.
    let mut text = text.to_owned();
    for (part, plain) in [
        ("/stage/project", "/workspace/project"),
        ("/stage/codex-home", "/workspace/codex-home"),
    ] {
        while let Some(end) = text.find(part) {
            let before = &text[..end];
            let begin = before
                .rfind([' ', '"', '\'', '(', '\n'])
                .map_or(0, |at| at + 1);
            text.replace_range(begin..end + part.len(), plain);
        }
    }
    match text.find("/sessions/") {
        Some(end) if text.ends_with(".jsonl") => format!("{}/sessions/<rollout>", &text[..end]),
        _ => text,
    }
}
