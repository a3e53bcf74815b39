//! Recorded lines that a release writes earlier: they are converted before the line at hand.

use super::super::facts::Phase;
use super::super::parse;
use super::super::stream::Told;
use super::super::unsupported::UnsupportedByRelease;
use super::survey::Role;
use super::talk::Talk;
use super::tools::TOOL_ITEMS;
use crate::compose::json::{Node, object};

impl Talk {
    /// Writes the start of a turn, unless it was written.
    pub(super) fn turn_first(
        &mut self,
        told: &Told,
        at: usize,
        thread: &str,
        turn: &str,
    ) -> Result<(), UnsupportedByRelease> {
        let connection = self.connection(told);
        let is_known = connection.started_turns.contains(turn)
            || connection.reviews.contains(turn)
            || !connection.turns.contains_key(thread);
        if is_known {
            return Ok(());
        }
        let recorded = (at + 1..self.lines.len()).find(|at| {
            let Some(node) = &self.lines[*at].node else {
                return false;
            };
            let same = self.lines[*at].line.connection == told.line.connection;
            let id = parse::text(node, &["params", "turn", "id"]);
            same && parse::text(node, &["method"]) == Some("turn/started")
                && id.is_some_and(|id| self.turns.is(thread, id, turn))
        });
        if let Some(at) = recorded {
            return self.convert(at);
        }
        self.before_turn(told, thread)?;
        self.connection(told).started_turns.insert(turn.to_owned());
        let turn = object! {
            "id" => turn, "items" => Node::List(Vec::new()), "status" => "inProgress",
            "error" => Node::Null,
        };
        let params = object! { "threadId" => thread, "turn" => turn };
        self.notify(told, "turn/started", params)
    }

    /// The line with the start of the turn that a review begins; none if that was told.
    pub(super) fn next_start(&self, at: usize, thread: &str) -> Option<usize> {
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

    /// Starts the item that a request is about, if the release starts it first.
    pub(super) fn item_first(
        &mut self,
        told: &Told,
        at: usize,
        method: &str,
        thread: &str,
        params: &Node,
    ) -> Result<(), UnsupportedByRelease> {
        if method == "item/tool/call" && self.old.release < TOOL_ITEMS {
            return self.tool_first(told, thread, params);
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
        let turn = parse::text(params, &["turnId"]).unwrap_or_default();
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
}
