//! The same scene recorded by two releases: one of them, replayed as the other, beside the other.
//!
//! What is compared are the kinds of lines, and the members that lines of a kind have.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::Protocol;
use codex_wire_replay::{Recording, Writer, as_release};
use serde_json::Value;

use super::support::recordings;
use crate::client::parse;

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
            lines.map(|line| line.text.to_string()).collect()
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
        of("type")
            .or_else(|| of("item_type"))
            .unwrap_or("")
            .to_owned()
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

/// Members that hold data, or whose content depends on the folder and the history of the recording.
const DATA: &[&str] = &[
    "_meta",
    "agentsStates",
    "agents_states",
    "arguments",
    "content",
    "contentItems",
    "fileChanges",
    "gitInfo",
    "structured_content",
    "structuredContent",
    "turns",
];

fn members(path: &str, value: &Value, out: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let path = format!("{path}/{name}");
                if !DATA.contains(&&**name) {
                    members(&path, value, out);
                }
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

/// Differences that remain: the scene or the beginning of its name, the beginning of the difference,
/// and the reason. An entry that nothing needs any more fails.
type Known = [(&'static str, &'static str, &'static str)];

#[track_caller]
fn hold(folder: &str, known: &Known) {
    let all = recordings(folder);
    let scene = |recording: &Recording| recording.name.rsplit('/').next().unwrap().to_owned();
    let mut unknown: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut used = BTreeSet::new();
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
                let what = difference.split_once(": ").unwrap().1;
                let reason = known.iter().position(|(name, begin, _)| {
                    scene(source).starts_with(name) && what.starts_with(begin)
                });
                if let Some(reason) = reason {
                    used.insert(reason);
                    continue;
                }
                let example = format!("{} as {release}", source.name);
                let kind = format!("{} {difference}", scene(source));
                unknown.entry(kind).or_insert((0, example)).0 += 1;
            }
        }
    }
    println!("{folder}: {pairs} pairs of recordings, {equal} without a difference");
    let shown: Vec<String> = unknown
        .iter()
        .map(|(difference, (count, example))| format!("{count} × {difference} ({example})"))
        .collect();
    assert!(unknown.is_empty(), "{}\n{}", shown.len(), shown.join("\n"));
    let stale: Vec<_> = (0..known.len())
        .filter(|entry| !used.contains(entry))
        .map(|entry| known[entry])
        .collect();
    assert!(stale.is_empty(), "these explain nothing: {stale:?}");
    assert!(equal > 0 && pairs > 50);
}

const SCRIPTED: &str = "the scene was scripted in another way for some releases";
const OTHER_REQUESTS: &str = "the client asked for other things in each release";
const MACHINE: &str = "says something of the machine and the configuration that recorded";
const AGENTS: &str = "child agents write into the stream of their parent in some releases";
const TIMED: &str = "depends on how fast Codex was: the run was stopped";

const RUNS: &Known = &[
    ("unicode", "item.", SCRIPTED),
    ("long_parallel", "item.", SCRIPTED),
    ("mcp", "item.", SCRIPTED),
    (
        "web_search",
        "item.completed web_search /item/action",
        "0.117.0 to 0.155.0 do not say which page was opened, and before 0.92.0 no search has an action",
    ),
    (
        "web_search",
        "item.started web_search /item/action",
        "some searches start with their query from 0.117.0 on",
    ),
    ("sig", "", TIMED),
    ("collab", "", AGENTS),
    (
        "mcp_bad_",
        "",
        "0.47.0 hangs on the arguments, and 0.42.0 reports the server in an `error`",
    ),
    (
        "web_search",
        "item.",
        "0.42.0 writes no searches, and older releases only those with a query",
    ),
    (
        "error_mid_web_search",
        "item.started web_search",
        "0.42.0 writes no searches",
    ),
    (
        "command_timeout",
        "item.completed command_execution",
        "0.125.0 and later let the command run on, others stop it",
    ),
    (
        "error_no_server",
        "turn.failed",
        "0.157.0 and later still try to connect when the recording ends",
    ),
    (
        "error_stream_drop_recover",
        "item.completed reasoning",
        SCRIPTED,
    ),
    ("resume_1_first", "item.", SCRIPTED),
    (
        "message_multipart",
        "turn.completed",
        "the recording of 0.93.0 has no end",
    ),
    (
        "unknown_model",
        "item.completed error",
        "0.117.0 does not warn of the model",
    ),
];

const CONVERSATIONS: &Known = &[
    ("", "configWarning", MACHINE),
    ("", "remoteControl/status/changed", MACHINE),
    ("", "deprecationNotice", MACHINE),
    ("", "warning", MACHINE),
    ("", "mcpServer/startupStatus/updated", MACHINE),
    ("", "skills/changed", MACHINE),
    (
        "",
        "thread/readState/changed",
        "who reads a thread is not known; no rule needs it",
    ),
    (
        "03a_command",
        "item/commandExecution/outputDelta",
        "0.80.0 and before send short output",
    ),
    (
        "03a_command",
        "item/commandExecution/requestApproval",
        "what else the client may decide is not known",
    ),
    ("10k_every_method", "", OTHER_REQUESTS),
    ("09a_list_read", "", OTHER_REQUESTS),
    ("10a_plain_requests", "", OTHER_REQUESTS),
    ("10b_command_exec", "", OTHER_REQUESTS),
    ("14s_model_notes", "", OTHER_REQUESTS),
    ("14q_collab_v2", "", SCRIPTED),
    ("08e_steer", "", SCRIPTED),
    ("14c_review_inline", "", SCRIPTED),
    ("14f_request_user_input", "", SCRIPTED),
    (
        "09d_compact",
        "",
        "0.58.0 and 0.105.0 tell compaction with other items",
    ),
    ("12g_http_401", "", "0.63.0 names another kind of error"),
    ("07d_mcp_elicitation", "", SCRIPTED),
    (
        "01i_raw_events",
        "rawResponse",
        "what the model answered is passed on",
    ),
];

#[test]
fn runs_are_like_recorded_ones() {
    hold("exec", RUNS);
}

#[test]
fn conversations_are_like_recorded_ones() {
    hold("app-server", CONVERSATIONS);
}
