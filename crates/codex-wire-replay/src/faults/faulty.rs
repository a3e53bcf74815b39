//! Puts faults of messages into a conversation.

use std::collections::HashMap;

use codex_wire_base::{Protocol, Release};
use serde_json::Value;

use super::edit::{replaced, span, text, with_member};
use super::fault::FaultKind;
use super::future::{Future, Written};
use super::injection::{Faults, Injection};
use super::random::Random;
use super::texts::with_separators;
use super::turns::{End, Known};
use crate::conversation::{Conversation, Emission, Reaction};
use crate::error::Error;
use crate::message::{self, Message};

/// The requests that start a turn, those of old releases included.
const STARTS: &[&str] = &[
    "turn/start",
    "sendUserTurn",
    "sendUserMessage",
    "review/start",
];

/// A conversation with faults.
pub struct Faulty {
    inner: Box<dyn Conversation>,
    faults: Faults,
    future: Future,
    /// The method of each request, by its id as JSON.
    methods: HashMap<String, String>,
    /// The number of each turn, by its id.
    turns: HashMap<String, u64>,
    /// What was held back of turns that do not end, by their id.
    held: HashMap<String, Held>,
    /// The turns in which an item is still to be put, with what is known of them.
    open: Vec<Open>,
    /// How many items and messages were put in.
    added: u64,
    /// Whether a request was refused already.
    refused: bool,
}

/// A turn that does not end.
struct Held {
    /// The lines that end it, as an interrupt ends it.
    lines: Vec<Emission>,
    thread: Option<String>,
}

/// A turn that has begun.
struct Open {
    turn: Option<String>,
    number: u64,
    known: Known,
}

impl Faulty {
    /// A conversation with these faults, of a release; of the latest one if it is not known.
    ///
    /// # Errors
    /// When one of the faults makes no sense for the protocol.
    pub fn new(
        inner: Box<dyn Conversation>,
        faults: Faults,
        release: Option<Release>,
    ) -> Result<Self, Error> {
        let protocol = inner.protocol();
        faults.fit(protocol)?;
        Ok(Faulty {
            future: Future::new(protocol, release, Random::new(faults.seed)),
            inner,
            faults,
            methods: HashMap::new(),
            turns: HashMap::new(),
            held: HashMap::new(),
            open: Vec::new(),
            added: 0,
            refused: false,
        })
    }

    fn get(&self, kind: FaultKind) -> Option<Injection> {
        self.faults.get(kind).cloned()
    }

    fn note(&self, injection: &Injection) {
        self.faults.log().note(injection);
    }

    /// The answer that the client gets instead of that of the conversation.
    fn instead(&mut self, id: &str, method: &str, params: Option<&Value>) -> Option<Vec<Emission>> {
        if let Some(injection) = self.get(FaultKind::RpcError) {
            let is_meant = match &injection.message {
                Some(own) => own == method,
                None => STARTS.contains(&method),
            };
            if is_meant && !self.refused {
                self.refused = true;
                self.note(&injection);
                let line = format!(
                    "{{\"error\":{{\"code\":-32001,\"message\":\"Server overloaded; retry later.\"}},\"id\":{id}}}"
                );
                return Some(vec![Emission {
                    line,
                    after_ms: 0,
                    queue: 0,
                }]);
            }
        }
        let result = match method {
            "turn/interrupt" => "{}",
            "interruptConversation" => "{\"abortReason\":\"interrupted\"}",
            _ => return None,
        };
        let named = |key: &str| params.and_then(|params| params.get(key)?.as_str());
        let turn = match named("turnId") {
            Some(turn) => self.held.contains_key(turn).then(|| turn.to_owned()),
            None => {
                let thread = named("threadId").or(named("conversationId"));
                let own = |held: &Held| held.thread.as_deref() == thread;
                let mut all = self.held.iter();
                all.find(|(_, held)| own(held))
                    .map(|(turn, _)| turn.clone())
            }
        };
        let held = self.held.remove(&turn?)?;
        let queue = held.lines.first().map_or(0, |line| line.queue);
        let line = format!("{{\"id\":{id},\"result\":{result}}}");
        let mut emissions = vec![Emission {
            line,
            after_ms: 0,
            queue,
        }];
        emissions.extend(held.lines);
        Some(emissions)
    }

    fn changed(&mut self, emissions: Vec<Emission>) -> Vec<Emission> {
        if self.inner.protocol() != Protocol::AppServer {
            return emissions;
        }
        let emissions = self.ended(emissions);
        let mut out = Vec::with_capacity(emissions.len());
        for emission in emissions {
            let queue = emission.queue;
            let (before, after) = self.additions(&emission.line);
            let added = |line: String| Emission {
                line,
                after_ms: 0,
                queue,
            };
            out.extend(before.into_iter().map(added));
            out.push(Emission {
                line: self.edited(emission.line),
                ..emission
            });
            out.extend(after.into_iter().map(added));
        }
        out
    }

