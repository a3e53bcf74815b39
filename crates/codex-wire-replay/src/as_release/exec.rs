//! Converts a run of `codex exec --json` to another release.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::ir::Schema;
use codex_wire_schema::{Parts, Profile, Stability};

use super::facts::Facts;
use super::fit::{Fit, Lack};
use super::stream::{self, Told};
use super::unsupported::UnsupportedByRelease;
use super::{core, known, parse};
use crate::compose::json::{Node, object};
use crate::compose::observed::Observed;
use crate::error::Unsupported;
use crate::recording::Recording;

const SET: MessageSet = MessageSet::Exec;

/// The run as `release` would have written it.
pub(super) fn convert(
    recording: &Recording,
    recorded: Release,
    release: Release,
) -> Result<Recording, UnsupportedByRelease> {
    let lines = stream::lines(recording);
    if lines.iter().all(|told| told.node.is_none()) {
        // Nothing was written in the words of any release.
        return Ok(recording.clone());
    }
    if core::is_legacy(&lines) {
        return core::convert(recording, MessageSet::ExecLegacy, recorded, release);
    }
    let Some(listed) = SET.release_list().floor(release) else {
        let reason = Unsupported::CoreEvents { release, recorded };
        return Err(UnsupportedByRelease::whole(reason));
    };
    let own = SET.release_list().floor(recorded).unwrap_or(listed);
    let mut run = Run::new(own, listed);
    for told in lines {
        run.line(told)?;
    }
    run.end(recording.about.status, recording.about.signal.is_some());
    let status = run.status(recording.about.status);
    let mut out = stream::recording(recording, run.numbered());
    out.about.status = status;
    Ok(out)
}

fn parts(release: Release) -> Parts {
    Parts::new(SET, release, Profile::Exact, Stability::Experimental)
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Completed,
    Failed,
}

struct Run {
    old: Parts,
    new: Parts,
    was: Observed,
    is: Observed,
    facts: Facts,
    out: Vec<Told>,
    /// The items that are started and not completed, by their recorded ids.
    open: BTreeMap<String, Node>,
    started: BTreeSet<String>,
    /// The items that the release does not have, by their recorded ids.
    left_out: BTreeSet<String>,
    todo_list: Option<String>,
    in_turn: bool,
    end: Option<End>,
    last_error: Option<String>,
    searches: usize,
}

impl Run {
    fn new(recorded: Release, release: Release) -> Self {
        Run {
            old: parts(recorded),
            new: parts(release),
            was: Observed(recorded),
            is: Observed(release),
            facts: Facts::new(release, recorded),
            out: Vec::new(),
            open: BTreeMap::new(),
            started: BTreeSet::new(),
            left_out: BTreeSet::new(),
            todo_list: None,
            in_turn: false,
            end: None,
            last_error: None,
            searches: 0,
        }
    }

    fn line(&mut self, told: Told) -> Result<(), UnsupportedByRelease> {
        let node = told.node.clone().filter(|_| told.is_written());
        let Some(node) = node else {
            self.out.push(told);
            return Ok(());
        };
        let kind = parse::text(&node, &["type"]).unwrap_or_default().to_owned();
        match kind.as_str() {
            "turn.started" if self.in_turn && !self.is.exec_leaks() => return Ok(()),
            "turn.started" => self.in_turn = true,
            "turn.completed" => self.ends(&told, End::Completed)?,
            "turn.failed" => self.ends(&told, End::Failed)?,
            "error" => self.last_error = parse::text(&node, &["message"]).map(str::to_owned),
            "item.started" | "item.updated" | "item.completed" => {
                return self.item(&told, &kind, &node);
            }
            _ => {}
        }
        self.write(&told, &node)?;
        if matches!(kind.as_str(), "session.created" | "thread.started")
            && !has(&self.old, "turn.started")
        {
            self.in_turn = true;
            return self.write(&told.beside(empty()), &object! { "type" => "turn.started" });
        }
        Ok(())
    }

    /// What comes before the end of a turn.
    fn ends(&mut self, told: &Told, end: End) -> Result<(), UnsupportedByRelease> {
        self.end = Some(end);
        if end == End::Failed || !self.is.exec_completes_running() {
            return Ok(());
        }
        let running = std::mem::take(&mut self.open);
        for (_, mut item) in running {
            if kind_of(&item) != "command_execution" {
                continue;
            }
            parse::set(&mut item, "status", "completed");
            parse::set(&mut item, "exit_code", Node::Null);
            let place = self.out.iter().rposition(|told| {
                let node = told.node.as_ref();
                let item = node.and_then(|node| parse::get(node, "item"));
                item.is_none_or(|item| kind_of(item) != "todo_list")
            });
            let after = self.out.split_off(place.map_or(0, |place| place + 1));
            let line = object! { "type" => "item.completed", "item" => item };
            self.write(&told.beside(empty()), &line)?;
            self.out.extend(after);
        }
        Ok(())
    }

