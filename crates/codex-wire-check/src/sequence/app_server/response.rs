//! Reads from the client's requests and Codex's responses which threads and turns exist.

use codex_wire_prefilter::View;

use super::evidence::CODEX;
use super::state::Sent;
use super::state::{App, MessageContext};
use super::thread::ThreadNotStarted;
use crate::dialect::json_rpc::Kind;
use crate::phrasing::Word;
use crate::rule_macros::{connections, rules};
use crate::violation::{Broken, MessageRef};

/// Requests that end the turn that runs, or may.
const STOPS: [&str; 8] = [
    "interruptConversation",
    "thread/archive",
    "thread/delete",
    "thread/revert",
    "thread/rollback",
    "thread/unsubscribe",
    "turn/interrupt",
    "archiveConversation",
];

/// Requests that begin a task, instead of the one that runs.
const BEGINS: [&str; 4] = [
    "review/start",
    "thread/compact/start",
    "thread/shellCommand",
    "turn/start",
];

/// Requests whose answers matter.
const KEPT: [&str; 12] = [
    "command/exec",
    "newConversation",
    "resumeConversation",
    "review/start",
    "thread/fork",
    "thread/resume",
    "thread/revert",
    "thread/rollback",
    "thread/start",
    "thread/unsubscribe",
    "turn/interrupt",
    "turn/start",
];

/// How many open requests for a thread or a turn are followed.
const MOST_AWAITING: usize = 16;

impl App {
    /// A request or notification of the client.
    pub(super) fn of_client(&mut self, at: &mut MessageContext<'_, '_>) {
        let thread = at.text("/params/threadId");
        if let Some(id) = thread {
            let has_turn = at.method == "turn/interrupt" && at.call.kind == Kind::Request;
            let partial = at.wire.partial;
            let is_new = !self.thread(at, id).is_known;
            let thread = self.know(at, id);
            thread.reopen(partial || is_new);
            thread.interrupts += u32::from(has_turn);
            thread.called |= BEGINS.contains(&at.method) && at.method != "turn/start";
        }
        if let Some(id) = thread.or(at.text("/params/conversationId")) {
            let thread = self.thread(at, id);
            let replaces = thread.running.is_some() && BEGINS.contains(&at.method);
            thread.stopped |= replaces || STOPS.contains(&at.method);
        }
        let process = at
            .text("/params/processId")
            .or(at.text("/params/processHandle"));
        if let Some(process) = process {
            self.begin_process(at, process);
        }
        if at.method == "thread/search/stream" {
            self.search(at);
        }
        let known = thread.map(|id| self.thread(at, id));
        let busy = known.is_some_and(|known| known.running.is_some());
        // A review may begin a thread of its own, and agents do so within turns.
        self.connection(at).has_turns |= at.method == "review/start";
        if at.call.kind == Kind::Request && KEPT.contains(&at.method) {
            let sent = Sent {
                message_ref: at.seen.message_ref,
                thread: thread.map(str::to_owned),
                process: process.map(str::to_owned),
                busy,
            };
            self.sent.insert(at.number(), sent);
            self.await_start(at, thread);
        }
    }

    /// Where a thread or a turn is asked for, until the answer comes.
    fn await_start(&mut self, at: &MessageContext<'_, '_>, thread: Option<&str>) {
        if let Some(awaiting_start) = self.awaiting_start(at, thread)
            && awaiting_start.len() < MOST_AWAITING
        {
            awaiting_start.push(at.seen.message_ref);
        }
    }

    fn awaiting_start(
        &mut self,
        at: &MessageContext<'_, '_>,
        thread: Option<&str>,
    ) -> Option<&mut Vec<MessageRef>> {
        match (at.method, thread) {
            ("turn/start", Some(thread)) => Some(&mut self.thread(at, thread).awaiting_start),
            ("thread/start" | "thread/fork", _) => Some(&mut self.connection(at).awaiting_start),
            _ => None,
        }
    }

    /// A turn completes: by then what began it, and its thread, was answered.
    pub(super) fn answered_by_now(
        &mut self,
        at: &mut MessageContext<'_, '_>,
        thread: &str,
        turn: &str,
    ) {
        let unsure = at.wire.partial || thread.is_empty();
        let asked = self.connection(at).awaiting_start.first().copied();
        let known = self.thread(at, thread);
        let (serial, joined, is_own) = (known.serial, known.joined, known.is_own);
        let (began, before) = (known.started, known.awaiting_start.first().copied());
        let turn = self.turn(serial, turn);
        if unsure || joined {
            return;
        }
        let late = |asked: Option<MessageRef>, started: Option<MessageRef>| {
            asked.filter(|asked| started.is_some_and(|started| asked.message < started.message))
        };
        if let Some(message_ref) = late(before, turn.started).filter(|_| !turn.is_named) {
            let violation = TurnStartUnanswered.at("/params/turn/id");
            at.violation(violation.earlier(message_ref, "`turn/start` was sent here"));
        }
        if let Some(message_ref) = late(asked, began).filter(|_| !is_own) {
            let violation = ThreadRequestUnanswered.at("/params/threadId");
            at.violation(violation.earlier(message_ref, "the request was sent here"));
        }
    }

