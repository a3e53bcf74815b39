//! Tracks the threads that a client sees: known, started, active or idle, closed.

use codex_wire_prefilter::View;

use super::evidence::{CODEX, NAMED, NOTIFICATIONS, RESOLVED, STATUS};
use super::state::{App, MessageContext};
use super::state::{StatusKind, Thread, ThreadStatus};
use crate::bounded_map::Id;
use crate::phrasing::{Word, shown};
use crate::rule::{Exception, Status};
use crate::rule_macros::{connected, connections, parts_of_tokens, rules};
use crate::sequence::value::{Counts, ListedCounts};
use crate::severity::Severity;
use crate::violation::{Broken, MessageRef};
use codex_wire_base::MessageSet;

impl ThreadStatus {
    fn of(value: View<'_>, message_ref: MessageRef) -> Option<Self> {
        let kind = match value.get_str("type")? {
            "active" => StatusKind::Active,
            "idle" => StatusKind::Idle,
            "systemError" => StatusKind::SystemError,
            "notLoaded" => StatusKind::NotLoaded,
            _ => StatusKind::Other,
        };
        let flags = value.get("activeFlags");
        let has = |name: &str| {
            let mut flags = flags.iter().flat_map(|flags| flags.elements());
            flags.any(|flag| flag.as_str() == Some(name))
        };
        Some(ThreadStatus {
            kind,
            waits: [has("waitingOnApproval"), has("waitingOnUserInput")],
            message_ref,
        })
    }
}

impl Thread {
    /// The client joins it, perhaps in the middle of a turn.
    pub(super) fn join(&mut self, serial: u64, in_the_middle: bool) {
        self.serial = serial;
        self.joined = in_the_middle;
        self.was_joined = true;
        self.running = None;
        self.status = None;
        self.pending.clear();
        self.interrupts = 0;
        self.interrupted = None;
        self.closed = None;
        self.begun.clear();
        self.unreported_items.clear();
    }

    /// The client names it: if it was closed, it may be open again.
    pub(super) fn reopen(&mut self, partial: bool) {
        if self.closed.take().is_some() || partial && self.started.is_none() {
            self.joined |= self.running.is_none();
            self.was_joined = true;
        }
    }

    /// What it counted is no longer so.
    pub(super) fn recount(&mut self) {
        self.tokens.clear();
    }
}

impl App {
    /// The thread of that id on the connection of the message, as it is known so far.
    pub(super) fn thread(&mut self, at: &MessageContext<'_, '_>, id: &str) -> &mut Thread {
        let slot = self.threads.find(&(at.wire.serial, id) as &dyn Id);
        let slot = slot.unwrap_or_else(|| {
            let key = (at.wire.serial, id.to_owned());
            let fresh = Thread {
                serial: self.next_serial(),
                lost: at.wire.lost,
                ..Thread::default()
            };
            self.threads.insert(key.clone(), fresh);
            self.threads.find(&key).expect("it was put there")
        });
        let missed = |thread: &Thread| thread.lost != at.wire.lost;
        if self.threads.at(slot).is_some_and(missed) {
            let serial = self.next_serial();
            if let Some(thread) = self.threads.at_mut(slot) {
                thread.lost = at.wire.lost;
                thread.join(serial, true);
                thread.recount();
            }
        }
        self.threads.at_mut(slot).expect("it was found")
    }

    /// The client, or Codex to the client, names a thread. Returns it.
    pub(super) fn know(&mut self, at: &MessageContext<'_, '_>, id: &str) -> &mut Thread {
        let connection = self.connection(at);
        match &connection.only_thread {
            None => connection.only_thread = Some(id.to_owned()),
            Some(only) if only != id => connection.is_mixed = true,
            Some(_) => {}
        }
        let thread = self.thread(at, id);
        thread.is_known = true;
        thread
    }

