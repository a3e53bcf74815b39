//! Renders the events of `codex exec --json` as rows.

use std::io;

use serde_json::Value;

use super::open::{Location, State};
use super::phrasing::tokens;
use super::rows::{Rows, Tone, joined};

impl Rows<'_> {
    pub(super) fn exec(&mut self, message: &Value) -> io::Result<()> {
        let place = Location {
            connection: self.line.connection,
            thread: None,
        };
        let item = &message["item"];
        match message["type"].as_str().unwrap_or_default() {
            "thread.started" | "session.created" => {
                let id = message
                    .get("thread_id")
                    .or_else(|| message.get("session_id"));
                let id = self.phrasing.show.then(|| self.phrasing.of(id));
                self.row(
                    Tone::TopLevel,
                    "thread",
                    &joined([Some("started".to_owned()), id]),
                )
            }
            "turn.started" => self.turn_started(&place, ""),
            "turn.completed" => {
                let usage = message.get("usage").cloned();
                self.turn_ended(&place, "completed", None, usage, None)
            }
            "turn.failed" => {
                let why = self.phrasing.of(message["error"].get("message"));
                self.turn_ended(&place, "failed", Some(why), None, None)
            }
            "item.started" => self.item_started(&place, item),
            "item.updated" if item.get("items").is_some() => self.plan(&place, item, "updated"),
            "item.updated" => Ok(()),
            "item.completed" => self.item_completed(&place, item),
            "error" => {
                let text = self.phrasing.of(message.get("message"));
                self.row(Tone::Bad, "error", &text)
            }
            other => self.other_row(other, message),
        }
    }

    /// A message that has no row of its own.
    pub(super) fn other_row(&mut self, kind: &str, message: &Value) -> io::Result<()> {
        let kind = self.phrasing.kind(kind);
        let text = self.phrasing.of(message.get("message"));
        let text = joined([Some(kind), Some(text)]);
        self.row(Tone::Plain, self.label("event"), &text)
    }

    pub(super) fn turn_started(&mut self, place: &Location, about: &str) -> io::Result<()> {
        self.announce_location(place)?;
        let ms = self.line.ms;
        let turn = self.open.turn(place);
        turn.number += 1;
        turn.state = State::Runs;
        turn.ms = ms;
        turn.usage = None;
        let text = format!("{} started{about}", turn.number);
        self.row(Tone::TopLevel, "turn", &text)
    }

    pub(super) fn turn_ended(
        &mut self,
        place: &Location,
        how: &str,
        why: Option<String>,
        usage: Option<Value>,
        stated: Option<u64>,
    ) -> io::Result<()> {
        self.announce_location(place)?;
        self.left_open(place)?;
        let now = self.line.ms;
        let turn = self.open.turn(place);
        let seen = now.zip(turn.ms).map(|(now, ms)| now.saturating_sub(ms));
        let took = stated.or(seen).filter(|ms| *ms > 0);
        let usage = usage.or_else(|| turn.usage.take());
        let number = turn.number.max(1);
        turn.ms = None;
        turn.state = State::Ended;
        let parts = [
            Some(format!("{number} {how}")),
            took.map(crate::numbers::duration_text),
            why,
            usage.as_ref().and_then(tokens),
        ];
        let tone = match how {
            "completed" => Tone::TopLevel,
            _ => Tone::Bad,
        };
        self.row(tone, "turn", &joined(parts))
    }
}
