//! What is known of a conversation while it is converted.

use std::collections::BTreeMap;

use super::super::facts::{Facts, Phase};
use super::super::fit::Fitting;
use super::super::parse;
use super::super::stream::Told;
use super::super::unsupported::UnsupportedByRelease;
use super::connection::Connection;
use super::speech::Speech;
use super::survey::{Role, Survey};
use super::turns::Turns;
use crate::compose::json::Node;

/// A conversation while it is converted.
pub(super) struct Talk {
    pub(super) old: Speech,
    pub(super) new: Speech,
    pub(super) lines: Vec<Told>,
    pub(super) survey: Survey,
    pub(super) done: Vec<bool>,
    pub(super) connections: BTreeMap<u32, Connection>,
    pub(super) turns: Turns,
    pub(super) facts: Facts,
    /// When the recording began.
    pub(super) began: u64,
    pub(super) out: Vec<Told>,
}

impl Talk {
    /// What is known at a line, before it is told.
    pub(super) fn meet(&mut self, told: &Told) {
        self.facts.now_ms = self.began + told.line.ms.unwrap_or_default();
        self.facts.phase = Phase::Other;
        self.facts.item_ms = None;
        self.facts.request = None;
        let thread = self.connection(told).thread.clone();
        self.about(told, thread);
    }

    /// The line is about that thread.
    pub(super) fn about(&mut self, told: &Told, thread: Option<String>) {
        let connection = self.connections.entry(told.line.connection).or_default();
        let facts = &mut self.facts;
        facts.cwd.clone_from(&connection.cwd);
        facts.codex_home.clone_from(&connection.codex_home);
        facts.model.clone_from(&connection.model);
        facts.provider.clone_from(&connection.provider);
        let client = Some(&connection.client).filter(|client| !client.is_empty());
        facts.client = client.cloned();
        facts.turn = thread
            .as_ref()
            .and_then(|thread| connection.turns.get(thread).cloned());
        let turn = facts.turn.as_ref();
        facts.turn_ms = turn.and_then(|turn| connection.turn_ms.get(turn).copied());
        facts.thread = thread;
    }

    pub(super) fn connection(&mut self, told: &Told) -> &mut Connection {
        self.connections.entry(told.line.connection).or_default()
    }

    /// The thread that a message is about.
    pub(super) fn thread_of(&mut self, told: &Told, params: Option<&Node>) -> Option<String> {
        let paths: [&[&str]; 4] = [
            &["threadId"],
            &["conversationId"],
            &["thread", "id"],
            &["msg", "thread_id"],
        ];
        let named = params.and_then(|params| {
            let mut paths = paths.iter();
            paths.find_map(|path| parse::text(params, path))
        });
        match named {
            Some(named) => Some(named.to_owned()),
            None => self.connection(told).thread.clone(),
        }
    }

    /// The next line about an item that is not converted yet, and whether it starts it.
    pub(super) fn later_item(&self, told: &Told, at: usize, id: &str) -> Option<(usize, bool)> {
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

    /// Adds a line.
    pub(super) fn push(&mut self, told: &Told, node: Node) {
        let mut told = told.clone();
        told.node = Some(node);
        self.out.push(told);
    }

    /// What the release makes of a message; none if its own release does not say it either, and it
    /// stays as it is.
    pub(super) fn said(
        &self,
        told: &Told,
        new: Fitting,
        old: impl FnOnce() -> Fitting,
    ) -> Result<Option<Node>, UnsupportedByRelease> {
        match new {
            Ok(fitted) => Ok(Some(fitted.node)),
            Err(_) if !told.line.text.is_empty() && old().is_err() => Ok(None),
            Err(lack) => Err(UnsupportedByRelease {
                line: told.line.number,
                reason: lack.of(self.new.release),
            }),
        }
    }
}
