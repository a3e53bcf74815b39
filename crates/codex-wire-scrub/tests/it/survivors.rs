//! Nothing private is left in any fixture: looked for from outside, in all strings of the JSON.

use std::collections::HashSet;

use codex_wire_base::MessageSet;
use codex_wire_base::Protocol;
use codex_wire_schema::ir::Kind;
use codex_wire_schema::{annotated, words};
use codex_wire_scrub::scrub;
use serde_json::Value;

use crate::support::{FOLDERS, below, key};

/// The words that may stay: tags, values of enumerations, names of members, releases, and the words
/// of transcripts.
fn may_stay() -> HashSet<String> {
    let mut all: HashSet<String> = Protocol::ALL
        .iter()
        .copied()
        .flat_map(|protocol| words(protocol).iter().map(|word| (*word).to_owned()))
        .collect();
    for set in MessageSet::ALL {
        let document = annotated(*set);
        let schemas = document.schemas().map(|(_, schema)| schema);
        for schema in schemas.chain([document.root()]) {
            schema.visit(&mut |schema| match &schema.kind {
                Kind::Object(object) => {
                    all.extend(object.members.iter().map(|member| member.name.to_string()));
                }
                Kind::Constant(word) => {
                    all.insert(word.to_string());
                }
                Kind::External(variants) => {
                    all.extend(variants.iter().map(|variant| variant.kind.to_string()));
                }
                _ => {}
            });
        }
    }
    let own = [
        "start",
        "line",
        "exit",
        "connected",
        "closed",
        "codex",
        "client",
        "kind",
        "transcript",
        "protocol",
        "release",
        "command",
        "connection",
        "from",
        "status",
        "signal",
        "bytes",
        "server",
        "app-server",
        "exec-legacy",
        "core",
        "Turn interrupted",
        "Not initialized",
        "apply_patch",
        "t_ms",
        "null",
        "jsonrpc",
        "protocolVersion",
        "codex-mcp-server",
        "codex/event",
    ];
    all.extend(own.map(str::to_owned));
    all
}

/// All strings and names of a value, those of JSON in strings too.
fn strings(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.is_object() || inner.is_array() => strings(&inner, out),
            _ => out.push(text.clone()),
        },
        Value::Array(elements) => elements.iter().for_each(|element| strings(element, out)),
        Value::Object(members) => {
            for (name, value) in members {
                out.push(name.clone());
                strings(value, out);
            }
        }
        _ => {}
    }
}

fn lines(bytes: &[u8]) -> Vec<Vec<String>> {
    let line = |line: &[u8]| {
        let mut out = Vec::new();
        if let Ok(value) = serde_json::from_slice::<Value>(line) {
            strings(&value, &mut out);
        }
        out.sort_unstable();
        out
    };
    bytes.split(|byte| *byte == b'\n').map(line).collect()
}

/// Whether a value may stay although it is not a word: a number, a counted id, a release.
fn is_open(text: &str) -> bool {
    let rest = text
        .trim_start_matches("item_")
        .trim_start_matches("auto-compact-")
        .trim_start_matches("item-")
        .trim_start_matches("rollout-");
    rest.bytes().all(|byte| !byte.is_ascii_alphanumeric())
        || rest.parse::<u32>().is_ok()
        || text.parse::<codex_wire_base::Release>().is_ok()
        || text.starts_with("SIG")
        || ["llmx-2025-08-13", "agcodex-0.1.0"].contains(&text)
}

#[test]
fn no_value_is_left_in_any_fixture() {
    let words = may_stay();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for folder in FOLDERS {
        for case in below(folder) {
            let scrubbed = match scrub(&case.bytes, key(), &[]) {
                Ok(scrubbed) => scrubbed,
                Err(survivor) => {
                    wrong.push(format!("{}: {survivor}", case.name));
                    continue;
                }
            };
            for (before, after) in lines(&case.bytes).iter().zip(lines(&scrubbed)) {
                let after: HashSet<&String> = after.iter().collect();
                for text in before {
                    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
                    if letters <= 3 || words.contains(text.trim()) || is_open(text) {
                        continue;
                    }
                    tried += 1;
                    if after.contains(text) {
                        wrong.push(format!("{}: {text:?} is left", case.name));
                    }
                }
            }
        }
    }
    wrong.dedup();
    assert!(tried > 10_000, "only {tried} values were tried");
    assert!(
        wrong.is_empty(),
        "{} are left:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
