//! What response items add to a thread: the conversation as the model sees it.

use std::sync::Arc;

use codex_wire_base::Release;
use serde_json::Value;

use super::once::Source;
use super::state::RolloutReader;
use super::{answer, call};
use crate::members::{Members, joined};
use crate::model::{Body, Item, Message, Reasoning, Role, WebSearch};
use crate::values::images;

impl RolloutReader {
    pub(super) fn response_item(&mut self, item: &Value) {
        let kind = item.text("type").unwrap_or_default();
        match kind {
            "message" => return self.message_item(item),
            "agent_message" => return self.agent_letter(item),
            "reasoning" => self.reasoning_item(item),
            "function_call" => {
                // Before 0.50.0 a tool of a server is named without a mark.
                let bare = !self.made_since(Release::new(0, 45, 0));
                let folder = self.folder();
                self.call(item, call::of_function(item, bare, folder.as_deref()));
            }
            "custom_tool_call" => {
                let folder = self.folder();
                self.call(item, call::of_custom(item, folder.as_deref()));
            }
            "local_shell_call" => self.call(item, call::of_local_shell(item)),
            "function_call_output" => return self.function_output(item),
            "custom_tool_call_output" => return self.answer(item),
            "web_search_call" => {
                let action = item.some("action");
                let query = action.map(searched).unwrap_or_default();
                let search = WebSearch {
                    query,
                    action: action.and_then(|action| action.owned("type")),
                };
                self.web_search(item.text("id"), search, Source::Item, None);
            }
            _ => return,
        }
        self.has_answered = true;
    }

    fn message_item(&mut self, item: &Value) {
        let content = item.list("content");
        let mut text = joined(content, "text", "");
        let role = match item.text("role") {
            Some("assistant") => Role::Assistant,
            _ => Role::Context,
        };
        self.has_answered |= role == Role::Assistant;
        if let Some((author, text)) = call::between_agents(&text) {
            self.item_message(letter(author, text));
            return;
        }
        let mode = self
            .last_begun()
            .and_then(|turn| turn.settings.mode.clone());
        if role == Role::Assistant && mode.as_deref() == Some("plan") {
            text = without_plan(&text);
            if text.trim().is_empty() {
                return;
            }
        }
        self.item_message(Message {
            phase: item.owned("phase"),
            images: images(content, &["input_image"]),
            ..Message::new(role, text)
        });
    }

    /// A letter of another agent: since 0.147.0 an item, in 0.142.0 a line of its own. What is encrypted is left out.
    pub(super) fn agent_letter(&mut self, item: &Value) {
        let text = item.owned("content");
        let text = text.unwrap_or_else(|| joined(item.list("content"), "text", ""));
        self.item_message(letter(item.owned("author").unwrap_or_default(), text));
    }

    fn reasoning_item(&mut self, item: &Value) {
        let reasoning = Reasoning {
            summary: joined(item.list("summary"), "text", "\n\n"),
            content: joined(item.list("content"), "text", "\n\n"),
        };
        let item = Item {
            id: item.owned("id"),
            ..self.new_item(Body::Reasoning(reasoning))
        };
        self.reasoning(None, Source::Item, item);
    }

    /// The folder that tools work in.
    fn folder(&self) -> Option<Arc<str>> {
        let cwd = self.builder.settings.cwd.clone();
        cwd.or_else(|| self.builder.thread.cwd.as_deref().map(Arc::from))
    }

    fn call(&mut self, call: &Value, body: Body) {
        let id = call.owned("call_id").or_else(|| call.owned("id"));
        if let Body::TodoList(list) = body {
            let turn = Some(self.current_number());
            let here = self.here;
            self.builder.todo_list(turn, id.as_deref(), here, list);
            return;
        }
        let item = Item {
            id,
            completed: None,
            ..self.new_item(body)
        };
        self.add(None, item);
    }

    fn function_output(&mut self, output: &Value) {
        if output.text("call_id").is_some() {
            return self.answer(output);
        }
        // An answer to no call: what Codex tells the model, such as its goal.
        let text = output.get("output").map(answer::text_of);
        let message = Message::new(Role::Context, text.unwrap_or_default());
        let item = self.new_item(Body::Message(message));
        self.add(None, item);
    }

    fn answer(&mut self, output: &Value) {
        let text = output
            .get("output")
            .map(answer::text_of)
            .unwrap_or_default();
        let place = output.text("call_id");
        let place = place.and_then(|id| self.builder.place_of(id));
        let here = self.here;
        let Some(item) = place.and_then(|place| self.builder.item(place)) else {
            return;
        };
        answer::answer(item, &text);
        item.lines.extend(here.line);
        if item.completed.is_none() {
            item.completed = here.at;
        }
        if let Some(child) = call::spawned(&item.body, &text) {
            if let Body::SubAgent(agent) = &mut item.body
                && !agent.threads.contains(&child)
            {
                agent.threads.push(child.clone());
            }
            self.builder.child(&child);
        }
    }
}

fn letter(author: String, text: String) -> Message {
    Message {
        author: Some(author),
        ..Message::new(Role::Agent, text)
    }
}

/// An answer in plan mode without the plan, which is an item of its own. Each of its tags has a line.
fn without_plan(text: &str) -> String {
    let mut is_plan = false;
    let lines = text.split_inclusive('\n').filter(|line| {
        let was_plan = is_plan;
        match line.trim() {
            "<proposed_plan>" => is_plan = true,
            "</proposed_plan>" => is_plan = false,
            _ => {}
        }
        !was_plan && !is_plan
    });
    lines.collect()
}

/// What was searched for, as events say it.
fn searched(action: &Value) -> String {
    let url = action.owned("url");
    let text = match (action.text("type"), action.text("pattern"), &url) {
        (Some("search"), ..) => action.owned("query"),
        (Some("find_in_page"), Some(pattern), Some(url)) => Some(format!("'{pattern}' in {url}")),
        _ => url,
    };
    text.unwrap_or_default()
}