    /// The id of the thread a notification belongs to; `None` where it belongs to none that can
    /// be followed.
    pub(super) fn thread_of<'s>(&mut self, at: &mut MessageContext<'_, 's>) -> Option<&'s str> {
        let named = at.param("threadId");
        let Some(id) = named.and_then(View::as_str) else {
            if named.is_some() || at.seen.is_invalid {
                self.unread(at);
                return None;
            }
            // Up to 0.63.0 there is none. What is missing may have named several.
            let unsure = self.connection(at).is_mixed || at.wire.partial;
            return (!unsure).then_some("");
        };
        let partial = at.wire.partial || self.threads.forgot();
        let two_way = self.connection(at).is_two_way();
        let thread = self.thread(at, id);
        let closed = thread.closed.take();
        let is_new = !std::mem::replace(&mut thread.is_known, true);
        if is_new {
            thread.joined = true;
            thread.was_joined = true;
        }
        if let (Some(message_ref), true) = (closed, two_way) {
            let method = Word::of(at.method);
            let violation = AfterClosed { method }.at("/params/threadId");
            at.violation(violation.earlier(message_ref, "the thread was closed or deleted here"));
        }
        if is_new {
            let knows_starts = !self.is_silent(at, "thread/started");
            if knows_starts && !partial && at.method != "thread/status/changed" {
                let method = Word::of(at.method);
                at.violation(ThreadUnknown { method }.at("/params/threadId"));
            }
            self.know(at, id);
        }
        Some(id)
    }

    pub(super) fn thread_started(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some(id) = at.text("/params/thread/id") else {
            return self.unread(at);
        };
        let message_ref = at.seen.message_ref;
        let thread = self.know(at, id);
        thread.joined = false;
        if let Some(before) = thread.started.replace(message_ref) {
            let violation = ThreadStartedAgain.at("/params/thread/id");
            at.violation(violation.earlier(before, "the thread started here"));
        }
        self.another_started(at, id);
    }

    /// Another thread is started than the one that an answer named.
    fn another_started(&mut self, at: &mut MessageContext<'_, '_>, id: &str) {
        let sure = self.met == 1 && !at.wire.partial;
        let is_own = self.thread(at, id).is_own;
        let connection = self.connection(at);
        connection.awaited.retain(|(awaited, _)| awaited != id);
        let quiet = !connection.has_turns && connection.awaiting_start.is_empty();
        let Some((_, message_ref)) = connection
            .awaited
            .first()
            .filter(|_| sure && quiet && !is_own)
        else {
            return;
        };
        let message_ref = *message_ref;
        for (awaited, _) in std::mem::take(&mut connection.awaited) {
            self.thread(at, &awaited).is_own = false;
        }
        let violation = OtherThreadStarted.at("/params/thread/id");
        at.violation(violation.earlier(message_ref, "the response is here"));
    }

    pub(super) fn closes(&mut self, at: &mut MessageContext<'_, '_>) {
        if let Some(id) = self.thread_of(at) {
            let message_ref = at.seen.message_ref;
            let thread = self.thread(at, id);
            thread.running = None;
            thread.closed = Some(message_ref);
        }
    }

    pub(super) fn status(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some(id) = self.thread_of(at) else {
            return;
        };
        let message_ref = at.seen.message_ref;
        let status = at
            .value("/params/status")
            .and_then(|value| ThreadStatus::of(value, message_ref));
        let Some(status) = status else {
            return self.unread(at);
        };
        let serial = at.wire.serial;
        let thread = self.thread(at, id);
        let before = thread.status.replace(status.clone());
        let is_over = matches!(status.kind, StatusKind::Idle | StatusKind::SystemError);
        let waited = before
            .as_ref()
            .filter(|_| is_over && thread.pending.is_empty());
        if let Some(before) = waited.filter(|before| before.waits != [false; 2] && !thread.joined) {
            let violation = NoLongerWaits.at("/params/status");
            at.violation(violation.earlier(before.message_ref, "the status before is here"));
        }
        let thread = self.thread(at, id);
        let pending = thread.pending.clone();
        let joined = thread.joined;
        if let Some(before) = before
            && (before.kind, before.waits) == (status.kind, status.waits)
        {
            let of = match status.kind {
                StatusKind::NotLoaded => "notLoaded",
                _ => "other",
            };
            let violation = StatusRepeated.at("/params/status").of(of);
            at.violation(violation.earlier(before.message_ref, "the status before is here"));
        }
        if joined || status.kind != StatusKind::Active {
            return;
        }
        let open = pending
            .iter()
            .filter_map(|id| self.pending.get(&(serial, *id)));
        let forgotten = open
            .filter_map(|request| request.waits.map(|waits| (waits, request.message_ref)))
            .find(|(waits, _)| !status.waits[*waits as usize]);
        if let Some((waits, message_ref)) = forgotten {
            let violation = WaitForgotten { flag: waits.flag() }.at("/params/status");
            at.violation(violation.earlier(message_ref, "the request was sent here"));
        }
    }

