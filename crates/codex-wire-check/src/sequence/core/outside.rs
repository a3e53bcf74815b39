//! Checks which task an event belongs to.

use codex_wire_prefilter::View;

use super::session::EndOutsideTask;
use super::state::{Core, Ended};
use super::task::{OutsideTask, Task, When};
use crate::phrasing::Word;
use crate::sequence::machine::Observed;
use crate::violation::{Broken, Violation};

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
