//! Checks calls of tools in a session file, with their outputs and events.

use std::collections::BTreeMap;

use super::evidence::{FILES, LINES, files};
use super::header::Header;
use super::line::{Kind, RolloutLine};
use super::turns::Turns;
use crate::bounded_map::BoundedMap;
use crate::rule::{Exception, since, until, v};
use crate::rule_macros::rules;
use crate::violation::{Broken, MessageRef, Violation};

/// How many calls without output are remembered.
const MOST_WAITING: usize = 256;

/// The calls of a file.
#[derive(Debug)]
pub(super) struct Calls {
    known: BoundedMap<String, Call>,
    /// Calls of this turn without output: their ids, and whether they run code that calls other
    /// tools.
    waiting: BTreeMap<String, Waiting>,
    /// A web search whose item comes next.
    search: Option<MessageRef>,
    /// The last line.
    last: Kind,
    /// Whether a call without output was reported since the last call.
    has_reported: bool,
    /// Whether a line could not be read.
    lost: bool,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    message_ref: MessageRef,
    is_code: bool,
}

#[derive(Clone, Copy, Debug)]
struct Call {
    message_ref: MessageRef,
    /// What kind of output it has.
    output: &'static str,
    answered: Option<MessageRef>,
}

impl Calls {
    pub(super) fn new(limit: usize) -> Self {
        Calls {
            known: BoundedMap::new(limit),
            waiting: BTreeMap::new(),
            search: None,
            last: Kind::Unknown,
            has_reported: false,
            lost: false,
        }
    }

    /// A line could not be read.
    pub(super) fn lost(&mut self) {
        self.lost = true;
        self.waiting.clear();
        self.search = None;
        self.last = Kind::Unknown;
    }

    /// Takes a line, before the turns take it.
    pub(super) fn line(
        &mut self,
        line: &RolloutLine<'_>,
        header: &Header,
        turns: &Turns,
        out: &mut Vec<Violation>,
    ) {
        self.searched(line, header, out);
        match line.kind {
            Kind::Call => self.call(line, out),
            Kind::Output => self.output(line, header, out),
            Kind::CallEvent if !turns.is_review() => self.event(line, header, out),
            // The process before was killed.
            Kind::TaskStarted => self.waiting.clear(),
            Kind::TaskComplete | Kind::TurnAborted => {
                // A sub-agent copies the call that started it.
                if turns.is_open() && !header.is_agent_copy {
                    self.missing(line, out);
                }
                self.waiting.clear();
            }
            // Up to 0.105.0 each request to the model has a context, and goes out when the calls
            // before are answered.
            Kind::Context if self.last != Kind::UserEvent => self.missing(line, out),
            Kind::UserEvent if !turns.is_open() => self.waiting.clear(),
            _ => {}
        }
        if !matches!(line.kind, Kind::Call | Kind::Output) {
            self.alone(line, out);
        }
        self.last = line.kind;
    }

    fn call(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        let Some(id) = line.text("call_id") else {
            return;
        };
        let output = match line.tag {
            "custom_tool_call" => "custom_tool_call_output",
            "tool_search_call" => "tool_search_output",
            _ => "function_call_output",
        };
        let call = Call {
            message_ref: line.message_ref,
            output,
            answered: None,
        };
        if let Some(before) = self.known.insert(id.to_owned(), call) {
            let violation = CallIdAgain.at(line.pointer("call_id"));
            out.push(violation.earlier(before.message_ref, "the first call is here"));
        }
        self.has_reported = false;
        if self.waiting.len() < MOST_WAITING {
            let waiting = Waiting {
                message_ref: line.message_ref,
                is_code: line.tag == "custom_tool_call",
            };
            self.waiting.insert(id.to_owned(), waiting);
        }
    }

    fn output(&mut self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        // The output of a goal belongs to no call.
        let Some(id) = line.text("call_id") else {
            return;
        };
        self.waiting.remove(id);
        let at = || line.pointer("call_id");
        let Some(call) = self.known.get_mut(id) else {
            let may_be = self.lost || header.is_unsure || header.has_base || self.known.forgot();
            if !may_be {
                out.push(OutputUnasked.at(at()));
            }
            return;
        };
        if let Some(before) = call.answered {
            let violation = OutputAgain.at(at());
            out.push(violation.earlier(before, "the first output is here"));
        }
        call.answered = Some(line.message_ref);
        if line.tag != call.output {
            let violation = OutputOfOtherKind { kind: call.output }.at(line.pointer("type"));
            out.push(violation.earlier(call.message_ref, "the call is here"));
        }
    }

    /// An event or a finished item that belongs to a call.
    fn event(&mut self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        let (id, member) = match line.item {
            Some(item) => (item.get_str("id"), "item/id"),
            None if line.payload.get("callId").is_some() => (line.text("callId"), "callId"),
            None => (line.text("call_id"), "call_id"),
        };
        let source = line.item.unwrap_or(line.payload).get_str("source");
        let Some(id) = id.filter(|_| source != Some("user_shell")) else {
            return;
        };
        // A command may go on in the background.
        let goes_on = matches!(line.tag, "CommandExecution" | "exec_command_end");
        match self.known.get(id) {
            Some(call) => {
                if let Some(answered) = call.answered.filter(|_| !goes_on) {
                    let violation = EventAfterOutput.at(line.pointer(member)).of(line.tag);
                    out.push(violation.earlier(answered, "the output is here"));
                }
            }
            None => {
                let may_be = self.lost || header.is_unsure || header.has_base;
                let is_nested = self.waiting.values().any(|call| call.is_code);
                if !may_be && !is_nested && !self.known.forgot() {
                    out.push(EventUnasked.at(line.pointer(member)).of(line.tag));
                }
            }
        }
    }

