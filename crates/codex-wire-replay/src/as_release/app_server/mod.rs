//! Tells a recording of `codex app-server` again.
//!
//! The order of the files: `speech` (the messages of a release), `survey` (what each line is),
//! `turns` (their names), `connection` (what is known), `client` and `codex` (lines of either side),
//! `order` (lines that a release writes and the recording lacks).

mod client;
mod codex;
mod connection;
mod items;
mod order;
mod speech;
mod survey;
mod turns;

use std::collections::BTreeMap;

use codex_wire_base::{Protocol, Release};

use super::facts::{Facts, SOME_TIME};
use super::fit::Fitting;
use super::parse;
use super::stream::{self, Told};
use super::unsupported::UnsupportedByRelease;
use crate::recording::{Recording, Writer};
use crate::script::json::Node;
use connection::Connection;
use speech::Speech;
use survey::{Role, Survey};
use turns::Turns;

/// The conversation as `release` would have written it.
pub(super) fn convert(
    recording: &Recording,
    recorded: Release,
    release: Release,
) -> Result<Recording, UnsupportedByRelease> {
    let list = Protocol::AppServer.release_list();
    let Some(listed) = list.floor(release) else {
        return Err(UnsupportedByRelease::whole(format!(
            "`codex app-server` of {release} is older than the first that is known, {}",
            list.first()
        )));
    };
    let old = Speech::new(list.floor(recorded).unwrap_or(listed));
    let new = Speech::new(listed);
    let lines = stream::lines(recording);
    let survey = Survey::of(&lines, &old, &new)?;
    let began = began(&lines);
    let mut talk = Talk {
        turns: Turns::new(old.observed, new.observed, began),
        facts: Facts::new(release, recorded),
        done: vec![false; lines.len()],
        connections: BTreeMap::new(),
        out: Vec::with_capacity(lines.len()),
        old,
        new,
        lines,
        survey,
        began,
    };
    for at in 0..talk.lines.len() {
        talk.convert(at)?;
    }
    Ok(stream::recording(recording, talk.out))
}

/// When the recording began, in milliseconds since 1970.
fn began(lines: &[Told]) -> u64 {
    let time = |told: &Told| {
        let ms = told.line.ms?;
        let node = told.node.as_ref().filter(|_| told.is_written())?;
        let number = |path: &[&str], scale: u64| match parse::at(node, path)? {
            Node::Number(number) => number.as_u64()?.checked_mul(scale)?.checked_sub(ms),
            _ => None,
        };
        number(&["emittedAtMs"], 1).or_else(|| number(&["result", "thread", "createdAt"], 1000))
    };
    lines.iter().find_map(time).unwrap_or(SOME_TIME)
}

struct Talk {
    old: Speech,
    new: Speech,
    lines: Vec<Told>,
    survey: Survey,
    done: Vec<bool>,
    connections: BTreeMap<u32, Connection>,
    turns: Turns,
    facts: Facts,
    /// When the recording began.
    began: u64,
    out: Vec<Told>,
}

impl Talk {
    /// Tells a line, unless that was done before.
    fn convert(&mut self, at: usize) -> Result<(), UnsupportedByRelease> {
        if std::mem::replace(&mut self.done[at], true) || self.survey.left_out.contains(&at) {
            return Ok(());
        }
        let told = self.lines[at].clone();
        let Some(node) = told.node.clone() else {
            self.out.push(told);
            return Ok(());
        };
        self.meet(&told);
        match (self.survey.roles[at].clone(), told.line.writer) {
            (Role::Request { method, succeeds }, Writer::Client) => {
                self.client_request(&told, &method, succeeds, node)
            }
            (Role::Notification { method }, Writer::Client) => {
                self.client_notification(&told, &method, node)
            }
            (
                Role::Answer {
                    of,
                    method,
                    is_error,
                },
                Writer::Client,
            ) => self.client_answer(&told, of, &method, is_error, node),
            (Role::Request { method, .. }, Writer::Codex) => {
                self.codex_request(&told, at, &method, node)
            }
            (Role::Notification { method }, Writer::Codex) => {
                self.notification(&told, at, &method, node)
            }
            (
                Role::Answer {
                    of,
                    method,
                    is_error,
                },
                Writer::Codex,
            ) => self.codex_answer(&told, of, &method, is_error, node),
            (Role::Other, _) => {
                self.out.push(told);
                Ok(())
            }
        }
    }

    /// What is known at a line, before it is told.
    fn meet(&mut self, told: &Told) {
        self.facts.now_ms = self.began + told.line.ms.unwrap_or_default();
        self.facts.phase = super::facts::Phase::Other;
        self.facts.item_ms = None;
        self.facts.request = None;
        let thread = self.connection(told).thread.clone();
        self.about(told, thread);
    }

    /// The line is about that thread.
    fn about(&mut self, told: &Told, thread: Option<String>) {
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

    fn connection(&mut self, told: &Told) -> &mut Connection {
        self.connections.entry(told.line.connection).or_default()
    }

    /// The thread that a message is about.
    fn thread_of(&mut self, told: &Told, params: Option<&Node>) -> Option<String> {
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

    /// Adds a line.
    fn push(&mut self, told: &Told, node: Node) {
        let mut told = told.clone();
        told.node = Some(node);
        self.out.push(told);
    }

    /// What the release makes of a message; none if its own release does not say it either, and it
    /// stays as it is.
    fn said(
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
                reason: format!(
                    "{} does not have {} at `{}`",
                    self.new.release, lack.what, lack.pointer
                ),
            }),
        }
    }
}
