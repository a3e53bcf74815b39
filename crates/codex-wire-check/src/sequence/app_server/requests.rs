//! Tracks the requests of Codex to the client (approvals, input, tool calls) and their decisions.

use codex_wire_prefilter::View;

use super::evidence::{NAMED, NOTIFICATIONS, OLD_STARTS, RESOLVED, SERVER_REQUESTS};
use super::state::{App, MessageContext};
use super::state::{Decision, PendingRequest, UnreportedItem, Waits};
use super::thread::WaitNotShown;
use crate::bounded_map::{Id, short};
use crate::dialect::json_rpc::Kind;
use crate::phrasing::Word;
use crate::rule::{Exception, Status, between, v};
use crate::rule_macros::{connections, rules};
use crate::severity::Severity;
use crate::violation::Broken;
use codex_wire_base::MessageSet;

/// How many open questions of one thread are followed.
const MOST_ASKED: usize = 1024;

/// Questions that no `serverRequest/resolved` follows.
const NEVER_RESOLVED: [&str; 4] = [
    "account/chatgptAuthTokens/refresh",
    "attestation/generate",
    "currentTime/read",
    "item/tool/call",
];

impl Decision {
    fn of(decision: View<'_>) -> Self {
        match decision.as_str() {
            Some("accept" | "acceptForSession") => Decision::Accepted,
            Some("decline" | "cancel") => Decision::Declined,
            _ => Decision::Unsure,
        }
    }
}

impl App {
    /// A request of Codex.
    pub(super) fn ask(&mut self, at: &mut MessageContext<'_, '_>) {
        let message_ref = at.seen.message_ref;
        let Some(id) = at.value("/id").and_then(View::as_i64) else {
            return;
        };
        self.count(at, id);
        let named = at.text("/params/threadId").map(str::to_owned);
        let thread = named.and_then(|_| self.thread_of(at));
        let own = |pointer: &str| at.text(pointer).map(|id| short(id).into_owned());
        let request = PendingRequest {
            message_ref,
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
            self.pending.insert(key, request);
            return;
        };
        let (waits, turn, item) = (request.waits, request.turn.clone(), request.item.clone());
        if let Some(turn) = &turn {
            self.within(at, thread, turn, "question");
        }
        let silent = self.is_silent(at, "thread/status/changed") || at.wire.partial;
        let known = self.thread(at, thread);
        if waits.is_some() && known.pending.len() < MOST_ASKED && !known.pending.contains(&id) {
            known.pending.push(id);
        }
        let says = |waits: Waits| {
            let status = known.status.as_ref();
            status.is_some_and(|status| status.waits[waits as usize])
        };
        if let Some(waits) = waits.filter(|waits| !known.joined && !silent && !says(*waits)) {
            at.violation(WaitNotShown { flag: waits.flag() }.at("/method"));
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
            let pointer = match of {
                "dynamicToolCall" => "/params/callId",
                _ => "/params/itemId",
            };
            at.violation(ApprovalItemNotOpen.at(pointer).of(of));
            // If a later message may report the item, one has to.
            let rule = &APP_APPROVAL_ITEM;
            let later = rule.level_among(at.seen.releases.iter(), Some(of)) != Some(rule.level);
            let unreported_items = &mut self.thread(at, thread).unreported_items;
            if later && of == "commandExecution" && unreported_items.len() < MOST_ASKED {
                let is_extended = at
                    .value("/params/additionalPermissions")
                    .is_some_and(|permissions| !permissions.is_null());
                unreported_items.push(UnreportedItem {
                    turn,
                    item,
                    message_ref,
                    is_extended,
                });
            }
        }
        self.pending.insert(key, request);
    }

    /// Codex counts its requests.
    fn count(&mut self, at: &mut MessageContext<'_, '_>, id: i64) {
        let alone = self.met == 1;
        let partial = at.wire.partial;
        let connection = self.connection(at);
        let last = connection.last_id.replace(id);
        let unsure = std::mem::replace(&mut connection.unsure_of_id, false) || partial;
        at.violation(match last {
            Some(last) if id <= last => IdNotGreater.at("/id"),
            Some(last) if alone && !unsure && id != last + 1 => IdsMissing.at("/id"),
            None if alone && !unsure && id != 0 => FirstIdNotZero.at("/id"),
            _ => return,
        });
    }

