//! Checks what the inputs of hooks say about each other: calls, turns, sessions and prompts.
//!
//! A log need not have all events: only those are there for which a hook is configured, each once for
//! each of its hooks. So a missing line proves nothing by itself.

use super::evidence::{INPUTS, recorded};
use crate::bounded_map::BoundedMap;
use crate::phrasing::Word;
use crate::rule::{Exception, since, until, v};
use crate::rule_macros::rules;
use crate::sequence::machine::Observed;
use crate::sequence::value::digest;
use crate::severity::Severity;
use crate::violation::{Broken, MessageRef, Violation};

/// What `PostToolUse` repeats of `PreToolUse`. A hook may have changed the input of the tool.
const REPEATED: [&str; 5] = ["session_id", "turn_id", "agent_id", "tool_name", "cwd"];

/// Events that come in a turn which a prompt has begun.
const OF_TURN: [&str; 4] = ["PreToolUse", "PermissionRequest", "PostToolUse", "Stop"];

/// How many ids of each kind are remembered.
const MOST: usize = 16_384;

/// What the inputs so far say.
#[derive(Debug)]
pub(super) struct Order {
    calls: BoundedMap<String, Call>,
    turns: BoundedMap<String, Turn>,
    /// By session and agent.
    threads: BoundedMap<u64, Thread>,
    sessions: BoundedMap<u64, Session>,
    /// The tools that `PreToolUse` has come for, with their session.
    tools: BoundedMap<u64, ()>,
    /// Where a session begins with `SessionStart`.
    start: Option<MessageRef>,
    /// Whether a line could not be read.
    lost: bool,
}

#[derive(Debug)]
struct Call {
    before: Option<(MessageRef, [Option<u64>; REPEATED.len()])>,
    after: Option<MessageRef>,
}

#[derive(Debug)]
struct Turn {
    first: MessageRef,
    session: u64,
    thread: u64,
    /// Whether its thread has gone on with another one.
    is_over: bool,
}

#[derive(Debug, Default)]
struct Thread {
    /// The turn at hand.
    turn: Option<String>,
    /// Whether a prompt began it.
    is_prompted: bool,
    /// The last prompt, and whether another event of the thread has come since then.
    prompt: Option<(u64, MessageRef, bool)>,
}

#[derive(Debug)]
struct Session {
    first: MessageRef,
    /// Whether only `SessionStart` was seen of it.
    is_starting: bool,
    /// Whether its beginning was seen.
    is_whole: bool,
}

impl Default for Order {
    fn default() -> Self {
        Order {
            calls: BoundedMap::new(MOST),
            turns: BoundedMap::new(MOST),
            threads: BoundedMap::new(MOST),
            sessions: BoundedMap::new(MOST),
            tools: BoundedMap::new(MOST),
            start: None,
            lost: false,
        }
    }
}

impl Order {
    /// A line could not be read.
    pub(super) fn lost(&mut self) {
        self.lost = true;
    }

    /// Takes an input.
    pub(super) fn input(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let text = |member: &str| seen.message.get_str(member);
        let (Some(event), Some(session)) = (text("hook_event_name"), text("session_id")) else {
            return self.lost();
        };
        let input = Input {
            event,
            session: digest(&session),
            thread: digest(&(session, text("agent_id"))),
            turn: text("turn_id"),
            seen,
        };
        self.session(&input, out);
        self.turn(&input, out);
        self.prompt(&input, out);
        match event {
            "PreToolUse" => self.before(&input, out),
            "PostToolUse" => self.after(&input, out),
            _ => {}
        }
    }

    /// `SessionStart` comes first.
    fn session(&mut self, input: &Input<'_>, out: &mut Vec<Violation>) {
        let is_start = input.event == "SessionStart";
        let Some(session) = self.sessions.get_mut(&input.session) else {
            let message_ref = input.seen.message_ref;
            if let Some(start) = self.start.filter(|_| !is_start && !self.lost) {
                let violation = SessionStartMissing.at("/session_id");
                out.push(violation.earlier(start, "another session begins here"));
            }
            if is_start {
                self.start.get_or_insert(message_ref);
            }
            let session = Session {
                first: message_ref,
                is_starting: is_start,
                is_whole: is_start || input.event == "UserPromptSubmit",
            };
            self.sessions.insert(input.session, session);
            return;
        };
        // Several hooks may be configured for it.
        if is_start && input.text("source") == Some("startup") && !session.is_starting {
            let violation = SessionStartLate.at("/hook_event_name");
            out.push(violation.earlier(session.first, "the session begins here"));
        }
        session.is_starting &= is_start;
    }

