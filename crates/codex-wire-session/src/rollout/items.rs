//! Items that more than one kind of line adds, or ends.

use codex_wire_base::Release;
use serde_json::Value;

use super::once::{Side, Source};
use super::state::RolloutReader;
use crate::members::Members;
use crate::model::{
    Body, Command, FileChange, Item, McpCall, Patch, Review, Status, Time, WebSearch,
};

impl RolloutReader {
    pub(super) fn agent_message(&mut self, turn: Option<&str>, item: Item) {
        self.has_answered = true;
        let Body::Message(message) = &item.body else {
            return;
        };
        let (text, phase) = (message.text.clone(), message.phase.clone());
        let id = item.id.clone();
        let (place, is_second) = self.add_once(turn, (Side::Agent, Source::Event), &text, item);
        if is_second && let Some(item) = self.item(place) {
            item.id = item.id.take().or(id);
            if let Body::Message(message) = &mut item.body {
                message.phase = message.phase.take().or(phase);
            }
        }
    }

    /// Reasoning that the file may have twice: since 0.147.0 as an item and as a turn item with the same id,
    /// before as an item and as an event for each section.
    pub(super) fn reasoning(&mut self, turn_id: Option<&str>, source: Source, item: Item) {
        let Body::Reasoning(reasoning) = &item.body else {
            return;
        };
        if let Some(id) = &item.id
            && let Some(place) = self.builder.place_of(id)
        {
            let line = self.here.line;
            if let Some(first) = self.builder.item(place) {
                first.lines.extend(line);
            }
            return;
        }
        let text = reasoning.summary.clone();
        if text.is_empty() {
            // Nothing could be found again by an empty text.
            if source == Source::Item {
                self.add(turn_id, item);
            }
            return;
        }
        let (whole, id) = (reasoning.clone(), item.id.clone());
        let (place, is_second) = self.add_once(turn_id, (Side::Reasoning, source), &text, item);
        match source {
            Source::Item if is_second => self.complete_reasoning(place, whole, id),
            Source::Event if !is_second && id.is_none() => self.join_section(place, &text),
            _ => {}
        }
    }

    pub(super) fn web_search(
        &mut self,
        id: Option<&str>,
        search: WebSearch,
        source: Source,
        turn_id: Option<&str>,
    ) {
        let query = search.query.clone();
        let action = search.action.clone();
        let item = Item {
            id: id.map(str::to_owned),
            ..self.new_item(Body::WebSearch(search))
        };
        let (place, _) = self.add_once(turn_id, (Side::Search, source), &query, item);
        if let Some(item) = self.item(place) {
            if item.id.is_none() {
                item.id = id.map(str::to_owned);
            }
            if let Body::WebSearch(search) = &mut item.body
                && search.action.is_none()
            {
                search.action = action;
            }
        }
    }

    pub(super) fn review_started(&mut self, turn: Option<&str>, hint: Option<String>) {
        // Before 0.100.0 nothing else says that a turn begins.
        if turn.is_none() && !self.made_since(Release::new(0, 100, 0)) {
            self.begin(None);
        }
        let review = Review {
            is_end: false,
            text: hint,
        };
        let item = self.new_item(Body::Review(review));
        self.add(turn, item);
        self.is_reviewing = true;
    }

    pub(super) fn review_ended(&mut self, turn: Option<&str>, output: Option<&Value>) {
        let review = Review {
            is_end: true,
            text: output.and_then(|output| output.owned("overall_explanation")),
        };
        let item = self.new_item(Body::Review(review));
        self.add(turn, item);
        self.is_reviewing = false;
    }

    /// A command has ended: this says more than its call.
    pub(super) fn command(
        &mut self,
        turn: Option<&str>,
        id: &str,
        duration_ms: Option<u64>,
        ended: Command,
    ) {
        self.ended_item(turn, id, |item| {
            item.duration_ms = duration_ms.or(item.duration_ms);
            item.body = Body::Command(ended);
        });
    }

    pub(super) fn patch(
        &mut self,
        turn: Option<&str>,
        id: &str,
        status: Option<Status>,
        changes: Vec<FileChange>,
    ) {
        self.ended_item(turn, id, |item| {
            let mut patch = match &mut item.body {
                Body::Patch(patch) => std::mem::take(patch),
                // A shell command that is a patch.
                Body::Command(command) => Patch {
                    text: command.argv.as_mut().and_then(Vec::pop),
                    output: command.output.take(),
                    ..Patch::default()
                },
                _ => Patch::default(),
            };
            patch.changes = changes;
            patch.status = status;
            item.body = Body::Patch(patch);
        });
    }

    pub(super) fn mcp_call(
        &mut self,
        turn: Option<&str>,
        id: &str,
        duration_ms: Option<u64>,
        ended: McpCall,
    ) {
        self.ended_item(turn, id, |item| {
            item.duration_ms = duration_ms.or(item.duration_ms);
            item.body = Body::McpCall(ended);
        });
    }

    /// Something with an id has ended: `end` completes its item.
    pub(super) fn ended_item(&mut self, turn: Option<&str>, id: &str, end: impl FnOnce(&mut Item)) {
        let here = self.here;
        if let Some(place) = self.builder.place_of(id)
            && let Some(item) = self.builder.item(place)
        {
            end(item);
            item.lines.extend(here.line);
            item.completed = item.completed.or(here.at);
            return;
        }
        let mut item = self.new_item(Body::Patch(Patch::default()));
        item.id = Some(id.to_owned());
        end(&mut item);
        self.add(turn, item);
    }

    /// The times that a turn item names, since 0.129.0 and 0.146.0.
    pub(super) fn stamp(item: &mut Item, event: &Value) {
        let time = |key| event.int(key).and_then(Time::from_ms);
        item.started = time("started_at_ms").or(item.started);
        item.completed = time("completed_at_ms").or(item.completed);
    }
}
