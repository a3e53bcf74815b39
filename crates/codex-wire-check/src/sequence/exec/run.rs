//! The state of a stream of `codex exec --json`, and the rules about runs and turns.
//!
//! The state is [`Exec`]: the current run, with its turn and its open items. The transitions are the
//! cases of the `match` in `Machine::message` below: each calls a method, such as `turn_started`.
//! [`machine`](crate::sequence::machine) explains states and transitions, and how to add one.
//!
//! *Early* means the format of 0.42.0, which begins with `session.created` and has no turns at first.

use codex_wire_prefilter::View;

use super::evidence::{EXEC, LEAK, streams};
use super::items::{Items, Ready};
use crate::bounded_map::BoundedMap;
use crate::line::end::End;
use crate::options::Limits;
use crate::phrasing::Word;
use crate::rule::{Exception, Status, since, until, v};
use crate::rule_macros::{parts_of_tokens, rules};
use crate::sequence::machine::{Machine, Observed};
use crate::sequence::value::{Counts, ListedCounts, digest_of};
use crate::severity::Severity;
use crate::violation::{Broken, MessageRef, Violation};
use crate::writer::Writer;
use codex_wire_base::Release;

/// The number of threads whose token counts are remembered. A plain log can hold runs of several
/// threads; more than this many between two runs of one thread are not expected.
const MOST_THREADS: usize = 4096;

/// What the first message of a run is to a later one.
const BEGAN: &str = "the run began here";

/// What the last message of a run is to a later one.
const ENDED: &str = "the run ended here";

/// The state of a stream of `exec`.
pub(crate) struct Exec {
    run: Run,
    /// The token counts of each thread at the end of its last turn. They must not fall.
    usage: BoundedMap<String, Counts>,
    /// Whether a line of this run could not be read. Then a message that is not seen may have been
    /// there, and is not reported as missing.
    lost: bool,
}

/// One run of `codex exec`. Most inputs hold one; a plain log may hold several.
struct Run {
    /// Its first message; `None` before it.
    begun: Option<Begun>,
    /// Its `turn.started`.
    turn: Option<MessageRef>,
    /// The event that ended the turn, and its tag.
    end: Option<(MessageRef, &'static str)>,
    items: Items,
    /// The hash of the message of the last `error`.
    error: Option<u64>,
    /// Whether a message outside a turn was reported. It is reported once for each run.
    outside: bool,
}

/// How a run began.
struct Begun {
    message_ref: MessageRef,
    /// The id of the thread, if the first message has it.
    thread: Option<String>,
    /// Whether the first message was `session.created`.
    early: bool,
    /// Whether it was neither `thread.started` nor `session.created`: the start is missing.
    truncated: bool,
}

impl Run {
    fn new(limit: usize) -> Self {
        Run {
            begun: None,
            turn: None,
            end: None,
            items: Items::new(limit),
            error: None,
            outside: false,
        }
    }

    /// Begins another run, in the room that its items have: a log may hold many short runs.
    fn restart(&mut self) {
        let Run {
            begun,
            turn,
            end,
            items,
            error,
            outside,
        } = self;
        (*begun, *turn, *end, *error, *outside) = (None, None, None, None, false);
        items.restart();
    }
}

impl Exec {
    pub(crate) fn new(limits: &Limits) -> Self {
        Exec {
            run: Run::new(limits.sequence_ids),
            usage: BoundedMap::new(limits.sequence_ids.min(MOST_THREADS)),
            lost: false,
        }
    }

    /// `thread.started` or `session.created`: a run begins.
    fn begin(&mut self, seen: &Observed<'_>, tag: &str, out: &mut Vec<Violation>) {
        let early = tag == "session.created";
        let key = if early { "/session_id" } else { "/thread_id" };
        let thread = seen.text(key).map(str::to_owned);
        let begun = Begun {
            message_ref: seen.message_ref,
            thread,
            early,
            truncated: false,
        };
        if let Some((message_ref, end)) = self.run.end {
            if seen.has_stated_writer {
                let tag = Word::of(tag);
                let after = AfterEnd { tag, end }.at("/type");
                out.push(after.earlier(message_ref, ENDED));
            }
            self.run.restart();
            self.lost = false;
        } else if let Some(before) = &self.run.begun
            && !before.truncated
        {
            let is_same = before.thread == begun.thread;
            // The lost line may be the end of the run before.
            if !self.lost {
                let again = ThreadStartedAgain { tag: Word::of(tag) };
                out.push(
                    again
                        .at("/type")
                        .earlier(before.message_ref, BEGAN)
                        .help("in a log of several runs, the one before was cut off"),
                );
                if is_same {
                    return;
                }
            }
            self.run.restart();
            // Of the same thread, it may be the same run after all.
            match is_same && self.lost {
                true => self.run.items.lost(),
                false => self.lost = false,
            }
        }
        self.run.begun = Some(begun);
    }