    /// A turn belongs to one thread, and is over when the next one begins.
    fn turn(&mut self, input: &Input<'_>, out: &mut Vec<Violation>) {
        let Some(id) = input.turn else {
            return;
        };
        let is_prompt = input.event == "UserPromptSubmit";
        let is_new = match self.turns.get(id) {
            None => {
                let turn = Turn {
                    first: input.seen.message_ref,
                    session: input.session,
                    thread: input.thread,
                    is_over: false,
                };
                self.turns.insert(id.to_owned(), turn);
                true
            }
            Some(turn) if turn.session != input.session => {
                let violation = TurnOfOtherSession.at("/session_id");
                out.push(violation.earlier(turn.first, "the turn is of another one here"));
                return;
            }
            Some(turn) if turn.thread != input.thread => {
                let violation = TurnOfOtherAgent.at("/turn_id");
                out.push(violation.earlier(turn.first, "the turn is of another agent here"));
                return;
            }
            Some(turn) => {
                if turn.is_over {
                    let violation = TurnIsOver.at("/turn_id").of("turn before");
                    out.push(violation.earlier(turn.first, "the turn begins here"));
                }
                false
            }
        };
        if self.threads.get(&input.thread).is_none() {
            self.threads.insert(input.thread, Thread::default());
        }
        let Some(thread) = self.threads.get_mut(&input.thread) else {
            return;
        };
        if thread.turn.as_deref() == Some(id) {
            thread.is_prompted |= is_prompt;
            return;
        }
        if let Some(turn) = thread
            .turn
            .as_ref()
            .and_then(|turn| self.turns.get_mut(turn))
        {
            turn.is_over = true;
            let is_due = OF_TURN.contains(&input.event) && thread.is_prompted;
            if is_new && is_due && !self.lost {
                let event = Word::of(input.event);
                let violation = TurnWithoutPrompt { event }.at("/turn_id");
                out.push(violation.earlier(turn.first, "the turn before begins here"));
            }
        }
        thread.turn = Some(id.to_owned());
        thread.is_prompted = is_prompt;
    }

    /// A prompt is submitted once.
    fn prompt(&mut self, input: &Input<'_>, out: &mut Vec<Violation>) {
        let Some(thread) = self.threads.get_mut(&input.thread) else {
            return;
        };
        if input.event != "UserPromptSubmit" {
            if let Some((_, _, goes_on)) = &mut thread.prompt {
                *goes_on = true;
            }
            return;
        }
        let this = digest(&(input.turn, input.text("prompt")));
        match thread.prompt {
            Some((prompt, at, true)) if prompt == this && input.turn.is_some() => {
                out.push(PromptAgain.at("/prompt").earlier(at, "the prompt is here"));
            }
            _ => thread.prompt = Some((this, input.seen.message_ref, false)),
        }
    }

    fn before(&mut self, input: &Input<'_>, out: &mut Vec<Violation>) {
        if let Some(tool) = input.tool() {
            self.tools.insert(tool, ());
        }
        let Some(id) = input.text("tool_use_id") else {
            return;
        };
        let before = Some((input.seen.message_ref, input.repeated()));
        match self.calls.get_mut(id) {
            Some(call) => {
                if let Some(after) = call.after {
                    let violation = PreAfterPost.at("/tool_use_id");
                    out.push(violation.earlier(after, "`PostToolUse` is here"));
                }
                call.before = before;
            }
            None => {
                let after = None;
                self.calls.insert(id.to_owned(), Call { before, after });
            }
        }
    }

    fn after(&mut self, input: &Input<'_>, out: &mut Vec<Violation>) {
        let Some(id) = input.text("tool_use_id") else {
            return;
        };
        let message_ref = input.seen.message_ref;
        let after = Some(message_ref);
        let Some(call) = self.calls.get_mut(id) else {
            let session = self.sessions.get(&input.session);
            let is_whole = session.is_some_and(|session| session.is_whole);
            let is_hooked = input
                .tool()
                .is_some_and(|tool| self.tools.get(&tool).is_some());
            if is_whole && is_hooked && !self.lost && !self.calls.forgot() {
                out.push(PostWithoutPre.at("/tool_use_id"));
            }
            let before = None;
            self.calls.insert(id.to_owned(), Call { before, after });
            return;
        };
        call.after = after;
        let Some((at, before)) = &call.before else {
            return;
        };
        for ((member, before), now) in REPEATED.iter().zip(before).zip(input.repeated()) {
            if *before != now {
                let pointer = match now {
                    Some(_) => format!("/{member}"),
                    None => String::new(),
                };
                let violation = CallChanged { member }.at(pointer);
                out.push(violation.earlier(*at, "`PreToolUse` is here"));
            }
        }
    }
}

/// What a hook reads.
struct Input<'a> {
    event: &'a str,
    session: u64,
    thread: u64,
    turn: Option<&'a str>,
    seen: &'a Observed<'a>,
}

