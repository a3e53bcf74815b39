//! Tracks turns: started, in progress, completed.

use super::evidence::{CODEX, ENDS, NAMED, NOTIFICATIONS, OLD_STARTS};
use super::state::StatusKind;
use super::state::{App, MessageContext};
use super::turn_errors::ThreadNotActive;
use crate::bounded_map::{Id, short};
use crate::rule::{Exception, Status, since, v};
use crate::rule_macros::{connected, connections, rules};
use crate::severity::Severity;
use crate::violation::Broken;

/// How long an id is that no two threads share.
const LENGTH_OF_UUID: usize = 36;

impl App {
    pub(super) fn turn_started(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some(id) = at.text("/params/turn/id") else {
            return self.unread(at);
        };
        let Some(thread) = self.thread_of(at) else {
            return;
        };
        let message_ref = at.seen.message_ref;
        if at
            .text("/params/turn/status")
            .is_some_and(|status| status != "inProgress")
        {
            at.violation(StartedNotInProgress.at("/params/turn/status"));
        }
        let silent = self.is_silent(at, "thread/status/changed") || at.wire.partial;
        let known = self.thread(at, thread);
        let serial = known.serial;
        let joined = std::mem::replace(&mut known.joined, false);
        let status = known.status.as_ref().map(|status| status.kind);
        let kept = short(id);
        let before = known.running.replace(kept.clone().into_owned());
        known.interrupted = None;
        let runs = before.as_ref().filter(|before| **before != *kept);
        let runs = self.running(serial, runs).and_then(|turn| turn.started);
        if let (Some(message_ref), false) = (runs, joined) {
            // If items name no turn, they could belong to either of the two.
            self.connection(at).is_mixed |= thread.is_empty();
            let violation = TurnOverlap.at("/params/turn/id");
            at.violation(violation.earlier(message_ref, "the turn before started here"));
        }
        let unsaid = status != Some(StatusKind::Active) && !joined && !thread.is_empty();
        if unsaid && !silent {
            at.violation(ThreadNotActive.at("/method").of(at.method));
        }
        if joined {
            self.renew(serial, id);
        }
        self.connection(at).has_turns = true;
        self.as_named(at, thread, id, joined);
        let turn = self.turn(serial, id);
        if let Some(before) = turn.started {
            let violation = TurnStartedAgain.at("/params/turn/id");
            at.violation(violation.earlier(before, "the turn started here"));
        } else {
            turn.started = Some(message_ref);
        }
    }

    /// The turn is the one that the response to the client named.
    fn as_named(&mut self, at: &mut MessageContext<'_, '_>, thread: &str, id: &str, joined: bool) {
        let unsure = joined || at.wire.partial || self.turns.forgot();
        let serial = self.thread(at, thread).serial;
        let is_named = self.turn(serial, id).is_named;
        let known = self.thread(at, thread);
        let begun = std::mem::take(&mut known.begun);
        let called = std::mem::replace(&mut known.called, false);
        known.moves |= begun.is_empty() && !is_named && !called;
        let moves = known.moves;
        self.elsewhere(at, thread, id, unsure || is_named);
        let others = begun.iter().all(|(turn, _)| turn != id);
        if let Some((_, message_ref)) = begun.first().filter(|_| others && !is_named)
            && !unsure
            && !moves
        {
            let violation = OtherTurnNamed.at("/params/turn/id");
            at.violation(violation.earlier(*message_ref, "`turn/start` was answered here"));
        }
    }

    /// The turn was not begun for another thread. Ids that are only numbers say nothing of that.
    fn elsewhere(
        &mut self,
        at: &mut MessageContext<'_, '_>,
        thread: &str,
        id: &str,
        is_fine: bool,
    ) {
        let begun = &mut self.connection(at).begun;
        let place = begun.iter().position(|(turn, ..)| turn == id);
        let Some((_, other, message_ref)) = place.map(|place| begun.remove(place)) else {
            return;
        };
        if other != thread && !is_fine && id.len() >= LENGTH_OF_UUID {
            let violation = NamedForOtherThread.at("/params/threadId");
            at.violation(violation.earlier(message_ref, "`turn/start` was answered here"));
        }
    }

