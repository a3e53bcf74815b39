//! Checks which task an event belongs to.

use std::fmt;

use codex_wire_prefilter::View;

use super::evidence::{BOTH, EVENTS, queues, streams};
use super::state::{Core, Ended};
use super::task::Task;
use crate::phrasing::Word;
use crate::rule::{Exception, Status, between, since, v};
use crate::rule_macros::rules;
use crate::sequence::machine::Observed;
use crate::severity::Severity;
use crate::violation::{Broken, Violation};

/// When an event of a task comes that is not at hand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    AfterEnd,
    InOther,
    BeforeStart,
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            When::AfterEnd => "after the end of its task",
            When::InOther => "in the middle of another task",
            When::BeforeStart => "before `task_started`",
        })
    }
}

impl Core {
    pub(super) fn of_task(
        &mut self,
        seen: &Observed<'_>,
        id: &str,
        tag: &str,
        out: &mut Vec<Violation>,
    ) {
        let at_hand = |task: &Task| task.id == id;
        if !self.session.task.as_ref().is_some_and(at_hand) && !self.outside(seen, id, tag, out) {
            return;
        }
        self.session.client.ask(tag, id);
        let two_way = self.session.client.is_known() && !self.lost;
        let Some(task) = &mut self.session.task else {
            return;
        };
        if !task.take(seen, tag, two_way, out) {
            return;
        }
        if tag == "turn_aborted" {
            self.session.client.aborted(seen, out);
        }
        let ended = Ended {
            message_ref: seen.message_ref,
            aborted: tag != "task_complete",
        };
        self.session.ended.insert(id.to_owned(), ended);
        self.session.task = None;
    }

    /// An event of a task that is not at hand. Returns whether the task is taken for begun.
    pub(super) fn outside(
        &mut self,
        seen: &Observed<'_>,
        id: &str,
        tag: &str,
        out: &mut Vec<Violation>,
    ) -> bool {
        let task = self.session.task.as_ref();
        let unseen =
            self.lost || self.session.truncated && self.session.ended.iter().next().is_none();
        let ended = self.session.ended.get(id).copied();
        if unseen && task.is_none() && ended.is_none() {
            self.session.task = Some(Task::adopted(id, seen.message_ref, self.limit));
            return true;
        }
        if self.lost {
            return false;
        }
        // The client may answer it all the same.
        self.session.client.ask(tag, id);
        let ends = matches!(tag, "task_complete" | "turn_aborted");
        let (when, earlier) = match (ended, task) {
            (Some(ended), _) => (
                When::AfterEnd,
                Some((ended.message_ref, "the task ended here")),
            ),
            (None, Some(task)) => (
                When::InOther,
                Some((task.message_ref, "the other task began here")),
            ),
            (None, None) => (When::BeforeStart, None),
        };
        let name = Word::of(tag);
        let mut violation = if ends {
            // An input of no items completes at once from 0.41 on, whatever its id.
            let empty = tag == "task_complete"
                && seen
                    .message
                    .pointer("/msg/last_agent_message")
                    .is_some_and(View::is_null)
                && self.session.client.empty(id) != Some(false);
            let of = if empty { "empty" } else { tag };
            EndOutsideTask { tag: name, when }.at("/msg/type").of(of)
        } else {
            let aborted = ended.is_some_and(|ended| ended.aborted);
            let of = match aborted && tag != "exited_review_mode" {
                true => "aborted",
                false => tag,
            };
            OutsideTask { tag: name, when }.at("/msg/type").of(of)
        };
        if let Some((message_ref, what)) = earlier {
            violation = violation.earlier(message_ref, what);
        }
        out.push(violation);
        if tag == "entered_review_mode" {
            self.session.review = Some((id.to_owned(), seen.message_ref));
        } else if self.session.task.is_none() && ended.is_none() && !ends {
            self.session.task = Some(Task::adopted(id, seen.message_ref, self.limit));
            return true;
        }
        false
    }
}

rules! {
    CORE_OUTSIDE_TASK {
        summary: "Codex sends the events of a task between `task_started` and its end, with the \
            id of the task",
        id: "sequence/core-outside-task",
        about: BOTH,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: between(v(35), v(41)),
                of: &["entered_review_mode", "exited_review_mode"],
                level: None,
                seen: "Codex enters a review before it starts its task (0.36.0, 0.39.0, 0.40.0), \
                    and leaves an interrupted review after the end of its task (0.36.0)",
            },
            Exception {
                releases: since(v(35)),
                of: &["auto-compact"],
                level: None,
                seen: "from 0.36.0 on Codex compacts a long conversation in the middle of a task, \
                    under an id of its own (0.36.0, 0.39.0, 0.40.0, 0.42.0); 0.34.0 uses that of \
                    the task",
            },
            Exception {
                releases: since(v(40)),
                of: &["aborted"],
                level: Some(Severity::Note),
                seen: "after the client answers an approval with `abort`, the task continues: \
                    0.40.0 sends a token count, 0.42.0 may even request the next approval",
            },
        ],
        explanation: "A client shows such an event as part of the current task. Errors of starting \
            MCP servers belong to no task; this rule ignores them.",
        evidence: streams!("One stream of 0.42.0 continues after its end (see the exceptions), \
            and so does a public one of 0.40.0."),
    } => {
        OutsideTask { tag: Word, when: When }: "`{tag}` comes {when}",
        CompactOutsideTask { tag: Word, prefix: &'static str }: "`{tag}` of `{prefix}…` comes outside a task",
        IdOfCodex: "the id is that of a submission of Codex itself",
    }
    CORE_TASK_END {
        summary: "a task ends once, and after it was started",
        id: "sequence/core-task-end",
        about: EVENTS,
        exceptions: &[Exception {
            releases: since(v(41)),
            of: &["empty"],
            level: None,
            seen: "0.42.0 answers a `user_input` with empty `items` with `task_complete` and no \
                `task_started`, whatever its id",
        }],
        explanation: "`task_complete` or `turn_aborted` is the end. A client counts a task with a \
            second end twice; an end without a start closes a task that the client has not \
            opened.",
        evidence: queues!("603 ends; one of 0.42.0 is of an input with empty `items`."),
    } => {
        EndOutsideTask { tag: Word, when: When }: "`{tag}` comes {when}",
    }
}
