//! Checks the order of `codex proto`: one session, its submissions, and its tasks one after
//! another.
//!
//! The legacy exec stream is checked here too: after two lines of its own it consists of the same
//! events.
//!
//! A recording may hold one side only. What follows from a submission is checked only if lines of
//! the client were seen and none was lost.

mod calls;
mod client;
mod task;
mod texts;

use codex_wire_base::Release;
use codex_wire_base::shape::Lifetime;
use codex_wire_program::View;

use self::client::Client;
use self::task::{Review, Task};
use super::value::{Counts, digest, each_count, parts_beyond};
use crate::bounded_map::BoundedMap;
use crate::line::end::End;
use crate::options::Limits;
use crate::phrasing::shown;
use crate::rules;
use crate::sequence::machine::{Machine, Observed};
use crate::violation::{MessageRef, Violation};
use crate::writer::Writer;

/// Releases that call what belongs to no submission `0`.
const ZERO: Lifetime = Lifetime {
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

/// The state of the stream.
pub(crate) struct Core {
    legacy: bool,
    limit: usize,
    session: Session,
    /// Whether a line of Codex was lost.
    lost: bool,
}

/// One session. Usually there is one in an input; a log may hold several.
struct Session {
    /// Its first event.
    begun: Option<MessageRef>,
    /// Whether the beginning is missing.
    headless: bool,
    /// `session_configured`, and its id as a digest.
    configured: Option<(MessageRef, u64)>,
    /// The header lines of the legacy stream.
    head: Header,
    client: Client,
    task: Option<Task>,
    /// How tasks ended, by id.
    ended: BoundedMap<String, Ended>,
    /// A review that was entered before its task was started.
    review: Option<(String, MessageRef)>,
    /// The token counts of the session.
    tokens: Counts,
    /// `shutdown_complete`, and whether events of tasks after it were told of.
    closed: Option<(MessageRef, bool)>,
}

/// Which header lines of the legacy stream have come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Header {
    None,
    Settings,
    Whole,
}

#[derive(Clone, Copy)]
struct Ended {
    message_ref: MessageRef,
    aborted: bool,
}

impl Session {
    fn new(limit: usize) -> Self {
        Session {
            begun: None,
            headless: false,
            configured: None,
            head: Header::None,
            client: Client::new(limit),
            task: None,
            ended: BoundedMap::new(limit),
            review: None,
            tokens: Counts::default(),
            closed: None,
        }
    }
}

/// Whether a release of that lifetime can have written the stream.
fn may_be(seen: &Observed<'_>, life: Lifetime) -> bool {
    seen.releases.iter().any(|release| life.contains(release))
}

impl Core {
    /// The machine for `codex proto`.
    pub(crate) fn new(limits: &Limits) -> Self {
        Core {
            legacy: false,
            limit: limits.sequence_ids,
            session: Session::new(limits.sequence_ids),
            lost: false,
        }
    }

    /// The machine for the legacy exec stream.
    pub(crate) fn legacy(limits: &Limits) -> Self {
        Core {
            legacy: true,
            ..Core::new(limits)
        }
    }

