//! Tracks the commands, patches, MCP calls and searches of a task: announced, started, in progress,
//! ended.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codex_wire_prefilter::View;

use super::evidence::{BOTH, EVENTS, queues, streams};
use crate::bounded_map::BoundedMap;
use crate::phrasing::Word;
use crate::rule::{Exception, since, until, v};
use crate::rule_macros::rules;
use crate::sequence::machine::Observed;
use crate::sequence::value::digest_of;
use crate::violation::{Broken, MessageRef, Violation};
use codex_wire_base::shape::ReleaseBounds;

/// How much output of running calls is kept for comparison, on all their streams together.
const MOST: usize = 4 << 20;

/// The most output events that Codex sends for one command.
const MOST_DELTAS: u32 = 10_000;

/// What a task calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Exec,
    Patch,
    Mcp,
    Search,
}

impl Kind {
    fn of_begin(tag: &str) -> Option<Kind> {
        Some(match tag {
            "exec_command_begin" => Kind::Exec,
            "patch_apply_begin" => Kind::Patch,
            "mcp_tool_call_begin" => Kind::Mcp,
            "web_search_begin" => Kind::Search,
            _ => return None,
        })
    }

    fn of_end(tag: &str) -> Option<Kind> {
        Some(match tag {
            "exec_command_end" => Kind::Exec,
            "patch_apply_end" => Kind::Patch,
            "mcp_tool_call_end" => Kind::Mcp,
            "web_search_end" => Kind::Search,
            _ => return None,
        })
    }

    fn of_request(tag: &str) -> Option<Kind> {
        Some(match tag {
            "exec_approval_request" => Kind::Exec,
            "apply_patch_approval_request" => Kind::Patch,
            _ => return None,
        })
    }

    /// The kind in exceptions and messages.
    fn as_str(self) -> &'static str {
        match self {
            Kind::Exec => "exec_command",
            Kind::Patch => "patch_apply",
            Kind::Mcp => "mcp_tool_call",
            Kind::Search => "web_search",
        }
    }

    /// The members that say what is called.
    fn fixed(self) -> &'static [&'static str] {
        match self {
            Kind::Exec => &["command", "cwd"],
            Kind::Patch => &["changes"],
            Kind::Mcp => &["invocation"],
            Kind::Search => &[],
        }
    }
}

/// What the client decided on an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// To run it.
    Run,
    /// Not to.
    Refused,
    /// Nothing yet.
    Open,
    /// Nothing that can be read, or nothing that was seen.
    Unsure,
}

/// The calls of a task.
#[derive(Debug)]
pub(super) struct Calls {
    /// By id, those that were begun and have not ended.
    running: BoundedMap<String, Call>,
    /// By id, those that have ended.
    done: BoundedMap<String, MessageRef>,
    /// The calls that need an approval before they begin, by id.
    asked: BoundedMap<String, Asked>,
    /// The last one that needs an approval.
    question: Option<String>,
    /// How much output of those that run is kept, or was until some were forgotten.
    held: usize,
    /// Whether patches were begun.
    patched: bool,
    lost: bool,
}

#[derive(Debug)]
struct Call {
    kind: Kind,
    message_ref: MessageRef,
    fixed: Vec<(&'static str, u64)>,
    /// What it wrote to its standard output and to its standard error.
    wrote: [Vec<u8>; 2],
    deltas: u32,
    /// Whether it may have written something else.
    unsure: bool,
    /// Whether it was reported that something else came before its end.
    reported: bool,
}

impl Call {
    /// How much of its output is kept.
    fn held(&self) -> usize {
        self.wrote.iter().map(Vec::len).sum()
    }
}

#[derive(Debug)]
struct Asked {
    kind: Kind,
    message_ref: MessageRef,
    fixed: Vec<(&'static str, u64)>,
    decision: Decision,
}

impl Calls {
    pub(super) fn new(limit: usize) -> Self {
        Calls {
            running: BoundedMap::new(limit),
            done: BoundedMap::new(limit),
            asked: BoundedMap::new(limit),
            question: None,
            held: 0,
            patched: false,
            lost: false,
        }
    }

