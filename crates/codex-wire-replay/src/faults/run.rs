//! Puts faults of messages into a run of `codex exec`.

use codex_wire_base::{Protocol, Release};

use super::edit::text;
use super::fault::FaultKind;
use super::faulty::{with_future_member, with_value};
use super::future::{Future, Written};
use super::injection::{Faults, Injection};
use super::random::Random;
use super::texts::with_separators;
use crate::error::Error;
use crate::exec::ExecPlay;

/// The last release that exits with status 0 when SIGINT interrupts it.
const LAST_SILENT: Release = Release::new(0, 116, 0);

/// The message of a recorded failure.
const FAILURE: &str = super::turns::FAILURE;

/// What is left for the program that writes a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunFaults {
    /// After its last line the run neither writes nor exits.
    pub hangs: bool,
}

impl Faults {
    /// Puts the faults of messages into a run of a release; of the latest one if it is not known.
    ///
    /// # Errors
    /// When a fault makes no sense for a run.
    pub fn of_run(
        &self,
        play: &mut ExecPlay,
        release: Option<Release>,
    ) -> Result<RunFaults, Error> {
        self.fit(Protocol::Exec)?;
        let all = [
            FaultKind::TurnFails,
            FaultKind::TurnInterrupted,
            FaultKind::TurnNeverEnds,
            FaultKind::FutureMember,
            FaultKind::FutureMethod,
            FaultKind::FutureItem,
            FaultKind::FutureValue,
            FaultKind::LineSeparator,
        ];
        let own: Vec<&Injection> = all.into_iter().filter_map(|kind| self.get(kind)).collect();
        if own.is_empty() {
            return Ok(RunFaults::default());
        }
        let mut run = Run {
            lines: play
                .lines()
                .map(|(after, line)| (after, line.to_vec()))
                .collect(),
            status: play.status(),
            future: Future::new(Protocol::Exec, release, Random::new(self.seed)),
            result: RunFaults::default(),
        };
        for injection in own {
            if injection.number.is_some_and(|turn| turn > 1) {
                return Err(Error::FaultOneTurn {
                    fault: injection.to_string(),
                });
            }
            if run.is_legacy() {
                return Err(Error::FaultRelease {
                    fault: injection.fault.id,
                });
            }
            if run.inject(injection) {
                self.log().note(injection);
            }
        }
        play.replace(run.lines, run.status);
        Ok(run.result)
    }
}

struct Run {
    /// The lines, each with its newline, and the milliseconds before it.
    lines: Vec<(u64, Vec<u8>)>,
    status: i32,
    future: Future,
    result: RunFaults,
}

impl Run {
    /// Whether the run has the format of releases before 0.42.0.
    fn is_legacy(&self) -> bool {
        let typed = self.lines.iter().any(|(_, line)| kind_of(line).is_some());
        !typed && !self.lines.is_empty()
    }

    /// Puts one fault in. Returns whether there was a place for it.
    fn inject(&mut self, injection: &Injection) -> bool {
        match injection.fault.kind {
            FaultKind::TurnFails => self.fail(),
            FaultKind::TurnInterrupted => {
                let silent = self.future.release() <= LAST_SILENT;
                let status = i32::from(!silent);
                self.cut() && {
                    self.status = status;
                    true
                }
            }
            FaultKind::TurnNeverEnds => {
                self.result.hangs = self.cut();
                self.result.hangs
            }
            FaultKind::FutureMethod => {
                let message = self.future.message(&|_| None);
                self.put(vec![message])
            }
            FaultKind::FutureItem => {
                let id = format!("item_{}", self.items());
                let lines = self.future.item(&id, &|_| None);
                self.put(lines)
            }
            FaultKind::FutureMember => self.edit(injection, &mut |future, line, kind| {
                with_future_member(future, line, &[], Written::Message, kind)
            }),
            FaultKind::FutureValue => self.edit(injection, &mut |future, line, kind| {
                with_value(future, line, Written::Message, kind)
            }),
            _ => self.edit(injection, &mut |_, line, _| with_separators(line)),
        }
    }

    /// The place of the event that completes the turn.
    fn end(&self) -> Option<usize> {
        let is_end =
            |(_, line): &(u64, Vec<u8>)| kind_of(line).as_deref() == Some("turn.completed");
        self.lines.iter().rposition(is_end)
    }

    /// Whether the release writes no events of turns.
    fn is_early(&self) -> bool {
        let first = self.lines.iter().find_map(|(_, line)| kind_of(line));
        first.as_deref() == Some("session.created")
    }

    fn fail(&mut self) -> bool {
        let message = serde_json::Value::from(FAILURE).to_string();
        let error = format!("{{\"type\":\"error\",\"message\":{message}}}\n").into_bytes();
        match self.end() {
            Some(at) => {
                let failed =
                    format!("{{\"type\":\"turn.failed\",\"error\":{{\"message\":{message}}}}}\n");
                self.lines[at].1 = failed.into_bytes();
                let at = self.before_lists(at);
                self.lines.insert(at, (0, error));
                self.status = 1;
                true
            }
            None if self.is_early() && self.status == 0 => {
                let at = self.before_lists(self.lines.len());
                self.lines.insert(at, (0, error));
                true
            }
            None => false,
        }
    }

    /// Leaves the end of the turn out.
    fn cut(&mut self) -> bool {
        match self.end() {
            Some(at) => {
                self.lines.truncate(at);
                true
            }
            None => self.is_early() && self.status == 0,
        }
    }

    /// The place before the to-do lists that are completed last, at the end of a turn.
    fn before_lists(&self, end: usize) -> usize {
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
    fn put(&mut self, lines: Vec<String>) -> bool {
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
    fn items(&self) -> usize {
        let ids = self.lines.iter().filter_map(|(_, line)| {
            text(std::str::from_utf8(line).ok()?, &["item", "id"])?
                .strip_prefix("item_")?
                .parse::<usize>()
                .ok()
        });
        ids.max().map_or(0, |last| last + 1)
    }

    fn edit(
        &mut self,
        injection: &Injection,
        change: &mut dyn FnMut(&mut Future, &str, &str) -> Option<String>,
    ) -> bool {
        let mut has_changed = false;
        for (_, bytes) in &mut self.lines {
            let Some(kind) = kind_of(bytes).filter(|kind| injection.is_for(kind)) else {
                continue;
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