    /// Any other message has to be within a run: after its beginning and before its end. Returns
    /// whether the message is to be checked further.
    fn within(&mut self, seen: &Observed<'_>, tag: &str, out: &mut Vec<Violation>) -> bool {
        if let Some((message_ref, end)) = self.run.end {
            let violation = match tag == end {
                true => EndAgain { end }.at("/type"),
                false => {
                    let tag = Word::of(tag);
                    AfterEnd { tag, end }.at("/type")
                }
            };
            out.push(violation.earlier(message_ref, ENDED));
            return false;
        }
        if self.run.begun.is_none() {
            if !self.lost {
                let tag = Word::of(tag);
                out.push(ThreadNotFirst { tag }.at("/type").help(
                    "the start of the stream is missing, or its lines are in the wrong order",
                ));
            }
            self.run.begun = Some(Begun {
                message_ref: seen.message_ref,
                thread: None,
                early: false,
                truncated: true,
            });
        }
        true
    }

    fn turn_started(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        if let Some(before) = self.run.turn {
            let again = TurnStartedAgain.at("/type");
            out.push(again.earlier(before, "the turn started here"));
            return;
        }
        self.run.turn = Some(seen.message_ref);
    }

    /// An item or the end of a turn, which has to be within a turn. `of` is the kind of the item, or
    /// the tag of the message.
    fn in_turn(&mut self, of: &str, pointer: &'static str, out: &mut Vec<Violation>) {
        // The early format has no turns at first.
        let early = self.run.begun.as_ref().is_some_and(|begun| begun.early);
        if self.run.turn.is_some() || early || self.lost || self.run.outside {
            return;
        }
        let violation = match pointer {
            "/type" => EndWithoutTurn { tag: Word::of(of) }.at(pointer),
            _ => ItemBeforeTurn { kind: Word::of(of) }.at(pointer),
        };
        // A warning before the turn says nothing about what follows.
        self.run.outside = of != "error";
        out.push(violation.of(of));
    }

    fn turn_ended(&mut self, seen: &Observed<'_>, tag: &'static str, out: &mut Vec<Violation>) {
        self.in_turn(tag, "/type", out);
        if tag == "turn.failed" {
            self.failed(seen, out);
        } else {
            self.usage(seen, out);
        }
        self.run.items.end(tag, out);
        self.run.end = Some((seen.message_ref, tag));
    }

    fn failed(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let Some(message) = seen.message.pointer("/error/message") else {
            return;
        };
        if self.lost || self.run.error == Some(digest_of(message)) {
            return;
        }
        let pointer = "/error/message";
        out.push(match self.run.error {
            Some(_) => OtherError.at(pointer),
            None => NoError.at(pointer),
        });
    }

    /// Checks the token counts at the end of a turn: none is less than at the end of the turn before
    /// in the same thread.
    fn usage(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let begun = self.run.begun.as_ref();
        let thread = begun.and_then(|begun| begun.thread.as_deref());
        let usage = seen.message.get("usage").filter(|usage| usage.is_object());
        let Some(usage) = usage.map(ListedCounts::of) else {
            return;
        };
        for (part, whole) in usage.parts_beyond() {
            let pointer = format!("/usage/{part}");
            out.push(PartBeyondWhole { part, whole }.at(pointer));
        }
        let Some(thread) = thread else {
            return;
        };
        let counts = Counts::of(&usage);
        if counts.are_zero() {
            return;
        }
        if let Some(before) = self.usage.get(thread) {
            for (name, before, now) in before.falling(&usage) {
                let pointer = format!("/usage/{name}");
                let name = Word::of(name);
                out.push(UsageFalls { name, before, now }.at(pointer));
            }
        }
        self.usage.insert(thread.to_owned(), counts);
    }

    /// The exit status has to agree with the event that ended the turn.
    fn exit(&self, end: &End, out: &mut Vec<Violation>) {
        let Some(status) = end.exit.as_ref().and_then(|exit| exit.status) else {
            return;
        };
        let Some((message_ref, tag)) = self.run.end else {
            return;
        };
        let expected = i32::from(tag == "turn.failed");
        if status != expected {
            out.push(
                ExitStatus { status, tag }
                    .between()
                    .of(tag)
                    .earlier(message_ref, ENDED)
                    .blame(Writer::Codex),
            );
        }
    }
}

impl Machine for Exec {
    fn message(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let Some(tag) = seen.first.get("type").and_then(View::as_str) else {
            // It may have been any message, so it counts as lost.
            return self.lost(None, None);
        };
        if matches!(tag, "thread.started" | "session.created") {
            return self.begin(seen, tag, out);
        }
        if !self.within(seen, tag, out) {
            return;
        }
        self.run.items.before(seen, tag, out);
        match tag {
            "turn.started" => self.turn_started(seen, out),
            "turn.completed" => self.turn_ended(seen, "turn.completed", out),
            "turn.failed" => self.turn_ended(seen, "turn.failed", out),
            "error" => self.run.error = seen.message.get("message").map(digest_of),
            "item.started" | "item.updated" | "item.completed" => {
                let Some(item) = Ready::of(seen.first) else {
                    return self.lost(None, None);
                };
                self.in_turn(item.kind, "/item", out);
                self.run.items.take(seen, tag, &item, self.lost, out);
            }
            _ => {}
        }
    }

