//! Tracks the requests of Codex to the client (approvals, input, tool calls) and their decisions.

use codex_wire_program::View;

use super::{App, At, shown};
use crate::rpc::Kind;
use crate::rules;
use crate::sequence::{Breach, Id, Seat, short};

/// How many open questions of one thread are followed.
const MOST_ASKED: usize = 1024;

/// Questions that no `serverRequest/resolved` follows.
const NEVER_RESOLVED: [&str; 4] = [
    "account/chatgptAuthTokens/refresh",
    "attestation/generate",
    "currentTime/read",
    "item/tool/call",
];

/// A question.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) seat: Seat,
    /// What the status of the thread says while it waits.
    pub(super) waits: Option<Waits>,
    method: String,
    thread: Option<String>,
    turn: Option<String>,
    item: Option<String>,
    /// The conversation it is about, in the old API.
    conversation: Option<String>,
    answered: Option<Seat>,
    resolved: Option<Seat>,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    Approval,
    Input,
}

impl Waits {
    fn of(method: &str) -> Option<Waits> {
        Some(match method {
            "item/commandExecution/requestApproval"
            | "item/fileChange/requestApproval"
            | "item/permissions/requestApproval"
            | "mcpServer/elicitation/request" => Waits::Approval,
            "item/tool/requestUserInput" => Waits::Input,
            _ => return None,
        })
    }

    /// The flag in the status.
    pub(super) fn flag(self) -> &'static str {
        match self {
            Waits::Approval => "waitingOnApproval",
            Waits::Input => "waitingOnUserInput",
        }
    }
}

/// What the client decided about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Accepted,
    Declined,
    /// Both, or something else.
    Unsure,
}

impl Verdict {
    fn of(decision: View<'_>) -> Self {
        match decision.as_str() {
            Some("accept" | "acceptForSession") => Verdict::Accepted,
            Some("decline" | "cancel") => Verdict::Declined,
            _ => Verdict::Unsure,
        }
    }

    /// Whether an item that completes respects it.
    pub(super) fn judge(self, at: &mut At<'_, '_>, item: View<'_>) {
        let text = match (self, item.get_str("status")) {
            (Verdict::Declined, Some("completed")) => "the client declined it, and it was done",
            (Verdict::Accepted, Some("declined")) => "the client accepted it, and it is `declined`",
            _ => return,
        };
        at.breach(Breach::new(
            &rules::APP_DECISION,
            "/params/item/status",
            text,
        ));
    }
}

impl App {
    /// A request of Codex.
    pub(super) fn ask(&mut self, at: &mut At<'_, '_>) {
        let seat = at.seen.seat;
        let Some(id) = at.value("/id").and_then(View::as_i64) else {
            return;
        };
        self.count(at, id);
        let named = at.text("/params/threadId").map(str::to_owned);
        let thread = named.and_then(|_| self.thread_of(at));
        let own = |pointer: &str| at.text(pointer).map(|id| short(id).into_owned());
        let asked = Asked {
            seat,
            waits: Waits::of(at.method),
            method: at.method.to_owned(),
            turn: own("/params/turnId"),
            item: own("/params/itemId").or(own("/params/callId")),
            conversation: own("/params/conversationId"),
            thread: thread.map(|id| short(id).into_owned()),
            answered: None,
            resolved: None,
        };
        let key = (at.wire.serial, id);
        let Some(thread) = thread else {
            self.asked.insert(key, asked);
            return;
        };
        let (waits, turn, item) = (asked.waits, asked.turn.clone(), asked.item.clone());
        if let Some(turn) = &turn {
            self.within(at, thread, turn, "question");
        }
        let silent = self.is_silent(at, "thread/status/changed") || at.wire.partial;
        let known = self.thread(at, thread);
        if waits.is_some() && known.asked.len() < MOST_ASKED && !known.asked.contains(&id) {
            known.asked.push(id);
        }
        let says = |waits: Waits| {
            let status = known.status.as_ref();
            status.is_some_and(|status| status.waits[waits as usize])
        };
        if let Some(waits) = waits.filter(|waits| !known.joined && !silent && !says(*waits)) {
            let text = format!("the status of the thread does not say `{}`", waits.flag());
            at.breach(Breach::new(&rules::APP_WAITING, "/method", text));
        }
        let of = match at.method {
            "item/commandExecution/requestApproval" => Some("commandExecution"),
            "item/fileChange/requestApproval" => Some("fileChange"),
            "item/tool/call" => Some("dynamicToolCall"),
            _ => None,
        };
        if let (Some(of), Some(turn), Some(item)) = (of, turn, item)
            && self.is_open(at, thread, &turn, &item) == Some(false)
        {
            let text = "the item it asks about is not open";
            let rule = &rules::APP_APPROVAL_ITEM;
            let pointer = match of {
                "dynamicToolCall" => "/params/callId",
                _ => "/params/itemId",
            };
            at.breach(Breach::new(rule, pointer, text).of(of));
            // Where it may be told of later, it has to be.
            let later = rule.level_among(at.seen.releases.iter(), Some(of)) != Some(rule.level);
            let unheard = &mut self.thread(at, thread).unheard;
            if later && of == "commandExecution" && unheard.len() < MOST_ASKED {
                unheard.push((turn, item, seat));
            }
        }
        self.asked.insert(key, asked);
    }

