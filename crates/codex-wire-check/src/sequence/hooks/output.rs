//! The state of the runs of hooks, and the rules about what a hook prints.

use codex_wire_base::MessageSet;
use codex_wire_base::Release;
use codex_wire_prefilter::View;
use codex_wire_schema::tags;

use super::effects::refused;
use super::evidence::{HOOKS, tried};
use super::order::Order;
use crate::line::end::End;
use crate::phrasing::Word;
use crate::rule::until;
use crate::rule_macros::rules;
use crate::sequence::machine::{Machine, Observed};
use crate::severity::Severity;
use crate::violation::{Broken, Violation};
use crate::writer::Writer;

/// Events whose outputs have `decision` and `reason`.
const DECIDING: [&str; 5] = [
    "PostToolUse",
    "PreToolUse",
    "Stop",
    "SubagentStop",
    "UserPromptSubmit",
];

/// What was seen of the run of a hook.
#[derive(Default)]
pub(crate) struct Hooks {
    /// The line of the last input, and the tool in it.
    input: Option<(u64, Option<String>)>,
    order: Order,
}

impl Machine for Hooks {
    fn message(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        if seen.writer == Writer::Codex {
            let tool = seen.message.get_str("tool_name").map(str::to_owned);
            self.input = Some((seen.message_ref.line, tool));
            self.order.input(seen, out);
            return;
        }
        let (event, output, base) = match seen.hook {
            Some(event) => (Some(event), Some(seen.message), ""),
            None => (
                seen.message.get_str("hook_event_name"),
                seen.message.get("output"),
                "/output",
            ),
        };
        let (Some(event), Some(output)) = (event, output) else {
            return;
        };
        // An input on another line is of another run.
        let of_run = |(line, _): &&(u64, Option<String>)| *line == seen.message_ref.line;
        let tool = self.input.as_ref().filter(of_run);
        let mut answer = Answer {
            event,
            output,
            base,
            tool: tool.and_then(|(_, tool)| tool.as_deref()),
            out,
        };
        answer.universal();
        answer.decision();
        answer.specific();
    }

    fn lost(&mut self, _from: Option<Writer>, _connection: Option<u32>) {
        self.input = None;
        self.order.lost();
    }

    fn end(&mut self, _end: &End, _out: &mut Vec<Violation>) {}
}

/// What a hook printed.
struct Answer<'a, 'o> {
    event: &'a str,
    output: View<'a>,
    /// The pointer to it in the message.
    base: &'static str,
    /// The tool that the hook was asked about, if that is known.
    tool: Option<&'a str>,
    out: &'o mut Vec<Violation>,
}

