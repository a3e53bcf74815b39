//! What is said twice in a session file, as the oracle sees it.

use serde_json::Value;

use super::oracle::{Story, is_user_event, may_begin};

pub(super) struct Texts<'a, 's>(pub(super) &'s Story<'a>);

impl Texts<'_, '_> {
    pub(super) fn hold(&self) -> bool {
        self.users() && self.agents() && self.reasoning() && self.lasts()
    }

    fn kind(&self, at: usize) -> &str {
        self.0.kinds.get(at).map_or("", String::as_str)
    }

    fn is_agent_event(&self, at: usize) -> bool {
        let kind = self.kind(at);
        kind == "event agent_message" || kind.ends_with(" AgentMessage")
    }

    fn is_agent_item(&self, at: usize) -> bool {
        self.kind(at) == "item message assistant"
    }

    /// Whether an item is what one agent writes to another.
    fn is_letter(&self, at: usize) -> bool {
        let text = self.text(at);
        self.is_agent_item(at)
            && text.starts_with("{\"author\":")
            && text.contains("\"trigger_turn\":")
    }

    /// The text of a message, as an event or an item.
    fn text(&self, at: usize) -> String {
        let payload = self.0.lines[at].payload();
        let holder = payload.get("item").unwrap_or(payload);
        match holder["message"].as_str() {
            Some(text) => text.to_owned(),
            None => {
                let parts = holder["content"].as_array().into_iter().flatten();
                parts.filter_map(|part| part["text"].as_str()).collect()
            }
        }
    }

    /// Whether an item may be shown with the text of an event.
    fn is_same(&self, item: usize, text: &str) -> bool {
        let parts = self.0.lines[item].payload()["content"]
            .as_array()
            .map_or(0, Vec::len);
        let own = self.text(item);
        own == text || parts != 1 || own.contains("<proposed_plan>")
    }

    fn users(&self) -> bool {
        let all = 0..self.0.lines.len();
        let mut events = all.filter(|at| is_user_event(self.kind(*at)) && !self.0.is_review(*at));
        events.all(|at| {
            let is_item = self.kind(at - 1) == "item message user";
            is_item && self.is_same(at - 1, &self.text(at))
        })
    }

    fn agents(&self) -> bool {
        if !self.0.since(66) {
            return true;
        }
        let mut at = 0;
        while at < self.0.lines.len() {
            let next = at + 1;
            if self.is_letter(at) {
                at += 1;
                continue;
            }
            let (item, event) = (self.is_agent_item(at), self.is_agent_event(at));
            let follows = item && self.is_agent_event(next) || event && self.is_agent_item(next);
            if follows {
                let (item, event) = if item { (at, next) } else { (next, at) };
                let early = (item < event) != self.0.is_review(at);
                if early || !self.is_same(item, &self.text(event)) {
                    return false;
                }
                at += 2;
                continue;
            }
            let last = next == self.0.lines.len();
            let stops =
                last || may_begin(self.kind(next)) || self.kind(next) == "event turn_aborted";
            if event && !stops || item && !self.may_be_silent(at) {
                return false;
            }
            at += 1;
        }
        true
    }

    /// Whether an item of the assistant may stand without an event.
    fn may_be_silent(&self, at: usize) -> bool {
        let counts = ["event token_count", "token_usage_record"];
        let mut behind =
            (at + 1..self.0.lines.len()).filter(|at| !counts.contains(&self.kind(*at)));
        let next = behind.next();
        let ends =
            next.is_none_or(|next| self.kind(next) == "compacted" || may_begin(self.kind(next)));
        let runs = next.is_some_and(|next| self.0.is_running(next));
        let text = self.text(at);
        let marked = self.0.kinds.iter().any(|kind| kind == "event task_started");
        let fits = match (marked, self.0.lines.get(at + 1)) {
            (false, Some(_)) => {
                let next = self.kind(at + 1);
                next == "compacted" || may_begin(next)
            }
            _ => ends || !runs,
        };
        fits || text.contains("<proposed_plan>")
    }

    fn reasoning(&self) -> bool {
        if !self.0.since(66) {
            return true;
        }
        let mut said: Vec<&str> = Vec::new();
        let texts = |value: &'_ Value| -> Vec<String> {
            let parts = value.as_array().into_iter().flatten();
            let text = |part: &Value| part.as_str().or(part["text"].as_str()).map(str::to_owned);
            parts.filter_map(text).collect()
        };
        for (at, line) in self.0.lines.iter().enumerate() {
            let payload = line.payload();
            match self.kind(at) {
                "event agent_reasoning" => said.push(line.text("text")),
                "event item_completed Reasoning" => {
                    let parts = payload["item"]["summary_text"]
                        .as_array()
                        .into_iter()
                        .flatten();
                    said.extend(parts.filter_map(Value::as_str));
                }
                "event agent_reasoning_raw_content" => {}
                "item reasoning" => {
                    if texts(&payload["summary"]) != said {
                        return false;
                    }
                    said.clear();
                }
                kind => {
                    let stops = may_begin(kind) || kind == "event turn_aborted";
                    if !said.is_empty() && !stops {
                        return false;
                    }
                    said.clear();
                }
            }
        }
        true
    }

    fn lasts(&self) -> bool {
        let all = 0..self.0.lines.len();
        !self.0.since(100)
            || all.into_iter().all(|at| {
                let last = self.0.lines[at].payload()["last_agent_message"].as_str();
                let Some(last) = last.filter(|_| self.0.is_running(at)) else {
                    return true;
                };
                let event = (0..at).rev().find(|at| self.is_agent_event(*at));
                let mut items = (0..at).rev().filter(|at| self.is_agent_item(*at));
                let item = items.find(|at| !self.is_letter(*at));
                let is_event = event.is_some_and(|event| self.text(event) == last);
                let is_item = item.is_some_and(|item| self.is_same(item, last));
                is_event || is_item || event.is_none() && item.is_none()
            })
    }
}