    /// The item of a web search follows its event.
    fn searched(&mut self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        let event = self.search.take();
        // In a paginated thread, ordinals show what is missing.
        let is_legacy = header.is_paginated == Some(false) && !header.is_foreign_copy;
        if line.kind == Kind::SearchItem
            && event.is_none()
            && is_legacy
            && self.last != Kind::Unknown
        {
            out.push(SearchWithoutEvent.at(line.at).of("item without event"));
        }
        if let Some(event) = event
            && line.kind != Kind::SearchItem
            && !line.kind.may_begin()
            && !header.is_foreign_copy
        {
            let violation = SearchWithoutItem.at(line.at);
            out.push(violation.earlier(event, "the event of the search is here"));
        }
        if line.kind == Kind::SearchEvent {
            self.search = Some(line.message_ref);
        }
    }

    /// Reports a call of a turn that ends without an output of it.
    fn missing(&self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        if let Some(call) = self.waiting.values().next() {
            let violation = OutputMissing.at(line.at);
            out.push(violation.earlier(call.message_ref, "the call is here"));
        }
    }

    /// Reports a call whose output does not stand with it, once.
    fn alone(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        if let Some(call) = self.waiting.values().next()
            && !std::mem::replace(&mut self.has_reported, true)
        {
            let violation = CallAlone.at(line.at);
            out.push(violation.earlier(call.message_ref, "the call is here"));
        }
    }
}

rules! {
    ROLLOUT_CALL_AGAIN {
        summary: "each call has an id of its own",
        id: "sequence/rollout-call-again",
        about: FILES,
        explanation: "`call_id` connects a call, its output and its events. Here a call was repeated, for \
            example because two copies of a file were merged.",
        evidence: files!("No id comes again."),
    } => {
        CallIdAgain: "a call of this id was before",
    }
    ROLLOUT_OUTPUT_UNASKED {
        summary: "an output follows its call",
        id: "sequence/rollout-output-unasked",
        about: FILES,
        explanation: "The call of an output stands before it in the file, unless it stands in the file \
            that `history_base` names; then nothing is reported. From 0.169.0 on the output of a goal \
            has no `call_id` and belongs to no call.",
        evidence: files!("All outputs with a `call_id` follow their call."),
    } => {
        OutputUnasked: "no call of this id was before",
    }
    ROLLOUT_OUTPUT_AGAIN {
        summary: "a call has one output",
        id: "sequence/rollout-output-again",
        about: FILES,
        explanation: "Here the output was repeated.",
        evidence: files!("No call has two."),
    } => {
        OutputAgain: "the call has an output already",
    }
    ROLLOUT_OUTPUT_KIND {
        summary: "the kind of an output fits that of its call",
        id: "sequence/rollout-output-kind",
        about: FILES,
        explanation: "`function_call` and `local_shell_call` have a `function_call_output`, \
            `custom_tool_call` a `custom_tool_call_output`, and `tool_search_call` a \
            `tool_search_output`. The Responses API refuses a history in which they do not fit.",
        evidence: files!("All fit."),
    } => {
        OutputOfOtherKind { kind: &'static str }: "the output of this call is a `{kind}`",
    }
    ROLLOUT_OUTPUT_MISSING {
        summary: "when a turn ends, each of its calls has an output",
        id: "sequence/rollout-output-missing",
        about: LINES,
        releases: since(v(36)),
        explanation: "Also a call that is interrupted has an output. Only a process that is killed \
            leaves a call without one, and no end of the turn. A sub-agent that copies the turns of its \
            parent copies the call that started it, too; this rule ignores it. Before 0.100.0 nothing marks the end; \
            there the next `turn_context`, which stands before each request, is compared.",
        evidence: files!("No turn ends with an open call."),
    } => {
        OutputMissing: "a call of the turn has no output",
    }
    ROLLOUT_CALL_ALONE {
        summary: "calls and their outputs stand together",
        id: "sequence/rollout-call-alone",
        about: FILES,
        releases: until(v(63)),
        explanation: "Up to 0.63.0 Codex writes the calls of a response with their outputs, when all have \
            one. Later releases write a call at once.",
        evidence: files!("Of the releases up to 0.63.0, no line stands between a call and its output."),
    } => {
        CallAlone: "a call before this line has no output",
    }
    ROLLOUT_CALL_EVENT {
        summary: "the event of a call comes between the call and its output",
        id: "sequence/rollout-call-event",
        about: LINES,
        releases: since(v(104)),
        explanation: "`mcp_tool_call_end`, `patch_apply_end` and the like, and finished items such as \
            `FileChange` and `McpToolCall`, have the id of a call that stands before them and has no \
            output yet. A command may complete later, because it may go on in the background; one \
            that the user typed has no call. Tools that code calls have ids of their own, so nothing is \
            reported while a `custom_tool_call` runs, nor in a review.",
        evidence: files!("292 events and items fit, and 7 commands come later."),
    } => {
        EventAfterOutput: "the call has its output already",
        EventUnasked: "no call of this id was before",
    }
    ROLLOUT_SEARCH_EVENT {
        summary: "the item of a web search follows its event",
        id: "sequence/rollout-search-event",
        about: LINES,
        releases: since(v(104)),
        exceptions: &[Exception {
            releases: until(v(128)),
            of: &["item without event"],
            level: None,
            seen: "up to 0.128.0 a search has an event only if the client set \
                `persistExtendedHistory`",
        }],
        explanation: "`web_search_end`, or the finished item `WebSearch`, is written directly before \
            `web_search_call`.",
        evidence: files!("All events have their item, and all items from 0.130.0 on have their event."),
    } => {
        SearchWithoutEvent: "the event of the search does not stand before its item",
        SearchWithoutItem: "`web_search_call` does not follow the event of the search",
    }
}