    pub(super) fn lost(&mut self) {
        self.lost = true;
        self.question = None;
        // The output of a call may have been in the lost line, and so may its end, or that it was asked for again.
        self.running.clear();
        self.done.clear();
        self.asked.clear();
    }

    pub(super) fn patched(&self) -> bool {
        self.patched || self.lost
    }

    /// A call other than a search that runs, and where it was begun.
    pub(super) fn at_work(&self) -> Option<(&'static str, MessageRef)> {
        let found = self.running.iter().find(|(_, c)| c.kind != Kind::Search);
        found.map(|(_, call)| (call.kind.as_str(), call.message_ref))
    }

    /// The client answers the question of the task.
    pub(super) fn answered(&mut self, decision: Decision) {
        if let Some(asked) = self.question.take().and_then(|id| self.asked.get_mut(&id)) {
            asked.decision = decision;
        }
    }

    /// Any event of the task: while a call runs there is only its output, and while the client
    /// is asked there is nothing. Each is reported once.
    pub(super) fn before(
        &mut self,
        seen: &Observed<'_>,
        tag: &str,
        two_way: bool,
        out: &mut Vec<Violation>,
    ) {
        if matches!(tag, "turn_aborted" | "error" | "task_complete") {
            return;
        }
        let call_id = seen.text("/msg/call_id");
        let at_work = |(_, call): &(&String, &Call)| call.kind != Kind::Search && !call.reported;
        let found = self.running.iter().find(at_work).map(|(id, _)| id.clone());
        if let Some(call) = found.as_ref().and_then(|id| self.running.get_mut(id)) {
            // A second begin of the same call has a rule of its own.
            let own = found.as_deref() == call_id
                && (tag == "exec_command_output_delta"
                    || Kind::of_end(tag) == Some(call.kind)
                    || Kind::of_begin(tag).is_some());
            if !own {
                call.reported = true;
                let interrupted = CallInterrupted {
                    tag: Word::of(tag),
                    kind: call.kind.as_str(),
                };
                let violation = interrupted.at("/msg/type").of(tag);
                out.push(violation.earlier(call.message_ref, "the call began here"));
            }
        }
        let question = self.question.as_ref();
        let Some(asked) = question.and_then(|id| self.asked.get_mut(id)) else {
            return;
        };
        if asked.decision == Decision::Open && two_way {
            asked.decision = Decision::Unsure;
            out.push(
                EventBeforeAnswer { tag: Word::of(tag) }
                    .at("/msg/type")
                    .of(tag)
                    .earlier(asked.message_ref, "Codex asked for approval here"),
            );
        }
    }

    /// An event that may be about a call.
    pub(super) fn take(
        &mut self,
        seen: &Observed<'_>,
        tag: &str,
        two_way: bool,
        out: &mut Vec<Violation>,
    ) {
        let Some(id) = seen.text("/msg/call_id") else {
            return;
        };
        if let Some(kind) = Kind::of_request(tag) {
            let decision = if two_way {
                Decision::Open
            } else {
                Decision::Unsure
            };
            let asked = Asked {
                kind,
                message_ref: seen.message_ref,
                fixed: fixed(kind, seen),
                decision,
            };
            self.asked.insert(id.to_owned(), asked);
            self.question = Some(id.to_owned());
            // It may be asked for again after it has failed in the sandbox.
            self.done.remove(id);
        } else if let Some(kind) = Kind::of_begin(tag) {
            self.begin(seen, kind, id, two_way, out);
        } else if let Some(kind) = Kind::of_end(tag) {
            self.end(seen, kind, id, out);
        } else if tag == "exec_command_output_delta" {
            self.delta(seen, id, out);
        }
    }