    pub(super) fn turn_completed(&mut self, at: &mut MessageContext<'_, '_>) {
        let (Some(id), Some(status)) = (at.text("/params/turn/id"), at.text("/params/turn/status"))
        else {
            return self.unread(at);
        };
        let Some(thread) = self.thread_of(at) else {
            return;
        };
        let failed = status == "failed";
        let said = at
            .value("/params/turn/error")
            .filter(|error| !error.is_null());
        if status == "inProgress" {
            at.violation(CompletedInProgress.at("/params/turn/status"));
        }
        if failed != said.is_some() {
            let place = "/params/turn/error";
            at.violation(match failed {
                true => FailedWithoutError.at(place),
                false => ErrorWithoutFailure.at(place),
            });
        }
        let serial = self.thread(at, thread).serial;
        if let Some(before) = self.turn(serial, id).ended {
            return at.violation(
                TurnEndedAgain
                    .at("/params/turn/id")
                    .earlier(before, "the turn completed here"),
            );
        }
        self.thread_reported(at, thread);
        self.not_started(at, thread, id);
        self.answered_by_now(at, thread, id);
        self.status_at_end(at, thread, failed);
        self.error_reported(at, thread, id, failed);
        self.open_at_end(at, serial, id, status);
        self.questions_at_end(at, thread);
        self.interrupted(at, thread, status);
        self.has_cause(at, thread, id, status);
        self.heard_by_now(at, thread, id, status);
        let message_ref = at.seen.message_ref;
        let turn = self.turn(serial, id);
        turn.ended = Some(message_ref);
        let review = turn.review;
        let known = self.thread(at, thread);
        known.last = Some(short(id).into_owned());
        let runs = known.running.take();
        // A review has ended the turn that was started for it.
        if let Some(other) = runs.filter(|other| **other != *short(id)) {
            let turn = self.turn(serial, &other);
            if review || turn.review {
                turn.ended = Some(message_ref);
            } else {
                self.thread(at, thread).running = Some(other);
            }
        }
    }

    /// A turn that completes was started.
    fn not_started(&mut self, at: &mut MessageContext<'_, '_>, thread: &str, id: &str) {
        let silent = self.is_silent(at, "turn/started") || at.wire.partial || self.turns.forgot();
        let known = self.thread(at, thread);
        let (serial, joined, running) = (known.serial, known.joined, known.running.clone());
        let turn = self.turn(serial, id);
        let in_review = turn.review && running.is_some();
        let is_named = turn.is_named;
        if turn.started.is_some() || joined || silent || in_review {
            return;
        }
        let of = match at.text("/params/turn/status") {
            Some("interrupted") => "interrupted",
            _ if is_named || self.is_named_of_only(at, thread, id) => "named",
            _ => "turns that no response named",
        };
        at.violation(TurnNeverStarted.at("/params/turn/id").of(of));
    }

    /// Whether an answer has named the turn, where notifications name no thread.
    fn is_named_of_only(&mut self, at: &MessageContext<'_, '_>, thread: &str, id: &str) -> bool {
        let connection = self.connection(at);
        let only = connection.only_thread.clone();
        let Some(only) = only.filter(|_| thread.is_empty() && !connection.is_mixed) else {
            return false;
        };
        let serial = self.thread(at, &only).serial;
        let turn = self.turns.get(&(serial, id) as &dyn Id);
        turn.is_some_and(|turn| turn.is_named)
    }

    /// An interrupted turn ends after the answer that says so, and such an answer ends it.
    fn interrupted(&mut self, at: &mut MessageContext<'_, '_>, thread: &str, status: &str) {
        let known = self.thread(at, thread);
        let (waiting, joined) = (known.interrupts, known.joined);
        let answered = known.interrupted.take();
        if status == "interrupted" && waiting > 0 && !joined && answered.is_none() {
            at.violation(InterruptUnanswered.at("/params/turn/status"));
        }
        if let (Some(message_ref), true) = (answered, status != "interrupted") {
            let violation = NotInterrupted.at("/params/turn/status");
            at.violation(violation.earlier(message_ref, "`turn/interrupt` was answered here"));
        }
    }

    /// A turn is interrupted by something that the client did.
    fn has_cause(&mut self, at: &mut MessageContext<'_, '_>, thread: &str, id: &str, status: &str) {
        let alone = self.met == 1 && !at.wire.partial && self.connection(at).is_two_way();
        let known = self.thread(at, thread);
        let (serial, joined, is_old) = (known.serial, known.joined, known.is_old);
        let stopped = std::mem::replace(&mut known.stopped, false);
        let is_own = is_old || self.turn(serial, id).is_named;
        if status == "interrupted" && is_own && alone && !joined && !stopped {
            at.violation(InterruptWithoutCause.at("/params/turn/status"));
        }
    }
}

