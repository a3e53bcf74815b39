//! Checks sessions, and which method a message selects.

use codex_wire_base::Release;
use codex_wire_base::shape::ReleaseBounds;

use super::evidence::{BOTH, CONFIGURED, EVENTS, LEGACY, queues, streams};
use super::outside::{CompactOutsideTask, IdOfCodex};
use super::state::{Core, Header, Session};
use super::task::{Review, ShutdownAfterError, Task};
use crate::line::end::End;
use crate::phrasing::Word;
use crate::rule::{Exception, Status, until, v};
use crate::rule_macros::rules;
use crate::sequence::machine::{Machine, Observed};
use crate::sequence::value::digest;
use crate::severity::Severity;
use crate::violation::{Broken, Violation};
use crate::writer::Writer;

/// Releases that call what belongs to no submission `0`.
const ZERO: ReleaseBounds = ReleaseBounds {
    since: None,
    until: Some(Release::alpha(0, 22, 0, 1)),
};

/// What Codex calls a submission of its own, by which it sums up a long conversation.
const AUTO_COMPACT: &str = "auto-compact-";

/// Events of a task.
const OF_TASK: [&str; 28] = [
    "agent_message",
    "agent_message_delta",
    "agent_reasoning",
    "agent_reasoning_delta",
    "agent_reasoning_raw_content",
    "agent_reasoning_raw_content_delta",
    "agent_reasoning_section_break",
    "apply_patch_approval_request",
    "background_event",
    "entered_review_mode",
    "error",
    "exec_approval_request",
    "exec_command_begin",
    "exec_command_end",
    "exec_command_output_delta",
    "exited_review_mode",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "patch_apply_begin",
    "patch_apply_end",
    "plan_update",
    "stream_error",
    "task_complete",
    "task_started",
    "token_count",
    "turn_aborted",
    "turn_diff",
    "web_search_begin",
];

/// Whether a release of that availability can have written the stream.
fn may_be(seen: &Observed<'_>, availability: ReleaseBounds) -> bool {
    seen.releases
        .iter()
        .any(|release| availability.contains(release))
}

impl Core {
    /// One of the two lines before the events of a legacy stream.
    fn header(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let prompt = seen.message.get("prompt").is_some();
        if self.session.begun.is_some() {
            // The next run of a log.
            self.session = Session::new(self.limit);
            self.lost = false;
        }
        let next = match (self.session.header, prompt) {
            (Header::None, false) => Header::Settings,
            (Header::Settings, true) => Header::Whole,
            (_, _) if self.lost => Header::Whole,
            (before, _) => {
                out.push(match (before, prompt) {
                    (Header::None, _) => PromptFirst.at(""),
                    (_, true) => PromptAgain.at(""),
                    (_, false) => SettingsAgain.at(""),
                });
                if prompt { Header::Whole } else { before }
            }
        };
        self.session.header = next;
    }

    fn client(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let answer = self.session.client.submit(seen, self.lost, out);
        if let (Some(answer), Some(task)) = (answer, &mut self.session.task)
            && task.id == answer.task
        {
            task.calls.answered(answer.decision);
        }
    }

    fn configured(&mut self, seen: &Observed<'_>, id: &str, out: &mut Vec<Violation>) {
        if self.session.closed.is_some() {
            self.session = Session::new(self.limit);
            self.lost = false;
        }
        let by_client = self.session.client.configured(id);
        if let Some((before, last)) = self.session.configured {
            let same = last == digest(&id);
            if by_client != Some(true) || same {
                // In a recording of one side the client may have asked for it.
                let of = if by_client.is_none() && !same {
                    "client lines not recorded"
                } else {
                    "unasked"
                };
                let violation = SessionAgain.at("/msg/type").of(of);
                out.push(violation.earlier(before, "the session was configured here"));
            }
        }
        let owned = id.is_empty() || by_client == Some(true) || id == "0" && may_be(seen, ZERO);
        if !owned {
            self.session
                .client
                .owns(seen, id, "session_configured", out);
        }
        self.session.begun.get_or_insert(seen.message_ref);
        self.session.configured = Some((seen.message_ref, digest(&id)));
    }

