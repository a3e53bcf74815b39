//! Reads the facts of a session file, line by line.

use std::collections::HashMap;

use serde_json::Value;

use super::calls;
use super::core_items::{self, Content};
use super::facts::{End, Fact, Fingerprint, Kind, Origin, Thread, Usage, lines, texts};

/// The thread of a session file.
#[derive(Debug, Default)]
pub(super) struct Rollout {
    /// The id of the thread.
    pub(super) thread_id: Option<String>,
    /// The release that made the file.
    pub(super) release: Option<String>,
    pub(super) thread: Thread,
    /// Where paths of patches begin.
    folder: Option<String>,
    /// Calls without an output so far: the turn and the fact.
    calls: HashMap<Fingerprint, (usize, usize)>,
    /// The marked turn that has not ended.
    open: Option<Fingerprint>,
}

impl Rollout {
    /// Reads a line.
    pub(super) fn read(&mut self, message: &Value, line: u64) {
        let payload = &message["payload"];
        let at = |name: &str| payload[name].as_str();
        match message["type"].as_str().unwrap_or_default() {
            _ if payload.is_null() => self.read_early(message, line),
            "session_meta" => {
                if self.thread_id.is_none() {
                    self.thread_id = at("id").map(str::to_owned);
                    self.release = at("cli_version").map(str::to_owned);
                }
                self.work_in(at("cwd"));
            }
            "turn_context" => self.work_in(at("cwd")),
            "event_msg" => self.event(payload, line),
            "response_item" => self.response_item(payload, line),
            "compacted" => self.thread.last(line).has_compaction = true,
            _ => {}
        }
    }

    fn work_in(&mut self, folder: Option<&str>) {
        if let Some(folder) = folder {
            self.folder = Some(folder.to_owned());
        }
    }

    fn event(&mut self, event: &Value, line: u64) {
        let turn_id = event["turn_id"].as_str().map(Fingerprint::of);
        match event["type"].as_str().unwrap_or_default() {
            "task_started" => {
                self.thread.begin(turn_id, line);
                self.open = turn_id;
            }
            kind @ ("task_complete" | "turn_aborted") => {
                // The start and the end of a review name different turns.
                let known = turn_id.filter(|id| self.thread.of_id(*id).is_some());
                let end = match kind {
                    "turn_aborted" => End::Interrupted,
                    _ if event["error"].is_object() => End::Failed,
                    // The release that writes this writes an error too.
                    _ if event.get("started_at").is_some() => End::Completed,
                    _ => End::NotInterrupted,
                };
                self.thread.turn(known, line).end = Some((end, line));
                self.open = None;
            }
            "token_count" => {
                let total = &event["info"]["total_token_usage"];
                if let Some(usage) = Usage::read(total) {
                    self.thread.last(line).count(usage, line);
                }
            }
            "item_completed" => {
                let content = core_items::item(&event["item"], line);
                self.keep(content, turn_id, line);
                // Older files keep plans as items, and nothing else.
                if event["item"]["type"] != "Plan" {
                    self.thread.last(line).has_items = true;
                }
            }
            _ => self.keep(core_items::event(event, line), None, line),
        }
    }

    fn keep(&mut self, content: Content, turn_id: Option<Fingerprint>, line: u64) {
        let known = turn_id.filter(|id| self.thread.of_id(*id).is_some());
        match content {
            Content::Facts(facts) => {
                for fact in facts {
                    if fact.kind == Kind::Prompt && self.open.is_none() && known.is_none() {
                        self.thread.begin(None, line);
                    }
                    if !self.thread.is_full() {
                        self.thread.turn(known, line).facts.push(fact);
                    }
                }
            }
            Content::Review => self.thread.turn(known, line).is_review = true,
            Content::Nothing => {}
        }
    }

    fn response_item(&mut self, item: &Value, line: u64) {
        let id = item["call_id"].as_str().map(Fingerprint::of);
        let is_output = item["type"]
            .as_str()
            .unwrap_or_default()
            .ends_with("_output");
        if let (true, Some(id)) = (is_output, id) {
            if let Some((turn, fact)) = self.calls.remove(&id) {
                calls::answer(&mut self.thread.turns[turn].facts[fact], &item["output"]);
            }
            return;
        }
        let Some(fact) = calls::call(item, line, self.folder.as_deref()) else {
            return;
        };
        if self.thread.is_full() {
            return;
        }
        let turn = self.thread.last(line);
        let place = turn.facts.len();
        turn.facts.push(fact);
        if let Some(id) = id {
            self.calls.insert(id, (self.thread.turns.len() - 1, place));
        }
    }

    /// Reads a line of a file without envelope, up to 0.29.0: there are no events, so texts are taken
    /// from the response items.
    fn read_early(&mut self, item: &Value, line: u64) {
        let kind = item["type"].as_str().unwrap_or_default();
        if kind.is_empty() {
            if self.thread_id.is_none() {
                self.thread_id = item["id"].as_str().map(str::to_owned);
            }
            return;
        }
        let facts: Vec<Fact> = match (kind, item["role"].as_str()) {
            ("message", Some("user")) => {
                let text = texts(&item["content"]);
                // What Codex tells the model of itself is in elements.
                if text.starts_with('<') {
                    return;
                }
                vec![Fact::text(Kind::Prompt, line, &text)]
            }
            ("message", Some("assistant")) => {
                vec![Fact::text(Kind::Message, line, &texts(&item["content"]))]
            }
            ("reasoning", _) => {
                let parts = item["summary"].as_array().into_iter().flatten();
                let texts: Vec<Value> = parts.map(|part| part["text"].clone()).collect();
                Fact::reasoning(line, &lines(&Value::Array(texts))).collect()
            }
            _ => return self.response_item(item, line),
        };
        let mut facts = facts;
        for fact in &mut facts {
            fact.origin = Origin::Call;
        }
        self.keep(Content::Facts(facts), None, line);
    }
}
