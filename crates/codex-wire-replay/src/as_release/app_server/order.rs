//! Lines that a release writes, and the recorded one did not.

use codex_wire_base::{MessageSet, Release};

use super::super::facts::Phase;
use super::super::parse;
use super::super::stream::Told;
use super::super::unsupported::UnsupportedByRelease;
use super::survey::Role;
use super::talk::Talk;
use crate::compose::json::{Node, object, texts};
use crate::recording::Writer;

/// The first release in which a thread is in `systemError` only if its turn failed.
const ERRS: Release = Release::new(0, 125, 0);

/// The first release that starts a turn before everything else of it.
const ORDERS: Release = Release::new(0, 111, 0);

const STATUS: &str = "thread/status/changed";

/// The flag of a thread that waits for the answer to a request.
pub(super) fn flag(method: &str) -> Option<&'static str> {
    Some(match method {
        "item/commandExecution/requestApproval"
        | "item/fileChange/requestApproval"
        | "item/permissions/requestApproval"
        | "mcpServer/elicitation/request" => "waitingOnApproval",
        "item/tool/requestUserInput" => "waitingOnUserInput",
        _ => return None,
    })
}

/// A thread that is active.
pub(super) fn active(flag: Option<&str>) -> Node {
    object! { "type" => "active", "activeFlags" => texts(flag) }
}

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

/// The key of a command among the items of a connection.
fn command_key(turn: &str, id: &str) -> String {
    format!("{turn}/commandExecution/{id}")
}

impl Talk {
    /// Adds a notification, if the release has it and the client wants it.
    pub(super) fn notify(
        &mut self,
        told: &Told,
        method: &str,
        params: Node,
    ) -> Result<(), UnsupportedByRelease> {
        if !self.new.notifies(method) || self.connection(told).opted_out.contains(method) {
            return Ok(());
        }
        let set = MessageSet::AppServerServerNotifications;
        let node = object! { "method" => method, "params" => params };
        let fitted = self
            .new
            .message_since(Some(&self.old), set, &self.facts, &node);
        let told = told.beside(Node::Null);
        let old = || self.old.message(set, &self.facts, &node);
        if let Some(node) = self.said(&told, fitted, old)? {
            self.push(&told, node);
        }
        Ok(())
    }

    /// Adds the status of a thread, unless it is that already.
    pub(super) fn status(
        &mut self,
        told: &Told,
        thread: &str,
        status: Node,
    ) -> Result<(), UnsupportedByRelease> {
        if self.connection(told).status.get(thread) == Some(&status) {
            return Ok(());
        }
        let params = object! { "threadId" => thread, "status" => status.clone() };
        let connection = self.connection(told);
        connection.status.insert(thread.to_owned(), status);
        self.notify(told, STATUS, params)
    }

    /// Whether the thread is said to be active.
    fn is_active(&mut self, told: &Told, thread: &str) -> bool {
        let status = self.connection(told).status.get(thread);
        status.is_some_and(|status| parse::text(status, &["type"]) == Some("active"))
    }

    /// What comes before a turn starts.
    pub(super) fn before_turn(
        &mut self,
        told: &Told,
        thread: &str,
    ) -> Result<(), UnsupportedByRelease> {
        if self.new.observed.active_before_turn() && !self.is_active(told, thread) {
            self.status(told, thread, active(None))?;
        }
        Ok(())
    }

    /// What comes after a turn has started.
    pub(super) fn after_turn(
        &mut self,
        told: &Told,
        thread: &str,
    ) -> Result<(), UnsupportedByRelease> {
        if !self.old.notifies(STATUS) && !self.is_active(told, thread) {
            self.status(told, thread, active(None))?;
        }
        Ok(())
    }