    pub(super) fn tokens(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some(id) = self.thread_of(at) else {
            return;
        };
        let counted = |key: &str| {
            let counted = at.value("/params/tokenUsage")?.get(key)?;
            counted.is_object().then_some(counted)
        };
        let (Some(total), Some(last)) = (counted("total"), counted("last")) else {
            return self.unread(at);
        };
        let (total, last) = (ListedCounts::of(total), ListedCounts::of(last));
        for (counts, place) in [(&total, "total"), (&last, "last")] {
            for (part, whole) in counts.parts_beyond() {
                let pointer = format!("/params/tokenUsage/{place}/{part}");
                at.violation(PartBeyondWhole { part, whole }.at(pointer));
            }
        }
        let (counts, last) = (Counts::of(&total), Counts::of(&last));
        let all = "totalTokens";
        let now = counts.get(all);
        let before = std::mem::take(&mut self.thread(at, id).tokens);
        for (name, _, _) in before.falling(&total) {
            let pointer = format!("/params/tokenUsage/total/{}", shown(name));
            let name = Word::of(name);
            at.violation(TokensFall { name }.at(pointer));
        }
        self.thread(at, id).tokens = counts;
        let (Some(was), Some(now), Some(last)) = (before.get(all), now, last.get(all)) else {
            return;
        };
        if now > was && now != was.saturating_add(last) {
            let pointer = "/params/tokenUsage/total/totalTokens";
            at.violation(OtherSum.at(pointer));
        }
    }
}

