//! Tracks what the client submits, and which events Codex has to send in return.

use codex_wire_prefilter::View;

use super::calls::Decision;
use super::evidence::{CLIENT, EVENTS, queues};
use crate::bounded_map::{BoundedMap, ID_BYTES};
use crate::phrasing::Word;
use crate::pointer::begin;
use crate::rule::{Exception, since, until, v};
use crate::rule_macros::rules;
use crate::sequence::machine::Observed;
use crate::sequence::value::digest;
use crate::violation::{Broken, MessageRef, Violation};
use crate::writer::Writer;

/// Events that answer a submission, and what they answer.
const REPLIES: [(&str, &str); 6] = [
    ("get_history_entry_response", "get_history_entry_request"),
    ("conversation_history", "get_history"),
    ("conversation_path", "get_path"),
    ("mcp_list_tools_response", "list_mcp_tools"),
    ("list_custom_prompts_response", "list_custom_prompts"),
    ("shutdown_complete", "shutdown"),
];

/// Approvals, by the event that asks for one and by the operation that answers.
const APPROVALS: [(&str, &str); 2] = [
    ("exec_approval_request", "exec_approval"),
    ("apply_patch_approval_request", "patch_approval"),
];

/// What an event answers, if it does.
pub(super) fn answers(tag: &str) -> Option<&'static str> {
    let found = REPLIES.iter().find(|(reply, _)| *reply == tag);
    found.map(|(_, op)| *op)
}

/// The client's side of a session.
#[derive(Debug)]
pub(super) struct Client {
    /// Whether any line of the client was seen.
    pub(super) seen: bool,
    /// Whether a line of the client was lost.
    pub(super) lost: bool,
    submitted: BoundedMap<String, Submitted>,
    /// Approvals that were asked for, by operation and id.
    asked: BoundedMap<(&'static str, String), Question>,
    /// Whether the client did something by which a task may be interrupted.
    stop: bool,
    shutdown: Option<MessageRef>,
    /// Ids of events that were reported as unknown.
    unknown: BoundedMap<String, ()>,
    /// An event before the first line of the client.
    early: Option<(MessageRef, String)>,
}

#[derive(Debug)]
struct Submitted {
    op: String,
    message_ref: MessageRef,
    replied: Option<MessageRef>,
    /// Whether Codex cannot have taken it.
    refused: bool,
    /// Whether Codex knows such a submission: all releases do, or the release is stated.
    expected: bool,
    /// Whether it is an input of no items, which from 0.41 on completes at once.
    empty: bool,
    /// Of a request for an entry of the history: which.
    entry: Option<u64>,
}

#[derive(Debug)]
struct Question {
    open: bool,
}

/// What an answer decides.
pub(super) struct Answer {
    pub(super) task: String,
    pub(super) decision: Decision,
}

impl Client {
    pub(super) fn new(limit: usize) -> Self {
        Client {
            seen: false,
            lost: false,
            submitted: BoundedMap::new(limit),
            asked: BoundedMap::new(limit),
            stop: false,
            shutdown: None,
            unknown: BoundedMap::new(limit),
            early: None,
        }
    }

    /// Whether all that the client wrote is known.
    pub(super) fn is_known(&self) -> bool {
        self.seen && !self.lost && !self.submitted.forgot()
    }

