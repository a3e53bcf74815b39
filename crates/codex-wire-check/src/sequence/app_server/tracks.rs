//! Tracks what starts, reports and ends beside the items: hooks, reviews of approvals, commands and
//! processes.

use super::evidence::NOTIFICATIONS;
use super::state::{App, MessageContext};
use crate::phrasing::Word;
use crate::rule::{since, v};
use crate::rule_macros::{connections, rules};
use crate::violation::Broken;

impl App {
    /// What a hook or a review of an approval is known by.
    fn track_of(&mut self, at: &mut MessageContext<'_, '_>) -> Option<(u64, String, bool)> {
        let thread = self.thread_of(at)?;
        let id = match at.text("/params/run/id") {
            Some(id) => format!("hook {id}"),
            None => format!("review {}", at.text("/params/targetItemId")?),
        };
        let partial = at.wire.partial;
        let known = self.thread(at, thread);
        Some((known.serial, id, known.was_joined || partial))
    }

    pub(super) fn track(&mut self, at: &mut MessageContext<'_, '_>) {
        // The end of a session is in no turn: with `thread/delete`, 0.169.0 makes up the name of one.
        let is_of_session = at.text("/params/run/eventName") == Some("sessionEnd");
        if at.text("/params/turnId").is_some() && !is_of_session {
            self.of_turn(at);
        }
        let Some((thread, id, _)) = self.track_of(at) else {
            return;
        };
        if let Some(before) = self.under_way.insert((thread, id), at.seen.message_ref) {
            let method = Word::of(at.method);
            let violation = TrackAgain { method }.at("/method");
            at.violation(violation.earlier(before, "it first came here"));
        }
    }

    pub(super) fn tracked(&mut self, at: &mut MessageContext<'_, '_>) {
        let started = match at.method {
            "hook/completed" => "hook/started",
            _ => "item/autoApprovalReview/started",
        };
        let silent = self.is_silent(at, started);
        let Some((thread, id, unseen)) = self.track_of(at) else {
            return;
        };
        let begun = self.under_way.remove(&(thread, id));
        if begun.is_none() && !unseen && !silent && !self.under_way.forgot() {
            at.violation(TrackNotStarted { started }.at("/method"));
        }
    }

    /// The client names a process that it begins.
    pub(super) fn begin_process(&mut self, at: &MessageContext<'_, '_>, id: &str) {
        let key = (at.wire.serial, id.to_owned());
        match at.method {
            "command/exec" => drop(self.under_way.insert(key, at.seen.message_ref)),
            "process/spawn" => drop(self.exited.remove(&key)),
            _ => {}
        }
    }

    /// `command/exec` is answered: it has ended.
    pub(super) fn end_command(&mut self, at: &MessageContext<'_, '_>, id: &str) {
        self.under_way.remove(&(at.wire.serial, id.to_owned()));
    }

    /// What a command or a process writes, and its exit.
    pub(super) fn output(&mut self, at: &mut MessageContext<'_, '_>) {
        if at.method == "command/exec/outputDelta" {
            let Some(id) = at.text("/params/processId") else {
                return;
            };
            let unseen = !self.connection(at).is_two_way() || at.wire.partial;
            let key = (at.wire.serial, id.to_owned());
            let runs = self.under_way.get(&key).is_some() || self.under_way.forgot();
            if !runs && !unseen {
                at.violation(NoCommandWaiting.at("/params/processId"));
            }
            return;
        }
        let Some(id) = at.text("/params/processHandle") else {
            return;
        };
        let key = (at.wire.serial, id.to_owned());
        if let Some(before) = self.exited.get(&key) {
            let method = Word::of(at.method);
            let violation = OutputAfterExit { method }.at("/params/processHandle");
            at.violation(violation.earlier(*before, "the process exited here"));
        } else if at.method == "process/exited" {
            self.exited.insert(key, at.seen.message_ref);
        }
    }
}

rules! {
    APP_HOOK_ORDER {
        summary: "Codex sends `hook/started` once before `hook/completed`, and \
            `item/autoApprovalReview/started` once before `item/autoApprovalReview/completed`",
        id: "sequence/app-server-hook-order",
        about: NOTIFICATIONS,
        releases: since(v(105)),
        explanation: "A hook is identified by `run.id`, and a review by `targetItemId`.",
        evidence: connections!("57 hooks and 9 reviews, of 0.116.0 and later."),
    } => {
        TrackAgain { method: Word }: "`{method}` comes a second time",
        TrackNotStarted { started: &'static str }: "`{started}` has not come before",
    }
    APP_OUTPUT_LATE {
        summary: "Codex sends `command/exec/outputDelta` only before the response to that \
            `command/exec`, and nothing of a process after its `process/exited`",
        id: "sequence/app-server-output-late",
        about: NOTIFICATIONS,
        explanation: "The response to `command/exec` ends the command, `process/exited` the process.",
        evidence: connections!("25 deltas of output of commands and 14 of processes, of 0.116.0 \
            and later."),
    } => {
        NoCommandWaiting: "no `command/exec` of this process is waiting for its answer",
        OutputAfterExit { method: Word }: "`{method}` comes after the process has exited",
    }
}