    fn event(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let (Some(id), Some(tag)) = (seen.text("/id"), seen.text("/msg/type")) else {
            // It may have been any message, so it counts as lost.
            return self.lost(Some(Writer::Codex), None);
        };
        if tag == "session_configured" && !self.legacy {
            return self.configured(seen, id, out);
        }
        self.begin(seen, tag, out);
        let of_task = OF_TASK.contains(&tag) || tag == "web_search_end";
        if let Some((message_ref, reported)) = &mut self.session.closed
            && !(of_task && *reported)
        {
            *reported |= of_task;
            let of = if of_task { "task" } else { tag };
            let violation = AfterShutdown { tag: Word::of(tag) }.at("/msg/type").of(of);
            out.push(violation.earlier(*message_ref, "the session ended here"));
        }
        // What goes wrong before there is a task belongs to nothing.
        let of_startup = tag == "error"
            && (id.is_empty() || id == "0" && may_be(seen, ZERO))
            && self.session.task.as_ref().is_none_or(|task| task.id != id);
        if of_startup {
            return;
        }
        if tag == "token_count" {
            self.tokens(seen, out);
        }
        if id.starts_with(AUTO_COMPACT) {
            return self.auto_compact(id, tag, out);
        }
        // Of an earlier conversation it belongs to nothing.
        let of_history = tag == "user_message" && id.is_empty();
        if !self.legacy && !of_history {
            self.session.client.owns(seen, id, tag, out);
            self.session.client.reply(seen, tag, id, out);
        }
        if tag == "shutdown_complete" {
            self.shut_down(seen, out);
        } else if tag == "task_started" {
            self.task_started(seen, id, out);
        } else if of_task {
            self.of_task(seen, id, tag, out);
        }
    }

    /// Any event but `session_configured`: the session has begun.
    fn begin(&mut self, seen: &Observed<'_>, tag: &str, out: &mut Vec<Violation>) {
        if self.session.begun.is_some() {
            return;
        }
        self.session.begun = Some(seen.message_ref);
        if self.lost {
            self.session.truncated = true;
        } else if self.legacy && self.session.header != Header::Whole {
            out.push(match self.session.header {
                Header::None => HeaderMissing.at(""),
                _ => PromptMissing.at(""),
            });
        } else if !self.legacy {
            self.session.truncated = true;
            let tag = Word::of(tag);
            out.push(
                SessionNotFirst { tag }.at("/msg/type").help(
                    "the start of the stream is missing, or its lines are in the wrong order",
                ),
            );
        }
    }

    /// Codex sums up the conversation in the middle of a task.
    fn auto_compact(&self, id: &str, tag: &str, out: &mut Vec<Violation>) {
        if self.session.task.is_none() && !self.lost && !self.session.truncated {
            let outside = CompactOutsideTask {
                tag: Word::of(tag),
                prefix: AUTO_COMPACT,
            };
            out.push(outside.at("/id").of(tag));
        }
        let number = &id[AUTO_COMPACT.len()..];
        let of = match number.bytes().all(|byte| byte.is_ascii_digit()) {
            true => "auto-compact",
            false => tag,
        };
        out.push(IdOfCodex.at("/id").of(of));
    }

    fn shut_down(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        if let Some(task) = self.session.task.as_ref().filter(|task| !task.is_unsure()) {
            let at = "/msg/type";
            let violation = match task.failed() {
                Some(failed) => ShutdownAfterError
                    .at(at)
                    .earlier(failed, "the task failed here"),
                None => ShutdownOpen
                    .at(at)
                    .earlier(task.message_ref, "the task began here"),
            };
            out.push(violation.of("shutdown_complete"));
        }
        self.session.closed.get_or_insert((seen.message_ref, false));
    }

