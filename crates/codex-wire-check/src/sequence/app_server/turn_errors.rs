//! Checks what is reported of a turn beside its start and end: the status of its thread, and the `error` of
//! one that fails.

use codex_wire_prefilter::View;

use super::evidence::{NAMED, NOTIFICATIONS, OLD_STARTS, STATUS};
use super::state::{App, MessageContext, StatusKind};
use crate::rule::{Exception, Status, until, v};
use crate::rule_macros::{connections, rules};
use crate::sequence::value::digest_of;
use crate::severity::Severity;
use crate::violation::Broken;

impl App {
    /// The thread is idle, or in error, before its turn completes.
    pub(super) fn status_at_end(
        &mut self,
        at: &mut MessageContext<'_, '_>,
        thread: &str,
        failed: bool,
    ) {
        let silent = self.is_silent(at, "thread/status/changed") || at.wire.partial;
        let known = self.thread(at, thread);
        let Some(status) = known.status.as_ref().filter(|_| !known.joined) else {
            return;
        };
        let kind = status.kind;
        if silent {
            return;
        }
        if !matches!(kind, StatusKind::Idle | StatusKind::SystemError) {
            at.violation(ThreadNotIdle.at("/method").of(at.method));
        } else if (kind == StatusKind::SystemError) != failed {
            let place = "/params/turn/status";
            at.violation(match failed {
                true => FailedButIdle.at(place).of("idle"),
                false => SystemErrorWithoutFailure.at(place).of("systemError"),
            });
        }
    }

    /// A turn that fails has the error that was reported before.
    pub(super) fn error_reported(
        &mut self,
        at: &mut MessageContext<'_, '_>,
        thread: &str,
        id: &str,
        failed: bool,
    ) {
        let silent = self.is_silent(at, "error") || at.wire.partial;
        let known = self.thread(at, thread);
        let (serial, joined, running) = (known.serial, known.joined, known.running.clone());
        let last_error = known.last_error;
        let own = self.turn(serial, id).error;
        let other = self
            .running(serial, running.as_ref())
            .and_then(|turn| turn.error);
        let said = at
            .value("/params/turn/error")
            .filter(|error| !error.is_null());
        // Without a thread, errors name no turn.
        if silent || joined || thread.is_empty() {
            return;
        }
        // What else the client asked for may have failed, and the turn with it.
        let last_error =
            last_error.filter(|(_, before)| said.is_some_and(|error| *before == digest_of(error)));
        let place = "/params/turn/error";
        let violation = match (own.or(other), said) {
            (None, _) if failed && last_error.is_some() => return,
            (None, _) if failed => ErrorNotReported.at(place),
            (Some(_), _) if !failed => ErrorWithoutFailure.at(place),
            (Some((_, before)), Some(error)) if before != digest_of(error) => OtherError.at(place),
            _ => return,
        };
        let earlier = own.or(other).map(|(message_ref, _)| message_ref);
        at.violation(violation.earlier(earlier, "the `error` is here"));
    }

    pub(super) fn error(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some(thread) = self.thread_of(at) else {
            return;
        };
        let known = self.thread(at, thread);
        let (serial, running) = (known.serial, known.running.clone());
        let named = at.text("/params/turnId").map(str::to_owned);
        let id = named.or(running).unwrap_or_default();
        let message_ref = at.seen.message_ref;
        let retried = at.value("/params/willRetry").and_then(View::as_bool);
        // Releases that do not say so say nothing of what is tried again.
        let error = at.value("/params/error").filter(|_| retried == Some(false));
        let turn = self.turn(serial, &id);
        if retried != Some(false) {
            turn.retries += 1;
        }
        if let Some(error) = error {
            let reported = Some((message_ref, digest_of(error)));
            let before = std::mem::replace(&mut turn.error, reported);
            self.thread(at, thread).last_error = reported;
            if let Some((earlier, _)) = before {
                let violation = ErrorAgain.at("/params/turnId");
                at.violation(violation.earlier(earlier, "the `error` before is here"));
            }
        }
    }
}

rules! {
    APP_ERROR_REPORTED {
        summary: "before a turn fails, Codex sends exactly one `error` with `willRetry: false`, \
            and `turn/completed` repeats its error object",
        id: "sequence/app-server-error-reported",
        about: NOTIFICATIONS,
        releases: NAMED,
        explanation: "An `error` with `willRetry: false` ends its turn as `failed`. This `error` can \
            name another operation that the client requested at the same time: in 0.157.0, if \
            Codex refuses a voice conversation, the running turn fails.",
        evidence: connections!("All 155 failed turns of 0.72.0 and later respect it."),
    } => {
        ErrorAgain: "an `error` that is not tried again came for this turn before",
        ErrorNotReported: "no `error` has reported why the turn fails",
        ErrorWithoutFailure: "an `error` that is not tried again came before, and the turn has not failed",
        OtherError: "the `error` that came before is another one",
    }
    APP_STATUS_FAILED {
        summary: "the thread is in `systemError` when a turn fails, and `idle` when it ends \
            otherwise",
        id: "sequence/app-server-status-failed",
        about: NOTIFICATIONS,
        status: Status::Advisory,
        releases: STATUS,
        exceptions: &[Exception {
            releases: until(v(125)),
            of: &["systemError"],
            level: Some(Severity::Note),
            seen: "in 0.116.0 a `thread/rollback` that Codex refuses while a turn runs puts the \
                thread in `systemError`, and the turn completes; in 0.125.0 a `turn/start` without \
                input does, and the turn is interrupted",
        }],
        explanation: "The status comes before `turn/completed`.",
        evidence: connections!("1,412 turns of 0.105.0 and later; in later recordings two break \
            it (see the exception)."),
    } => {
        FailedButIdle: "the turn has failed, and the thread is `idle`",
        SystemErrorWithoutFailure: "the turn has not failed, but the thread is in `systemError`",
    }
    APP_STATUS_TURN {
        summary: "the thread is `active` before `turn/started`, and `idle` or in `systemError` before \
            `turn/completed`",
        id: "sequence/app-server-status-turn",
        about: NOTIFICATIONS,
        status: Status::Advisory,
        releases: STATUS,
        exceptions: &[Exception {
            releases: OLD_STARTS,
            of: &["turn/started"],
            level: Some(Severity::Note),
            seen: "in 0.105.0 `active` follows `turn/started`",
        }],
        explanation: "Codex sends the status to every client, also to clients that do not follow the \
            thread.",
        evidence: connections!("1,412 turns of 0.105.0 and later; only starts in 0.105.0 break it."),
    } => {
        ThreadNotActive: "the thread was not reported as `active`",
        ThreadNotIdle: "the thread was not reported as `idle` or `systemError`",
    }
}