    /// A turn is over: by then Codex has reported a thread that the client began. It may do so after
    /// `turn/started`, if the client asked for the turn at once.
    pub(super) fn thread_reported(&mut self, at: &mut MessageContext<'_, '_>, thread: &str) {
        let silent = self.is_silent(at, "thread/started") || at.wire.partial;
        // Where notifications name no thread, there is one only.
        let only = self.connection(at).only_thread.clone();
        let (only, pointer) = match thread {
            "" => (only, "/method"),
            _ => (None, "/params/threadId"),
        };
        let known = self.thread(at, only.as_deref().unwrap_or(thread));
        if known.is_own && known.started.is_none() && !silent {
            known.is_own = false;
            at.violation(ThreadNotStarted.at(pointer));
        }
    }

    /// An answer of Codex.
    pub(super) fn response(&mut self, at: &mut MessageContext<'_, '_>) {
        if at.method == "thread/search/stream" {
            self.search_answered(at);
        }
        let request = at.call.request.map(|message_ref| message_ref.message);
        let sent = request.and_then(|message| self.sent.remove(&message));
        let result = at
            .value("/result")
            .filter(|_| at.call.kind == Kind::Response);
        if let Some(sent) = &sent {
            self.answers(at, sent, result);
        }
        let Some(result) = result else {
            return;
        };
        let thread = result.pointer("/thread/id").and_then(View::as_str);
        let Some(sent) = sent else {
            return self.unasked(at, result, thread);
        };
        if let Some(id) = result.get_str("conversationId") {
            self.conversation(at, id);
        }
        match (at.method, thread) {
            ("thread/start" | "thread/fork", Some(id)) => self.thread_begins(at, id),
            ("thread/resume", Some(id)) => {
                let serial = self.next_serial();
                // Older releases do not say in the answer that a turn runs.
                let runs = self.thread(at, id).running.is_some();
                let in_the_middle = runs || is_running(result.get("thread"));
                self.know(at, id).join(serial, in_the_middle);
            }
            ("review/start" | "turn/start", _) => self.turn_begins(at, &sent, result),
            _ => {}
        }
    }

    /// The answer to a request that was not seen: the client may have joined a thread by it, or
    /// left one.
    fn unasked(&mut self, at: &MessageContext<'_, '_>, result: View<'_>, thread: Option<&str>) {
        if at.call.request.is_some() {
            return;
        }
        if let Some(id) = thread {
            let serial = self.next_serial();
            let thread = self.know(at, id);
            // Of a new thread nothing has come before.
            let is_new = thread.status.is_none() && thread.running.is_none();
            thread.join(serial, !is_new || is_running(result.get("thread")));
            thread.recount();
        } else if result.get_str("status") == Some("unsubscribed") {
            self.unread(at);
        }
        if let Some(id) = result.get_str("conversationId") {
            self.conversation(at, id);
        }
    }

    /// A thread of the old API, which reports little about turns.
    fn conversation(&mut self, at: &MessageContext<'_, '_>, id: &str) {
        let serial = self.next_serial();
        let thread = self.know(at, id);
        thread.join(serial, true);
        thread.is_old = true;
        self.connection(at).is_mixed = true;
    }

    /// What any answer, also an error, means for what was asked.
    fn answers(&mut self, at: &MessageContext<'_, '_>, sent: &Sent, result: Option<View<'_>>) {
        if at.method == "command/exec"
            && let Some(process) = &sent.process
        {
            self.end_command(at, process);
        }
        if let Some(awaiting_start) = self.awaiting_start(at, sent.thread.as_deref()) {
            awaiting_start.retain(|asked| *asked != sent.message_ref);
        }
        let Some(id) = &sent.thread else {
            return;
        };
        let serial = self.next_serial();
        let message_ref = at.seen.message_ref;
        let thread = self.thread(at, id);
        match (at.method, result) {
            ("turn/interrupt", result) => {
                thread.interrupts = thread.interrupts.saturating_sub(1);
                if result.is_some() && thread.running.is_some() {
                    thread.interrupted = Some(message_ref);
                }
            }
            ("thread/unsubscribe", Some(_)) => thread.join(serial, true),
            ("thread/revert" | "thread/rollback", _) => thread.recount(),
            _ => {}
        }
    }

