//! Converts a recording of `codex app-server` to another release.
//!
//! The order of the files: `speech` (the messages of a release), `survey` (what each line is),
//! `turns` (their names), `connection` and `talk` (what is known), `order` (lines that a release writes and
//! the recording lacks), `tools`, `items`, `client` and `codex` (lines of either side), `ahead` (lines that a
//! release writes before the line at hand).

mod ahead;
mod client;
mod codex;
mod connection;
mod items;
mod order;
mod speech;
mod survey;
mod talk;
mod tools;
mod turns;

use std::collections::BTreeMap;

use codex_wire_base::{Protocol, Release};

use super::facts::{Facts, SOME_TIME};
use super::parse;
use super::stream::{self, Told};
use super::unsupported::UnsupportedByRelease;
use crate::compose::json::Node;
use crate::error::Unsupported;
use crate::recording::{Recording, Writer};
use speech::Speech;
use survey::{Role, Survey};
use talk::Talk;
use turns::Turns;

/// The conversation as `release` would have written it.
pub(super) fn convert(
    recording: &Recording,
    recorded: Release,
    release: Release,
) -> Result<Recording, UnsupportedByRelease> {
    let list = Protocol::AppServer.release_list();
    let Some(listed) = list.floor(release) else {
        let first = list.first();
        let reason = Unsupported::NoAppServer { release, first };
        return Err(UnsupportedByRelease::whole(reason));
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

impl Talk {
    /// Converts a line, unless that was done before, and those before it that the release writes earlier.
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
        while let Some(earlier) = self.earlier_line(&told, at, &node) {
            self.convert(earlier)?;
            self.meet(&told);
        }
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
}
