//! Changes one side of recorded pairs, in one place each: the comparison has to notice.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codex_wire::Release;
use codex_wire_check::Severity;
use libtest_mimic::Failed;
use serde_json::Value;

use super::{compared, files_of, read};

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// A text of the agent, of its reasoning or of the user has another word.
    Text,
    /// A command is another one.
    Command,
    /// A command has another exit code.
    ExitCode,
    /// A command has another output.
    Output,
    /// A tool is called with other arguments.
    Arguments,
    /// A file change is of another path.
    Path,
    /// The tokens are counted differently.
    Usage,
    /// An item is not there.
    Dropped,
    /// Two messages have changed places.
    Order,
    /// The turn ended in another way.
    End,
}

impl Change {
    pub(super) const ALL: [Change; 10] = [
        Change::Text,
        Change::Command,
        Change::ExitCode,
        Change::Output,
        Change::Arguments,
        Change::Path,
        Change::Usage,
        Change::Dropped,
        Change::Order,
        Change::End,
    ];
}

/// How many mutants there are of a change, how many of them get an error, and how many a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) made: usize,
    pub(super) denied: usize,
    pub(super) noted: usize,
}

/// Makes all mutants of a stream, and counts those that are denied. Others are added to `survivors`,
/// unless the session file of a real run cannot show the change.
pub(super) fn count(
    stream: &Path,
    files: &BTreeMap<String, Vec<PathBuf>>,
    counts: &mut BTreeMap<Change, Count>,
    survivors: &mut Vec<String>,
) -> Result<(), Failed> {
    let bytes = fs::read(stream)?;
    let lines = lines(&bytes);
    for paths in files_of(&bytes, files) {
        let file = read(paths)?;
        for change in Change::ALL {
            for (place, mutant) in mutants(change, &lines, file.thread_id()) {
                let text: Vec<String> = mutant.iter().map(|line| format!("{line}\n")).collect();
                let outcome = compared(text.concat().as_bytes(), &file)?;
                let count = counts.entry(change).or_default();
                count.made += 1;
                let mut findings = outcome.findings.iter();
                if findings.any(|finding| finding.severity == Severity::Error) {
                    count.denied += 1;
                } else if change == Change::Command && !outcome.findings.is_empty() {
                    // Only the call is kept, and a hook may have replaced the command: a note.
                    count.noted += 1;
                } else if !is_undecidable(change, stream, &message(&lines[place - 1])) {
                    survivors.push(format!("{change:?} {}:{place}", stream.display()));
                }
            }
        }
    }
    Ok(())
}

/// Whether a session file of that release lacks what would show the change.
fn is_undecidable(change: Change, stream: &Path, message: &Value) -> bool {
    let folders: Vec<&str> = stream
        .iter()
        .rev()
        .filter_map(|part| part.to_str())
        .collect();
    let (scenario, release) = (folders[1], folders[2].parse::<Release>().unwrap());
    let item = match message["params"].is_object() {
        true => &message["params"]["item"],
        false => &message["item"],
    };
    let before = |minor| release < Release::new(0, minor, 0);
    match (change, item["type"].as_str().unwrap_or_default()) {
        // Items of sub-agents are in the stream of their parent.
        _ if (release, scenario) == (Release::new(0, 98, 0), "collab") => true,
        // Turns have no marks in the file, so that several are taken together.
        (Change::End | Change::Usage, _) => before(100) && !message["method"].is_null(),
        // `codex exec` has a setting that hides it.
        (Change::Dropped, "reasoning") => message["method"].is_null(),
        // What Codex says when it has shortened the history.
        (Change::Dropped, "agent_message") => item["text"] == "Compact task completed",
        // Only their calls are kept, and calls lead to nothing sometimes.
        (Change::Dropped, "mcp_tool_call" | "file_change" | "fileChange" | "web_search") => {
            before(129)
        }
        _ => false,
    }
}

/// The lines of a stream, as JSON.
fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.split('\n').filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_default())
        .collect()
}

/// The message of a line: without the record around it, if there is one.
fn message(line: &Value) -> Value {
    match line["line"].as_str() {
        Some(text) if line["from"] == "codex" => serde_json::from_str(text).unwrap_or_default(),
        Some(_) => Value::Null,
        None => line.clone(),
    }
}

/// The line with another message.
fn with_message(line: &Value, message: &Value) -> Value {
    let mut line = line.clone();
    match line["line"].is_string() {
        true => line["line"] = Value::String(message.to_string()),
        false => line.clone_from(message),
    }
    line
}

/// The turn of a message, if it is of that thread. `codex exec` does not name it.
fn turn_of(message: &Value, thread: Option<&str>) -> Option<String> {
    let params = &message["params"];
    match (params.is_object(), params["threadId"].as_str()) {
        (true, Some(id)) if Some(id) != thread => None,
        (true, _) => {
            let id = params["turnId"].as_str();
            Some(id.or_else(|| params["turn"]["id"].as_str())?.to_owned())
        }
        (false, _) => Some(String::new()),
    }
}

fn ends_turn(message: &Value) -> bool {
    let kind = message["type"]
        .as_str()
        .or_else(|| message["method"].as_str());
    matches!(
        kind,
        Some("turn.completed" | "turn.failed" | "turn/completed")
    )
}

