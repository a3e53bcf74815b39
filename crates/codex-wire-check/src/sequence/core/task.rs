//! Checks a task, from `task_started` to `task_complete` or `turn_aborted`.

use codex_wire_prefilter::View;

use super::calls::Calls;
use super::evidence::{BOTH, EVENTS, queues, streams};
use super::texts::{Fit, Strand, Texts};
use crate::phrasing::Word;
use crate::rule::{Exception, between, since, until, v};
use crate::rule_macros::rules;
use crate::sequence::machine::Observed;
use crate::sequence::value::digest;
use crate::violation::{Broken, MessageRef, Violation};

/// What Codex writes where it is interrupted, in releases that know no `turn_aborted`.
const INTERRUPTED: &str = "Turn interrupted";

/// The task at hand.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) message_ref: MessageRef,
    pub(super) calls: Calls,
    texts: Texts,
    last: Last,
    pub(super) review: Review,
    /// The `error` that ends it.
    failed: Option<MessageRef>,
    lost: bool,
}

/// The last message of the agent in a task.
#[derive(Debug, Default)]
enum Last {
    /// There was none.
    #[default]
    None,
    /// It was this, as a digest; whether the agent did something after it.
    Said(u64, bool),
    /// Codex may have said it rather than the agent.
    Unsure,
}

/// Whether a task reviews code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Review {
    No,
    Entered(MessageRef),
    Exited(MessageRef),
}

impl Task {
    pub(super) fn new(id: &str, message_ref: MessageRef, limit: usize) -> Self {
        Task {
            id: id.to_owned(),
            message_ref,
            calls: Calls::new(limit),
            texts: Texts::default(),
            last: Last::None,
            review: Review::No,
            failed: None,
            lost: false,
        }
    }

    /// A task whose beginning was not seen.
    pub(super) fn adopted(id: &str, message_ref: MessageRef, limit: usize) -> Self {
        let mut task = Task::new(id, message_ref, limit);
        task.lost();
        task
    }

    pub(super) fn lost(&mut self) {
        self.lost = true;
        self.calls.lost();
        self.texts.lost();
        self.last = Last::Unsure;
        self.failed = None;
    }

    /// Whether its end may have been in a lost line.
    pub(super) fn is_unsure(&self) -> bool {
        self.lost
    }

    /// Where an `error` stands that waits for the end.
    pub(super) fn failed(&self) -> Option<MessageRef> {
        self.failed
    }

    /// An event of the task other than its start. Returns whether it ends it.
    pub(super) fn take(
        &mut self,
        seen: &Observed<'_>,
        tag: &str,
        two_way: bool,
        out: &mut Vec<Violation>,
    ) -> bool {
        if let Some(message_ref) = self.failed
            && tag != "task_complete"
            && tag != "turn_aborted"
        {
            let violation = AfterError { tag: Word::of(tag) }.at("/msg/type").of(tag);
            out.push(violation.earlier(message_ref, "the task failed here"));
        }
        self.calls.before(seen, tag, two_way, out);
        self.calls.take(seen, tag, two_way, out);
        self.text(seen, tag, out);
        match tag {
            "turn_diff" if !self.calls.patched() => out.push(DiffWithoutPatch.at("/msg/type")),
            "entered_review_mode" => self.enter(seen, out),
            "exited_review_mode" => self.exit(seen, out),
            "error" => {
                if seen.text("/msg/message").map(str::trim) == Some(INTERRUPTED) {
                    return true;
                }
                self.failed = Some(seen.message_ref);
            }
            "task_complete" => {
                self.complete(seen, out);
                self.reviewed(tag, out);
                return true;
            }
            "turn_aborted" => {
                self.reviewed(tag, out);
                return true;
            }
            _ => {}
        }
        false
    }

    /// Deltas of texts, and complete texts.
    fn text(&mut self, seen: &Observed<'_>, tag: &str, out: &mut Vec<Violation>) {
        if let (Some(strand), Some(delta)) = (Strand::of_delta(tag), seen.text("/msg/delta")) {
            self.broken_off(strand, tag, out);
            self.texts.delta(strand, delta);
        } else if let Some(strand) = Strand::of_whole(tag) {
            let pointer = match strand {
                Strand::Message => "/msg/message",
                _ => "/msg/text",
            };
            if let Some(text) = seen.text(pointer) {
                self.whole(strand, pointer, text, out);
            }
        } else if matches!(
            tag,
            "error" | "stream_error" | "background_event" | "turn_aborted"
        ) {
            self.texts.void();
        } else if self.texts.left() == Some(Strand::Message) {
            self.broken_off(Strand::Raw, tag, out);
        }
        // If the task had no message, its end may have none.
        let quiet = matches!(tag, "token_count" | "turn_diff" | "task_complete");
        if let (Last::Said(_, after), false) = (&mut self.last, quiet || tag == "agent_message") {
            *after = true;
        }
    }