rules! {
    APP_INTERRUPT {
        summary: "Codex answers `turn/interrupt` before it completes the turn, and the turn ends \
            as `interrupted`",
        id: "sequence/app-server-interrupt",
        about: CODEX,
        releases: NAMED,
        explanation: "Otherwise a client that waits for the response may read this end as the end of \
            the next turn. Turns that are interrupted without such a request are not checked: a \
            cancelled approval interrupts a turn too.",
        evidence: connections!("65 responses to `turn/interrupt`; none breaks it."),
    } => {
        InterruptUnanswered: "`turn/interrupt` is not answered, but the turn is completed",
        NotInterrupted: "`turn/interrupt` was answered, but the turn is not `interrupted`",
    }
    APP_INTERRUPT_CAUSE {
        summary: "a turn that the client started is `interrupted` only after the client sent \
            something that interrupts it",
        id: "sequence/app-server-interrupt-cause",
        about: NOTIFICATIONS,
        releases: NAMED,
        explanation: "These interrupt a turn: `turn/interrupt`, the old `interruptConversation`, \
            `cancel` or `abort` as the response to an approval or elicitation, requests that end \
            the thread or revert turns, and requests that start another task while the turn \
            runs. This is not checked if the recording has several clients, or for turns that \
            the client did not request, such as those of other agents. If you recorded only one \
            of several clients, use `--allow sequence/app-server-interrupt-cause`.",
        evidence: connected!("49 turns are interrupted, each for one of these reasons."),
    } => {
        InterruptWithoutCause: "the client has done nothing that interrupts the turn",
    }
    APP_TURN_ENDED_AGAIN {
        summary: "a turn completes once",
        id: "sequence/app-server-turn-ended-again",
        about: NOTIFICATIONS,
        explanation: "Up to 0.98.0 the numbers of turns start again when a thread is resumed, which \
            is allowed.",
        evidence: connections!("1,828 turns."),
    } => {
        TurnEndedAgain: "the turn is completed a second time",
    }
    APP_TURN_ERROR {
        summary: "`turn/completed` has an `error` if the turn failed, and only then",
        id: "sequence/app-server-turn-error",
        about: NOTIFICATIONS,
        explanation: "Some clients read `status`, others read `error`.",
        evidence: connections!("1,828 turns; none breaks it."),
    } => {
        FailedWithoutError: "the turn has failed, but no `error` is given",
        ErrorWithoutFailure: "an `error` is given, and the turn has not failed",
    }
    APP_TURN_NAMED {
        summary: "`turn/started` has the turn id from the response to `turn/start`",
        id: "sequence/app-server-turn-named",
        about: CODEX,
        releases: NAMED,
        explanation: "This is not checked if the client sent `turn/start` while a turn ran (up to \
            0.156.0 the response then names a turn that may never start), or if Codex itself \
            starts turns on that thread (goals, queues, agents).",
        evidence: connected!("836 responses to `turn/start`; wherever a turn starts after one, \
            without another running, it is the one named. 8 were requested while a turn ran, 3 \
            never started, and two clients opted out."),
    } => {
        OtherTurnNamed: "`turn/start` was answered with another turn",
        NamedForOtherThread: "`turn/start` was answered with this turn for another thread",
    }
    APP_TURN_NEVER_STARTED {
        summary: "a turn that completes was started",
        id: "sequence/app-server-turn-never-started",
        about: NOTIFICATIONS,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: OLD_STARTS,
                of: &["interrupted", "turns that no response named"],
                level: Some(Severity::Note),
                seen: "a compaction that the client requests completes without a start in 0.98.0 \
                    and 0.105.0; so do turns of agents that others start, in 0.105.0. Turns that \
                    a response named were all started",
            },
            Exception {
                releases: since(v(142)),
                of: &["interrupted"],
                level: Some(Severity::Note),
                seen: "in 0.151.0 a turn is interrupted before it starts when its thread is deleted",
            },
        ],
        explanation: "The end of a review has the id from the response to `review/start`; its \
            `turn/started` has another id, which is allowed. Conversations of the old API have \
            no starts and are not checked.",
        evidence: connections!("1,828 turns; 2 of those that are checked, and one in later \
            recordings, have no start."),
    } => {
        TurnNeverStarted: "the turn was not started",
    }
    APP_TURN_OVERLAP {
        summary: "a turn starts only after the previous turn of the thread has completed",
        id: "sequence/app-server-turn-overlap",
        about: NOTIFICATIONS,
        releases: ENDS,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: OLD_STARTS,
            of: &[],
            level: Some(Severity::Note),
            seen: "up to 0.105.0 a turn that is requested while another one runs starts and \
                never completes",
        }],
        explanation: "A thread has one turn at a time. What a client sends in between becomes part \
            of the running turn.",
        evidence: connections!("1,906 turns; 5 overlap."),
    } => {
        TurnOverlap: "the turn before has not completed",
    }
    APP_TURN_STARTED_AGAIN {
        summary: "a turn is started once",
        id: "sequence/app-server-turn-started-again",
        about: NOTIFICATIONS,
        explanation: "Up to 0.98.0 the numbers of turns start again when a thread is resumed, which \
            is allowed.",
        evidence: connections!("1,906 turns."),
    } => {
        TurnStartedAgain: "the turn is started a second time",
    }
    APP_TURN_STATUS {
        summary: "a turn is `inProgress` in `turn/started` and not `inProgress` in \
            `turn/completed`",
        id: "sequence/app-server-turn-status",
        about: NOTIFICATIONS,
        explanation: "It ends as `completed`, `interrupted` or `failed`.",
        evidence: connections!("1,906 starts and 1,828 ends; none breaks it."),
    } => {
        StartedNotInProgress: "a turn that is started is not `inProgress`",
        CompletedInProgress: "a turn that is completed is `inProgress`",
    }
}
