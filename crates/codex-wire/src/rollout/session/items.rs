//! What response items and compactions add to a session: the conversation as the model sees it.

use crate::Release;
use crate::rollout::session::once::{Side, Source};
use crate::rollout::session::state::State;
use crate::rollout::session::{
    Command, Compaction, Entry, MessageKind, Reasoning, ToolCall, WebSearch, calls,
};
use crate::rollout::{
    AgentMessageInputContent, CompactedItem, ContentItem, FunctionCallOutputItem, LocalShellAction,
    ReasoningContent, ReasoningItem, ReasoningSummaryItem, ResponseItem, WebSearchAction,
};

impl State {
    pub(super) fn response_item(&mut self, item: &ResponseItem) {
        let is_answer = !matches!(
            item,
            ResponseItem::FunctionCallOutput(_) | ResponseItem::CustomToolCallOutput(_)
        );
        match item {
            ResponseItem::Message(message) => {
                let text = text_of(&message.content);
                let kind = match message.role.as_str() {
                    "assistant" => MessageKind::Answer,
                    _ => MessageKind::Context,
                };
                self.has_answered |= kind == MessageKind::Answer;
                if let Some((author, text)) = calls::between_agents(&text) {
                    self.item_message(MessageKind::Agent(author), &text, None);
                    return;
                }
                self.item_message(kind, &text, message.phase.value().cloned());
                return;
            }
            ResponseItem::AgentMessage(message) => {
                let texts = message.content.iter().filter_map(|part| match part {
                    AgentMessageInputContent::InputText(text) => Some(text.text.as_str()),
                    _ => None,
                });
                let text: String = texts.collect();
                self.item_message(MessageKind::Agent(message.author.clone()), &text, None);
                return;
            }
            ResponseItem::Reasoning(item) => {
                self.add(None, reasoning(item));
            }
            ResponseItem::FunctionCall(call) => {
                let namespace = call.namespace.value().map(String::as_str);
                // Before 0.50.0 a tool of a server is named without a mark.
                let bare = !self.made_since(Release::new(0, 45, 0));
                let entry =
                    calls::of_function(&call.call_id, namespace, &call.name, &call.arguments, bare);
                self.call(&call.call_id, entry);
            }
            ResponseItem::CustomToolCall(call) if call.name == "apply_patch" => {
                let entry = calls::of_patch(&call.call_id, Some(call.input.clone()));
                self.call(&call.call_id, entry);
            }
            ResponseItem::CustomToolCall(call) => {
                let entry = Entry::ToolCall(ToolCall {
                    call_id: Some(call.call_id.clone()),
                    namespace: None,
                    name: call.name.clone(),
                    arguments: call.input.clone(),
                    output: None,
                });
                self.call(&call.call_id, entry);
            }
            ResponseItem::LocalShellCall(call) => {
                let id = call.call_id.value().or(call.id.value()).cloned();
                let LocalShellAction::Exec(action) = &call.action else {
                    return;
                };
                let entry = Entry::Command(Command {
                    call_id: id.clone(),
                    command: action.command.clone(),
                    cwd: action.working_directory.value().cloned(),
                    ..Command::default()
                });
                self.call(&id.unwrap_or_default(), entry);
            }
            ResponseItem::FunctionCallOutput(output) => self.function_output(output),
            ResponseItem::CustomToolCallOutput(output) => {
                self.answer(&output.call_id, &calls::text_of(&output.output));
            }
            ResponseItem::WebSearchCall(call) => {
                let query = call.action.value().map(searched).unwrap_or_default();
                self.web_search(
                    call.id.value().map(String::as_str),
                    &query,
                    Source::Item,
                    None,
                );
            }
            _ => return,
        }
        self.has_answered |= is_answer;
    }

    fn call(&mut self, id: &str, entry: Entry) {
        let place = self.add(None, entry);
        self.calls.insert(id.to_owned(), place);
    }

    fn function_output(&mut self, output: &FunctionCallOutputItem) {
        let text = calls::text_of(&output.output);
        if let Some(id) = output.call_id.value() {
            self.answer(id, &text);
        } else {
            // An answer to no call: what Codex tells the model in the form of one.
            let entry = Entry::ToolCall(ToolCall {
                call_id: None,
                namespace: output.namespace.value().cloned(),
                name: output.name.value().cloned().unwrap_or_default(),
                arguments: String::new(),
                output: Some(text),
            });
            self.add(None, entry);
        }
    }

    fn answer(&mut self, id: &str, text: &str) {
        let Some(place) = self.calls.get(id).copied() else {
            return;
        };
        let child = match self.entry(place) {
            Some(entry) => {
                calls::answer(entry, text);
                calls::spawned(entry)
            }
            None => None,
        };
        if let Some(child) = child {
            self.child(&child);
        }
    }

    /// A thread that this one started.
    pub(super) fn child(&mut self, id: &str) {
        if self.children.insert(id.to_owned()) {
            self.session.children.push(id.to_owned());
        }
    }

    pub(super) fn web_search(
        &mut self,
        id: Option<&str>,
        query: &str,
        source: Source,
        turn_id: Option<&str>,
    ) {
        let entry = || {
            Entry::WebSearch(WebSearch {
                call_id: id.map(str::to_owned),
                query: query.to_owned(),
            })
        };
        let (place, _) = self.add_once(turn_id, Side::Search, source, query, entry);
        if let (Some(Entry::WebSearch(search)), Some(id)) = (self.entry(place), id) {
            search.call_id.get_or_insert_with(|| id.to_owned());
        }
    }

    pub(super) fn compacted(&mut self, compacted: &CompactedItem) {
        // The answer that the summary is made of is an item too, in some releases.
        self.drop_answer_in(&compacted.message);
        let summary = compacted.message.clone();
        self.add(None, Entry::Compaction(Compaction { summary }));
    }
}

fn text_of(content: &[ContentItem]) -> String {
    let texts = content.iter().filter_map(|part| match part {
        ContentItem::InputText(text) => Some(text.text.as_str()),
        ContentItem::OutputText(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn reasoning(item: &ReasoningItem) -> Entry {
    let summary = item.summary.iter().filter_map(|part| match part {
        ReasoningSummaryItem::SummaryText(text) => Some(text.text.clone()),
        ReasoningSummaryItem::Unknown(_) => None,
    });
    let content = item.content.value().into_iter().flatten();
    let content = content.filter_map(|part| match part {
        ReasoningContent::ReasoningText(text) => Some(text.text.clone()),
        ReasoningContent::Text(text) => Some(text.text.clone()),
        ReasoningContent::Unknown(_) => None,
    });
    Entry::Reasoning(Reasoning {
        summary: summary.collect(),
        content: content.collect(),
    })
}

/// What was searched for, as the event says it.
pub(super) fn searched(action: &WebSearchAction) -> String {
    let text = match action {
        WebSearchAction::Search(search) => search.query.value().cloned(),
        WebSearchAction::OpenPage(page) => page.url.value().cloned(),
        WebSearchAction::FindInPage(page) => page.url.value().cloned(),
        WebSearchAction::Other(_) | WebSearchAction::Unknown(_) => None,
    };
    text.unwrap_or_default()
}
