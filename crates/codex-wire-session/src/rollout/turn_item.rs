//! What the turn items of `item_completed` events add to a thread. Since 0.98.0; since 0.147.0 they take the
//! place of most other events.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::once::Source;
use super::state::RolloutReader;
use crate::build::script;
use crate::members::{Members, joined, kind, milliseconds};
use crate::model::{
    Body, Command, HookRun, Item, McpCall, Message, Plan, Reasoning, Role, Status, SubAgent,
    ToolCall,
};
use crate::values::{changes, images, status, web_search};

impl RolloutReader {
    /// An item of a turn has ended.
    pub(super) fn turn_item(&mut self, event: &Value) {
        let item = &event["item"];
        let turn = event.text("turn_id");
        let id = item.text("id").unwrap_or_default();
        let kind = item.text("type").unwrap_or_default();
        let thread = event
            .text("thread_id")
            .zip(self.builder.thread.id.as_deref());
        let is_own = thread.is_none_or(|(of, own)| of == own);
        if !is_own && !self.is_copying && kind != "UserMessage" {
            // A reviewer has a file of its own; of what it does, the parent needs the task.
            return;
        }
        match kind {
            "UserMessage" => {
                let content = item.list("content");
                let message = Message {
                    images: images(content, &["image", "local_image", "localImage"]),
                    ..Message::new(Role::User, joined(content, "text", ""))
                };
                let item = self.stamped(event, id, Body::Message(message));
                self.prompt(turn, item);
            }
            "AgentMessage" => {
                let message = Message {
                    phase: item.owned("phase"),
                    ..Message::new(Role::Assistant, joined(item.list("content"), "text", ""))
                };
                let item = self.stamped(event, id, Body::Message(message));
                self.agent_message(turn, item);
            }
            "Reasoning" => {
                let reasoning = Reasoning {
                    summary: item.texts("summary_text").join("\n\n"),
                    content: item.texts("raw_content").join("\n\n"),
                };
                let item = self.stamped(event, id, Body::Reasoning(reasoning));
                self.reasoning(turn, Source::Event, item);
            }
            "Plan" => {
                let plan = Plan {
                    text: item.owned("text").unwrap_or_default(),
                };
                let item = self.stamped(event, id, Body::Plan(plan));
                self.add(turn, item);
            }
            "CommandExecution" => {
                self.command(
                    turn,
                    id,
                    item.get("duration").and_then(milliseconds),
                    command(item),
                );
                self.stamp_item(id, event);
            }
            "FileChange" => {
                let status = item.text("status").and_then(status);
                self.patch(turn, id, status, changes(&item["changes"]));
                self.stamp_item(id, event);
            }
            "McpToolCall" => {
                let duration = item.get("duration").and_then(milliseconds);
                self.mcp_call(turn, id, duration, mcp_call(item));
                self.stamp_item(id, event);
            }
            "DynamicToolCall" => self.dynamic_tool(event),
            "CollabAgentToolCall" => self.collab(event),
            "SubAgentActivity" => {
                if item.text("kind") == Some("started")
                    && let Some(id) = item.text("agent_thread_id")
                {
                    self.builder.child(id);
                }
            }
            "WebSearch" => self.web_search(Some(id), web_search(item), Source::Event, turn),
            "EnteredReviewMode" => self.review_started(turn, item.owned("user_facing_hint")),
            "ExitedReviewMode" => self.review_ended(turn, item.some("review_output")),
            "HookPrompt" => {
                // Which hook it was is in its text only.
                let hook = HookRun::default();
                let item = self.stamped(event, id, Body::HookRun(hook));
                self.add(turn, item);
            }
            _ => {}
        }
    }

    fn stamped(&self, event: &Value, id: &str, body: Body) -> Item {
        let mut item = self.new_item(body);
        item.id = Some(id.to_owned());
        Self::stamp(&mut item, event);
        item
    }

    /// The times of an item that is among the turn's by now.
    fn stamp_item(&mut self, id: &str, event: &Value) {
        if let Some(place) = self.builder.place_of(id)
            && let Some(item) = self.builder.item(place)
        {
            Self::stamp(item, event);
        }
    }

    fn dynamic_tool(&mut self, event: &Value) {
        let item = &event["item"];
        let id = item.text("id").unwrap_or_default();
        let duration = item.get("duration").and_then(milliseconds);
        let ended = ToolCall {
            namespace: item.owned("namespace"),
            name: item.owned("tool").unwrap_or_default(),
            status: item.text("status").and_then(status),
            arguments: item.get("arguments").cloned().unwrap_or_default(),
            output: None,
        };
        self.ended_item(event.text("turn_id"), id, |item| {
            item.duration_ms = duration.or(item.duration_ms);
            let output = match &mut item.body {
                Body::ToolCall(call) => call.output.take(),
                _ => None,
            };
            item.body = Body::ToolCall(ToolCall { output, ..ended });
        });
        self.stamp_item(id, event);
    }

    fn collab(&mut self, event: &Value) {
        let item = &event["item"];
        let tool = item.text("tool").unwrap_or_default();
        let threads = item.texts("receiver_thread_ids");
        if matches!(tool, "spawn_agent" | "spawnAgent") {
            for id in &threads {
                self.builder.child(id);
            }
        }
        let agent = SubAgent {
            action: tool.to_owned(),
            status: item.text("status").and_then(status),
            threads,
            prompt: item.owned("prompt"),
        };
        let id = item.text("id").unwrap_or_default();
        self.ended_item(event.text("turn_id"), id, |item| {
            item.body = Body::SubAgent(agent);
        });
        self.stamp_item(id, event);
    }
}

fn command(item: &Value) -> Command {
    Command {
        cwd: item.text("cwd").map(folder),
        status: item.text("status").and_then(status),
        exit_code: item.int("exit_code"),
        output: item.owned("aggregated_output"),
        is_by_user: item.text("source") == Some("user_shell"),
        ..script::of_words(item.texts("command"))
    }
}

/// A folder, which later releases write as an address.
fn folder(cwd: &str) -> String {
    let Some(address) = cwd.strip_prefix("file://") else {
        return cwd.to_owned();
    };
    let path = percent_decode_str(address).decode_utf8_lossy();
    match path.as_bytes() {
        // A drive.
        [b'/', letter, b':', ..] if letter.is_ascii_alphabetic() => path[1..].to_owned(),
        [b'/', ..] => path.into_owned(),
        // A folder that another machine shares.
        _ => format!("//{path}"),
    }
}

fn mcp_call(item: &Value) -> McpCall {
    let result = item.some("result").cloned().unwrap_or_default();
    let error = item.some("error").map(|error| {
        let message = error.owned("message");
        message.unwrap_or_else(|| kind(error).unwrap_or_default().to_owned())
    });
    let failed = error.is_some() || result.is("isError") || result.is("is_error");
    let status = match item.text("status").and_then(status) {
        Some(Status::Completed) | None if failed => Some(Status::Failed),
        other => other,
    };
    McpCall {
        server: item.owned("server").unwrap_or_default(),
        tool: item.owned("tool").unwrap_or_default(),
        status,
        arguments: item.get("arguments").cloned().unwrap_or_default(),
        result,
        error,
    }
}
