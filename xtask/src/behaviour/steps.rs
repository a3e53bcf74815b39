//! The steps of a recording: each message is one, by its kind and status. Ids, texts, times and counts of tokens
//! are left out.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use codex_wire_record::Recording;
use serde_json::Value;

/// Members whose values are words of the protocol that say how something is, in the order in which they are shown.
const WORDS: [&str; 8] = [
    "status",
    "exit_code",
    "exitCode",
    "success",
    "willRetry",
    "codexErrorInfo",
    "decision",
    "reason",
];

/// The objects in which they stand, below the message.
const PARTS: [&str; 5] = ["item", "turn", "run", "thread", "error"];

/// Members that say what a message is about.
const KINDS: [&str; 2] = ["type", "eventName"];

/// The steps of a recording, with the end of the process.
///
/// # Errors
/// When a line or a record is not JSON.
pub(super) fn steps(recording: &Recording) -> Result<Vec<String>> {
    let mut steps = match recording.protocol {
        "exec" => of_exec(&recording.bytes)?,
        _ => of_app_server(&recording.bytes)?,
    };
    steps.push(match recording.exit_code {
        Some(code) => format!("exit: {code}"),
        None => "exit: signal".to_owned(),
    });
    Ok(steps)
}

/// The steps of a stream of `codex exec --json`.
///
/// # Errors
/// When a line is not JSON.
pub fn of_exec(stream: &[u8]) -> Result<Vec<String>> {
    let mut steps = Vec::new();
    for line in stream
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let message: Value = serde_json::from_slice(line).context("a line of exec")?;
        let kind = message["type"].as_str().unwrap_or("?");
        add(&mut steps, step(kind, &message), kind.ends_with(".updated"));
    }
    Ok(steps)
}

/// The steps of a transcript of both sides of `codex app-server`.
fn of_app_server(transcript: &[u8]) -> Result<Vec<String>> {
    let mut steps = Vec::new();
    // What the client asked, by the id of the request.
    let mut asked: BTreeMap<String, String> = BTreeMap::new();
    let mut closed = BTreeSet::new();
    for record in transcript
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let record: Value = serde_json::from_slice(record).context("a record")?;
        let Some(text) = record["line"].as_str() else {
            continue;
        };
        let message: Value = serde_json::from_str(text).context("a line of app-server")?;
        let method = message["method"].as_str();
        let id = message.get("id").map(Value::to_string);
        match (record["from"].as_str().unwrap_or_default(), method, id) {
            ("client", Some(method), Some(id)) => {
                add(&mut steps, format!("client asks {method}"), false);
                asked.insert(id, method.to_owned());
            }
            // What the client answers follows from what it is asked.
            ("client", ..) => {}
            (_, Some(method), Some(_)) => add(
                &mut steps,
                step(&format!("asks {method}"), &message["params"]),
                false,
            ),
            (_, Some(method), None) => {
                let step = step(method, &message["params"]);
                // How often something is told about a text that grows depends on time.
                let grows = ["delta", "Delta", "updated"]
                    .iter()
                    .any(|end| method.ends_with(end));
                match grows {
                    true if !closed.insert(step.clone()) => {}
                    _ => add(&mut steps, step, false),
                }
            }
            (_, None, Some(id)) => {
                let method = asked.get(&id).map_or("?", String::as_str);
                let how = match message.get("error") {
                    Some(error) => format!("error {}", error["code"]),
                    None => "result".to_owned(),
                };
                add(&mut steps, format!("answers {method}: {how}"), false);
            }
            (_, None, None) => add(&mut steps, "?".to_owned(), false),
        }
    }
    Ok(steps)
}

/// Adds a step, but of several updates in a row only one.
fn add(steps: &mut Vec<String>, step: String, is_update: bool) {
    if !is_update || steps.last() != Some(&step) {
        steps.push(step);
    }
}

/// A message: its kind, the kinds of what it is about, and how that is.
fn step(kind: &str, message: &Value) -> String {
    let mut name = kind.to_owned();
    let mut words = Vec::new();
    let parts = PARTS.iter().filter_map(|part| message.get(part));
    for (index, part) in std::iter::once(message).chain(parts).enumerate() {
        for member in KINDS {
            // That of the message is its kind.
            if let Some(word) = part[member]
                .as_str()
                .filter(|word| index > 0 || *word != kind)
            {
                name = format!("{name} {word}");
            }
        }
        for member in WORDS {
            words.extend(part.get(member).and_then(|value| word(member, value)));
        }
    }
    match words.is_empty() {
        true => name,
        false => format!("{name}: {}", words.join(", ")),
    }
}

/// A value that says how something is; nothing for one that says nothing yet.
fn word(member: &str, value: &Value) -> Option<String> {
    let word = match value {
        Value::String(text) => text.clone(),
        Value::Object(members) => match members.get("type").and_then(Value::as_str) {
            Some(kind) => kind.to_owned(),
            // Variants with members of their own are written as `{"variant": {…}}`.
            None => members.keys().next()?.clone(),
        },
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null | Value::Array(_) => return None,
    };
    Some(match member {
        "exit_code" | "exitCode" => format!("exit {word}"),
        "success" | "willRetry" => format!("{member} {word}"),
        // Texts of people may stand there.
        "reason" if word.contains(' ') => return None,
        _ => word,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_texts_are_left_out() {
        let stream = br#"{"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"a","exit_code":4,"status":"failed"}}
{"type":"item.updated","item":{"id":"item_2","type":"todo_list","items":[]}}
{"type":"item.updated","item":{"id":"item_2","type":"todo_list","items":[]}}
{"type":"turn.failed","error":{"message":"No."}}
"#;
        assert_eq!(
            of_exec(stream).unwrap(),
            [
                "thread.started",
                "item.completed command_execution: failed, exit 4",
                "item.updated todo_list",
                "turn.failed"
            ]
        );
    }

    #[test]
    fn an_answer_names_what_was_asked() {
        let line = |from: &str, line: &str| {
            let record = serde_json::json!({"kind": "line", "from": from, "line": line});
            format!("{record}\n")
        };
        let transcript = "{\"kind\":\"start\",\"transcript\":1}\n".to_owned()
            + &line("client", r#"{"id":1,"method":"turn/start","params":{}}"#)
            + &line(
                "codex",
                r#"{"id":1,"error":{"code":-32600,"message":"No."}}"#,
            )
            + &line("codex", r#"{"id":0,"method":"item/tool/call","params":{}}"#)
            + &line("client", r#"{"id":0,"result":{}}"#)
            + &line(
                "codex",
                r#"{"method":"item/agentMessage/delta","params":{"delta":"a"}}"#,
            )
            + &line(
                "codex",
                r#"{"method":"item/agentMessage/delta","params":{"delta":"b"}}"#,
            )
            + &line(
                "codex",
                r#"{"method":"turn/completed","params":{"turn":{"id":"x","status":"completed"}}}"#,
            );
        assert_eq!(
            of_app_server(transcript.as_bytes()).unwrap(),
            [
                "client asks turn/start",
                "answers turn/start: error -32600",
                "asks item/tool/call",
                "item/agentMessage/delta",
                "turn/completed: completed"
            ]
        );
    }
}