    /// The client answers.
    pub(super) fn answered(&mut self, at: &mut MessageContext<'_, '_>) {
        let id = at.value("/id").and_then(View::as_i64);
        let message_ref = at.seen.message_ref;
        let alone = self.met == 1;
        let key = id.map(|id| (at.wire.serial, id));
        let Some(request) = key.and_then(|key| self.pending.get_mut(&key)) else {
            return;
        };
        if request.answered.is_some() || request.resolved.is_some() {
            return;
        }
        request.answered = Some(message_ref);
        let stops = ["/result/decision", "/result/action"]
            .into_iter()
            .any(|place| matches!(at.text(place), Some("cancel" | "abort")));
        let stopped = request.thread.clone().or(request.conversation.clone());
        let decision = at.value("/result/decision");
        let decided = match (at.call.kind, decision) {
            (Kind::Response, Some(decision)) => Decision::of(decision),
            _ => Decision::Unsure,
        };
        let about = (
            request.thread.clone(),
            request.turn.clone(),
            request.item.clone(),
        );
        // Of several clients another may have been faster.
        if let ((Some(thread), Some(turn), Some(item)), true) = (about, alone) {
            self.decide(at, &thread, &turn, &item, decided);
        }
        if let Some(thread) = stopped.filter(|_| stops) {
            self.thread(at, &thread).stopped = true;
        }
    }

    /// A turn ends: every item that needed an approval has been reported, unless the turn was
    /// interrupted.
    pub(super) fn heard_by_now(
        &mut self,
        at: &mut MessageContext<'_, '_>,
        thread: &str,
        turn: &str,
        status: &str,
    ) {
        let known = self.thread(at, thread);
        let serial = known.serial;
        for asked in std::mem::take(&mut known.unreported_items) {
            let known = self.turn(serial, turn).serial;
            let key = (known, asked.item.as_str());
            let is_unreported = self.items.get(&key as &dyn Id).is_none();
            if asked.turn == turn
                && is_unreported
                && status != "interrupted"
                && !self.items.forgot()
            {
                let violation = ApprovalItemMissing.at("/params/turn/id");
                let violation = match asked.is_extended {
                    true => violation.of("commandExecution with more permissions"),
                    false => violation,
                };
                at.violation(violation.earlier(asked.message_ref, "Codex asked for approval here"));
            }
        }
    }

    /// Codex says that a question is settled.
    pub(super) fn resolved(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some(thread) = self.thread_of(at) else {
            return;
        };
        let Some(id) = at.value("/params/requestId").and_then(View::as_i64) else {
            return;
        };
        let message_ref = at.seen.message_ref;
        let partial = at.wire.partial || self.pending.forgot();
        let serial = at.wire.serial;
        let known = self.thread(at, thread);
        known.pending.retain(|pending| *pending != id);
        let was_joined = known.was_joined;
        let pointer = "/params/requestId";
        let Some(request) = self.pending.get_mut(&(serial, id)) else {
            if !partial && !was_joined {
                at.violation(ResolvedUnasked.at(pointer));
            }
            return;
        };
        let (before, earlier) = (request.resolved.replace(message_ref), request.message_ref);
        let violation = if let Some(before) = before {
            ResolvedAgain
                .at(pointer)
                .earlier(before, "it was resolved here")
        } else if request.thread.as_deref() != Some(&*short(thread)) {
            ResolvedForOther
                .at(pointer)
                .earlier(earlier, "the request was sent here")
        } else if NEVER_RESOLVED.contains(&&*request.method) {
            let method = Word::of(&request.method);
            ResolvedByOther { method }
                .at(pointer)
                .earlier(earlier, "the request was sent here")
        } else {
            return;
        };
        at.violation(violation);
    }

    /// What was answered is resolved before the turn completes.
    pub(super) fn questions_at_end(&mut self, at: &mut MessageContext<'_, '_>, thread: &str) {
        let silent = self.is_silent(at, "serverRequest/resolved");
        let serial = at.wire.serial;
        for id in self.thread(at, thread).pending.clone() {
            let Some(request) = self.pending.get(&(serial, id)).filter(|_| !silent) else {
                continue;
            };
            if request.answered.is_some() {
                let method = Word::of(&request.method);
                let violation = NotResolved { method }.at("/params/turn/id");
                at.out
                    .push(violation.earlier(request.message_ref, "the request was sent here"));
            }
        }
    }
}

