//! Tracks what the client submits, and which events Codex has to send in return.

use codex_wire_prefilter::View;

use super::calls::Decision;
use super::evidence::{CLIENT, EVENTS, queues};
use crate::bounded_map::{BoundedMap, ID_BYTES};
use crate::phrasing::shown;
use crate::pointer::begin;
use crate::rule::{Exception, rules, since, until, v};
use crate::sequence::machine::Observed;
use crate::sequence::value::digest;
use crate::violation::{MessageRef, Violation};
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
    /// Ids of events that were told of as unknown.
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
            let text = "events of a submission come before the client's first line";
            out.push(
                Violation::new(&CORE_ID_UNKNOWN, "/id", text)
                    .of(of)
                    .earlier(message_ref)
                    .blame(Writer::Codex),
            );
        }
        if let Some(message_ref) = self.shutdown {
            let text = format!("`{}` is submitted after `shutdown`", shown(op));
            let rule = &CORE_SUBMITTED_AFTER_SHUTDOWN;
            out.push(
                Violation::new(rule, "/op/type", text)
                    .of(op)
                    .earlier(message_ref),
            );
        }
        let before = self.submitted.get(id).filter(|before| !before.refused);
        if let Some(before) = before {
            let text = "the id of an earlier submission is used again";
            let rule = &CORE_SUBMISSION_ID_AGAIN;
            out.push(
                Violation::new(rule, "/id", text)
                    .of(op)
                    .earlier(before.message_ref),
            );
        }
        let items = seen.message.pointer("/op/items");
        let submitted = Submitted {
            op: op.to_owned(),
            message_ref: seen.message_ref,
            replied: None,
            refused: seen.misshaped,
            expected: op == "get_history_entry_request" || seen.releases.is_settled(),
            empty: items.is_some_and(|items| items.is_array() && items.elements().next().is_none()),
            entry: entry(seen.message.get("op")),
        };
        self.submitted.insert(id.to_owned(), submitted);
        if seen.misshaped {
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
                let text = match known {
                    Some(_) => "the approval was answered already",
                    None => "nothing was asked that this answers",
                };
                if !codex_lost && !self.asked.forgot() {
                    let rule = &CORE_ANSWER_UNASKED;
                    out.push(Violation::new(rule, "/op/id", text).of(*op));
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
            let text = "the id is not that of a submission";
            out.push(Violation::new(&CORE_ID_UNKNOWN, "/id", text).of(of));
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

    /// An answer to a request: it was asked for, once.
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
        let rule = &CORE_REPLY_UNASKED;
        let Some(before) = self.submitted.get_mut(id) else {
            // That the id is unknown is told of as such.
            return;
        };
        if before.op != op {
            if known {
                let text = format!("`{tag}` does not answer `{}`", shown(&before.op));
                out.push(
                    Violation::new(rule, "/msg/type", text)
                        .of(tag)
                        .earlier(before.message_ref),
                );
            }
            return;
        }
        if let Some(message_ref) = before.replied {
            let text = format!("`{tag}` comes again for this submission");
            out.push(
                Violation::new(rule, "/id", text)
                    .of(tag)
                    .earlier(message_ref),
            );
        }
        before.replied = Some(seen.message_ref);
        let now = entry(seen.message.get("msg"));
        if before.entry.is_some() && now.is_some() && before.entry != now {
            let text = "the entry is not the one that was asked for";
            let rule = &CORE_REPLY_DIFFERS;
            out.push(Violation::new(rule, "/msg/offset", text).earlier(before.message_ref));
        }
    }

    /// A task is interrupted.
    pub(super) fn aborted(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        if seen.text("/msg/reason") != Some("interrupted") || !self.is_known() {
            return;
        }
        if !self.stop {
            let text = "the task is interrupted, and the client did not ask for it";
            out.push(Violation::new(&CORE_ABORT_UNASKED, "/msg/reason", text));
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
                let text = format!("`{}` is never answered", shown(&before.op));
                out.push(
                    Violation::new(&CORE_REPLY_MISSING, "", text)
                        .of(&*before.op)
                        .earlier(before.message_ref)
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
        demands: "a task is `interrupted` only after the client interrupts, shuts down, or answers \
            an approval with `abort`",
        id: "sequence/core-abort-unasked",
        about: EVENTS,
        releases: since(v(23)),
        reading: "Codex does not interrupt a task by itself. Other reasons, `replaced` and \
            `review_ended`, are not judged; neither are recordings without the client's lines.",
        evidence: queues!("All 58 interruptions were asked for."),
    }
    CORE_ANSWER_UNASKED {
        demands: "the client answers an approval once, and only one that was asked for",
        id: "sequence/core-answer-unasked",
        about: CLIENT,
        reading: "The answer's `id` is the id of the event that asked, and its kind that of the \
            request. Codex ignores an answer it does not wait for. A late answer may also approve \
            the next request of the same task.",
        evidence: queues!("216 answers fit; those that do not were sent on purpose."),
    }
    CORE_ID_UNKNOWN {
        demands: "the id of an event is that of a submission before it",
        id: "sequence/core-id-unknown",
        about: EVENTS,
        reading: "Clients join events to what they asked for by this id. `session_configured` and \
            errors of starting MCP servers belong to no submission: their id is empty, and `0` up \
            to 0.21.0. `auto-compact-…` is what Codex calls its own submission from 0.41 on. \
            Judged where the client's lines are known.",
        evidence: queues!("8,435 events, 1,819 lines of the client; none breaks it."),
    }
    CORE_REPLY_DIFFERS {
        demands: "an entry of the history is the one that was asked for",
        id: "sequence/core-reply-differs",
        about: EVENTS,
        reading: "`offset` and `log_id` of the response are those of the request. Otherwise the \
            client files the text in the wrong place.",
        evidence: queues!("112 responses compared."),
    }
    CORE_REPLY_MISSING {
        demands: "a request is answered before the session is over",
        id: "sequence/core-reply-missing",
        about: EVENTS,
        exceptions: &[
            Exception {
                releases: until(v(22)),
                of: &["list_mcp_tools"],
                level: None,
                seen: "0.22.0 does not know it and says nothing",
            },
            Exception {
                releases: until(v(25)),
                of: &["list_custom_prompts"],
                level: None,
                seen: "0.23.0 and before do not know it and say nothing",
            },
            Exception {
                releases: until(v(23)),
                of: &["get_history"],
                level: None,
                seen: "0.23.0 and before do not know it and say nothing",
            },
            Exception {
                releases: since(v(35)),
                of: &["get_history"],
                level: None,
                seen: "0.36.0 and later have `get_path` instead and say nothing",
            },
            Exception {
                releases: until(v(34)),
                of: &["get_path"],
                level: None,
                seen: "0.34.0 and before do not know it and say nothing",
            },
        ],
        reading: "Requests for the history, for tools, for prompts, and `shutdown` have an answer \
            each. A request that a release cannot read is left without; where the release is not \
            stated, only `get_history_entry_request` is judged, which all know. Judged where \
            `shutdown_complete` shows that the session went to its end.",
        evidence: queues!("All 758 requests that the release knows are answered."),
    }
    CORE_REPLY_UNASKED {
        demands: "an answer has the id of the submission that asked for it, and comes once",
        id: "sequence/core-reply-unasked",
        about: EVENTS,
        reading: "`get_history_entry_response`, `conversation_history`, `conversation_path`, \
            `mcp_list_tools_response`, `list_custom_prompts_response` and `shutdown_complete` each \
            answer one kind of submission. Judged where the client's lines are known.",
        evidence: queues!("758 answers; none breaks it."),
    }
    CORE_SUBMISSION_ID_AGAIN {
        demands: "the client gives each submission an id of its own",
        id: "sequence/core-submission-id-again",
        about: CLIENT,
        reading: "Events carry the id of the submission they belong to. Used twice, it tells \
            nothing. A submission that Codex could not read does not count.",
        evidence: queues!("1,819 lines of the client; only recordings that do so on purpose use an id \
            twice."),
    }
    CORE_SUBMITTED_AFTER_SHUTDOWN {
        demands: "the client submits nothing after `shutdown`",
        id: "sequence/core-submitted-after-shutdown",
        about: CLIENT,
        reading: "Codex reads no further. What is submitted then is lost without a word.",
        evidence: queues!("None does so."),
    }
}