    /// The response that names the new thread of the client.
    fn thread_begins(&mut self, at: &mut MessageContext<'_, '_>, id: &str) {
        let thread = self.know(at, id);
        thread.joined = false;
        thread.is_own = true;
        if let Some(started) = thread.started {
            let method = Word::of(at.method);
            return at.violation(
                ThreadStartedEarly { method }
                    .at("/result/thread/id")
                    .earlier(started, "the thread started here"),
            );
        }
        let silent = self.is_silent(at, "thread/started");
        let message_ref = at.seen.message_ref;
        let awaited = &mut self.connection(at).awaited;
        if !silent && awaited.len() < MOST_AWAITING {
            awaited.push((id.to_owned(), message_ref));
        }
    }

    /// The response that names the turn that the client has begun.
    fn turn_begins(&mut self, at: &mut MessageContext<'_, '_>, sent: &Sent, result: View<'_>) {
        let Some(turn) = result.pointer("/turn/id").and_then(View::as_str) else {
            return;
        };
        let review = at.method == "review/start";
        let apart = result.get_str("reviewThreadId");
        let Some(thread) = apart.or(sent.thread.as_deref()) else {
            return;
        };
        let known = self.know(at, thread);
        let (serial, joined) = (known.serial, known.joined);
        let busy = sent.busy || known.running.is_some();
        if joined {
            self.renew(serial, turn);
        }
        let known = self.turn(serial, turn);
        known.review |= review;
        known.is_named = true;
        let is_next = !review && !busy && known.started.is_none() && known.ended.is_none();
        let early = known
            .started
            .filter(|started| started.message > sent.message_ref.message);
        // What is begun while a turn runs may join that one, but none that is over.
        let over = known
            .ended
            .filter(|ended| ended.message < sent.message_ref.message && !review);
        if let Some(ended) = over {
            let violation = NamesCompletedTurn.at("/result/turn/id");
            at.violation(violation.earlier(ended, "the turn completed here"));
        }
        if let (Some(started), false) = (early, review) {
            let violation = TurnStartedEarly.at("/result/turn/id");
            at.violation(violation.earlier(started, "the turn started here"));
        }
        let message_ref = at.seen.message_ref;
        let begun = &mut self.thread(at, thread).begun;
        if is_next && begun.len() < MOST_AWAITING {
            begun.push((turn.to_owned(), message_ref));
        }
        let begun = &mut self.connection(at).begun;
        if is_next && begun.len() < MOST_AWAITING {
            begun.push((turn.to_owned(), thread.to_owned(), message_ref));
        }
    }
}

/// Whether a turn of a thread runs, by what Codex says of the thread.
fn is_running(thread: Option<View<'_>>) -> bool {
    let Some(thread) = thread else {
        return false;
    };
    let status = thread
        .get("status")
        .and_then(|status| status.get_str("type"));
    let turns: Vec<View<'_>> = match thread.get("turns") {
        Some(turns) => turns.elements().collect(),
        None => Vec::new(),
    };
    let runs = |turn: &View<'_>| turn.get_str("status") == Some("inProgress");
    status == Some("active") || turns.iter().rev().take(16).any(runs)
}

rules! {
    APP_THREAD_STARTED_EARLY {
        summary: "`thread/started` follows the response to `thread/start` or `thread/fork`",
        id: "sequence/app-server-thread-started-early",
        about: CODEX,
        explanation: "The client learns the id of its thread from the response. For threads that \
            others start and for detached reviews, `thread/started` comes first.",
        evidence: connections!("All 1,472 responses come first."),
    } => {
        ThreadRequestUnanswered: "the request that began the thread is not answered yet",
        ThreadStartedEarly { method: Word }: "`thread/started` comes before the response to `{method}`",
    }
    APP_TURN_STARTED_EARLY {
        summary: "`turn/started` follows the response to `turn/start`",
        id: "sequence/app-server-turn-started-early",
        about: CODEX,
        explanation: "The client learns the id of its turn from the response. If no response comes, \
            that is reported at `turn/completed`.",
        evidence: connections!("All starts that the client requested follow the response."),
    } => {
        TurnStartUnanswered: "`turn/start` is not answered yet",
        NamesCompletedTurn: "the turn it names was completed before `turn/start` was sent",
        TurnStartedEarly: "`turn/started` comes before the response to `turn/start`",
    }
}