impl<'a> Answer<'a, '_> {
    /// Reports a violation. Codex refuses the output because of an error.
    fn report<B: Broken>(&mut self, how: B, pointer: &str) {
        let violation = how.at(format!("{}{pointer}", self.base));
        self.out.push(match B::RULE.level {
            Severity::Error => violation.help(refused(self.event)),
            _ => violation,
        });
    }

    /// A member that is there, and not `null`, which stands for its absence.
    fn get(&self, pointer: &str) -> Option<View<'a>> {
        let value = self.output.pointer(pointer)?;
        (!value.is_null()).then_some(value)
    }

    fn is(&self, pointer: &str, value: bool) -> bool {
        self.get(pointer).and_then(View::as_bool) == Some(value)
    }

    /// The members that all events have.
    fn universal(&mut self) {
        let event = self.event;
        let takes_stop = !matches!(event, "PreToolUse" | "PermissionRequest");
        if self.is("/continue", false) {
            if !takes_stop {
                let event = Word::of(event);
                self.report(CannotStop { event }, "/continue");
            }
        } else if self.get("/stopReason").is_some() {
            match takes_stop {
                true => self.report(StopReasonAlone, "/stopReason"),
                false => {
                    let event = Word::of(event);
                    self.report(StopReasonRefused { event }, "/stopReason");
                }
            }
        }
        if self.is("/suppressOutput", true) {
            match event {
                "PreToolUse" | "PostToolUse" | "PermissionRequest" => {
                    let event = Word::of(event);
                    self.report(SuppressRefused { event }, "/suppressOutput");
                }
                _ => {
                    let event = Word::of(event);
                    self.report(SuppressIgnored { event }, "/suppressOutput");
                }
            }
        }
        const NAME: &str = "/hookSpecificOutput/hookEventName";
        if let Some(name) = self.get(NAME).and_then(View::as_str)
            && name != event
            && tags(MessageSet::HooksInput).contains(&name)
        {
            let (name, event) = (Word::of(name), Word::of(event));
            self.report(EventNamed { name, event }, NAME);
        }
    }

    /// `decision` and `reason`.
    fn decision(&mut self) {
        let event = self.event;
        // Elsewhere the schema has neither, and that is what is wrong.
        if !DECIDING.contains(&event) {
            return;
        }
        let reason = self.get("/reason").and_then(View::as_str);
        let is_blank = reason.is_none_or(|reason| reason.trim().is_empty());
        if self.get("/hookSpecificOutput/permissionDecision").is_some() {
            if self.get("/decision").is_some() {
                self.report(DecisionBeside, "/decision");
            }
            return;
        }
        match self.get("/decision").and_then(View::as_str) {
            Some("block") if is_blank => self.report(BlockWithoutReason, "/decision"),
            Some("approve") if event == "PreToolUse" => self.report(ApproveRefused, "/decision"),
            None if reason.is_some() && !self.is("/continue", false) => match event {
                "PreToolUse" | "PostToolUse" => self.report(ReasonAlone, "/reason"),
                _ => self.report(ReasonIgnored, "/reason"),
            },
            _ => {}
        }
    }

    /// What only hooks of the event answer.
    fn specific(&mut self) {
        match self.event {
            "PreToolUse" => {
                self.permission_decision();
                self.updated_input();
                if self.get("/hookSpecificOutput/additionalContext").is_some() {
                    self.report(ContextEarly, "/hookSpecificOutput/additionalContext");
                }
            }
            "PostToolUse" => {
                const UPDATED: &str = "/hookSpecificOutput/updatedMCPToolOutput";
                if self.get(UPDATED).is_some() {
                    self.report(UpdatedOutputRefused, UPDATED);
                }
            }
            "PermissionRequest" => {
                for name in ["updatedInput", "updatedPermissions"] {
                    let pointer = format!("/hookSpecificOutput/decision/{name}");
                    if self.get(&pointer).is_some() {
                        self.report(UpdateRefused { name }, &pointer);
                    }
                }
                const INTERRUPT: &str = "/hookSpecificOutput/decision/interrupt";
                if self.is(INTERRUPT, true) {
                    self.report(InterruptRefused, INTERRUPT);
                }
            }
            _ => {}
        }
    }

    /// `permissionDecision` of `PreToolUse`, with its reason.
    fn permission_decision(&mut self) {
        const DECISION: &str = "/hookSpecificOutput/permissionDecision";
        const REASON: &str = "/hookSpecificOutput/permissionDecisionReason";
        let reason = self.get(REASON).and_then(View::as_str);
        let has_input = self.get("/hookSpecificOutput/updatedInput").is_some();
        match self.get(DECISION).and_then(View::as_str) {
            Some("ask") => self.report(AskRefused, DECISION),
            Some("allow") if !has_input => self.report(AllowAlone, DECISION),
            Some("deny") if reason.is_none_or(|reason| reason.trim().is_empty()) => {
                self.report(DenyWithoutReason, DECISION);
            }
            None if reason.is_some() => self.report(PermissionReasonAlone, REASON),
            _ => {}
        }
    }

    /// `updatedInput` of `PreToolUse`.
    fn updated_input(&mut self) {
        const INPUT: &str = "/hookSpecificOutput/updatedInput";
        let Some(input) = self.get(INPUT) else {
            return;
        };
        let decision = self.get("/hookSpecificOutput/permissionDecision");
        if decision.and_then(View::as_str) != Some("allow") {
            self.report(InputWithoutAllow, INPUT);
        }
        self.report(InputEarly, INPUT);
        if needs_command(self.tool) && !input.get("command").is_some_and(View::is_string) {
            let pointer = format!("{}{INPUT}", self.base);
            let help = "the tool does not run, and the model gets an error";
            self.out.push(InputWithoutCommand.at(pointer).help(help));
        }
    }
}

/// Whether the input of a tool is a text `command`, whatever the tool of the model looks like.
pub(crate) fn needs_command(tool: Option<&str>) -> bool {
    matches!(tool, Some("Bash" | "apply_patch"))
}