    fn begin(
        &mut self,
        seen: &Observed<'_>,
        kind: Kind,
        id: &str,
        two_way: bool,
        out: &mut Vec<Violation>,
    ) {
        self.patched |= kind == Kind::Patch;
        let call = Call {
            kind,
            message_ref: seen.message_ref,
            fixed: fixed(kind, seen),
            wrote: [Vec::new(), Vec::new()],
            deltas: 0,
            unsure: false,
            reported: false,
        };
        if let Some(asked) = self.asked.get(id) {
            if asked.kind == kind {
                compare(&asked.fixed, asked.message_ref, seen, kind, out);
            }
            if asked.decision == Decision::Refused && two_way {
                let violation = RefusedCallBegins.at("/msg/call_id").of(kind.as_str());
                out.push(violation.earlier(asked.message_ref, "Codex asked for approval here"));
            }
        }
        let before = self.running.get(id).map(|call| call.message_ref);
        let done = self.done.get(id).map(|done| (*done, "the call ended here"));
        let before = before.map(|begun| (begun, "the call began here")).or(done);
        if let Some((message_ref, what)) = before {
            let kind = kind.as_str();
            let violation = CallStartedAgain { kind }.at("/msg/call_id").of(kind);
            out.push(violation.earlier(message_ref, what));
        }
        self.running.insert(id.to_owned(), call);
    }

    fn end(&mut self, seen: &Observed<'_>, kind: Kind, id: &str, out: &mut Vec<Violation>) {
        let Some(call) = self.running.remove(id) else {
            let at = "/msg/call_id";
            out.push(match self.done.get(id) {
                Some(message_ref) => CallEndsAgain
                    .at(at)
                    .of("again")
                    .earlier(*message_ref, "the call ended here"),
                None if self.lost || self.running.forgot() => return,
                None => CallNeverBegan.at(at).of(kind.as_str()),
            });
            self.done.insert(id.to_owned(), seen.message_ref);
            return;
        };
        self.held = self.held.saturating_sub(call.held());
        self.done.insert(id.to_owned(), seen.message_ref);
        if call.kind != kind {
            let begun_as = call.kind.as_str();
            out.push(
                CallOfOtherKind { begun_as }
                    .at("/msg/type")
                    .of(kind.as_str())
                    .earlier(call.message_ref, "the call began here"),
            );
            return;
        }
        if kind == Kind::Mcp {
            compare(&call.fixed, call.message_ref, seen, kind, out);
        }
        if kind == Kind::Exec {
            output(&call, seen, out);
        }
    }

    fn delta(&mut self, seen: &Observed<'_>, id: &str, out: &mut Vec<Violation>) {
        let Some(call) = self.running.get_mut(id) else {
            if !self.lost {
                out.push(OutputNotRunning.at("/msg/call_id").of("none"));
            }
            return;
        };
        if call.kind != Kind::Exec {
            let kind = call.kind.as_str();
            let violation = OutputOfOtherKind { kind }.at("/msg/call_id").of(kind);
            out.push(violation.earlier(call.message_ref, "the call began here"));
            return;
        }
        let stream = match seen.text("/msg/stream") {
            Some("stdout") => 0,
            Some("stderr") => 1,
            _ => return call.unsure = true,
        };
        call.deltas += 1;
        if call.unsure {
            return;
        }
        let chunk = seen.message.pointer("/msg/chunk").and_then(bytes);
        let more = chunk.as_ref().map_or(0, Vec::len);
        if self.held + more > MOST {
            self.held = self.running.iter().map(|(_, call)| call.held()).sum();
        }
        let Some(call) = self.running.get_mut(id) else {
            return;
        };
        match chunk {
            Some(chunk) if self.held + more <= MOST => {
                call.wrote[stream].extend(chunk);
                self.held += more;
            }
            _ => {
                self.held = self.held.saturating_sub(call.held());
                call.unsure = true;
                call.wrote = [Vec::new(), Vec::new()];
            }
        }
    }