    /// A message of the agent is completed before anything else comes.
    fn broken_off(&mut self, by: Strand, tag: &str, out: &mut Vec<Violation>) {
        if by == Strand::Message || self.texts.left() != Some(Strand::Message) {
            return;
        }
        let broken_off = MessageBrokenOff { tag: Word::of(tag) };
        out.push(broken_off.at("/msg/type").of(Strand::Message.whole()));
        self.texts.void();
    }

    fn whole(
        &mut self,
        strand: Strand,
        pointer: &'static str,
        text: &str,
        out: &mut Vec<Violation>,
    ) {
        let fit = self.texts.whole(strand, text);
        let whole = strand.whole();
        let violation = match fit {
            Fit::NoDeltas => Some(TextWithoutDeltas { whole }.at(pointer)),
            Fit::Other => Some(TextDiffers { whole }.at(pointer)),
            Fit::Whole | Fit::Unannounced => None,
        };
        out.extend(violation.map(|violation| violation.of(whole)));
        if strand == Strand::Message {
            self.last = match fit {
                Fit::Unannounced => Last::Unsure,
                _ if self.lost && matches!(self.last, Last::Unsure) => {
                    Last::Said(digest(&text), true)
                }
                _ => Last::Said(digest(&text), false),
            };
        }
    }

    fn enter(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        if let Review::Entered(message_ref) | Review::Exited(message_ref) = self.review {
            let violation = EnteredAgain.at("/msg/type").of("entered");
            out.push(violation.earlier(message_ref, "the review began here"));
            return;
        }
        self.review = Review::Entered(seen.message_ref);
    }

    fn exit(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let violation = match self.review {
            Review::Entered(_) => {
                self.review = Review::Exited(seen.message_ref);
                return;
            }
            Review::Exited(message_ref) => ExitedAgain
                .at("/msg/type")
                .earlier(message_ref, "the review ended here"),
            Review::No if self.lost => return,
            Review::No => ExitWithoutReview.at("/msg/type"),
        };
        out.push(violation.of("exited"));
    }

    /// The task ends: its review has ended too.
    fn reviewed(&self, tag: &str, out: &mut Vec<Violation>) {
        if let (Review::Entered(message_ref), false) = (self.review, self.lost) {
            let violation = EndBeforeExit { tag: Word::of(tag) }.at("/msg/type").of(tag);
            out.push(violation.earlier(message_ref, "the review began here"));
        }
    }

    fn complete(&self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        self.calls.complete(out);
        if let Some(strand) = self.texts.left() {
            let whole = strand.whole();
            // Some models never send complete raw reasoning.
            let of = match strand == Strand::Raw && !self.texts.was_whole(strand) {
                true => "raw reasoning without its full text",
                false => whole,
            };
            out.push(TextUnfinished { whole }.at("/msg/type").of(of));
        }
        let pointer = "/msg/last_agent_message";
        let said = seen.message.pointer(pointer);
        if let Some(message_ref) = self.failed {
            if said.is_some_and(|said| !said.is_null()) {
                let violation = MessageAfterError.at(pointer).of("task_complete");
                out.push(violation.earlier(message_ref, "the task failed here"));
            }
            return;
        }
        if self.review != Review::No {
            return;
        }
        let said = said.and_then(View::as_str).map(|said| digest(&said));
        let fits = match (&self.last, said) {
            (Last::Unsure, _) | (Last::None, None) | (Last::Said(_, true), None) => true,
            (Last::Said(last, _), Some(said)) => *last == said,
            (Last::Said(_, false), None) => false,
            (Last::None, Some(_)) => self.lost,
        };
        if !fits {
            out.push(NotLastMessage.at(pointer));
        }
    }
}

