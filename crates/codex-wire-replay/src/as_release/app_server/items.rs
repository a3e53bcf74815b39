//! Items: which of them a release has, and when it starts them.

use codex_wire_base::{MessageSet, Release};

use super::super::facts::Phase;
use super::super::parse;
use super::super::stream::Told;
use super::super::unsupported::UnsupportedByRelease;
use super::codex::tool_item;
use super::survey::Role;
use super::{Speech, Talk};
use crate::script::json::{Node, object};

/// The first release whose client tools have items; see `fixtures/app-server/0.111.0`.
const TOOL_ITEMS: Release = Release::new(0, 111, 0);

/// What an item has only when it has ended.
const RESULTS: &[&str] = &[
    "aggregatedOutput",
    "exitCode",
    "durationMs",
    "result",
    "error",
    "contentItems",
    "success",
    "completedAtMs",
];

impl Speech {
    /// Whether the release has items of that kind.
    pub(super) fn has_item(&self, kind: &str) -> bool {
        self.has(MessageSet::AppServerItems, kind)
    }
}

impl Talk {
    /// The start or the end of an item.
    pub(super) fn item(
        &mut self,
        told: &Told,
        at: usize,
        method: &str,
        thread: &str,
        mut node: Node,
    ) -> Result<(), UnsupportedByRelease> {
        let set = MessageSet::AppServerServerNotifications;
        let params = parse::get(&node, "params").cloned().unwrap_or(Node::Null);
        let item = parse::get(&params, "item").cloned().unwrap_or(Node::Null);
        let id = parse::text(&item, &["id"]).unwrap_or_default().to_owned();
        let kind = parse::text(&item, &["type"]).unwrap_or_default().to_owned();
        if let Some(lines) = self.review(method, &kind) {
            // The one item of a review comes after the start of its turn.
            if kind == "enteredReviewMode"
                && let Some(start) = self.next_start(at, thread)
            {
                self.convert(start)?;
                self.about(told, Some(thread.to_owned()));
            }
            for (method, kind) in lines {
                let mut node = node.clone();
                parse::set(&mut node, "method", *method);
                let params = parse::get_mut(&mut node, "params");
                if let Some(item) = params.and_then(|params| parse::get_mut(params, "item")) {
                    parse::set(item, "type", *kind);
                }
                self.item(told, at, method, thread, node)?;
            }
            return Ok(());
        }
        if self.old.has_item(&kind) && !self.new.has_item(&kind) {
            self.connection(told).without.insert(id);
            return Ok(());
        }
        let turn = self.facts.turn.clone().unwrap_or_default();
        let is_first = matches!(kind.as_str(), "userMessage" | "contextCompaction");
        if is_first && self.starts_first() {
            self.turn_first(told, at, thread, &turn)?;
            self.about(told, Some(thread.to_owned()));
            self.facts.turn = Some(turn.clone());
        }
        let starts = method == "item/started";
        // Old releases number items within a turn.
        let key = format!("{turn}/{kind}/{id}");
        let now = self.facts.now_ms;
        let connection = self.connection(told);
        if starts {
            connection.item_ms.insert(key.clone(), now);
            let open = (turn.clone(), item.clone());
            connection.open.insert(id.clone(), open);
            // A message may start again after a retry, which older releases do not tell.
            let again = !connection.started.insert(key);
            if again && (kind != "agentMessage" || !self.new.notifies("error")) {
                return Ok(());
            }
            self.facts.item_ms = Some(now);
            self.facts.phase = Phase::Started;
        } else {
            connection.open.remove(&id);
            let is_first = connection.completed.insert(key.clone());
            let twice = matches!(kind.as_str(), "commandExecution" | "fileChange");
            if !is_first && twice {
                return Ok(());
            }
            let is_known = connection.started.contains(&key);
            let ours = connection.started_turns.contains(&turn);
            let late = kind == "commandExecution" && self.new.observed.starts_commands_late();
            if !is_known && ours && !late {
                self.start_item(told, thread, &turn, &item)?;
            }
            let connection = self.connection(told);
            connection.started.insert(key.clone());
            self.facts.item_ms = connection.item_ms.get(&key).copied().or(Some(now));
            self.facts.phase = Phase::Completed;
        }
        if kind == "commandExecution" {
            self.shell(&mut node);
        }
        let fitted = self
            .new
            .message_since(Some(&self.old), set, &self.facts, &node);
        if let Err(lack) = &fitted
            && self.old.message(set, &self.facts, &node).is_ok()
        {
            // The release does not have it in that form.
            if lack.pointer != "/params/item/status" {
                self.connection(told).without.insert(id);
                return Ok(());
            }
        }
        let old = || self.old.message(set, &self.facts, &node);
        let Some(node) = self.said(told, fitted, old)? else {
            self.out.push(told.clone());
            return Ok(());
        };
        if kind == "agentMessage"
            && !starts
            && let Some(item) = parse::at(&node, &["params", "item"])
        {
            let item = item.clone();
            let connection = self.connection(told);
            connection.messages.insert(thread.to_owned(), item);
        }
        self.push(told, node);
        Ok(())
    }