/// The mutants of a stream, with the line each differs in: of turns that end in the stream, because
/// nothing is known to be missing in others.
fn mutants(change: Change, lines: &[Value], thread: Option<&str>) -> Vec<(usize, Vec<Value>)> {
    let messages: Vec<Value> = lines.iter().map(message).collect();
    let turns: Vec<Option<String>> = messages.iter().map(|m| turn_of(m, thread)).collect();
    let ended = |index: usize| {
        let later = messages.iter().zip(&turns).skip(index);
        later
            .filter(|(message, _)| ends_turn(message))
            .any(|(_, turn)| turn.is_some() && *turn == turns[index])
    };
    let is_last_usage = |index: usize| {
        let later = messages.iter().zip(&turns).skip(index + 1);
        !later
            .filter(|(_, turn)| **turn == turns[index])
            .any(|(message, _)| !message["params"]["tokenUsage"].is_null())
    };
    // Of a declined file change that completes twice, one is enough.
    let is_again = |index: usize, item: &Value| {
        let mut later = messages.iter().enumerate();
        later.any(|(other, message)| {
            let again = &message["params"]["item"];
            other != index
                && again["id"].is_string()
                && again["id"] == item["id"]
                && message["method"] == "item/completed"
        })
    };
    let mut out = Vec::new();
    let mut last_text: Option<(usize, Value)> = None;
    for (index, message) in messages.iter().enumerate() {
        if turns[index].is_none() || !ended(index) {
            continue;
        }
        let mut changed = message.clone();
        let is_item = ["type", "method"]
            .iter()
            .any(|name| message[*name] == "item.completed" || message[*name] == "item/completed");
        let item = match message["params"].is_object() {
            true => &mut changed["params"]["item"],
            false => &mut changed["item"],
        };
        let kind = item["type"].as_str().unwrap_or_default().to_owned();
        let is_change = match change {
            Change::Usage if !is_item => usage(&mut changed) && is_last_usage(index),
            Change::End if !is_item => end(&mut changed),
            Change::Dropped if is_item && is_compared(item) && !is_again(index, item) => {
                let mut mutant = lines.to_vec();
                mutant.remove(index);
                out.push((index + 1, mutant));
                false
            }
            Change::Order if is_item && matches!(&*kind, "agent_message" | "agentMessage") => {
                let text = item["text"].clone();
                if let Some((before, earlier)) = last_text.replace((index, text.clone()))
                    && turns[before] == turns[index]
                    && earlier != text
                {
                    item["text"] = earlier;
                    let mut other = messages[before].clone();
                    match other["params"].is_object() {
                        true => other["params"]["item"]["text"] = text,
                        false => other["item"]["text"] = text,
                    }
                    let mut mutant = lines.to_vec();
                    mutant[before] = with_message(&lines[before], &other);
                    mutant[index] = with_message(&lines[index], &changed);
                    out.push((index + 1, mutant));
                }
                false
            }
            _ => {
                is_item
                    && is_compared(item)
                    && !is_again(index, item)
                    && of_item(change, &kind, item)
            }
        };
        if is_change {
            let mut mutant = lines.to_vec();
            mutant[index] = with_message(&lines[index], &changed);
            out.push((index + 1, mutant));
        }
    }
    out
}

/// Whether a session file has such an item: commands of the user and of reviewers are elsewhere.
fn is_compared(item: &Value) -> bool {
    let kind = item["type"].as_str().unwrap_or_default();
    let kinds = [
        "agent_message",
        "reasoning",
        "command_execution",
        "file_change",
        "mcp_tool_call",
        "web_search",
        "agentMessage",
        "userMessage",
        "commandExecution",
        "fileChange",
        "mcpToolCall",
        "webSearch",
    ];
    kinds.contains(&kind) && item["source"] != "userShell"
}

/// Changes an item. Returns whether there is something to change.
fn of_item(change: Change, kind: &str, item: &mut Value) -> bool {
    let other_text = |text: &mut Value| {
        let changed = text.as_str().map(|text| format!("{text} indeed"));
        changed.is_some_and(|changed| {
            *text = Value::String(changed);
            true
        })
    };
    match (change, kind) {
        (Change::Text, "agent_message" | "agentMessage" | "reasoning" | "userMessage") => {
            for place in ["/text", "/summary/0", "/content/0/text"] {
                if let Some(text) = item.pointer_mut(place) {
                    return other_text(text);
                }
            }
            false
        }
        (Change::Command, "command_execution" | "commandExecution") => {
            other_text(&mut item["command"])
        }
        (Change::ExitCode, "command_execution" | "commandExecution") => {
            for name in ["exit_code", "exitCode"] {
                if let Some(code) = item[name].as_i64() {
                    item[name] = (code + 1).into();
                    return true;
                }
            }
            false
        }
        (Change::Output, "command_execution" | "commandExecution") => {
            ["aggregated_output", "aggregatedOutput"]
                .iter()
                .any(|name| item[*name].is_string() && other_text(&mut item[*name]))
        }
        (Change::Arguments, "mcp_tool_call" | "mcpToolCall") => {
            match item["arguments"].as_object_mut() {
                Some(arguments) => {
                    arguments.insert("more".to_owned(), true.into());
                    true
                }
                None => false,
            }
        }
        (Change::Path, "file_change" | "fileChange") => {
            let path = item.pointer_mut("/changes/0/path");
            path.is_some_and(other_text)
        }
        _ => false,
    }
}

fn usage(message: &mut Value) -> bool {
    let places = [
        "/usage/output_tokens",
        "/params/tokenUsage/total/outputTokens",
    ];
    places.iter().any(|place| {
        message.pointer_mut(place).is_some_and(|count| {
            *count = (count.as_u64().unwrap_or_default() + 1).into();
            true
        })
    })
}

fn end(message: &mut Value) -> bool {
    match message.pointer_mut("/params/turn/status") {
        Some(status) if message_ends(status) => {
            *status = Value::from("interrupted");
            true
        }
        _ => false,
    }
}

fn message_ends(status: &Value) -> bool {
    matches!(status.as_str(), Some("completed" | "failed"))
}