    /// Ends turns otherwise.
    fn ended(&mut self, mut emissions: Vec<Emission>) -> Vec<Emission> {
        let kinds = [
            FaultKind::TurnFails,
            FaultKind::TurnInterrupted,
            FaultKind::TurnNeverEnds,
        ];
        let injections: Vec<Injection> = kinds
            .into_iter()
            .filter_map(|kind| self.get(kind))
            .collect();
        let mut at = 0;
        while at < emissions.len() {
            let line = &emissions[at].line;
            let method = text(line, &["method"]).unwrap_or_default();
            let turn = text(line, &["params", "turn", "id"]);
            let Some(turn) = turn else {
                at += 1;
                continue;
            };
            if method == "turn/started" {
                let number = self.turns.len() as u64 + 1;
                self.turns.entry(turn).or_insert(number);
            } else if method == "turn/completed"
                && text(line, &["params", "turn", "status"]).as_deref() == Some("completed")
            {
                let number = self.turns.get(&turn).copied();
                let is_meant = |i: &&Injection| Some(i.number.unwrap_or(1)) == number;
                if let Some(injection) = injections.iter().find(is_meant) {
                    let before = emissions.len();
                    emissions = self.end(injection, &turn, emissions, at);
                    at = (at + emissions.len()).saturating_sub(before);
                }
            }
            at += 1;
        }
        emissions
    }

    /// Ends one turn otherwise: that of the line at this place.
    fn end(
        &mut self,
        injection: &Injection,
        turn: &str,
        emissions: Vec<Emission>,
        at: usize,
    ) -> Vec<Emission> {
        let lines: Vec<&str> = emissions
            .iter()
            .map(|emission| emission.line.as_str())
            .collect();
        let end = End::of(&lines, at);
        let release = self.future.release();
        let made = match injection.fault.kind {
            FaultKind::TurnFails => end.failed(&lines, release),
            _ => end.interrupted(&lines, release),
        };
        let Some(made) = made else {
            return emissions;
        };
        let thread = text(lines[at], &["params", "threadId"]);
        let queue = emissions[at].queue;
        let made = made.into_iter().map(|line| Emission {
            line,
            after_ms: 0,
            queue,
        });
        self.note(injection);
        let first = end.first();
        let mut out = Vec::with_capacity(emissions.len() + 2);
        let mut made: Vec<Emission> = made.collect();
        if injection.fault.kind == FaultKind::TurnNeverEnds {
            let lines = std::mem::take(&mut made);
            let thread = thread.clone();
            self.held.insert(turn.to_owned(), Held { lines, thread });
        }
        // What stands between the lines of the end comes before it.
        let last = made.pop();
        let is_silent = |line: &str| {
            injection.fault.kind == FaultKind::TurnNeverEnds
                && text(line, &["params", "threadId"]) == thread
                && text(line, &["method"]).as_deref() != Some("serverRequest/resolved")
        };
        for (place, emission) in emissions.into_iter().enumerate() {
            if place == first {
                out.append(&mut made);
            }
            if place == at {
                out.extend(last.clone());
            } else if !end.has(place) && (place < at || !is_silent(&emission.line)) {
                out.push(emission);
            }
        }
        out
    }

    /// The lines that are put before and after a line.
    fn additions(&mut self, line: &str) -> (Vec<String>, Vec<String>) {
        let (item, message) = (
            self.get(FaultKind::FutureItem),
            self.get(FaultKind::FutureMethod),
        );
        if item.is_none() && message.is_none() {
            return (Vec::new(), Vec::new());
        }
        let method = text(line, &["method"]).unwrap_or_default();
        match method.as_str() {
            "turn/started" => {
                let turn = text(line, &["params", "turn", "id"]);
                let number = turn.as_ref().and_then(|turn| self.turns.get(turn)).copied();
                self.open.push(Open {
                    turn,
                    number: number.unwrap_or(0),
                    known: Known::of(line),
                });
                (Vec::new(), Vec::new())
            }
            "item/completed" | "turn/completed" => {
                let turn = text(line, &["params", "turnId"]);
                let turn = turn.or_else(|| text(line, &["params", "turn", "id"]));
                // Old releases do not say which turn an item is of.
                let own = |open: &Open| turn.is_none() || open.turn == turn;
                let Some(at) = self.open.iter().rposition(own) else {
                    return (Vec::new(), Vec::new());
                };
                let open = self.open.remove(at);
                let lines = self.future_lines(&open, item.as_ref(), message.as_ref());
                match method == "turn/completed" {
                    true => (lines, Vec::new()),
                    false => (Vec::new(), lines),
                }
            }
            _ => (Vec::new(), Vec::new()),
        }
    }