    /// Codex counts its requests.
    fn count(&mut self, at: &mut At<'_, '_>, id: i64) {
        let alone = self.met == 1;
        let partial = at.wire.partial;
        let connection = self.connection(at);
        let last = connection.last_id.replace(id);
        let unsure = std::mem::replace(&mut connection.unsure_of_id, false) || partial;
        let text = match last {
            Some(last) if id <= last => "the id is not greater than that of the request before",
            Some(last) if alone && !unsure && id != last + 1 => "ids in between are missing",
            None if alone && !unsure && id != 0 => "the first id is not 0",
            _ => return,
        };
        at.breach(Breach::new(&rules::APP_SERVER_ID, "/id", text));
    }

    /// The client answers.
    pub(super) fn answered(&mut self, at: &mut At<'_, '_>) {
        let id = at.value("/id").and_then(View::as_i64);
        let seat = at.seen.seat;
        let alone = self.met == 1;
        let key = id.map(|id| (at.wire.serial, id));
        let Some(asked) = key.and_then(|key| self.asked.get_mut(&key)) else {
            return;
        };
        if asked.answered.is_some() || asked.resolved.is_some() {
            return;
        }
        asked.answered = Some(seat);
        let stops = ["/result/decision", "/result/action"]
            .into_iter()
            .any(|place| matches!(at.text(place), Some("cancel" | "abort")));
        let stopped = asked.thread.clone().or(asked.conversation.clone());
        let decision = at.value("/result/decision");
        let verdict = match (at.call.kind, decision) {
            (Kind::Response, Some(decision)) => Verdict::of(decision),
            _ => Verdict::Unsure,
        };
        let about = (asked.thread.clone(), asked.turn.clone(), asked.item.clone());
        // Of several clients another may have been faster.
        if let ((Some(thread), Some(turn), Some(item)), true) = (about, alone) {
            self.decide(at, &thread, &turn, &item, verdict);
        }
        if let Some(thread) = stopped.filter(|_| stops) {
            self.thread(at, &thread).stopped = true;
        }
    }

    /// A turn ends: what approvals were asked for in it was told of, but where it is interrupted.
    pub(super) fn heard_by_now(
        &mut self,
        at: &mut At<'_, '_>,
        thread: &str,
        turn: &str,
        status: &str,
    ) {
        let known = self.thread(at, thread);
        let serial = known.serial;
        for (of, item, seat) in std::mem::take(&mut known.unheard) {
            let known = self.turn(serial, turn).serial;
            let unheard = self.items.get(&(known, item.as_str()) as &dyn Id).is_none();
            if of == turn && unheard && status != "interrupted" && !self.items.forgot() {
                let text = "the item that an approval was asked for was never told of";
                let rule = &rules::APP_APPROVAL_ITEM;
                at.breach(Breach::new(rule, "/params/turn/id", text).earlier(seat));
            }
        }
    }

    /// Codex says that a question is settled.
    pub(super) fn resolved(&mut self, at: &mut At<'_, '_>) {
        let Some(thread) = self.thread_of(at) else {
            return;
        };
        let Some(id) = at.value("/params/requestId").and_then(View::as_i64) else {
            return;
        };
        let seat = at.seen.seat;
        let partial = at.wire.partial || self.asked.forgot();
        let serial = at.wire.serial;
        let known = self.thread(at, thread);
        known.asked.retain(|asked| *asked != id);
        let was_joined = known.was_joined;
        let unasked = &rules::APP_RESOLVED_UNASKED;
        let pointer = "/params/requestId";
        let Some(asked) = self.asked.get_mut(&(serial, id)) else {
            if !partial && !was_joined {
                let text = "no request with this id was sent";
                at.breach(Breach::new(unasked, pointer, text));
            }
            return;
        };
        let (before, earlier) = (asked.resolved.replace(seat), asked.seat);
        let breach = if let Some(before) = before {
            let text = "the request was resolved before";
            Breach::new(&rules::APP_RESOLVED_AGAIN, pointer, text).earlier(before)
        } else if asked.thread.as_deref() != Some(&*short(thread)) {
            let text = "the request belongs to another thread, or to none";
            Breach::new(unasked, pointer, text).earlier(earlier)
        } else if NEVER_RESOLVED.contains(&&*asked.method) {
            let text = format!("`{}` is not resolved this way", shown(&asked.method));
            Breach::new(unasked, pointer, text).earlier(earlier)
        } else {
            return;
        };
        at.breach(breach);
    }

    /// What was answered is resolved before the turn completes.
    pub(super) fn questions_at_end(&mut self, at: &mut At<'_, '_>, thread: &str) {
        let silent = self.is_silent(at, "serverRequest/resolved");
        let serial = at.wire.serial;
        for id in self.thread(at, thread).asked.clone() {
            let Some(asked) = self.asked.get(&(serial, id)).filter(|_| !silent) else {
                continue;
            };
            if asked.answered.is_some() {
                let text = format!(
                    "`{}` was answered and is not resolved",
                    shown(&asked.method)
                );
                let rule = &rules::APP_NOT_RESOLVED;
                at.out
                    .push(Breach::new(rule, "/params/turn/id", text).earlier(asked.seat));
            }
        }
    }
}