rules! {
    APP_APPROVAL_ITEM {
        summary: "Codex asks for approval only for an item that has started and not completed",
        id: "sequence/app-server-approval-item",
        about: &[
            MessageSet::AppServerServerRequests,
            MessageSet::AppServerServerNotifications,
        ],
        status: Status::Advisory,
        releases: NAMED,
        exceptions: &[
            Exception {
                releases: between(v(87), v(124)),
                of: &["commandExecution"],
                level: Some(Severity::Note),
                seen: "from 0.98.0 to 0.116.0 the command starts after the approval",
            },
            Exception {
                releases: between(v(115), v(118)),
                of: &["commandExecution with more permissions"],
                level: Some(Severity::Note),
                seen: "0.115.0 to 0.118.0 never report a command that got additional permissions, if \
                    the sandbox then refuses it at once",
            },
            Exception {
                releases: OLD_STARTS,
                of: &["dynamicToolCall"],
                level: None,
                seen: "0.98.0 sends no item for a client tool call",
            },
        ],
        explanation: "A client shows the command or the patch of the item that needs approval. This \
            is checked for commands, file changes and client tool calls. In releases that start \
            the command after the approval, `item/started` must come before the turn ends, \
            unless the turn is interrupted. It does not check requests for input or permissions, \
            because no item has their id, and `execCommandApproval` and `applyPatchApproval`, \
            which have ids of their own.",
        evidence: connections!("262 approvals; 50 of commands come before their item (see the \
            exceptions), and each of those items but one was started: that turn was interrupted. \
            14 client tool calls of 0.111.0 and later. Commands with additional permissions were \
            recorded afterwards, in 11 releases from 0.105.0 to 0.137.0."),
    } => {
        ApprovalItemNotOpen: "the item it asks about is not open",
        ApprovalItemMissing: "the item that needed an approval was never reported",
    }
    APP_NOT_RESOLVED {
        summary: "after the client answers a request of Codex, Codex sends \
            `serverRequest/resolved` before the turn completes",
        id: "sequence/app-server-never-resolved",
        about: NOTIFICATIONS,
        releases: RESOLVED,
        explanation: "`serverRequest/resolved` says to every client that the request is closed. \
            Codex does not send it for `item/tool/call`, `account/chatgptAuthTokens/refresh`, \
            `attestation/generate` and `currentTime/read`. A request without an answer is \
            resolved after the turn was interrupted.",
        evidence: connections!("245 requests of 0.111.0 and later; each that was answered is \
            resolved."),
    } => {
        NotResolved { method: Word }: "`{method}` was answered but is not resolved",
    }
    APP_RESOLVED_AGAIN {
        summary: "a request of Codex is resolved once",
        id: "sequence/app-server-resolved-again",
        about: NOTIFICATIONS,
        explanation: "Codex sends `serverRequest/resolved` once to each client.",
        evidence: connections!("245 requests."),
    } => {
        ResolvedAgain: "the request was resolved before",
    }
    APP_RESOLVED_UNASKED {
        summary: "`serverRequest/resolved` names a request that Codex sent for the same thread",
        id: "sequence/app-server-resolved-unasked",
        about: NOTIFICATIONS,
        explanation: "Codex sends it for approvals, input and elicitations, and not for \
            `item/tool/call`, `account/chatgptAuthTokens/refresh`, `attestation/generate` and \
            `currentTime/read`. A client that joins a thread late may not have received the \
            request.",
        evidence: connections!("245 requests."),
    } => {
        ResolvedUnasked: "no request with this id was sent",
        ResolvedForOther: "the request belongs to another thread, or to none",
        ResolvedByOther { method: Word }: "`{method}` is not resolved this way",
    }
    APP_SERVER_ID {
        summary: "Codex numbers its requests on a connection 0, 1, 2, …",
        id: "sequence/app-server-request-id",
        about: SERVER_REQUESTS,
        explanation: "A gap is a lost line. With several clients there can be gaps, because Codex \
            does not ask all of them; then each id is only greater than the one before. If you \
            recorded only one of several clients, use `--allow sequence/app-server-request-id`.",
        evidence: connections!("514 requests; none breaks it."),
    } => {
        IdNotGreater: "the id is not greater than that of the request before",
        IdsMissing: "ids in between are missing",
        FirstIdNotZero: "the first id is not 0",
    }
}