    fn item(&mut self, told: &Told, event: &str, node: &Node) -> Result<(), UnsupportedByRelease> {
        let Some(item) = parse::get(node, "item") else {
            return self.write(told, node);
        };
        let id = parse::text(item, &["id"]).unwrap_or_default().to_owned();
        let kind = kind_of(item).to_owned();
        let mut item = item.clone();
        if !self.is_written(event, &kind, &id, &item) {
            if event == "item.completed" {
                self.open.remove(&id);
            }
            return Ok(());
        }
        self.shape(&kind, &mut item);
        let line = |event: &str, item: &Node| {
            let mut line = node.clone();
            parse::set(&mut line, "type", event);
            parse::set(&mut line, "item", item.clone());
            line
        };
        if event == "item.completed" && !self.started.contains(&id) && self.is_started(&kind) {
            let mut begun = item.clone();
            if kind == "web_search" {
                parse::set(&mut begun, "query", "");
                parse::set(&mut begun, "action", object! { "type" => "other" });
            } else {
                parse::set(&mut begun, "status", "in_progress");
            }
            self.started.insert(id.clone());
            self.write(&told.beside(empty()), &line("item.started", &begun))?;
        }
        match event {
            "item.started" => {
                self.started.insert(id.clone());
                self.open.insert(id, item.clone());
            }
            "item.completed" => drop(self.open.remove(&id)),
            _ => {}
        }
        self.write(told, &line(event, &item))
    }

    /// Whether the release starts items of that kind, which the recorded one did not.
    fn is_started(&self, kind: &str) -> bool {
        match kind {
            "file_change" => self.is.exec_starts_patches() && !self.was.exec_starts_patches(),
            "web_search" => self.is.exec_starts_searches() && !self.was.exec_starts_searches(),
            _ => false,
        }
    }

    /// Whether the release writes the event of that item.
    fn is_written(&mut self, event: &str, kind: &str, id: &str, item: &Node) -> bool {
        let is_start = event == "item.started";
        let written = match kind {
            "file_change" if is_start => self.is.exec_starts_patches(),
            "web_search" if !self.is.exec_has_tools() => false,
            "web_search" if !self.is.exec_starts_searches() => {
                // Older releases write only searches, and of these only the end.
                let action = parse::text(item, &["action", "type"]);
                !is_start && action.is_none_or(|action| action == "search")
            }
            "mcp_tool_call" => self.is.exec_has_tools(),
            "error" => {
                let message = parse::text(item, &["message"]).unwrap_or_default();
                self.in_turn || self.is.exec_warns_early(message)
            }
            "todo_list" => {
                let first = self.todo_list.get_or_insert_with(|| id.to_owned());
                first == id || self.is.exec_leaks()
            }
            "command_execution" if event == "item.completed" => {
                let still_runs = parse::get(item, "exit_code") == Some(&Node::Null)
                    && parse::text(item, &["status"]) == Some("completed");
                !still_runs || self.is.exec_completes_running()
            }
            _ => true,
        };
        let is_known = !self.left_out.contains(id) && self.has_item(kind);
        if !is_known {
            self.left_out.insert(id.to_owned());
        }
        written && is_known
    }

    /// Whether the release has items of that kind, or the recorded one has not either.
    fn has_item(&self, kind: &str) -> bool {
        let has = |parts: &Parts| {
            let union = parts.schema("ThreadItem").and_then(Schema::tagged);
            let tag = |kind: &str| Some(&*union?.variant(kind)?.tag);
            known::kind(kind, tag).is_some()
        };
        has(&self.new) || !has(&self.old)
    }

    /// What the release says differently, with the same members.
    fn shape(&mut self, kind: &str, item: &mut Node) {
        match kind {
            "command_execution" => {
                let (old, new) = (self.was.shell(), self.is.shell());
                if let Some(Node::Text(command)) = parse::get_mut(item, "command")
                    && let Some(rest) = command.strip_prefix(old)
                {
                    *command = format!("{new}{rest}");
                }
            }
            "web_search" => self.search(item),
            _ => {}
        }
    }

    fn search(&mut self, item: &mut Node) {
        if !self.is.exec_names_pages()
            && let Some("open_page" | "find_in_page") = parse::text(item, &["action", "type"])
        {
            parse::set(item, "action", object! { "type" => "other" });
        }
        let query = parse::get(item, "query").cloned().unwrap_or(Node::Null);
        let Node::Object(members) = item else {
            return;
        };
        if !self.is.exec_starts_searches() || self.was.exec_starts_searches() {
            return;
        }
        // The id of the model, which older releases do not write.
        let at = members
            .iter()
            .position(|(name, _)| name != "id" && name != "type" && name != "item_type");
        let id = format!("ws_{:04}", self.searches);
        self.searches += 1;
        members.insert(at.unwrap_or(members.len()), ("id".to_owned(), id.into()));
        item.push("action", object! { "type" => "search", "query" => query });
    }

