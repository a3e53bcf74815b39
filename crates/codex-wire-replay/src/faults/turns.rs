//! The ends of turns of the app-server.

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::annotated;
use serde_json::Value;

use super::edit::{replaced, set, span, text};
use super::sample::Sample;
use super::talk::Talk;
use crate::conversation::Emission;

/// The message of a recorded failure.
pub(super) const FAILURE: &str =
    "We\u{2019}re currently experiencing high demand, which may cause temporary errors.";

/// A turn that completes among the lines of a reaction.
pub(super) struct Completed {
    /// The id of the turn.
    pub(super) turn: String,
    /// The id of its thread.
    pub(super) thread: Option<String>,
    /// The queue of its lines.
    pub(super) queue: usize,
    pub(super) end: End,
}

/// The lines with which a turn ends, by their place among the lines of a reaction.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The line that says that the thread is idle.
    pub(super) idle: Option<usize>,
    /// The older event that says the same as `turn/completed`.
    pub(super) task: Option<usize>,
    /// `turn/completed`.
    pub(super) completed: usize,
}

impl Completed {
    /// The turn of this number, if it completes here.
    pub(super) fn find(emissions: &[Emission], talk: &Talk, number: u64) -> Option<Self> {
        let place = emissions.iter().position(|emission| {
            let line = &emission.line;
            let turn = || text(line, &["params", "turn", "id"]);
            text(line, &["method"]).as_deref() == Some("turn/completed")
                && text(line, &["params", "turn", "status"]).as_deref() == Some("completed")
                && turn().and_then(|turn| talk.number_of(&turn)) == Some(number)
        })?;
        let line = &emissions[place].line;
        Some(Completed {
            turn: text(line, &["params", "turn", "id"])?,
            thread: text(line, &["params", "threadId"]),
            queue: emissions[place].queue,
            end: End::of(&lines(emissions), place),
        })
    }

    /// Lines that are made for this turn.
    pub(super) fn made(&self, lines: Vec<String>) -> Vec<Emission> {
        let made = lines.into_iter().map(|line| Emission {
            line,
            after_ms: 0,
            queue: self.queue,
        });
        made.collect()
    }

    /// The emissions with another end. Of what follows the end, `is_dropped` says what is left out.
    pub(super) fn replaced(
        &self,
        emissions: Vec<Emission>,
        mut made: Vec<Emission>,
        is_dropped: &dyn Fn(&str) -> bool,
    ) -> Vec<Emission> {
        let (first, at) = (self.end.first(), self.end.completed);
        let mut out = Vec::with_capacity(emissions.len() + 2);
        // What stands between the lines of the end comes before it.
        let last = made.pop();
        for (place, emission) in emissions.into_iter().enumerate() {
            if place == first {
                out.append(&mut made);
            }
            if place == at {
                out.extend(last.clone());
            } else if !self.end.has(place) && (place < at || !is_dropped(&emission.line)) {
                out.push(emission);
            }
        }
        out
    }
}

/// The lines of emissions.
pub(super) fn lines(emissions: &[Emission]) -> Vec<&str> {
    emissions
        .iter()
        .map(|emission| emission.line.as_str())
        .collect()
}

impl End {
    /// The end of the turn that `turn/completed` at this place is of.
    pub(super) fn of(lines: &[&str], completed: usize) -> Self {
        let thread = text(lines[completed], &["params", "threadId"]);
        let turn = text(lines[completed], &["params", "turn", "id"]);
        let mut end = End {
            idle: None,
            task: None,
            completed,
        };
        for at in (0..completed).rev() {
            let line = lines[at];
            match text(line, &["method"]).as_deref() {
                Some("thread/status/changed") if end.idle.is_none() => {
                    let is_own = text(line, &["params", "threadId"]) == thread;
                    let is_idle =
                        text(line, &["params", "status", "type"]).as_deref() == Some("idle");
                    end.idle = (is_own && is_idle).then_some(at);
                }
                Some("codex/event/task_complete") if end.task.is_none() => {
                    let is_own = text(line, &["params", "id"]) == turn;
                    end.task = is_own.then_some(at);
                }
                Some("turn/started") if text(line, &["params", "turn", "id"]) == turn => break,
                _ => {}
            }
        }
        end
    }

    /// The first of the lines.
    pub(super) fn first(&self) -> usize {
        let others = [self.idle, self.task].into_iter().flatten();
        others.fold(self.completed, usize::min)
    }

    /// Whether a place is one of them.
    pub(super) fn has(&self, at: usize) -> bool {
        self.completed == at || self.idle == Some(at) || self.task == Some(at)
    }