    fn lost(&mut self, _: Option<Writer>, _: Option<u32>) {
        self.lost = true;
        self.run.items.lost();
    }

    fn end(&mut self, end: &End, out: &mut Vec<Violation>) {
        self.exit(end, out);
        let Some(begun) = &self.run.begun else {
            return;
        };
        // The early format has no end if it has no turns.
        let endless = begun.early && self.run.turn.is_none();
        if self.run.end.is_some() || self.lost || end.cut || endless {
            return;
        }
        let succeeded = end.exit.as_ref().is_some_and(|exit| exit.status == Some(0));
        let violation = match succeeded {
            true => ExitWithoutEnd.between(),
            false => Unfinished.between(),
        };
        let (message_ref, what) = match self.run.turn {
            Some(turn) => (turn, "the turn started here"),
            None => (begun.message_ref, BEGAN),
        };
        out.push(violation.earlier(message_ref, what).blame(Writer::Codex));
    }
}

rules! {
    EXEC_AFTER_END {
        summary: "nothing follows `turn.completed` or `turn.failed` within a run",
        id: "sequence/exec-after-end",
        about: EXEC,
        explanation: "Clients stop reading at the event that ends the turn, so they never see later \
            events. In a plain log `thread.started` may follow: it begins the next run. A \
            transcript with records holds one process, so one run.",
        evidence: streams!("All 1,771 that have such an event end with it."),
    } => {
        AfterEnd { tag: Word, end: &'static str }: "`{tag}` comes after `{end}`",
        EndAgain { end: &'static str }: "`{end}` comes again",
    }
    EXEC_EXIT_STATUS {
        summary: "Codex exits with status 0 after `turn.completed` and with 1 after `turn.failed`",
        id: "sequence/exec-exit-status",
        about: EXEC,
        status: Status::Advisory,
        releases: since(Release::alpha(0, 43, 0, 5)),
        exceptions: &[Exception {
            releases: until(v(45)),
            of: &["turn.completed"],
            level: Some(Severity::Note),
            seen: "0.44.0 completes the turn and exits with status 1 if an MCP server could not \
                be started",
        }],
        explanation: "Scripts use the exit status, and programs use the stream, so they have to agree. The \
            status is known only from a recording with an `exit` record. If a signal ended the \
            process, this is not checked.",
        evidence: "Checked on 1,770 recorded runs of 53 releases whose exit status is known.",
    } => {
        ExitStatus { status: i32, tag: &'static str }: "Codex exits with status {status} after `{tag}`",
    }
    EXEC_EXIT_WITHOUT_END {
        summary: "a run that exits with status 0 has written `turn.completed`",
        id: "sequence/exec-exit-without-end",
        about: EXEC,
        status: Status::Advisory,
        releases: since(Release::alpha(0, 43, 0, 5)),
        exceptions: &[Exception {
            releases: until(v(116)),
            of: &[],
            level: Some(Severity::Warning),
            seen: "up to 0.116.0 a run that SIGINT interrupts exits with status 0, and writes \
                neither `turn.completed` nor `turn.failed`",
        }],
        explanation: "The run reports success, but the stream stops in the middle of the turn: \
            messages were lost on the way to the recording, or the run was interrupted.",
        evidence: "Recorded with SIGINT in 41 releases. From 0.117.0 on such a run exits with \
            status 1.",
    } => {
        ExitWithoutEnd: "Codex exits with status 0 but has not ended the turn",
    }
    EXEC_FAILED_WITHOUT_ERROR {
        summary: "`turn.failed` repeats the message of the last `error` before it",
        id: "sequence/exec-failed-without-error",
        about: EXEC,
        explanation: "Clients show the `error` when it arrives, and treat `turn.failed` as the end. \
            Other messages may come between them: the `item.completed` of a to-do list, or, from \
            0.93.0 to 0.104.0, an `agent_message` of the parent after the `error` of a child \
            agent.",
        evidence: streams!("All 325 that fail respect it."),
    } => {
        OtherError: "`turn.failed` has another message than the last `error`",
        NoError: "`turn.failed` comes without an `error` before it",
    }
    EXEC_OUTSIDE_TURN {
        summary: "items and the end of a turn come after `turn.started`",
        id: "sequence/exec-outside-turn",
        about: EXEC,
        exceptions: &[Exception {
            releases: since(v(58)),
            of: &["error"],
            level: None,
            seen: "items of the kind `error` carry warnings before the turn: from 0.58.0 on that the \
                session was recorded with another model, from 0.92.0 on others; 0.44.0 to 0.57.0 \
                write none",
        }],
        releases: since(Release::alpha(0, 43, 0, 5)),
        explanation: "A client that opens a turn at `turn.started` has no turn to put the item in.",
        evidence: streams!("24 releases write `error` items before the turn, and nothing else."),
    } => {
        EndWithoutTurn { tag: Word }: "`{tag}` comes without `turn.started`",
        ItemBeforeTurn { kind: Word }: "an item of the kind `{kind}` comes before `turn.started`",
    }
    EXEC_THREAD_STARTED_AGAIN {
        summary: "`thread.started` comes again only after the end of the run before",
        id: "sequence/exec-thread-started-again",
        about: EXEC,
        explanation: "A second run was appended to a run that was cut, or a line was written twice. \
            In the early format the same is true of `session.created`.",
        evidence: streams!("Each has one."),
    } => {
        ThreadStartedAgain { tag: Word }: "`{tag}` comes again before the end of the run",
    }
    EXEC_THREAD_STARTED_FIRST {
        summary: "the first message is `thread.started` (in the early format of 0.42.0 \
            `session.created`)",
        id: "sequence/exec-thread-started-first",
        about: EXEC,
        explanation: "It holds the id by which a client resumes the thread. Without it the start of \
            the stream is missing.",
        evidence: streams!("All begin with it."),
    } => {
        ThreadNotFirst { tag: Word }: "the stream begins with `{tag}`",
    }
    EXEC_TOKENS_PART {
        summary: "cached input tokens are not more than input tokens, and reasoning tokens are \
            not more than output tokens",
        id: "sequence/exec-tokens-part",
        about: EXEC,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: parts_of_tokens!(),
        explanation: "Clients subtract cached tokens from input tokens to compute a price, and \
            reasoning tokens from output tokens to count the visible text. Here the result is \
            negative.",
        evidence: "840 counts of 32 releases from 0.44.0 to 0.169.0; none breaks it.",
    } => {
        PartBeyondWhole { part: &'static str, whole: &'static str }: "`{part}` is more than `{whole}`",
    }
    EXEC_TURN_STARTED_AGAIN {
        summary: "a run has one turn",
        id: "sequence/exec-turn-started-again",
        about: EXEC,
        exceptions: &[Exception {
            releases: LEAK,
            of: &[],
            level: None,
            seen: "child agents write their turns and items into the stream of their parent: up \
                to five `turn.started`, one end",
        }],
        explanation: "`codex exec` works on one prompt and exits. Either a line was written twice, \
            or the end of a run is missing.",
        evidence: streams!("Only streams of 0.93.0 to 0.111.0 have several."),
    } => {
        TurnStartedAgain: "`turn.started` comes again",
    }
    EXEC_UNFINISHED {
        summary: "a run ends with `turn.completed` or `turn.failed`",
        id: "sequence/exec-unfinished",
        about: EXEC,
        level: Severity::Warning,
        status: Status::Advisory,
        releases: since(Release::alpha(0, 43, 0, 5)),
        exceptions: &[Exception::everywhere(
            Severity::Warning,
            "no release writes an end if the run is interrupted (SIGINT, SIGTERM) or \
                hangs: on bad arguments of an MCP tool in 0.47.0, after SIGINT in 0.93.0 and \
                0.94.0, and from 0.148.0 on while connections are refused",
        )],
        explanation: "The result of the turn is unknown. The run was interrupted or still goes on, \
            or the copy is incomplete. An interrupted run looks the same, so this is never an \
            error.",
        evidence: streams!("103 have no end, each for one of these reasons."),
    } => {
        Unfinished: "the stream stops before the end of the turn",
    }
    EXEC_TOKENS_FALL {
        summary: "the token counts of a resumed thread never decrease",
        id: "sequence/exec-tokens-fall",
        about: EXEC,
        releases: since(v(79)),
        explanation: "From 0.79.0 on `usage` counts the whole thread, so clients compute \
            differences; before, it counted the run. This is checked only if the runs of a \
            thread follow each other in one input. Counts that are all zero are ignored: turns \
            without usage report them.",
        evidence: "Recorded by resuming a thread twice in 36 releases from 0.79.0 on; 0.77.0 and \
            before count each run by itself.",
    } => {
        UsageFalls { name: Word, before: u64, now: u64 }: "`{name}` falls from {before} to {now}",
    }
}