    /// Adds a line, in the words of the release.
    fn write(&mut self, told: &Told, node: &Node) -> Result<(), UnsupportedByRelease> {
        let lack = match Fit::new(&self.new, &self.facts).message(node) {
            Ok(fitted) => {
                let mut told = told.clone();
                told.node = Some(fitted.node);
                self.out.push(told);
                return Ok(());
            }
            Err(lack) => lack,
        };
        let is_added = told.line.text.is_empty();
        if !is_added && Fit::new(&self.old, &self.facts).message(node).is_err() {
            // What its own release does not say either stays as it is.
            self.out.push(told.clone());
            return Ok(());
        }
        // The release has no such message.
        if lack.pointer.is_empty() {
            return Ok(());
        }
        Err(refusal(told, &self.facts, lack))
    }

    /// What comes at the end, if the recorded release has no turns.
    fn end(&mut self, status: Option<i32>, by_signal: bool) {
        if self.end.is_none()
            && !has(&self.old, "turn.completed")
            && !by_signal
            && status.is_none_or(|status| status == 0)
            && self.open.is_empty()
            && let Some(last) = self.out.last().cloned()
        {
            let failed = self.out.iter().rposition(|told| is_of(told, "error"));
            let spoken = self.out.iter().rposition(|told| {
                let item = told.node.as_ref().and_then(|node| parse::get(node, "item"));
                item.is_some_and(|item| kind_of(item) != "todo_list")
            });
            let (line, end) = match &self.last_error {
                Some(message) if failed > spoken => {
                    let error = object! { "message" => message };
                    (
                        object! { "type" => "turn.failed", "error" => error },
                        End::Failed,
                    )
                }
                _ => {
                    let usage = super::nodes::empty();
                    (
                        object! { "type" => "turn.completed", "usage" => usage },
                        End::Completed,
                    )
                }
            };
            let told = last.beside(empty());
            if self.write(&told, &line).is_ok() {
                self.end = Some(end);
            }
        }
        if !self.is.exec_completes_late() {
            self.close_list_last();
        }
    }

    /// Moves the end of the to-do list before the end of the turn.
    fn close_list_last(&mut self) {
        let is_list = |told: &Told| {
            let item = told.node.as_ref().and_then(|node| parse::get(node, "item"));
            is_of(told, "item.completed") && item.is_some_and(|item| kind_of(item) == "todo_list")
        };
        let Some(at) = self.out.iter().position(is_list) else {
            return;
        };
        let mut end = at + 1;
        while self
            .out
            .get(end)
            .is_some_and(|told| is_of(told, "item.completed"))
        {
            end += 1;
        }
        self.out[at..end].rotate_left(1);
    }

    /// The exit status of the release.
    fn status(&self, recorded: Option<i32>) -> Option<i32> {
        let recorded = recorded?;
        Some(match self.end {
            Some(End::Failed) => i32::from(self.is.exec_fails()),
            Some(End::Completed) if recorded == 1 => 0,
            None if recorded == 0 && self.is.exec_fails_if_interrupted() => 1,
            None if recorded == 1 && !self.is.exec_fails_if_interrupted() => 0,
            _ => recorded,
        })
    }

    /// The lines, with the items numbered in the order in which they first appear.
    fn numbered(mut self) -> Vec<Told> {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for told in &mut self.out {
            let item = told
                .node
                .as_mut()
                .and_then(|node| parse::get_mut(node, "item"));
            let Some(Node::Text(id)) = item.and_then(|item| parse::get_mut(item, "id")) else {
                continue;
            };
            if !id.starts_with("item_") {
                continue;
            }
            let next = format!("item_{}", names.len());
            *id = names.entry(id.clone()).or_insert(next).clone();
        }
        self.out
    }
}

fn empty() -> Node {
    super::nodes::empty()
}

fn refusal(told: &Told, facts: &Facts, lack: Lack) -> UnsupportedByRelease {
    UnsupportedByRelease {
        line: told.line.number,
        reason: lack.of(facts.release),
    }
}

fn has(parts: &Parts, kind: &str) -> bool {
    let union = parts.root().tagged();
    union.is_some_and(|union| union.variant(kind).is_some())
}

fn kind_of(item: &Node) -> &str {
    let kind = parse::text(item, &["type"]).or_else(|| parse::text(item, &["item_type"]));
    kind.unwrap_or_default()
}

fn is_of(told: &Told, kind: &str) -> bool {
    let node = told.node.as_ref();
    node.and_then(|node| parse::text(node, &["type"])) == Some(kind)
}
