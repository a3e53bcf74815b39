//! Recorded lines that a release writes earlier: which of them come before the line at hand.

use super::super::parse;
use super::super::stream::Told;
use super::survey::Role;
use super::talk::Talk;
use crate::compose::json::Node;
use crate::recording::Writer;

impl Talk {
    /// The next line of Codex that the release writes before this one; none when all of them are converted.
    pub(super) fn earlier_line(&mut self, told: &Told, at: usize, node: &Node) -> Option<usize> {
        if told.line.writer == Writer::Client {
            return None;
        }
        let params = parse::get(node, "params")?;
        let thread = self.thread_of(told, Some(params)).unwrap_or_default();
        let method = parse::text(node, &["method"])?;
        if self.old.notifies(method) && !self.new.notifies(method) {
            return None;
        }
        match (&self.survey.roles[at], method) {
            (Role::Request { .. }, "item/commandExecution/requestApproval") => {
                self.start_of_command(told, at, &thread, params)
            }
            (Role::Notification { .. }, "item/started" | "item/completed") => {
                self.before_item(told, at, method, &thread, params)
            }
            (Role::Notification { .. }, "turn/completed") => {
                self.before_end_of_turn(told, at, &thread, params)
            }
            _ => None,
        }
    }

    /// The start of the turn of an item.
    fn before_item(
        &mut self,
        told: &Told,
        at: usize,
        method: &str,
        thread: &str,
        params: &Node,
    ) -> Option<usize> {
        let kind = parse::text(params, &["item", "type"])?;
        if self.review(method, kind).is_some() {
            // The one item of a review comes after the start of its turn.
            let enters = kind == "enteredReviewMode";
            return self.start_of_review(at, thread).filter(|_| enters);
        }
        let is_left_out = self.old.has_item(kind) && !self.new.has_item(kind);
        if is_left_out || !self.begins_turn(kind) {
            return None;
        }
        let turn = match parse::text(params, &["turnId"]) {
            Some(turn) => self.turns.name(thread, turn),
            None => self.connection(told).turns.get(thread)?.clone(),
        };
        self.start_of_turn(told, at, thread, &turn)
    }

    /// The start of a turn that ends, or the end of a command that runs in it.
    fn before_end_of_turn(
        &mut self,
        told: &Told,
        at: usize,
        thread: &str,
        params: &Node,
    ) -> Option<usize> {
        let turn = self
            .turns
            .name(thread, parse::text(params, &["turn", "id"])?);
        let starts = self.starts_before_end();
        let start = starts.then(|| self.start_of_turn(told, at, thread, &turn));
        if let Some(start) = start.flatten() {
            return Some(start);
        }
        let cancelled = parse::text(params, &["turn", "status"]) == Some("interrupted");
        if cancelled || !self.ends_commands() {
            return None;
        }
        let open = self.connection(told).open.iter();
        let commands = open.filter(|(_, (of, item))| {
            *of == turn && parse::text(item, &["type"]) == Some("commandExecution")
        });
        let commands: Vec<String> = commands.map(|(id, _)| id.clone()).collect();
        let (id, end) = commands.into_iter().find_map(|id| {
            let (line, starts) = self.later_item(told, at, &id)?;
            (!starts).then_some((id, line))
        })?;
        // What the recording says of its output until then comes too late.
        self.connection(told).closed.insert(id);
        Some(end)
    }

    /// The start of a turn of which nothing was written yet.
    fn start_of_turn(&mut self, told: &Told, at: usize, thread: &str, turn: &str) -> Option<usize> {
        if self.is_started(told, thread, turn) {
            return None;
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
        recorded.filter(|at| !self.done[*at])
    }

    /// The start of the turn that a review begins.
    fn start_of_review(&self, at: usize, thread: &str) -> Option<usize> {
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

    /// The start of a command that needs approval.
    fn start_of_command(
        &mut self,
        told: &Told,
        at: usize,
        thread: &str,
        params: &Node,
    ) -> Option<usize> {
        let id = parse::text(params, &["itemId"])?;
        let turn = parse::text(params, &["turnId"]).unwrap_or_default();
        let turn = self.turns.name(thread, turn);
        if !self.starts_commands_first() || self.is_begun(told, &turn, id) {
            return None;
        }
        let (line, starts) = self.later_item(told, at, id)?;
        starts.then_some(line)
    }
}
