//! A run of `codex exec`, as faults of messages change it.

use codex_wire_base::{Protocol, Release};

use super::edit::text;
use super::future::{Future, Written};
use super::random::Random;
use super::talk::LineKind;
use crate::exec::ExecPlay;

/// What is left for the program that writes a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunFaults {
    /// After its last line the run neither writes nor exits.
    pub hangs: bool,
}

/// A run that gets faults.
pub(crate) struct Run {
    /// The lines, each with its newline, and the milliseconds before it.
    pub(super) lines: Vec<(u64, Vec<u8>)>,
    pub(super) status: i32,
    pub(super) future: Future,
    pub(super) result: RunFaults,
}

impl Run {
    /// A run of a release; of the latest one if it is not known.
    pub(super) fn of(play: &ExecPlay, release: Option<Release>, seed: u64) -> Self {
        let lines = play.lines().map(|(after, line)| (after, line.into_owned()));
        Run {
            lines: lines.collect(),
            status: play.status(),
            future: Future::new(Protocol::Exec, release, Random::new(seed)),
            result: RunFaults::default(),
        }
    }

    /// Whether the run has the format of releases before 0.42.0.
    pub(super) fn is_legacy(&self) -> bool {
        let typed = self.lines.iter().any(|(_, line)| kind_of(line).is_some());
        !typed && !self.lines.is_empty()
    }

    /// The place of the event that completes the turn.
    pub(super) fn end(&self) -> Option<usize> {
        let is_end =
            |(_, line): &(u64, Vec<u8>)| kind_of(line).as_deref() == Some("turn.completed");
        self.lines.iter().rposition(is_end)
    }

    /// Whether the release writes no events of turns.
    pub(super) fn is_early(&self) -> bool {
        let first = self.lines.iter().find_map(|(_, line)| kind_of(line));
        first.as_deref() == Some("session.created")
    }

    /// Leaves the end of the turn out.
    pub(super) fn cut(&mut self) -> bool {
        match self.end() {
            Some(at) => {
                self.lines.truncate(at);
                true
            }
            None => self.is_early() && self.status == 0,
        }
    }

    /// The place before the to-do lists that are completed last, at the end of a turn.
    pub(super) fn before_lists(&self, end: usize) -> usize {
        let is_list = |(_, line): &(u64, Vec<u8>)| {
            let item = |key: &str| text(std::str::from_utf8(line).ok()?, &["item", key]);
            let tag = item("type").or_else(|| item("item_type"));
            kind_of(line).as_deref() == Some("item.completed")
                && tag.as_deref() == Some("todo_list")
        };
        let others = self.lines[..end].iter().rposition(|line| !is_list(line));
        others.map_or(0, |last| last + 1)
    }

    /// Puts lines before the event that ends the turn.
    pub(super) fn put(&mut self, lines: Vec<String>) -> bool {
        let begins = |(_, line): &(u64, Vec<u8>)| kind_of(line).as_deref() == Some("turn.started");
        if !self.is_early() && !self.lines.iter().any(begins) {
            return false;
        }
        let ends = ["turn.completed", "turn.failed"];
        let is_end = |(_, line): &(u64, Vec<u8>)| {
            kind_of(line).is_some_and(|kind| ends.contains(&kind.as_str()))
        };
        let at = self
            .lines
            .iter()
            .rposition(is_end)
            .unwrap_or(self.lines.len());
        let at = self.before_lists(at);
        let lines = lines
            .into_iter()
            .map(|line| (0, (line + "\n").into_bytes()));
        self.lines.splice(at..at, lines);
        true
    }

    /// How many items the run has.
    pub(super) fn items(&self) -> usize {
        let ids = self.lines.iter().filter_map(|(_, line)| {
            text(std::str::from_utf8(line).ok()?, &["item", "id"])?
                .strip_prefix("item_")?
                .parse::<usize>()
                .ok()
        });
        ids.max().map_or(0, |last| last + 1)
    }

    /// Changes single lines.
    pub(super) fn edit(
        &mut self,
        change: &mut dyn FnMut(&mut Future, &str, &LineKind) -> Option<String>,
    ) -> bool {
        let mut has_changed = false;
        for (_, bytes) in &mut self.lines {
            let Some(name) = kind_of(bytes) else {
                continue;
            };
            let kind = LineKind {
                written: Written::Message,
                name,
                id: None,
            };
            let Ok(line) = std::str::from_utf8(bytes) else {
                continue;
            };
            let body = line.trim_end_matches('\n');
            if let Some(changed) = change(&mut self.future, body, &kind) {
                let newline = &line[body.len()..];
                *bytes = format!("{changed}{newline}").into_bytes();
                has_changed = true;
            }
        }
        has_changed
    }
}

/// The `type` of an event.
fn kind_of(line: &[u8]) -> Option<String> {
    text(std::str::from_utf8(line).ok()?, &["type"])
}