    fn future_lines(
        &mut self,
        open: &Open,
        item: Option<&Injection>,
        message: Option<&Injection>,
    ) -> Vec<String> {
        let is_meant = |i: &&Injection| i.number.is_none_or(|number| number == open.number);
        let known = |name: &str| match name {
            // Only a failed turn has a message.
            "message" => None,
            _ => open.known.get(name),
        };
        let mut lines = Vec::new();
        self.added += 1;
        if let Some(injection) = item.filter(is_meant) {
            lines.extend(self.future.item(&format!("future-{}", self.added), &known));
            self.note(injection);
        }
        if let Some(injection) = message.filter(is_meant) {
            lines.push(self.future.message(&known));
            self.note(injection);
        }
        lines
    }

    /// A line with what changes in it.
    fn edited(&mut self, mut line: String) -> String {
        let id = span(&line, &["id"]).map(|span| line[span].to_owned());
        let method = text(&line, &["method"]);
        let (written, kind) = match (&method, &id) {
            (Some(method), None) => (Written::Message, method.clone()),
            (Some(method), Some(_)) => (Written::Request, method.clone()),
            (None, Some(id)) => match self.methods.get(id) {
                Some(method) => (Written::Response, method.clone()),
                None => return line,
            },
            (None, None) => return line,
        };
        if let Some(injection) = self
            .get(FaultKind::FutureMember)
            .filter(|i| i.is_for(&kind))
            && let Some(changed) = self.with_member(&line, written, &kind)
        {
            line = changed;
            self.note(&injection);
        }
        if let Some(injection) = self.get(FaultKind::FutureValue).filter(|i| i.is_for(&kind))
            && let Some(changed) = with_value(&mut self.future, &line, written, &kind)
        {
            line = changed;
            self.note(&injection);
        }
        if let Some(injection) = self.get(FaultKind::LineSeparator)
            && let Some(changed) = with_separators(&line)
        {
            line = changed;
            self.note(&injection);
        }
        if let Some(injection) = self.get(FaultKind::RpcIdAsText).filter(|i| i.is_for(&kind))
            && written == Written::Response
            && let Some(id) = id.filter(|id| !id.starts_with('"'))
            && let Some(changed) = replaced(&line, &["id"], &format!("\"{id}\""))
        {
            line = changed;
            self.note(&injection);
        }
        line
    }

    fn with_member(&mut self, line: &str, written: Written, kind: &str) -> Option<String> {
        let body = self.future.body(written);
        with_future_member(&mut self.future, line, body, written, kind)
    }
}

/// A line with one more member in its body, and one in its item.
pub(super) fn with_future_member(
    future: &mut Future,
    line: &str,
    body: &[&str],
    written: Written,
    kind: &str,
) -> Option<String> {
    let has = |path: &[&str], name: &str| span(line, &[path, &[name]].concat()).is_some();
    let (name, json) = future.member(written, kind, &|name| has(body, name));
    let mut changed = with_member(line, body, &name, &json)?;
    let item = [body, &["item"]].concat();
    let tag = ["type", "item_type"]
        .iter()
        .find_map(|tag| text(line, &[&item[..], &[tag]].concat()));
    if let Some(tag) = tag {
        let (name, json) = future.member_of_item(kind, &tag, &|name| has(&item, name));
        changed = with_member(&changed, &item, &name, &json)?;
    }
    Some(changed)
}

/// A line with a value that came later.
pub(super) fn with_value(
    future: &mut Future,
    line: &str,
    written: Written,
    kind: &str,
) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    let (path, value) = future.value(written, kind, &value)?;
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    replaced(line, &path, &Value::from(value).to_string())
}

impl Conversation for Faulty {
    fn protocol(&self) -> Protocol {
        self.inner.protocol()
    }

    fn start(&mut self) -> Vec<Emission> {
        let emissions = self.inner.start();
        self.changed(emissions)
    }

    fn line(&mut self, line: &str) -> Reaction {
        if let Some(Message::Request { id, method, params }) =
            message::of_client(self.inner.protocol(), line)
        {
            if let Some(emissions) = self.instead(&id, &method, params.as_ref()) {
                let emissions = emissions.into_iter().map(|emission| Emission {
                    line: self.edited_as(emission.line, &id, &method),
                    ..emission
                });
                return Reaction {
                    emissions: emissions.collect(),
                    ..Reaction::default()
                };
            }
            self.methods.insert(id, method);
        }
        let mut reaction = self.inner.line(line);
        reaction.emissions = self.changed(reaction.emissions);
        reaction
    }
}

impl Faulty {
    /// A line of our own answer, as [`Self::edited`] changes it.
    fn edited_as(&mut self, line: String, id: &str, method: &str) -> String {
        self.methods.insert(id.to_owned(), method.to_owned());
        self.edited(line)
    }
}