    /// The task is complete: nothing may be at work.
    pub(super) fn complete(&self, out: &mut Vec<Violation>) {
        for (_, call) in self.running.iter() {
            let kind = call.kind.as_str();
            let violation = CallOpen { kind }.at("/msg/type").of(kind);
            out.push(violation.earlier(call.message_ref, "the call began here"));
        }
    }
}

fn fixed(kind: Kind, seen: &Observed<'_>) -> Vec<(&'static str, u64)> {
    let digest = |name: &&'static str| {
        let value = seen.message.get("msg")?.get(name)?;
        Some((*name, digest_of(value)))
    };
    kind.fixed().iter().filter_map(digest).collect()
}

/// Whether a call is still what it was announced as.
fn compare(
    before: &[(&'static str, u64)],
    message_ref: MessageRef,
    seen: &Observed<'_>,
    kind: Kind,
    out: &mut Vec<Violation>,
) {
    let now = fixed(kind, seen);
    for (name, value) in before {
        if now.iter().any(|(other, now)| other == name && now != value) {
            out.push(
                CallChanged { name }
                    .at(format!("/msg/{name}"))
                    .of(kind.as_str())
                    .earlier(message_ref, "the call was announced here"),
            );
        }
    }
}

/// What a command wrote: base64, up to 0.29.0 an array of numbers.
fn bytes(chunk: View<'_>) -> Option<Vec<u8>> {
    let chunk = chunk.as_written();
    match codex_wire_base::from_str::<String>(chunk) {
        Ok(text) => STANDARD.decode(text).ok(),
        Err(_) => codex_wire_base::from_str(chunk).ok(),
    }
}

/// Whether what a command wrote is what its end says.
fn output(call: &Call, seen: &Observed<'_>, out: &mut Vec<Violation>) {
    let exit = seen
        .message
        .pointer("/msg/exit_code")
        .and_then(View::as_i64);
    // If a command could not be run or was stopped, the end reports that instead.
    if call.unsure || call.deltas >= MOST_DELTAS || matches!(exit, None | Some(-1 | 124)) {
        return;
    }
    for (wrote, name) in call.wrote.iter().zip(["stdout", "stderr"]) {
        let pointer = format!("/msg/{name}");
        let Some(said) = seen.text(&pointer) else {
            continue;
        };
        let wrote = String::from_utf8_lossy(wrote);
        if wrote == said {
            continue;
        }
        let violation = match wrote.starts_with(said) {
            true => OutputShortened { name }.at(pointer).of("shortened output"),
            false => OutputDiffers { name }.at(pointer).of("other"),
        };
        out.push(violation.earlier(call.message_ref, "the call began here"));
    }
}

rules! {
    CORE_APPROVAL_WAITS {
        summary: "after an approval request, the task writes nothing until the client answers, \
            and starts the command or patch only if the client approved it",
        id: "sequence/core-approval-waits",
        about: EVENTS,
        explanation: "A command or patch that starts before approval ran without permission. This is \
            checked only if the client's lines are known. The end of the task, by `error` or \
            `turn_aborted`, needs no answer.",
        evidence: queues!("All 135 calls that needed an approval and began were approved; 81 \
            were declined, and none of these began."),
    } => {
        EventBeforeAnswer { tag: Word }: "`{tag}` comes before the client has answered",
        RefusedCallBegins: "the call begins, but the client has refused it",
    }
    CORE_CALL_STARTED_AGAIN {
        summary: "each call has one begin event",
        id: "sequence/core-call-started-again",
        about: BOTH,
        explanation: "Within a task each call has its own id. A call may begin again only after \
            another approval request: it failed in the sandbox and is tried outside.",
        evidence: streams!("1,092 calls; none begins twice."),
    } => {
        CallStartedAgain { kind: &'static str }: "`{kind}_begin` comes again for this call",
    }
    CORE_CALL_CHANGED {
        summary: "a command or patch starts exactly as its approval request described it, and an \
            MCP call ends with the `invocation` it started with",
        id: "sequence/core-call-changed",
        about: BOTH,
        explanation: "`command` and `cwd`, `changes`, or `invocation` differ between two events of \
            one call: the user approved something else than what was done, or the ids are mixed \
            up.",
        evidence: streams!("135 approval requests and 260 MCP calls were compared."),
    } => {
        CallChanged { name: &'static str }: "`{name}` is not what the call was announced with",
    }
    CORE_CALL_INTERRUPTED {
        summary: "while a command, a patch or an MCP call runs, its task writes only the output \
            of that call",
        id: "sequence/core-call-interrupted",
        about: BOTH,
        explanation: "Calls are made one after another. Another event here belongs to another place, \
            or the end event is missing. This rule ignores web searches, answers to other \
            submissions and the end of the task.",
        evidence: streams!("990 calls; none breaks it."),
    } => {
        CallInterrupted { tag: Word, kind: &'static str }: "`{tag}` comes before the end of `{kind}_begin`",
    }
    CORE_CALL_NEVER_STARTED {
        summary: "a call begins before it ends, and ends once",
        id: "sequence/core-call-never-started",
        about: BOTH,
        exceptions: &[Exception {
            releases: since(v(26)),
            of: &["web_search"],
            level: None,
            seen: "a search that the model did not announce has an end event only (0.27.0 to \
                0.42.0)",
        }],
        explanation: "A client that opens a call at its begin event has no open call to close.",
        evidence: streams!("8 searches have an end only, and nothing else."),
    } => {
        CallEndsAgain: "the call ends a second time",
        CallNeverBegan: "the call ends but never began",
        CallOfOtherKind { begun_as: &'static str }: "the call was begun by `{begun_as}_begin`",
    }
    CORE_CALL_OPEN {
        summary: "every call that began has ended before `task_complete`",
        id: "sequence/core-call-open",
        about: EVENTS,
        exceptions: &[Exception {
            releases: ReleaseBounds::ALWAYS,
            of: &["web_search"],
            level: None,
            seen: "a page visit sends `web_search_begin` and no end event (0.25.0 to 0.42.0)",
        }],
        explanation: "A client that waits for the end never stops waiting. A task that is aborted \
            leaves its call without an end, which is allowed.",
        evidence: queues!("545 completed tasks leave 20 searches open, and nothing else."),
    } => {
        CallOpen { kind: &'static str }: "`{kind}_begin` has no end before the task is complete",
    }
    CORE_OUTPUT_DIFFERS {
        summary: "`stdout` and `stderr` in `exec_command_end` equal the joined \
            `exec_command_output_delta` chunks",
        id: "sequence/core-output-differs",
        about: BOTH,
        exceptions: &[Exception {
            releases: until(v(24)),
            of: &["shortened output"],
            level: None,
            seen: "up to 0.23.0 `exec_command_end` has only the first part of a long output",
        }],
        explanation: "The chunks of each stream are joined and read as UTF-8. `aggregated_output` \
            mixes both streams in an order of its own and is not checked. Also not compared are \
            commands that could not run or were stopped (exit code -1 or 124), outputs above 4 \
            MiB, and commands with 10,000 deltas: after these Codex sends no more.",
        evidence: streams!("The ends of 486 commands were compared."),
    } => {
        OutputShortened { name: &'static str }: "`{name}` is shorter than the output before",
        OutputDiffers { name: &'static str }: "`{name}` is not the output reported before",
    }
    CORE_OUTPUT_NOT_RUNNING {
        summary: "output belongs to a command that is running",
        id: "sequence/core-output-not-running",
        about: BOTH,
        exceptions: &[Exception {
            releases: until(v(24)),
            of: &["patch_apply"],
            level: None,
            seen: "up to 0.23.0 a command applies patches, and Codex sends its output",
        }],
        explanation: "A client cannot assign the output to a command. The begin event of the command \
            is missing, or the ids are mixed up.",
        evidence: streams!("107 deltas of output belong to patches, all in 0.20.0 to 0.23.0."),
    } => {
        OutputNotRunning: "output of a call that is not running",
        OutputOfOtherKind { kind: &'static str }: "output of a call of the kind `{kind}`",
    }
}