impl<'a> Input<'a> {
    fn text(&self, member: &str) -> Option<&'a str> {
        self.seen.message.get_str(member)
    }

    /// Its tool, in its session.
    fn tool(&self) -> Option<u64> {
        let tool = self.text("tool_name")?;
        Some(digest(&(self.session, tool)))
    }

    fn repeated(&self) -> [Option<u64>; REPEATED.len()] {
        REPEATED.map(|member| self.text(member).map(|text| digest(&text)))
    }
}

rules! {
    HOOK_CALL_ORDER {
        summary: "`PreToolUse` of a call comes before its `PostToolUse`",
        id: "hooks/call-order",
        about: INPUTS,
        explanation: "`tool_use_id` connects the two. A call without `PreToolUse` is reported only if the \
            session has one for the same tool, so that a hook is configured for it, and the log has the \
            beginning of the session.",
        evidence: recorded!("All 494 `PostToolUse` follow their `PreToolUse`."),
    } => {
        PreAfterPost: "`PostToolUse` of the call was before",
        PostWithoutPre: "the call has no `PreToolUse`, which other calls of the tool have",
    }
    HOOK_CALL_CHANGED {
        summary: "`PostToolUse` names the session, turn, agent, tool and folder of its `PreToolUse`",
        id: "hooks/call-changed",
        about: INPUTS,
        explanation: "The two are about one call. `tool_input` is not compared: a hook may have changed it.",
        evidence: recorded!("All 494 pairs agree; in 26 a hook changed the input."),
    } => {
        CallChanged { member: &'static str }: "`{member}` is not that of `PreToolUse`",
    }
    HOOK_TURN {
        summary: "a turn belongs to one session and agent, and is over when their next turn begins",
        id: "hooks/turn",
        about: INPUTS,
        exceptions: &[Exception {
            releases: until(v(132)),
            of: &["turn before"],
            level: None,
            seen: "in 0.132.0 sub-agents have the session of their parent and no `agent_id`, so that \
                turns of several threads look like those of one",
        }],
        explanation: "Ids of turns are never used again. A line that names another session, or a turn that \
            is over, does not belong where it stands: lines were moved, or logs merged.",
        evidence: recorded!("Their 339 turns do."),
    } => {
        TurnOfOtherSession: "the turn belongs to another session",
        TurnOfOtherAgent: "the turn belongs to another agent of the session",
        TurnIsOver: "the thread has gone on with another turn since",
    }
    HOOK_TURN_WITHOUT_PROMPT {
        summary: "a turn begins with `UserPromptSubmit`, if the turn before did",
        id: "hooks/turn-without-prompt",
        about: INPUTS,
        releases: since(v(139)),
        level: Severity::Warning,
        explanation: "A hook is configured for prompts, but this turn has none: a line is missing, or names \
            another turn. Codex may begin a turn by itself, for example to pursue a goal, so this is a \
            warning. Compactions and what sub-agents do are not reported.",
        evidence: recorded!("None of their turns with tools or `Stop` begins without a prompt."),
    } => {
        TurnWithoutPrompt { event: Word }: "the turn begins with `{event}`, and the one before with a prompt",
    }
    HOOK_SESSION_START_LATE {
        summary: "`SessionStart` of a new session comes before all else of it",
        id: "hooks/session-start-late",
        about: INPUTS,
        releases: since(v(139)),
        explanation: "With the source `startup` the session is new. It may come several times in a row, once \
            for each hook. `resume`, `clear` and `compact` come later. Before 0.133.0 sub-agents have a \
            `SessionStart` in the session of their parent.",
        evidence: recorded!("257 new sessions begin with it."),
    } => {
        SessionStartLate: "the session is new, but lines of it were before",
    }
    HOOK_SESSION_START_MISSING {
        summary: "a session begins with `SessionStart`, if another one in the log did",
        id: "hooks/session-start-missing",
        about: INPUTS,
        level: Severity::Warning,
        explanation: "A hook is configured for `SessionStart`. Here its line is missing, or the line names \
            another session. A hook that is configured for one `source` only is not called for the \
            others, so this is a warning.",
        evidence: recorded!("In logs with `SessionStart`, all sessions begin with it."),
    } => {
        SessionStartMissing: "the session does not begin with `SessionStart`, as another one does",
    }
    HOOK_PROMPT_AGAIN {
        summary: "a prompt is submitted once in a turn",
        id: "hooks/prompt-again",
        about: INPUTS,
        level: Severity::Warning,
        explanation: "The same prompt comes again after other events of its turn. A user may type it twice \
            while the turn runs, so this is a warning. Twice in a row it may be the input of two hooks.",
        evidence: recorded!("No prompt comes again within its turn."),
    } => {
        PromptAgain: "the turn has had this prompt",
    }
}