    /// A line of the client. Returns what it answers.
    pub(super) fn submit(
        &mut self,
        seen: &Observed<'_>,
        codex_lost: bool,
        out: &mut Vec<Violation>,
    ) -> Option<Answer> {
        let first = !self.seen;
        self.seen = true;
        // Codex refuses what it cannot read; nothing follows from that.
        let (id, op) = (seen.text("/id")?, begin(seen.text("/op/type")?, ID_BYTES));
        if let (Some((message_ref, of)), true) = (self.early.take(), first && !self.lost) {
            out.push(
                EventsBeforeClient
                    .at("/id")
                    .of(of)
                    .earlier(message_ref, "the first of them is here")
                    .blame(Writer::Codex),
            );
        }
        if let Some(message_ref) = self.shutdown {
            out.push(
                SubmittedAfterShutdown { op: Word::of(op) }
                    .at("/op/type")
                    .of(op)
                    .earlier(message_ref, "`shutdown` was submitted here"),
            );
        }
        let before = self.submitted.get(id).filter(|before| !before.refused);
        if let Some(before) = before {
            let violation = SubmissionIdAgain.at("/id").of(op);
            out.push(violation.earlier(before.message_ref, "the id was first used here"));
        }
        let items = seen.message.pointer("/op/items");
        let submitted = Submitted {
            op: op.to_owned(),
            message_ref: seen.message_ref,
            replied: None,
            refused: seen.is_invalid,
            expected: op == "get_history_entry_request" || seen.releases.is_settled(),
            empty: items.is_some_and(|items| items.is_array() && items.elements().next().is_none()),
            entry: entry(seen.message.get("op")),
        };
        self.submitted.insert(id.to_owned(), submitted);
        if seen.is_invalid {
            return None;
        }
        match op {
            "interrupt" => self.stop = true,
            "shutdown" => {
                self.stop = true;
                self.shutdown = Some(seen.message_ref);
            }
            _ => return self.answer(seen, op, codex_lost, out),
        }
        None
    }

    fn answer(
        &mut self,
        seen: &Observed<'_>,
        op: &str,
        codex_lost: bool,
        out: &mut Vec<Violation>,
    ) -> Option<Answer> {
        let (_, op) = APPROVALS.iter().find(|(_, answer)| *answer == op)?;
        let task = seen.text("/op/id")?;
        let decision = seen.text("/op/decision");
        self.stop |= decision == Some("abort");
        match self.asked.get_mut(&(*op, task.to_owned())) {
            Some(question) if question.open => question.open = false,
            known => {
                let violation = match known {
                    Some(_) => AnsweredAlready.at("/op/id"),
                    None => AnswerUnasked.at("/op/id"),
                };
                if !codex_lost && !self.asked.forgot() {
                    out.push(violation.of(*op));
                }
                return None;
            }
        }
        let decision = match decision {
            Some("approved" | "approved_for_session") => Decision::Run,
            Some("denied" | "abort") => Decision::Refused,
            _ => Decision::Unsure,
        };
        Some(Answer {
            task: task.to_owned(),
            decision,
        })
    }

    /// Codex asks the client, if that is what the event does.
    pub(super) fn ask(&mut self, tag: &str, id: &str) {
        if let Some((_, op)) = APPROVALS.iter().find(|(request, _)| *request == tag) {
            self.asked
                .insert((*op, id.to_owned()), Question { open: true });
        }
    }

    /// An event: its id belongs to a submission.
    pub(super) fn owns(
        &mut self,
        seen: &Observed<'_>,
        id: &str,
        of: &str,
        out: &mut Vec<Violation>,
    ) {
        if !self.seen && !self.lost && self.early.is_none() {
            self.early = Some((seen.message_ref, of.to_owned()));
        }
        let unknown = self.is_known() && self.submitted.get(id).is_none();
        if unknown && self.unknown.insert(id.to_owned(), ()).is_none() {
            out.push(IdUnknown.at("/id").of(of));
        }
    }

    /// Whether the client configured a session under that id; `None` if that is not known.
    pub(super) fn configured(&self, id: &str) -> Option<bool> {
        let asked = |before: &Submitted| before.op == "configure_session";
        self.is_known()
            .then(|| self.submitted.get(id).is_some_and(asked))
    }

    /// Whether an input of no items was submitted under that id; `None` if that is not known.
    pub(super) fn empty(&self, id: &str) -> Option<bool> {
        let empty = |before: &Submitted| before.empty;
        self.is_known()
            .then(|| self.submitted.get(id).is_some_and(empty))
    }