rules! {
    CORE_AFTER_ERROR {
        summary: "after an `error`, a task writes only `task_complete`, without a message",
        id: "sequence/core-after-error",
        about: BOTH,
        exceptions: &[Exception {
            releases: until(v(41)),
            of: &["shutdown_complete"],
            level: None,
            seen: "a client that shuts Codex down as soon as it reads the error reads \
                `shutdown_complete` before `task_complete` (0.34.0); only 0.42.0 ends tasks \
                before it shuts down",
        }],
        explanation: "An `error` ends its task, and `task_complete` follows at once; a legacy stream \
            does not show it and stops. Retries are not errors: they come as `stream_error`, and \
            as `background_event` up to 0.23.0. If an MCP server cannot start, Codex sends an \
            `error` that belongs to no task. Up to 0.22.0 an interruption is an `error` with a \
            fixed text, and nothing follows it.",
        evidence: streams!("None of 143 errors of a task breaks it; a public recording of 0.34.0 shows \
            the exception."),
    } => {
        AfterError { tag: Word }: "`{tag}` comes after the `error` that ends the task",
        MessageAfterError: "the task failed, but its end has a message",
        ShutdownAfterError: "Codex shuts down, and `task_complete` has not followed the `error`",
    }
    CORE_DIFF_WITHOUT_PATCH {
        summary: "`turn_diff` comes only after its task has started a patch",
        id: "sequence/core-diff-without-patch",
        about: BOTH,
        explanation: "The diff contains all patches of the task. Files that commands changed are not \
            in it.",
        evidence: streams!("471 diffs, all of tasks with a patch."),
    } => {
        DiffWithoutPatch: "`turn_diff` comes, but the task has begun no patch",
    }
    CORE_LAST_MESSAGE {
        summary: "`last_agent_message` of `task_complete` equals the last `agent_message` of its \
            task",
        id: "sequence/core-last-message",
        about: EVENTS,
        explanation: "Clients that need only the answer read it here. It can be `null` if the agent \
            sent no message, if the agent did something after its last message, if the message \
            is from Codex itself (after `compact`), or after an `error`. Reviews are not \
            checked: Codex does not send their messages.",
        evidence: queues!("545 ends were compared."),
    } => {
        NotLastMessage: "this is not the last `agent_message` of the task",
    }
    CORE_REVIEW_MODE {
        summary: "a task enters review mode once, and leaves it once before it ends",
        id: "sequence/core-review-mode",
        about: EVENTS,
        exceptions: &[Exception {
            releases: between(v(35), v(41)),
            of: &["turn_aborted"],
            level: None,
            seen: "in 0.36.0 Codex leaves an interrupted review after the end of its task",
        }],
        releases: since(v(35)),
        explanation: "The result of the review comes with `exited_review_mode`; it is null where there \
            is none.",
        evidence: "Checked on 11 recorded reviews of 0.36.0, 0.39.0, 0.40.0 and 0.42.0.",
    } => {
        EnteredAgain: "`entered_review_mode` comes again",
        ExitedAgain: "`exited_review_mode` comes again",
        ExitWithoutReview: "the task has not entered review mode",
        EndBeforeExit { tag: Word }: "`{tag}` comes before `exited_review_mode`",
    }
    CORE_TEXT_DIFFERS {
        summary: "the joined deltas of a message or of reasoning equal the full text",
        id: "sequence/core-text-differs",
        about: BOTH,
        explanation: "If they differ, a client that shows the deltas and a client that shows the \
            full text show different things. If a task has no deltas, nothing is compared. \
            Legacy streams have deltas only of raw reasoning. After a broken connection Codex \
            sends the deltas again from the start.",
        evidence: streams!("505 messages, 89 texts of reasoning and 58 of raw reasoning were \
            compared."),
    } => {
        TextWithoutDeltas { whole: &'static str }: "`{whole}` comes without deltas before it",
        TextDiffers { whole: &'static str }: "`{whole}` is not what the deltas before it add up to",
    }
    CORE_TEXT_UNFINISHED {
        summary: "after the deltas of a message or of reasoning, Codex sends the full text",
        id: "sequence/core-text-unfinished",
        about: BOTH,
        exceptions: &[Exception {
            releases: until(v(27)),
            of: &["raw reasoning without its full text"],
            level: None,
            seen: "with models behind the chat completions API, releases of August 2025 send \
                deltas of raw reasoning and never the full text",
        }],
        explanation: "The full text is missing, or another event came in the middle of a message. \
            Only a retry, an `error` or `turn_aborted` may stop a message before its full text.",
        evidence: streams!("63 messages are stopped, each for one of these reasons. Raw \
            reasoning without its full text was seen in public transcripts."),
    } => {
        MessageBrokenOff { tag: Word }: "`{tag}` comes in the middle of a message",
        TextUnfinished { whole: &'static str }: "the task is complete, but an `{whole}` has deltas and no final message",
    }
}