    /// How the release reports a review. Up to 0.63.0 it is one item, `codeReview`; in 0.80.0 and
    /// later entering it and leaving it are two.
    fn review(&self, method: &str, kind: &str) -> Option<&'static [(&'static str, &'static str)]> {
        const ENTERED: &str = "enteredReviewMode";
        let starts = method == "item/started";
        let (one, two) = (self.new.has_item("codeReview"), self.new.has_item(ENTERED));
        Some(match kind {
            "codeReview" if !one && two && starts => {
                &[("item/started", ENTERED), ("item/completed", ENTERED)]
            }
            "codeReview" if !one && two => &[
                ("item/started", "exitedReviewMode"),
                ("item/completed", "exitedReviewMode"),
            ],
            ENTERED if one && !two && starts => &[("item/started", "codeReview")],
            "exitedReviewMode" if one && !two && !starts => &[("item/completed", "codeReview")],
            ENTERED | "exitedReviewMode" if one && !two => &[],
            _ => return None,
        })
    }

    /// The line with the start of the turn that a review begins; none if that was told.
    fn next_start(&self, at: usize, thread: &str) -> Option<usize> {
        let mut later = at + 1..self.lines.len();
        let next = later.find(|at| {
            let Some(node) = &self.lines[*at].node else {
                return false;
            };
            let of = parse::text(node, &["params", "threadId"]) == Some(thread);
            let method = parse::text(node, &["method"]);
            of && matches!(method, Some("turn/started" | "turn/completed"))
        })?;
        let node = self.lines[next].node.as_ref()?;
        let starts = parse::text(node, &["method"]) == Some("turn/started");
        (starts && !self.done[next]).then_some(next)
    }

    /// Starts an item that was only completed.
    fn start_item(
        &mut self,
        told: &Told,
        thread: &str,
        turn: &str,
        item: &Node,
    ) -> Result<(), UnsupportedByRelease> {
        let mut item = item.clone();
        for name in RESULTS {
            if let Some(place) = parse::get_mut(&mut item, name) {
                *place = Node::Null;
            }
        }
        if parse::get(&item, "status").is_some() {
            parse::set(&mut item, "status", "inProgress");
        }
        self.facts.phase = Phase::Started;
        self.facts.item_ms = Some(self.facts.now_ms);
        let params = object! { "item" => item, "threadId" => thread, "turnId" => turn };
        self.notify(told, "item/started", params)
    }

    /// Starts the item that a request is about, if the release starts it first.
    pub(super) fn item_first(
        &mut self,
        told: &Told,
        at: usize,
        method: &str,
        thread: &str,
        params: &Node,
    ) -> Result<(), UnsupportedByRelease> {
        let turn = parse::text(params, &["turnId"]).unwrap_or_default();
        if method == "item/tool/call" && self.old.release < TOOL_ITEMS {
            if self.new.release < TOOL_ITEMS || !self.new.has_item("dynamicToolCall") {
                return Ok(());
            }
            let item = tool_item(params, "inProgress");
            let params = object! { "item" => item, "threadId" => thread, "turnId" => turn };
            self.facts.phase = Phase::Started;
            return self.notify(told, "item/started", params);
        }
        let is_late = self.old.observed.starts_commands_late();
        if method != "item/commandExecution/requestApproval"
            || !is_late
            || self.new.observed.starts_commands_late()
        {
            return Ok(());
        }
        let Some(id) = parse::text(params, &["itemId"]) else {
            return Ok(());
        };
        let key = format!("{turn}/commandExecution/{id}");
        if self.connection(told).started.contains(&key) {
            return Ok(());
        }
        let Some((found, starts)) = self.later_item(told, at, id) else {
            return Ok(());
        };
        if starts {
            return self.convert(found);
        }
        let line = self.lines[found].node.as_ref();
        let item = line.and_then(|node| parse::at(node, &["params", "item"]).cloned());
        self.connection(told).started.insert(key.clone());
        let now = self.facts.now_ms;
        self.connection(told).item_ms.insert(key, now);
        let turn = turn.to_owned();
        self.start_item(told, thread, &turn, &item.unwrap_or(Node::Null))
    }

    /// The next line about an item, and whether it starts it.
    fn later_item(&self, told: &Told, at: usize, id: &str) -> Option<(usize, bool)> {
        (at + 1..self.lines.len()).find_map(|at| {
            let Role::Notification { method } = &self.survey.roles[at] else {
                return None;
            };
            let starts = match method.as_str() {
                "item/started" => true,
                "item/completed" => false,
                _ => return None,
            };
            let line = &self.lines[at];
            let found = parse::text(line.node.as_ref()?, &["params", "item", "id"])?;
            let same = line.line.connection == told.line.connection && found == id;
            (same && !self.done[at]).then_some((at, starts))
        })
    }

    /// Completes the items of a turn that the release completes before it ends: patches that are
    /// cancelled, and commands that run on.
    pub(super) fn close_items(
        &mut self,
        told: &Told,
        at: usize,
        thread: &str,
        ending: &Node,
    ) -> Result<(), UnsupportedByRelease> {
        let (was, is) = (self.old.observed, self.new.observed);
        let patches = is.completes_cancelled_patches() && !was.completes_cancelled_patches();
        let commands = was.leaves_commands() && !is.leaves_commands();
        let turn = parse::text(ending, &["id"]).unwrap_or_default().to_owned();
        let cancelled = parse::text(ending, &["status"]) == Some("interrupted");
        let mut open = self.connection(told).open.clone();
        open.retain(|_, (of, _)| *of == turn);
        for (id, (turn, mut item)) in open {
            match parse::text(&item, &["type"]) {
                Some("fileChange") if patches => parse::set(&mut item, "status", "declined"),
                Some("commandExecution") if commands && !cancelled => {
                    self.connection(told).closed.insert(id.clone());
                    if let Some((found, false)) = self.later_item(told, at, &id) {
                        self.convert(found)?;
                        self.about(told, Some(thread.to_owned()));
                        continue;
                    }
                    parse::set(&mut item, "status", "failed");
                    parse::set(&mut item, "exitCode", 124);
                }
                _ => continue,
            }
            self.connection(told).open.remove(&id);
            self.facts.phase = Phase::Completed;
            let params = object! { "item" => item, "threadId" => thread, "turnId" => turn };
            self.notify(told, "item/completed", params)?;
        }
        Ok(())
    }

    /// Completes the item of a client tool whose release had none.
    pub(super) fn tool_answered(
        &mut self,
        told: &Told,
        params: &Node,
        result: Option<Node>,
    ) -> Result<(), UnsupportedByRelease> {
        let has = self.new.release >= TOOL_ITEMS && self.new.has_item("dynamicToolCall");
        if self.old.release >= TOOL_ITEMS || !has {
            return Ok(());
        }
        let success = result
            .as_ref()
            .and_then(|result| parse::get(result, "success").cloned());
        let failed = success == Some(Node::Bool(false)) || result.is_none();
        let mut item = tool_item(params, if failed { "failed" } else { "completed" });
        if let Some(result) = &result {
            for name in ["contentItems", "success"] {
                if let Some(value) = parse::get(result, name) {
                    parse::set(&mut item, name, value.clone());
                }
            }
        }
        let of = |name: &str| parse::text(params, &[name]).unwrap_or_default().to_owned();
        let thread = of("threadId");
        let turn = self.turns.name(&thread, &of("turnId"));
        self.facts.phase = Phase::Completed;
        self.facts.item_ms = Some(self.facts.now_ms);
        let params = object! { "item" => item, "threadId" => thread, "turnId" => turn };
        self.notify(told, "item/completed", params)
    }

    /// A command as the release starts it: 0.63.0 and later name the path of the shell.
    fn shell(&self, node: &mut Node) {
        let (old, new) = (self.old.observed.shell(), self.new.observed.shell());
        let params = parse::get_mut(node, "params");
        let item = params.and_then(|params| parse::get_mut(params, "item"));
        if let Some(Node::Text(command)) = item.and_then(|item| parse::get_mut(item, "command"))
            && let Some(rest) = command.strip_prefix(old)
        {
            *command = format!("{new}{rest}");
        }
    }
}
