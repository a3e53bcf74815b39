//! The same scene recorded by two releases: one of them, told as the other, beside the other.
//!
//! What is compared are the kinds of lines, and the members that lines of a kind have.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::Protocol;
use codex_wire_replay::{Recording, Writer, as_release};
use serde_json::Value;

use crate::client::parse;
use crate::support::recordings;

/// The kinds of lines, each with its members.
type Kinds = BTreeMap<String, BTreeSet<String>>;

fn kinds(recording: &Recording) -> Kinds {
    let mut kinds = Kinds::new();
    let lines: Vec<String> = match recording.lines() {
        [] => {
            let text = String::from_utf8(recording.output().0).unwrap();
            text.lines().map(str::to_owned).collect()
        }
        lines => {
            let lines = lines.iter().filter(|line| line.writer == Writer::Codex);
            lines.map(|line| line.text.clone()).collect()
        }
    };
    for line in &lines {
        let value = parse(line);
        let Some(kind) = kind_of(recording.protocol, &value) else {
            continue;
        };
        members("", &value, kinds.entry(kind).or_default());
    }
    kinds
}

/// The kind of a line; none of those that are not compared.
fn kind_of(protocol: Protocol, line: &Value) -> Option<String> {
    let text = |pointer: &str| line.pointer(pointer).and_then(Value::as_str);
    let item = |pointer: &str| {
        let of = |name: &str| text(&format!("{pointer}/{name}"));
        let tag = of("type").or_else(|| of("item_type")).unwrap_or("");
        format!("{tag} {}", of("status").unwrap_or(""))
    };
    let kind = match protocol {
        Protocol::Exec if line.get("msg").is_some() => text("/msg/type")?.to_owned(),
        Protocol::Exec => format!("{} {}", text("/type")?, item("/item")),
        Protocol::Core => text("/msg/type")?.to_owned(),
        _ => {
            let method = text("/method")?;
            // The events of the core go with the releases that relay them.
            if method.starts_with("codex/event/") {
                return None;
            }
            format!("{method} {}", item("/params/item"))
        }
    };
    Some(kind.trim_end().to_owned())
}

fn members(path: &str, value: &Value, out: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                // The keys of these are data.
                let name = match path.ends_with("agents_states") || path.ends_with("agentsStates") {
                    true => "*",
                    false => name,
                };
                let path = format!("{path}/{name}");
                members(&path, value, out);
                out.insert(path);
            }
        }
        Value::Array(list) => list.iter().for_each(|item| members(path, item, out)),
        _ => {}
    }
}

/// Differences between a scene that is told and one that was recorded, without the scene.
fn differences(told: &Kinds, real: &Kinds) -> Vec<String> {
    let mut out = Vec::new();
    for kind in told.keys().chain(real.keys()).collect::<BTreeSet<_>>() {
        match (told.get(kind), real.get(kind)) {
            (Some(_), None) => out.push(format!("told only: {kind}")),
            (None, Some(_)) => out.push(format!("recorded only: {kind}")),
            (Some(told), Some(real)) => {
                let only = told.difference(real);
                out.extend(only.map(|path| format!("told only: {kind} {path}")));
                let only = real.difference(told);
                out.extend(only.map(|path| format!("recorded only: {kind} {path}")));
            }
            (None, None) => {}
        }
    }
    out
}

#[track_caller]
fn hold(folder: &str) {
    let all = recordings(folder);
    let scene = |recording: &Recording| recording.name.rsplit('/').next().unwrap().to_owned();
    let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let (mut pairs, mut equal) = (0, 0);
    for source in &all {
        for other in &all {
            let release = other.about.release.unwrap();
            if scene(source) != scene(other) || source.about.release == Some(release) {
                continue;
            }
            let Ok(told) = as_release(source, release) else {
                continue;
            };
            pairs += 1;
            let differences = differences(&kinds(&told), &kinds(other));
            equal += usize::from(differences.is_empty());
            for difference in differences {
                let example = format!("{} as {release}", source.name);
                found.entry(difference).or_insert((0, example)).0 += 1;
            }
        }
    }
    println!("{folder}: {pairs} pairs, {equal} without a difference");
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (difference, (count, example)) in found.iter().take(150) {
        println!("{count} × {difference} ({example})");
    }
}

#[test]
fn runs_are_like_recorded_ones() {
    hold("exec");
}

#[test]
fn conversations_are_like_recorded_ones() {
    hold("app-server");
}