    /// What comes before a turn ends.
    pub(super) fn before_end(
        &mut self,
        told: &Told,
        thread: &str,
        turn: &Node,
    ) -> Result<(), UnsupportedByRelease> {
        let status = parse::text(turn, &["status"]);
        let id = parse::text(turn, &["id"]).unwrap_or_default().to_owned();
        let failed = status == Some("failed");
        let named = Release::new(0, 72, 0);
        if failed
            && self.old.release < named
            && self.new.release >= named
            && !self.connection(told).failed.contains(&id)
        {
            let error = parse::get(turn, "error").cloned().unwrap_or(Node::Null);
            let params = object! {
                "error" => error, "willRetry" => false, "threadId" => thread, "turnId" => id,
            };
            self.notify(told, "error", params)?;
        }
        // A refused rollback is a system error up to 0.124.0, although the turn goes on.
        let errs = self.old.release < ERRS && self.new.release >= ERRS && !failed;
        if !self.old.notifies(STATUS) || errs || self.is_active(told, thread) {
            let kind = if failed { "systemError" } else { "idle" };
            self.status(told, thread, object! { "type" => kind })?;
        }
        Ok(())
    }

    /// What comes before Codex asks.
    pub(super) fn before_question(
        &mut self,
        told: &Told,
        thread: &str,
        method: &str,
    ) -> Result<(), UnsupportedByRelease> {
        match flag(method) {
            Some(flag) if !self.old.notifies(STATUS) => {
                self.status(told, thread, active(Some(flag)))
            }
            _ => Ok(()),
        }
    }

    /// A status that was recorded; none if it says nothing new, because what it is about was left out.
    pub(super) fn recorded_status(
        &mut self,
        told: &Told,
        at: usize,
        params: &Node,
    ) -> Option<Node> {
        let thread = parse::text(params, &["threadId"])?.to_owned();
        let mut status = parse::get(params, "status")?.clone();
        let waits = matches!(parse::get(&status, "activeFlags"), Some(Node::List(flags)) if !flags.is_empty());
        if waits && self.next_question_is_left_out(told, at) {
            parse::set(&mut status, "activeFlags", Node::List(Vec::new()));
        }
        let connection = self.connection(told);
        let again = connection.status.get(&thread) == Some(&status);
        // Some releases repeat that a thread is not loaded.
        if again && parse::text(&status, &["type"]) != Some("notLoaded") {
            return None;
        }
        connection.status.insert(thread, status.clone());
        let mut params = params.clone();
        parse::set(&mut params, "status", status);
        Some(params)
    }

    fn next_question_is_left_out(&self, told: &Told, at: usize) -> bool {
        let mut later = at + 1..self.lines.len();
        let next = later.find(|at| {
            let line = &self.lines[*at].line;
            let asks = matches!(self.survey.roles[*at], Role::Request { .. });
            asks && line.writer == Writer::Codex && line.connection == told.line.connection
        });
        next.is_some_and(|at| self.survey.left_out.contains(&at))
    }

    /// Whether a turn that ends has to have started: one that is interrupted at once never starts up to
    /// 0.110.0 and from 0.142.0 on.
    pub(super) fn starts_all(&self) -> bool {
        let starts = |release: Release| release >= ORDERS && release < Release::new(0, 142, 0);
        starts(self.new.release) && !starts(self.old.release)
    }

    /// Whether what belongs to a turn comes after its start, and did not always.
    fn starts_first(&self) -> bool {
        self.old.release < ORDERS && self.new.release >= ORDERS
    }

    /// Whether a turn has to have started before it ends.
    pub(super) fn starts_before_end(&self) -> bool {
        self.starts_all() || self.starts_first()
    }

    /// Whether a turn has to have started before an item of this type.
    pub(super) fn begins_turn(&self, kind: &str) -> bool {
        matches!(kind, "userMessage" | "contextCompaction") && self.starts_first()
    }

    /// Whether a command has to have started before Codex asks whether it may run.
    pub(super) fn starts_commands_first(&self) -> bool {
        let (was, is) = (self.old.observed, self.new.observed);
        was.starts_commands_late() && !is.starts_commands_late()
    }