    /// One of the two lines before the events of a legacy stream.
    fn head(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let prompt = seen.message.get("prompt").is_some();
        if self.session.begun.is_some() {
            // The next run of a log.
            self.session = Session::new(self.limit);
            self.lost = false;
        }
        let next = match (self.session.head, prompt) {
            (Header::None, false) => Header::Settings,
            (Header::Settings, true) => Header::Whole,
            (_, _) if self.lost => Header::Whole,
            (before, _) => {
                let text = match (before, prompt) {
                    (Header::None, _) => "the prompt comes before the settings",
                    (_, true) => "the prompt comes again",
                    (_, false) => "the settings come again",
                };
                out.push(Violation::new(&rules::LEGACY_HEAD, "", text));
                if prompt { Header::Whole } else { before }
            }
        };
        self.session.head = next;
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
                let text = "`session_configured` comes again";
                // In a recording of one side the client may have asked for it.
                let of = if by_client.is_none() && !same {
                    "maybe asked"
                } else {
                    "unasked"
                };
                let rule = &rules::CORE_SESSION_AGAIN;
                out.push(
                    Violation::new(rule, "/msg/type", text)
                        .of(of)
                        .earlier(before),
                );
            }
        } else if self.session.begun.is_some() && !self.lost && !self.session.headless {
            let text = "`session_configured` comes after other events";
            out.push(Violation::new(
                &rules::CORE_SESSION_FIRST,
                "/msg/type",
                text,
            ));
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
            // Whatever it was meant to be may be missed.
            return self.lost(Some(Writer::Codex), None);
        };
        if tag == "session_configured" && !self.legacy {
            return self.configured(seen, id, out);
        }
        self.begin(seen, tag, out);
        let of_task = OF_TASK.contains(&tag) || tag == "web_search_end";
        if let Some((message_ref, told)) = &mut self.session.closed
            && !(of_task && *told)
        {
            *told |= of_task;
            let text = format!("`{}` comes after `shutdown_complete`", shown(tag));
            let of = if of_task { "task" } else { tag };
            let rule = &rules::CORE_AFTER_SHUTDOWN;
            out.push(
                Violation::new(rule, "/msg/type", text)
                    .of(of)
                    .earlier(*message_ref),
            );
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
            self.session.headless = true;
        } else if self.legacy && self.session.head != Header::Whole {
            let text = match self.session.head {
                Header::None => "the two lines before the events are missing",
                _ => "the line with the prompt is missing",
            };
            out.push(Violation::new(&rules::LEGACY_HEAD, "", text));
        } else if !self.legacy {
            self.session.headless = true;
            let text = format!("the first event is `{}`", shown(tag));
            out.push(
                Violation::new(&rules::CORE_SESSION_FIRST, "/msg/type", text)
                    .help("the head of the stream is missing, or its lines changed places"),
            );
        }
    }

    /// Codex sums up the conversation in the middle of a task.
    fn auto_compact(&self, id: &str, tag: &str, out: &mut Vec<Violation>) {
        if self.session.task.is_none() && !self.lost && !self.session.headless {
            let text = format!("`{}` of `{AUTO_COMPACT}…` comes outside a task", shown(tag));
            let rule = &rules::CORE_OUTSIDE_TASK;
            out.push(Violation::new(rule, "/id", text).of(tag));
        }
        let text = "the id is that of a submission of Codex itself";
        let number = &id[AUTO_COMPACT.len()..];
        let of = match number.bytes().all(|byte| byte.is_ascii_digit()) {
            true => "auto-compact",
            false => tag,
        };
        out.push(Violation::new(&rules::CORE_OUTSIDE_TASK, "/id", text).of(of));
    }

    fn shut_down(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        if let Some(task) = self.session.task.as_ref().filter(|task| !task.is_unsure()) {
            let (rule, text) = match task.failed() {
                Some(_) => (
                    &rules::CORE_AFTER_ERROR,
                    "Codex shuts down, and `task_complete` has not followed the `error`",
                ),
                None => (
                    &rules::CORE_SHUTDOWN_OPEN,
                    "Codex shuts down before the task has ended",
                ),
            };
            let message_ref = task.failed().unwrap_or(task.message_ref);
            out.push(
                Violation::new(rule, "/msg/type", text)
                    .of("shutdown_complete")
                    .earlier(message_ref),
            );
        }
        self.session.closed.get_or_insert((seen.message_ref, false));
    }

    fn task_started(&mut self, seen: &Observed<'_>, id: &str, out: &mut Vec<Violation>) {
        let rule = &rules::CORE_TASK_STARTED_AGAIN;
        let mut breach = |text: &str, of: &str, message_ref| {
            out.push(
                Violation::new(rule, "/id", text)
                    .of(of)
                    .earlier(message_ref),
            );
        };
        if let Some(task) = &self.session.task {
            if task.id == id {
                return breach(
                    "the task is started a second time",
                    "same",
                    task.message_ref,
                );
            }
            // A legacy stream shows no ends, and has a task for images and one for the prompt.
            if !self.legacy && !task.is_unsure() {
                breach("the task before has not ended", "other", task.message_ref);
            }
        } else if let Some(ended) = self.session.ended.get(id) {
            breach(
                "a task of this id has ended before",
                "ended",
                ended.message_ref,
            );
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

    fn of_task(&mut self, seen: &Observed<'_>, id: &str, tag: &str, out: &mut Vec<Violation>) {
        let at_hand = |task: &Task| task.id == id;
        if !self.session.task.as_ref().is_some_and(at_hand) && !self.outside(seen, id, tag, out) {
            return;
        }
        self.session.client.ask(tag, id);
        let two_way = self.session.client.is_known() && !self.lost;
        let Some(task) = &mut self.session.task else {
            return;
        };
        if !task.take(seen, tag, two_way, out) {
            return;
        }
        if tag == "turn_aborted" {
            self.session.client.aborted(seen, out);
        }
        let ended = Ended {
            message_ref: seen.message_ref,
            aborted: tag != "task_complete",
        };
        self.session.ended.insert(id.to_owned(), ended);
        self.session.task = None;
    }

    /// An event of a task that is not at hand. Returns whether the task is taken for begun.
    fn outside(
        &mut self,
        seen: &Observed<'_>,
        id: &str,
        tag: &str,
        out: &mut Vec<Violation>,
    ) -> bool {
        let task = self.session.task.as_ref();
        let unseen =
            self.lost || self.session.headless && self.session.ended.iter().next().is_none();
        let ended = self.session.ended.get(id).copied();
        if unseen && task.is_none() && ended.is_none() {
            self.session.task = Some(Task::adopted(id, seen.message_ref, self.limit));
            return true;
        }
        if self.lost {
            return false;
        }
        // The client may answer it all the same.
        self.session.client.ask(tag, id);
        let ends = matches!(tag, "task_complete" | "turn_aborted");
        let (text, earlier) = match (ended, task) {
            (Some(ended), _) => ("comes after the end of its task", Some(ended.message_ref)),
            (None, Some(task)) => (
                "comes in the middle of another task",
                Some(task.message_ref),
            ),
            (None, None) => ("comes before `task_started`", None),
        };
        let text = format!("`{}` {text}", shown(tag));
        let (rule, of) = if ends {
            // An input of no items completes at once from 0.41 on, whatever its id.
            let empty = tag == "task_complete"
                && seen
                    .message
                    .pointer("/msg/last_agent_message")
                    .is_some_and(View::is_null)
                && self.session.client.empty(id) != Some(false);
            (&rules::CORE_TASK_END, if empty { "empty" } else { tag })
        } else {
            let aborted = ended.is_some_and(|ended| ended.aborted);
            let of = match aborted && tag != "exited_review_mode" {
                true => "aborted",
                false => tag,
            };
            (&rules::CORE_OUTSIDE_TASK, of)
        };
        let mut breach = Violation::new(rule, "/msg/type", text).of(of);
        breach.earlier = earlier;
        out.push(breach);
        if tag == "entered_review_mode" {
            self.session.review = Some((id.to_owned(), seen.message_ref));
        } else if self.session.task.is_none() && ended.is_none() && !ends {
            self.session.task = Some(Task::adopted(id, seen.message_ref, self.limit));
            return true;
        }
        false
    }

    /// Compares the counts with those before.
    fn tokens(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        parts(seen, out);
        let rule = &rules::CORE_TOKENS_FALL;
        let total = match seen.message.pointer("/msg/info") {
            Some(info) if info.is_object() => info.get("total_token_usage"),
            Some(info) if info.is_null() && !self.session.tokens.is_empty() => {
                let text = "`info` is null, and the tokens were counted before";
                out.push(Violation::new(rule, "/msg/info", text));
                return;
            }
            // In early releases these are the tokens of one answer.
            _ => return,
        };
        let Some(total) = total.filter(|total| total.is_object()) else {
            return;
        };
        // A full window is counted as one number, with nothing else.
        let is_full = each_count(total).all(|(name, count)| name == "total_tokens" || count == 0);
        if is_full {
            return;
        }
        let counts = Counts::of(total);
        for (name, before, now) in self.session.tokens.falling(total, &counts) {
            let text = format!("`{}` falls from {before} to {now}", shown(name));
            let pointer = format!("/msg/info/total_token_usage/{name}");
            out.push(Violation::new(rule, pointer, text));
        }
        self.session.tokens = counts;
    }
}

/// Compares counts of tokens with those they are part of, of the last answer and of all.
fn parts(seen: &Observed<'_>, out: &mut Vec<Violation>) {
    let last = "/msg/info/last_token_usage";
    for place in ["/msg", "/msg/info/total_token_usage", last] {
        let counts = seen.message.pointer(place);
        for (part, whole) in counts.into_iter().flat_map(parts_beyond) {
            let text = format!("`{part}` is more than `{whole}`");
            let rule = &rules::CORE_TOKENS_PART;
            out.push(Violation::new(rule, format!("{place}/{part}"), text));
        }
    }
}

impl Machine for Core {
    fn message(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        if seen.writer == Writer::Client {
            self.client(seen, out);
        } else if seen.message.get("msg").is_some() || !self.legacy {
            self.event(seen, out);
        } else {
            self.head(seen, out);
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
        // What shuts down in the middle of a task was told of as such.
        if self.lost || end.cut || self.session.closed.is_some() {
            return;
        }
        let Some(task) = &self.session.task else {
            return;
        };
        // A legacy stream does not show how tasks end.
        let (of, message_ref, text) = match (self.legacy, task.calls.at_work()) {
            (true, None) => return,
            (true, Some((kind, message_ref))) => (
                kind,
                message_ref,
                format!("the stream stops before the end of `{kind}_begin`"),
            ),
            (false, _) => (
                "task",
                task.message_ref,
                "the stream stops before the end of the task".to_owned(),
            ),
        };
        out.push(
            Violation::new(&rules::CORE_UNFINISHED, "", text)
                .of(of)
                .earlier(message_ref)
                .blame(Writer::Codex),
        );
    }
}