    fn task_started(&mut self, seen: &Observed<'_>, id: &str, out: &mut Vec<Violation>) {
        if let Some(task) = &self.session.task {
            if task.id == id {
                let violation = SameTaskAgain.at("/id").of("same");
                out.push(violation.earlier(task.message_ref, "it began here"));
                return;
            }
            // A legacy stream shows no ends, and has a task for images and one for the prompt.
            if !self.legacy && !task.is_unsure() {
                let violation = TaskBeforeOpen.at("/id").of("other");
                out.push(violation.earlier(task.message_ref, "it began here"));
            }
        } else if let Some(ended) = self.session.ended.get(id) {
            let violation = EndedTaskAgain.at("/id").of("ended");
            out.push(violation.earlier(ended.message_ref, "it ended here"));
        }
        let mut task = Task::new(id, seen.message_ref, self.limit);
        if let Some((_, message_ref)) = self
            .session
            .review
            .take()
            .filter(|(review, _)| review == id)
        {
            task.review = Review::Entered(message_ref);
        }
        self.session.task = Some(task);
    }
}

impl Machine for Core {
    fn message(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        if seen.writer == Writer::Client {
            self.client(seen, out);
        } else if seen.message.get("msg").is_some() || !self.legacy {
            self.event(seen, out);
        } else {
            self.header(seen, out);
        }
    }

    fn lost(&mut self, from: Option<Writer>, _: Option<u32>) {
        if from != Some(Writer::Codex) {
            self.session.client.lost = true;
        }
        if from == Some(Writer::Client) {
            return;
        }
        self.lost = true;
        if let Some(task) = &mut self.session.task {
            task.lost();
        }
    }

    fn end(&mut self, end: &End, out: &mut Vec<Violation>) {
        if self.session.closed.is_some() && !self.lost {
            self.session.client.end(out);
        }
        // A shutdown in the middle of a task was reported already.
        if self.lost || end.cut || self.session.closed.is_some() {
            return;
        }
        let Some(task) = &self.session.task else {
            return;
        };
        // A legacy stream does not show how tasks end.
        let violation = match (self.legacy, task.calls.at_work()) {
            (true, None) => return,
            (true, Some((kind, message_ref))) => StopsInCall { kind }
                .at("")
                .of(kind)
                .earlier(message_ref, "the call began here"),
            (false, _) => StopsInTask
                .at("")
                .of("task")
                .earlier(task.message_ref, "the task began here"),
        };
        out.push(violation.blame(Writer::Codex));
    }
}

