//! `codex app-server`.

use serde_json::Value;

use super::threads::Stream;
use crate::with_rollout::facts::{
    End, Fact, Fingerprint, Kind, Status, Thread, Usage, changes_of, lines, script_of_text, texts,
    tool_of,
};

/// Ids of turns are UUIDs since 0.100.0. Before, they are numbers that begin with each connection.
const SHORTEST_ID: usize = 16;

/// How many items back an item is looked for that completes again.
const NEAR: usize = 64;

/// The notifications that facts are read from.
const READ: [&str; 5] = [
    "item/completed",
    "thread/started",
    "thread/tokenUsage/updated",
    "turn/completed",
    "turn/started",
];

/// A response may name the thread that the next notifications are about: up to 0.63.0 they do not.
pub(super) fn response(stream: &mut Stream, method: &str, message: &Value) {
    if let "thread/start" | "thread/resume" | "thread/fork" = method
        && let Some(id) = message["result"]["thread"]["id"].as_str()
    {
        stream.named(id);
    }
}

pub(super) fn notification(stream: &mut Stream, message: &Value, line: u64) {
    let params = &message["params"];
    let method = message["method"].as_str().unwrap_or_default();
    let turn = &params["turn"];
    let turn_id = params["turnId"].as_str().or_else(|| turn["id"].as_str());
    if turn_id.is_some_and(|id| id.len() < SHORTEST_ID) {
        of(stream, params).has_local_ids = true;
    }
    let turn_id = turn_id.map(Fingerprint::of);
    match method {
        "turn/started" => {
            of(stream, params).turn(turn_id, line);
        }
        "turn/completed" => {
            let end = match turn["status"].as_str() {
                Some("completed") => End::Completed,
                Some("failed") => End::Failed,
                Some("interrupted") => End::Interrupted,
                _ => return,
            };
            of(stream, params).turn(turn_id, line).end = Some((end, line));
        }
        "thread/tokenUsage/updated" => {
            let usage = Usage::read(&params["tokenUsage"]["total"]);
            let thread = of(stream, params);
            // A rollback tells the usage of a turn that there is not.
            let known = turn_id.and_then(|id| thread.of_id(id));
            if let (Some(turn), Some(usage)) = (known, usage) {
                turn.usage = Some((usage, line));
            }
        }
        "item/completed" => {
            let thread = of(stream, params);
            item(thread, turn_id, &params["item"], line);
        }
        _ => {}
    }
}

/// The thread of a notification.
fn of<'s>(stream: &'s mut Stream, params: &Value) -> &'s mut Thread {
    let several = stream.threads.len() > 1;
    let thread = match params["threadId"].as_str() {
        Some(id) => stream.named(id),
        None => {
            let thread = stream.at_hand();
            thread.is_mixed |= several;
            thread
        }
    };
    thread.has_all_texts = true;
    thread
}

/// The client says what it does not want to hear of.
pub(super) fn initialize(stream: &mut Stream, message: &Value) {
    let unwanted = &message["params"]["capabilities"]["optOutNotificationMethods"];
    let unwanted = unwanted.as_array().into_iter().flatten();
    let mut unwanted = unwanted.filter_map(Value::as_str);
    stream.is_partial |= unwanted.any(|method| READ.contains(&method));
}

fn item(thread: &mut Thread, turn_id: Option<Fingerprint>, item: &Value, line: u64) {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let fact = match text("type") {
        "userMessage" => Fact::text(Kind::Prompt, line, &texts(&item["content"])),
        "agentMessage" => Fact::text(Kind::Message, line, text("text")),
        "reasoning" => {
            for fact in Fact::reasoning(line, &lines(&item["summary"])) {
                if !thread.is_full() {
                    thread.turn(turn_id, line).facts.push(fact);
                }
            }
            return;
        }
        // The command of the user is not a call. Only newer session files keep it.
        "commandExecution" if text("source") == "userShell" => return,
        "commandExecution" => Fact {
            exit_code: item["exitCode"].as_i64(),
            output: item["aggregatedOutput"]
                .as_str()
                .and_then(Fingerprint::of_output),
            ..Fact::new(Kind::Command, line, Some(script_of_text(text("command"))))
        },
        "fileChange" => {
            let changes = item["changes"].as_array().into_iter().flatten();
            let each = changes.map(|change| {
                let kind = &change["kind"];
                let kind = kind.as_str().or_else(|| kind["type"].as_str());
                (
                    change["path"].as_str().unwrap_or_default(),
                    kind.unwrap_or_default(),
                )
            });
            Fact::new(Kind::FileChange, line, Some(changes_of(each)))
        }
        "mcpToolCall" => Fact {
            arguments: item.get("arguments").map(Fingerprint::of_json),
            ..Fact::new(
                Kind::McpCall,
                line,
                Some(tool_of(text("server"), text("tool"))),
            )
        },
        "webSearch" => Fact::text(Kind::WebSearch, line, text("query")),
        "enteredReviewMode" | "exitedReviewMode" => {
            thread.turn(turn_id, line).is_review = true;
            return;
        }
        _ => return,
    };
    if thread.is_full() {
        return;
    }
    let fact = Fact {
        status: Status::read(text("status")),
        id: (!fact.kind.is_text()).then(|| Fingerprint::of(text("id"))),
        ..fact
    };
    let facts = &mut thread.turn(turn_id, line).facts;
    // A file change that was declined completes twice up to 0.125.0.
    let before = facts.iter_mut().rev().take(NEAR);
    match before
        .into_iter()
        .find(|known| known.id.is_some() && known.id == fact.id)
    {
        Some(known) => *known = fact,
        None => facts.push(fact),
    }
}