    /// The lines of a turn that failed.
    pub(super) fn failed(&self, lines: &[&str], release: Release) -> Option<Vec<String>> {
        let completed = lines[self.completed];
        let known = Known::of(completed);
        let notice = known.notification("error", release)?;
        let error = &notice[span(&notice, &["params", "error"])?];
        let mut out = Vec::new();
        if let Some(idle) = self.idle {
            out.push(replaced(
                lines[idle],
                &["params", "status"],
                "{\"type\":\"systemError\"}",
            )?);
        }
        if let Some(task) = self.task {
            out.extend(known.event(lines[task], "error", release));
            out.push(notice.clone());
            out.push(
                replaced(
                    lines[task],
                    &["params", "msg", "last_agent_message"],
                    "null",
                )
                .unwrap_or_else(|| lines[task].to_owned()),
            );
        } else {
            out.push(notice.clone());
        }
        let line = replaced(completed, &["params", "turn", "status"], "\"failed\"")?;
        out.push(set(&line, &["params", "turn", "error"], error)?);
        Some(out)
    }

    /// The lines of a turn that was interrupted.
    pub(super) fn interrupted(&self, lines: &[&str], release: Release) -> Option<Vec<String>> {
        let completed = lines[self.completed];
        let mut out = Vec::new();
        let own = lines.iter().enumerate().take(self.completed + 1);
        for (at, line) in own.skip(self.first()) {
            match self.has(at) {
                true if self.task == Some(at) => {
                    out.extend(Known::of(completed).event(line, "turn_aborted", release));
                }
                true if at == self.completed => {
                    out.push(replaced(
                        completed,
                        &["params", "turn", "status"],
                        "\"interrupted\"",
                    )?);
                }
                true => out.push((*line).to_owned()),
                false => {}
            }
        }
        Some(out)
    }
}

/// What a line says of its turn, as JSON.
#[derive(Debug)]
pub(super) struct Known {
    thread: Option<String>,
    turn: Option<String>,
    emitted: Option<String>,
    /// A time of an item.
    ms: Option<String>,
}

impl Known {
    /// What a notification says.
    pub(super) fn of(line: &str) -> Self {
        let json = |path: &[&str]| span(line, path).map(|span| line[span].to_owned());
        let emitted = json(&["emittedAtMs"]);
        let seconds = json(&["params", "turn", "startedAt"]).filter(|json| json != "null");
        let ms = seconds.map(|seconds| format!("{seconds}000"));
        Known {
            thread: json(&["params", "threadId"]),
            turn: json(&["params", "turn", "id"]).or_else(|| json(&["params", "turnId"])),
            ms: emitted.clone().or(ms),
            emitted,
        }
    }

    /// The JSON of a member, if it is known.
    fn get(&self, name: &str) -> Option<String> {
        match name {
            "threadId" | "thread_id" | "conversationId" => self.thread.clone(),
            "turnId" | "turn_id" => self.turn.clone(),
            "emittedAtMs" => self.emitted.clone(),
            "startedAtMs" | "completedAtMs" => self.ms.clone(),
            "message" => Some(Value::from(FAILURE).to_string()),
            _ => None,
        }
    }

    /// The JSON of a member of something that is put into this turn, if it is known.
    pub(super) fn of_turn(&self, name: &str) -> Option<String> {
        match name {
            // Only a failed turn has a message.
            "message" => None,
            _ => self.get(name),
        }
    }

    /// A notification as a release writes it.
    fn notification(&self, method: &str, release: Release) -> Option<String> {
        let document = annotated(MessageSet::AppServerServerNotifications);
        let variant = document.root().tagged()?.variant(method)?;
        let object = document.schema(&variant.definition)?.object()?;
        let known = |name: &str| match name {
            "codexErrorInfo" => Some("\"internalServerError\"".to_owned()),
            _ => self.get(name),
        };
        let sample = Sample {
            document,
            release,
            known: &known,
        };
        sample.object(object, Some(("method", method)), 0)
    }

    /// An older event, with the names of the one that stood in its place.
    fn event(&self, like: &str, kind: &str, release: Release) -> Option<String> {
        let document = annotated(MessageSet::AppServerServerNotifications);
        let variant = document.schema("EventMsg")?.tagged()?.variant(kind)?;
        let object = document.schema(&variant.definition)?.object()?;
        let known = |name: &str| match name {
            "codex_error_info" => Some("\"internal_server_error\"".to_owned()),
            "reason" => Some("\"interrupted\"".to_owned()),
            _ => self.get(name),
        };
        let sample = Sample {
            document,
            release,
            known: &known,
        };
        let message = sample.object(object, Some(("type", kind)), 0)?;
        let line = replaced(like, &["params", "msg"], &message)?;
        replaced(&line, &["method"], &format!("\"codex/event/{kind}\""))
    }
}