rules! {
    CORE_AFTER_SHUTDOWN {
        summary: "nothing follows `shutdown_complete`",
        id: "sequence/core-after-shutdown",
        about: EVENTS,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: ReleaseBounds::ALWAYS,
            of: &["task"],
            level: Some(Severity::Note),
            seen: "Codex may still send events of a task: one that ran at the shutdown (0.21.0, \
                0.22.0, 0.23.0), or one that was aborted (0.42.0). No recording of the releases \
                between shuts down during a task",
        }],
        explanation: "Clients stop reading here. If later events of a task matter to you, read on \
            until the stream is closed. A `session_configured` begins another session in a log, \
            which is allowed.",
        evidence: queues!("597 shutdowns; events of tasks follow five, and nothing else does."),
    } => {
        AfterShutdown { tag: Word }: "`{tag}` comes after `shutdown_complete`",
    }
    CORE_SESSION_AGAIN {
        summary: "a session is configured once",
        id: "sequence/core-session-again",
        about: EVENTS,
        exceptions: &[Exception {
            releases: CONFIGURED,
            of: &["client lines not recorded"],
            level: None,
            seen: "0.21.0 and before configure the session again when the client asks for it, which \
                a stream of Codex alone does not show",
        }],
        explanation: "A second `session_configured` without `shutdown_complete` before it is a line \
            written twice, or another session whose predecessor was cut.",
        evidence: queues!("Each has one."),
    } => {
        SessionAgain: "`session_configured` comes again",
    }
    CORE_SESSION_FIRST {
        summary: "the first event is `session_configured`",
        id: "sequence/core-session-first",
        about: EVENTS,
        explanation: "It names the session and its model. Without it the start of the stream is missing.",
        evidence: queues!("All begin with it, also where an MCP server cannot be started."),
    } => {
        SessionNotFirst { tag: Word }: "the first event is `{tag}`",
    }
    CORE_SHUTDOWN_OPEN {
        summary: "a task has ended before `shutdown_complete`",
        id: "sequence/core-shutdown-open",
        about: EVENTS,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: until(v(41)),
            of: &[],
            level: Some(Severity::Warning),
            seen: "0.21.0 and 0.22.0 shut down at once and leave the task running; from 0.23.0 to \
                0.40.0 no recording shuts down in the middle of a task",
        }],
        explanation: "0.42.0 interrupts the running task and sends `turn_aborted` before \
            `shutdown_complete`. If there is no end, that line was lost.",
        evidence: queues!("Of 597 shutdowns three leave a task running, in 0.21.0 and 0.22.0."),
    } => {
        ShutdownOpen: "Codex shuts down before the task has ended",
    }
    CORE_TASK_STARTED_AGAIN {
        summary: "a task is started once, and not while another one runs",
        id: "sequence/core-task-started-again",
        about: BOTH,
        explanation: "Codex works on one task at a time. Input that the client sends during a task \
            becomes part of that task. Up to 0.22.0 the error of an interruption ends the task. \
            Legacy streams do not show how a task ends, so there only a second start with the \
            same id is checked.",
        evidence: streams!("1,020 starts; none breaks it."),
    } => {
        SameTaskAgain: "the task is started a second time",
        TaskBeforeOpen: "the task before has not ended",
        EndedTaskAgain: "a task of this id has ended before",
    }
    CORE_UNFINISHED {
        summary: "a task that was started ends before the stream does",
        id: "sequence/core-unfinished",
        about: BOTH,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: ReleaseBounds::ALWAYS,
            of: &["exec_command", "mcp_tool_call", "patch_apply"],
            level: Some(Severity::Note),
            seen: "a legacy stream stops in the middle of a call if it is interrupted (SIGINT) \
                or hangs (arguments of an MCP call that are not an object, 0.21.0 to 0.40.0)",
        }],
        explanation: "The result of the task is unknown. It was interrupted or still goes on, or the \
            copy is incomplete. A legacy stream shows no ends of tasks; there a call without an \
            end is reported. After `shutdown_complete`, `sequence/core-shutdown-open` reports \
            it.",
        evidence: streams!("No recording of `codex proto` breaks it; 22 legacy streams of all releases \
            but 0.20.0 stop in the middle of a call."),
    } => {
        StopsInCall { kind: &'static str }: "the stream stops before the end of `{kind}_begin`",
        StopsInTask: "the stream stops before the end of the task",
    }
    LEGACY_HEADER {
        summary: "a legacy stream starts with two lines: first the settings, then the prompt",
        id: "sequence/legacy-header",
        about: LEGACY,
        explanation: "Clients skip two lines and read events from there. The next run in a log \
            starts with its own two lines.",
        evidence: "All 405 legacy streams with any event start so, of 13 releases from 0.20.0 to \
            0.42.0. If Codex rejects its arguments, the stream may stop before the first event.",
    } => {
        PromptFirst: "the prompt comes before the settings",
        PromptAgain: "the prompt comes again",
        SettingsAgain: "the settings come again",
        HeaderMissing: "the two lines before the events are missing",
        PromptMissing: "the line with the prompt is missing",
    }
}