    /// A response belongs to one request, and comes once.
    pub(super) fn reply(
        &mut self,
        seen: &Observed<'_>,
        tag: &str,
        id: &str,
        out: &mut Vec<Violation>,
    ) {
        let Some(op) = answers(tag) else {
            return;
        };
        let known = self.is_known();
        let Some(before) = self.submitted.get_mut(id) else {
            // The unknown id is reported by another rule.
            return;
        };
        if before.op != op {
            if known {
                let op = Word::of(&before.op);
                out.push(
                    ReplyToOther {
                        tag: Word::of(tag),
                        op,
                    }
                    .at("/msg/type")
                    .of(tag)
                    .earlier(before.message_ref, "the client submitted it here"),
                );
            }
            return;
        }
        if let Some(message_ref) = before.replied {
            let violation = ReplyAgain { tag: Word::of(tag) }.at("/id").of(tag);
            out.push(violation.earlier(message_ref, "the first answer is here"));
        }
        before.replied = Some(seen.message_ref);
        let now = entry(seen.message.get("msg"));
        if before.entry.is_some() && now.is_some() && before.entry != now {
            let violation = OtherEntry.at("/msg/offset");
            out.push(violation.earlier(before.message_ref, "the client asked for it here"));
        }
    }

    /// A task is interrupted.
    pub(super) fn aborted(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        if seen.text("/msg/reason") != Some("interrupted") || !self.is_known() {
            return;
        }
        if !self.stop {
            out.push(AbortUnasked.at("/msg/reason"));
        }
        self.stop = self.shutdown.is_some();
    }