rules! {
    HOOK_CONTEXT_EARLY {
        summary: "`additionalContext` of `PreToolUse` is used from 0.129.0 on",
        id: "hooks/context-early",
        about: HOOKS,
        releases: until(Release::new(0, 128, 0)),
        explanation: "The schema has the member since 0.117.0, but before 0.129.0 Codex refuses an \
            output with it: a denial beside it is lost.",
        evidence: tried!(),
    } => {
        ContextEarly: "`additionalContext` is not taken in `PreToolUse`",
    }
    HOOK_INPUT_EARLY {
        summary: "`updatedInput` is used from 0.131.0 on",
        id: "hooks/input-early",
        about: HOOKS,
        releases: until(Release::new(0, 130, 0)),
        explanation: "The schema has the member since 0.117.0, but before 0.131.0 Codex refuses an \
            output with it, and the tool runs with the input of the model.",
        evidence: tried!(),
    } => {
        InputEarly: "`updatedInput` is not taken",
    }
    HOOK_INPUT_WITHOUT_ALLOW {
        summary: "`updatedInput` stands beside the decision `allow`",
        id: "hooks/input-without-allow",
        about: HOOKS,
        explanation: "Codex refuses an output with `updatedInput` and another decision or none. If \
            the decision was `deny`, the tool runs.",
        evidence: tried!(),
    } => {
        InputWithoutAllow: "`updatedInput` stands without the decision `allow`",
    }
    HOOK_INPUT_WITHOUT_COMMAND {
        summary: "`updatedInput` for `Bash` and `apply_patch` has a text `command`",
        id: "hooks/input-without-command",
        about: HOOKS,
        explanation: "Both tools take `{\"command\": \"…\"}`, whatever the tool of the model looks \
            like. The check needs the input of the hook, which names the tool, on the same line.",
        evidence: tried!("The model gets `hook returned updatedInput without string field \
            `command``."),
    } => {
        InputWithoutCommand: "`updatedInput` has no text `command`, which the tool needs",
    }
    HOOK_NO_EFFECT {
        summary: "an output has no members without effect",
        id: "hooks/no-effect",
        about: HOOKS,
        level: Severity::Warning,
        explanation: "Codex takes the output and does nothing with this member.",
        evidence: tried!(),
    } => {
        StopReasonAlone: "`stopReason` has no effect without `\"continue\":false`",
        SuppressIgnored { event: Word }: "`suppressOutput` has no effect in `{event}`",
        DecisionBeside: "`decision` has no effect beside `permissionDecision`",
        ReasonIgnored: "`reason` has no effect without a `decision`",
        NothingUsed: "Codex uses nothing of what a hook of `SessionEnd` prints",
    }
    HOOK_NO_REASON {
        summary: "a hook that blocks or denies says why",
        id: "hooks/no-reason",
        about: HOOKS,
        explanation: "`reason` for `\"decision\":\"block\"` and `permissionDecisionReason` for \
            `\"permissionDecision\":\"deny\"` have to be there and not blank. The schema does not \
            say so. A denial of `PermissionRequest` needs no message.",
        evidence: tried!(),
    } => {
        BlockWithoutReason: "`block` has no `reason`, or a blank one",
        DenyWithoutReason: "`deny` has no `permissionDecisionReason`, or a blank one",
    }
    HOOK_OTHER_EVENT {
        summary: "`hookEventName` names the event of the hook",
        id: "hooks/other-event",
        about: HOOKS,
        level: Severity::Warning,
        explanation: "From 0.136.0 on the schema takes only the event itself. Codex takes the name \
            of any event and reads the output as that of the event that came. An unknown name is \
            refused.",
        evidence: tried!(),
    } => {
        OtherEvent { named: Word, event: String }: "the input is of `{named}`, not of `{event}`",
        EventNamed { name: Word, event: Word }: "`hookEventName` names `{name}` in the output of a hook of `{event}`",
    }
    HOOK_REASON_ALONE {
        summary: "a reason stands beside a decision in `PreToolUse` and `PostToolUse`",
        id: "hooks/reason-alone",
        about: HOOKS,
        explanation: "Codex refuses a reason without a decision in these two events. In others it \
            ignores it.",
        evidence: tried!(),
    } => {
        ReasonAlone: "there is a `reason` without a `decision`",
        PermissionReasonAlone: "there is a `permissionDecisionReason` without a `permissionDecision`",
    }
    HOOK_UNSUPPORTED {
        summary: "an output has no members or values that the schema has and Codex refuses",
        id: "hooks/unsupported",
        about: HOOKS,
        explanation: "Codex answers `returned unsupported …` and drops the whole output, with all \
            other members of it: a hook that denies and sets `suppressOutput` denies nothing.",
        evidence: tried!(),
    } => {
        CannotStop { event: Word }: "a hook of `{event}` cannot stop with `continue`",
        StopReasonRefused { event: Word }: "Codex does not take `stopReason` in `{event}`",
        SuppressRefused { event: Word }: "Codex does not take `suppressOutput` in `{event}`",
        ApproveRefused: "Codex does not take the decision `approve`",
        UpdatedOutputRefused: "Codex does not take `updatedMCPToolOutput`",
        UpdateRefused { name: &'static str }: "Codex does not take `{name}` in `PermissionRequest`",
        InterruptRefused: "Codex does not take `\"interrupt\":true`",
        AskRefused: "Codex does not take the decision `ask`",
        AllowAlone: "Codex does not take the decision `allow` without `updatedInput`",
    }
}
