//! Renders items, in the spelling of `codex exec` and in that of the app-server.

use std::io;

use serde_json::Value;

use super::open::{Location, StartedItem};
use super::phrasing::{Phrasing, texts_of};
use super::rows::{Rows, Tone, joined};
use crate::numbers::{counted, duration_text};
use crate::words::spaced;

impl Rows<'_> {
    pub(super) fn item_started(&mut self, place: &Location, item: &Value) -> io::Result<()> {
        let label = label(self.phrasing, item);
        if label == "plan" && steps(item).is_some() {
            return self.plan(place, item, "");
        }
        let begun = self.started(label, detail(self.phrasing, item));
        if let Some(id) = item.get("id").and_then(Value::as_str) {
            self.open.add_item(place, id, begun);
        }
        if self.line.unknown {
            return self.item(place, item, None);
        }
        Ok(())
    }

    pub(super) fn item_completed(&mut self, place: &Location, item: &Value) -> io::Result<()> {
        let id = item.get("id").and_then(Value::as_str);
        let begun = id.and_then(|id| self.open.take_item(place, id));
        if steps(item).is_some() {
            return self.plan(place, item, "");
        }
        self.item(place, item, begun.as_ref())
    }

    fn item(
        &mut self,
        place: &Location,
        item: &Value,
        begun: Option<&StartedItem>,
    ) -> io::Result<()> {
        self.announce_location(place)?;
        let phrasing = self.phrasing;
        let status = item.get("status");
        let status = status.filter(|status| *status != "completed");
        let exit = item.get("exit_code").or_else(|| item.get("exitCode"));
        let exit = exit.and_then(Value::as_i64);
        let failed = status
            .and_then(Value::as_str)
            .is_some_and(|status| ["failed", "declined", "errored"].contains(&status));
        let is_error = item.get("error").is_some_and(|error| !error.is_null())
            || kind_of(item) == Some("error");
        let stated = item.get("durationMs").and_then(Value::as_u64);
        let parts = [
            Some(detail(phrasing, item)),
            Some(phrasing.value(status)),
            exit.map(|code| format!("exit {code}")),
            item["error"]
                .get("message")
                .map(|text| phrasing.of(Some(text))),
            self.took(begun, stated).filter(|_| !is_of_user(item)),
        ];
        let tone = match failed || is_error || exit.is_some_and(|code| code != 0) {
            true => Tone::Bad,
            false => Tone::Plain,
        };
        let label = match self.line.unknown {
            true => format!("unknown: {}", phrasing.kind(kind_of(item).unwrap_or("…"))),
            false => label(phrasing, item),
        };
        self.row(tone, &label, &joined(parts))
    }

    /// How long it took: as the message says, or from its first to its last line.
    pub(super) fn took(&self, begun: Option<&StartedItem>, stated: Option<u64>) -> Option<String> {
        let seen = || Some(self.line.ms?.saturating_sub(begun?.ms?));
        stated.or_else(seen).filter(|ms| *ms > 0).map(duration_text)
    }

    /// Writes an item that was not completed.
    pub(super) fn unfinished(&mut self, item: &StartedItem) -> io::Result<()> {
        let since = format!("open since line {}", item.line);
        let deltas = (item.deltas > 0).then(|| counted(item.deltas, "delta", "deltas"));
        let text = joined([Some(item.text.clone()), deltas, Some(since)]);
        self.row(Tone::Bad, &item.label, &text)
    }

    /// Writes the items that are still open at the end of a turn.
    pub(super) fn left_open(&mut self, place: &Location) -> io::Result<()> {
        for item in self.open.take_items_of(place) {
            self.unfinished(&item)?;
        }
        Ok(())
    }

    /// Writes the current state of a plan or a todo list.
    pub(super) fn plan(&mut self, place: &Location, holder: &Value, why: &str) -> io::Result<()> {
        self.announce_location(place)?;
        let Some(steps) = steps(holder) else {
            return Ok(());
        };
        let done = |step: &&Value| is_done(step);
        let text = format!(
            "{} of {} done",
            steps.iter().filter(done).count(),
            steps.len()
        );
        let why = (!why.is_empty()).then(|| why.to_owned());
        self.row(Tone::Plain, "plan", &joined([Some(text), why]))?;
        if !self.options.show_values {
            return Ok(());
        }
        for step in steps {
            let sign = match step["status"].as_str() {
                _ if is_done(step) => 'x',
                Some("in_progress" | "inProgress") => '>',
                _ => ' ',
            };
            let text = step.get("text").or_else(|| step.get("step"));
            let text = self.phrasing.of(text);
            self.detail_row(&format!("[{sign}] {text}"))?;
        }
        Ok(())
    }
}