    /// The session is over: every request was answered.
    pub(super) fn end(&self, out: &mut Vec<Violation>) {
        let Some(shutdown) = self.shutdown else {
            return;
        };
        for (_, before) in self.submitted.iter() {
            let due = REPLIES.iter().any(|(_, op)| *op == before.op);
            let in_time = before.message_ref.message <= shutdown.message;
            let owed = due && in_time && before.expected && !before.refused;
            if owed && before.replied.is_none() {
                let op = Word::of(&before.op);
                out.push(
                    ReplyMissing { op }
                        .at("")
                        .of(&*before.op)
                        .earlier(before.message_ref, "the client submitted it here")
                        .blame(Writer::Codex),
                );
            }
        }
    }
}

/// Which entry of the history a request or its answer is about.
fn entry(of: Option<View<'_>>) -> Option<u64> {
    let of = of?;
    Some(digest(&(
        of.get("offset")?.as_u64()?,
        of.get("log_id")?.as_u64()?,
    )))
}

rules! {
    CORE_ABORT_UNASKED {
        summary: "a task is `interrupted` only after the client interrupts, shuts down, or answers \
            an approval with `abort`",
        id: "sequence/core-abort-unasked",
        about: EVENTS,
        releases: since(v(23)),
        explanation: "Codex does not interrupt a task by itself. Other reasons, `replaced` and \
            `review_ended`, are not checked, nor are recordings without the client's lines.",
        evidence: queues!("All 58 interruptions were requested."),
    } => {
        AbortUnasked: "the task is interrupted, but the client did not ask for it",
    }
    CORE_ANSWER_UNASKED {
        summary: "the client answers an approval once, and only one that Codex requested",
        id: "sequence/core-answer-unasked",
        about: CLIENT,
        explanation: "`op.id` is the id of the request event. `op.type` is `exec_approval` for \
            `exec_approval_request`, and `patch_approval` for `apply_patch_approval_request`. \
            Codex ignores an answer that it does not wait for. A late answer may also approve \
            the next request of the same task.",
        evidence: queues!("216 answers fit; those that do not were sent in tests."),
    } => {
        AnsweredAlready: "the approval was answered already",
        AnswerUnasked: "nothing was asked that this answers",
    }
    CORE_ID_UNKNOWN {
        summary: "the `id` of an event is the `id` of an earlier submission",
        id: "sequence/core-id-unknown",
        about: EVENTS,
        explanation: "Clients match events with submissions by this id. `session_configured` and \
            errors of starting MCP servers belong to no submission: their id is empty, and `0` \
            up to 0.21.0. From 0.36.0 on, Codex uses the ids `auto-compact-…` for its own \
            submissions. This is checked only if the client's lines are known.",
        evidence: queues!("8,435 events, 1,819 lines of the client; none breaks it."),
    } => {
        EventsBeforeClient: "events of a submission come before the client's first line",
        IdUnknown: "the id is not that of a submission",
    }
    CORE_REPLY_DIFFERS {
        summary: "`get_history_entry_response` is about the entry that the client requested",
        id: "sequence/core-reply-differs",
        about: EVENTS,
        explanation: "`offset` and `log_id` of the response equal those of the request. Otherwise \
            the client stores the text at the wrong entry.",
        evidence: queues!("112 responses were compared."),
    } => {
        OtherEntry: "the entry is not the one that was asked for",
    }
    CORE_REPLY_MISSING {
        summary: "a request is answered before the session is over",
        id: "sequence/core-reply-missing",
        about: EVENTS,
        exceptions: &[
            Exception {
                releases: until(v(22)),
                of: &["list_mcp_tools"],
                level: None,
                seen: "0.22.0 does not know it and does not answer",
            },
            Exception {
                releases: until(v(25)),
                of: &["list_custom_prompts"],
                level: None,
                seen: "0.23.0 and earlier do not know it and do not answer",
            },
            Exception {
                releases: until(v(23)),
                of: &["get_history"],
                level: None,
                seen: "0.23.0 and earlier do not know it and do not answer",
            },
            Exception {
                releases: since(v(35)),
                of: &["get_history"],
                level: None,
                seen: "0.36.0 and later have `get_path` instead and do not answer",
            },
            Exception {
                releases: until(v(34)),
                of: &["get_path"],
                level: None,
                seen: "0.34.0 and earlier do not know it and do not answer",
            },
        ],
        explanation: "Codex answers each request for the history, for tools and for prompts, and \
            each `shutdown`. A release does not answer a request that it does not know; if the \
            release is not stated, only `get_history_entry_request` is checked, which all \
            releases know. This is checked only if `shutdown_complete` shows that the session \
            reached its end.",
        evidence: queues!("All 758 requests that the release knows are answered."),
    } => {
        ReplyMissing { op: Word }: "`{op}` is never answered",
    }
    CORE_REPLY_UNASKED {
        summary: "an answer has the id of the submission that requested it, and comes once",
        id: "sequence/core-reply-unasked",
        about: EVENTS,
        explanation: "`get_history_entry_response`, `conversation_history`, `conversation_path`, \
            `mcp_list_tools_response`, `list_custom_prompts_response` and `shutdown_complete` \
            each answer one kind of submission. This is checked only if the client's lines are \
            known.",
        evidence: queues!("758 answers; none breaks it."),
    } => {
        ReplyToOther { tag: Word, op: Word }: "`{tag}` does not answer `{op}`",
        ReplyAgain { tag: Word }: "`{tag}` comes again for this submission",
    }
    CORE_SUBMISSION_ID_AGAIN {
        summary: "the client uses a new id for each submission",
        id: "sequence/core-submission-id-again",
        about: CLIENT,
        explanation: "Events carry the id of their submission. If two submissions have one id, the \
            client cannot tell their events apart. A submission that Codex could not read does \
            not count.",
        evidence: queues!("1,819 lines of the client; only tests use an id twice."),
    } => {
        SubmissionIdAgain: "the id of an earlier submission is used again",
    }
    CORE_SUBMITTED_AFTER_SHUTDOWN {
        summary: "the client submits nothing after `shutdown`",
        id: "sequence/core-submitted-after-shutdown",
        about: CLIENT,
        explanation: "Codex reads nothing after `shutdown` and sends no error.",
        evidence: queues!("None does so."),
    } => {
        SubmittedAfterShutdown { op: Word }: "`{op}` is submitted after `shutdown`",
    }
}