rules! {
    APP_AFTER_CLOSED {
        summary: "Codex sends nothing about a thread after `thread/closed` or `thread/deleted`",
        id: "sequence/app-server-after-closed",
        about: NOTIFICATIONS,
        explanation: "The client deletes what it knows of the thread. If the client uses the thread \
            in a new request, Codex may send messages about it again.",
        evidence: connections!("12 threads are closed or deleted."),
    } => {
        AfterClosed { method: Word }: "`{method}` comes after its thread was closed or deleted",
    }
    APP_STATUS_REPEATED {
        summary: "`thread/status/changed` differs from the status before",
        id: "sequence/app-server-status-again",
        about: NOTIFICATIONS,
        status: Status::Advisory,
        releases: STATUS,
        exceptions: &[Exception {
            releases: STATUS,
            of: &["notLoaded"],
            level: Some(Severity::Note),
            seen: "from 0.111.0 to 0.125.0 an agent that is closed is `notLoaded` twice, and so \
                is a thread that is archived, in one of two recordings of 0.166.0",
        }],
        explanation: "The type or the flags differ. The first status after the client joins a thread \
            is accepted.",
        evidence: connections!("3,593 statuses; 4 come twice, and one in later recordings (see \
            the exception)."),
    } => {
        StatusRepeated: "the status of the thread is what it was before",
    }
    APP_THREAD_NOT_STARTED {
        summary: "after the response to `thread/start` or `thread/fork`, Codex sends \
            `thread/started` for that thread before its first turn completes",
        id: "sequence/app-server-thread-never-started",
        about: CODEX,
        explanation: "This is reported in two cases: a turn of the thread completes without \
            `thread/started`; or, before any turn or review on the connection, `thread/started` \
            names another thread. In other cases `thread/started` may still come. A response to \
            `turn/start` may come before `thread/started`, if the client sent `turn/start` at \
            once.",
        evidence: connected!("All 584 responses to `thread/start` and 40 to `thread/fork` are \
            followed by it in time, except for two clients that opted out. In recordings of \
            0.134.0 and 0.146.0 the response to `turn/start` comes in between, in one of 0.128.0 \
            `turn/started` as well."),
    } => {
        ThreadNotStarted: "`thread/started` has not come",
        OtherThreadStarted: "the response named another thread, which is not started",
    }
    APP_THREAD_STARTED_AGAIN {
        summary: "a thread is started once",
        id: "sequence/app-server-thread-started-again",
        about: NOTIFICATIONS,
        explanation: "A thread that is resumed is not started.",
        evidence: connections!("1,482 notifications; none breaks it."),
    } => {
        ThreadStartedAgain: "the thread is started a second time",
    }
    APP_THREAD_UNKNOWN {
        summary: "Codex introduces a thread before it sends anything else about it",
        id: "sequence/app-server-thread-unknown",
        about: NOTIFICATIONS,
        releases: NAMED,
        explanation: "A response, `thread/started`, a status or a request of the client introduces \
            it.",
        evidence: connections!("None breaks it."),
    } => {
        ThreadUnknown { method: Word }: "`{method}` belongs to a thread that no earlier message names",
    }
    APP_TOKENS_FALL {
        summary: "the token counts of a thread never decrease",
        id: "sequence/app-server-tokens-fall",
        about: NOTIFICATIONS,
        explanation: "`total` counts the whole thread, so clients compute differences. It restarts \
            after turns are reverted. Up to 0.86.0 it counts, during a review, what the reviewer has \
            used, from zero: 0.72.0 was asked, with a review after three turns.",
        evidence: connections!("3,381 counts of 0.72.0 and later; none breaks it."),
    } => {
        TokensFall { name: Word }: "`{name}` is less than it was before",
    }
    APP_TOKENS_PART {
        summary: "cached input tokens are not more than input tokens, and reasoning tokens are \
            not more than output tokens",
        id: "sequence/app-server-tokens-part",
        about: NOTIFICATIONS,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: parts_of_tokens!(),
        explanation: "Clients subtract cached tokens from input tokens to compute a price, and \
            reasoning tokens from output tokens to count the visible text. Here the result is \
            negative.",
        evidence: connected!("1,651 counts, each in total and of the last response of the model; \
            none breaks it."),
    } => {
        PartBeyondWhole { part: &'static str, whole: &'static str }: "`{part}` is more than `{whole}`",
    }
    APP_TOKENS_SUM {
        summary: "the total of tokens grows by the tokens of the last response of the model",
        id: "sequence/app-server-tokens-sum",
        about: NOTIFICATIONS,
        explanation: "`total.totalTokens` is unchanged, or grows by exactly `last.totalTokens`. \
            Otherwise a count is missing.",
        evidence: connections!("3,381 counts of 0.72.0 and later; only the first after a revert \
            does not, and is not checked; nor is the first in a review and after it, as up to 0.86.0 the \
            reviewer is counted from zero."),
    } => {
        OtherSum: "the total has not grown by the tokens of the last response",
    }
    APP_WAITING {
        summary: "while a request of Codex is open, the thread status has the flag \
            `waitingOnApproval` or `waitingOnUserInput`",
        id: "sequence/app-server-waiting",
        about: &[
            MessageSet::AppServerServerRequests,
            MessageSet::AppServerServerNotifications,
        ],
        releases: RESOLVED,
        explanation: "`waitingOnApproval` is for approvals and elicitations, `waitingOnUserInput` \
            for input. Codex sets the flag before the request. It clears it after \
            `serverRequest/resolved` and before `idle`.",
        evidence: connections!("245 requests of 0.111.0 and later; none breaks it. Only if a \
            request is open when the turn is interrupted, the thread goes from waiting to \
            `idle`."),
    } => {
        WaitNotShown { flag: &'static str }: "the status of the thread lacks `{flag}`",
        NoLongerWaits: "the thread reported until now that it waits, but the request was resolved",
        WaitForgotten { flag: &'static str }: "the thread no longer says `{flag}`, and the request is not resolved",
    }
}