fn steps(holder: &Value) -> Option<&Vec<Value>> {
    let steps = holder.get("items").or_else(|| holder.get("plan"))?;
    steps.as_array()
}

/// Whether it is a message of the user, which takes no time.
fn is_of_user(item: &Value) -> bool {
    kind_of(item) == Some("userMessage")
}

fn is_done(step: &Value) -> bool {
    step["completed"] == true || step["status"] == "completed"
}

fn kind_of(item: &Value) -> Option<&str> {
    let kind = item.get("type").or_else(|| item.get("item_type"));
    kind?.as_str()
}

/// The label of an item.
fn label(phrasing: Phrasing, item: &Value) -> String {
    let Some(kind) = kind_of(item) else {
        return "item".to_owned();
    };
    let known = match kind {
        "agent_message" | "assistant_message" | "agentMessage" => "message",
        "userMessage" => "user",
        "command_execution" | "commandExecution" => "command",
        "file_change" | "fileChange" => "patch",
        "mcp_tool_call" | "mcpToolCall" | "dynamicToolCall" => "tool",
        "collab_tool_call" | "collabAgentToolCall" | "collabToolCall" => "agents",
        "subAgentActivity" => "agent",
        "web_search" | "webSearch" => "search",
        "todo_list" => "plan",
        "contextCompaction" => "compaction",
        "enteredReviewMode" => "review",
        "exitedReviewMode" | "codeReview" => "review",
        "imageView" | "imageGeneration" => "image",
        "hookPrompt" => "hook",
        other => return phrasing.kind(&spaced(other)),
    };
    known.to_owned()
}

/// What an item says or does, masked.
fn detail(phrasing: Phrasing, item: &Value) -> String {
    let member = |name: &str| phrasing.of(item.get(name));
    match kind_of(item).unwrap_or_default() {
        "command_execution" | "commandExecution" => member("command"),
        "file_change" | "fileChange" => changes(phrasing, &item["changes"]),
        "mcp_tool_call" | "mcpToolCall" => {
            let both = [item["server"].as_str(), item["tool"].as_str()];
            let both: Vec<&str> = both.into_iter().flatten().collect();
            phrasing.text(&both.join("."))
        }
        "dynamicToolCall" => member("tool"),
        "collab_tool_call" | "collabAgentToolCall" | "collabToolCall" => joined([
            Some(phrasing.value(item.get("tool"))),
            Some(member("prompt")),
        ]),
        "subAgentActivity" => phrasing.value(item.get("kind")),
        "web_search" | "webSearch" => joined([
            Some(phrasing.value(item["action"].get("type"))),
            Some(member("query")),
        ]),
        "reasoning" if item.get("summary").is_some() => member("summary"),
        "userMessage" => phrasing.text(&texts_of(&item["content"])),
        "enteredReviewMode" => joined([Some("begins".to_owned()), Some(member("review"))]),
        "exitedReviewMode" => joined([Some("ends".to_owned()), Some(member("review"))]),
        "codeReview" => member("review"),
        "imageView" => member("path"),
        "error" => member("message"),
        _ => member("text"),
    }
}

/// Counts changed files by kind of change. `changes` is an array, or an object by path.
pub(super) fn changes(phrasing: Phrasing, changes: &Value) -> String {
    let mut counts = [
        ("added", 0u64),
        ("updated", 0),
        ("deleted", 0),
        ("other", 0),
    ];
    let mut paths = Vec::new();
    let mut add = |path: &str, kind: Option<&str>| {
        let index = match kind {
            Some("add") => 0,
            Some("update") => 1,
            Some("delete") => 2,
            _ => 3,
        };
        counts[index].1 += 1;
        paths.push(path.to_owned());
    };
    match changes {
        Value::Array(changes) => {
            for change in changes {
                let kind = change["kind"].as_str().or(change["kind"]["type"].as_str());
                add(change["path"].as_str().unwrap_or_default(), kind);
            }
        }
        Value::Object(changes) => {
            for (path, change) in changes {
                let first = || change.as_object()?.keys().next().map(String::as_str);
                let kind = change["type"].as_str().or_else(|| change.as_str());
                add(path, kind.or_else(first));
            }
        }
        _ => return String::new(),
    }
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    let paths = phrasing.show.then(|| paths.join(" "));
    joined([Some(counts.join(", ")), paths])
}