    /// Whether commands that run on have to end before their turn.
    pub(super) fn ends_commands(&self) -> bool {
        self.old.observed.leaves_commands() && !self.new.observed.leaves_commands()
    }

    /// Whether nothing is to be written of the start of a turn: it has started, is a review, or is of a
    /// thread without turns.
    pub(super) fn is_started(&mut self, told: &Told, thread: &str, turn: &str) -> bool {
        let connection = self.connection(told);
        connection.started_turns.contains(turn)
            || connection.reviews.contains(turn)
            || !connection.turns.contains_key(thread)
    }

    /// Whether a command has started, or is one that the release does not have.
    pub(super) fn is_begun(&mut self, told: &Told, turn: &str, id: &str) -> bool {
        let connection = self.connection(told);
        connection.started.contains(&command_key(turn, id)) || connection.without.contains(id)
    }

    /// Writes the start of a turn of which none was recorded.
    pub(super) fn turn_first(
        &mut self,
        told: &Told,
        thread: &str,
        turn: &str,
    ) -> Result<(), UnsupportedByRelease> {
        if self.is_started(told, thread, turn) {
            return Ok(());
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

    /// Starts the command that Codex asks about, if its start was not recorded.
    pub(super) fn command_first(
        &mut self,
        told: &Told,
        at: usize,
        thread: &str,
        params: &Node,
    ) -> Result<(), UnsupportedByRelease> {
        let Some(id) = parse::text(params, &["itemId"]) else {
            return Ok(());
        };
        let turn = parse::text(params, &["turnId"]).unwrap_or_default();
        if !self.starts_commands_first() || self.is_begun(told, turn, id) {
            return Ok(());
        }
        let Some((end, _)) = self.later_item(told, at, id) else {
            return Ok(());
        };
        let line = self.lines[end].node.as_ref();
        let item = line.and_then(|node| parse::at(node, &["params", "item"]).cloned());
        let key = command_key(turn, id);
        let now = self.facts.now_ms;
        let connection = self.connection(told);
        connection.started.insert(key.clone());
        connection.item_ms.insert(key, now);
        self.start_item(told, thread, turn, &item.unwrap_or(Node::Null))
    }

    /// Completes the items of a turn that the release completes before it ends: patches that are
    /// cancelled, and commands whose end was not recorded.
    pub(super) fn close_items(
        &mut self,
        told: &Told,
        thread: &str,
        ending: &Node,
    ) -> Result<(), UnsupportedByRelease> {
        let (was, is) = (self.old.observed, self.new.observed);
        let patches = is.completes_cancelled_patches() && !was.completes_cancelled_patches();
        let turn = parse::text(ending, &["id"]).unwrap_or_default().to_owned();
        let cancelled = parse::text(ending, &["status"]) == Some("interrupted");
        let mut open = self.connection(told).open.clone();
        open.retain(|_, (of, _)| *of == turn);
        for (id, (turn, mut item)) in open {
            match parse::text(&item, &["type"]) {
                Some("fileChange") if patches => parse::set(&mut item, "status", "declined"),
                Some("commandExecution") if self.ends_commands() && !cancelled => {
                    self.connection(told).closed.insert(id.clone());
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

    /// Ends a turn that the core has ended, in a release that did not say so to its clients.
    pub(super) fn end_turn(&mut self, told: &Told) -> Result<(), UnsupportedByRelease> {
        let Some((thread, status)) = self.connection(told).over.take() else {
            return Ok(());
        };
        let Some(id) = self.connection(told).turns.get(&thread).cloned() else {
            return Ok(());
        };
        let turn = object! {
            "id" => id, "items" => Node::List(Vec::new()), "status" => status, "error" => Node::Null,
        };
        self.facts.phase = Phase::Completed;
        self.before_end(told, &thread, &turn)?;
        let params = object! { "threadId" => thread, "turn" => turn };
        self.notify(told, "turn/completed", params)
    }

    /// Starts an item that was only completed.
    pub(super) fn start_item(
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
}
