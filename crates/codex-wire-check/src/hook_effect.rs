//! Says what Codex makes of what a hook did: whether it blocks, allows, changes something, or fails open.

use serde_json::Value;

use crate::checker::Checker;
use crate::hook::HookDocument;
use crate::outcome::{Outcome, Verdict};
use crate::sequence::hooks::needs_command;
use crate::sequence::hooks::run::is_blocking;
use crate::severity::Severity;

/// What Codex makes of a run of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HookEffect {
    /// Everything goes on as without the hook.
    Allows,
    /// The user is not asked, and the tool runs.
    Grants,
    /// The tool runs with another input.
    ChangesInput,
    /// The model gets a text beside what it gets anyway.
    AddsContext,
    /// What the event is about does not happen: the tool does not run, or the prompt is dropped. Of a tool that has
    /// run, the model sees only the reason. A turn that would end goes on.
    Blocks,
    /// The turn ends, or of a tool that has run, the model sees only the reason.
    Stops,
    /// The tool does not run, and the model gets an error about the hook: its other input is none for the tool.
    Breaks,
    /// Codex refuses what the hook did, reports an error, and everything goes on as without the hook.
    FailsOpen,
}

impl HookEffect {
    /// All effects.
    pub const ALL: [HookEffect; 8] = [
        HookEffect::Allows,
        HookEffect::Grants,
        HookEffect::ChangesInput,
        HookEffect::AddsContext,
        HookEffect::Blocks,
        HookEffect::Stops,
        HookEffect::Breaks,
        HookEffect::FailsOpen,
    ];

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            HookEffect::Allows => "allows",
            HookEffect::Grants => "grants",
            HookEffect::ChangesInput => "changes-input",
            HookEffect::AddsContext => "adds-context",
            HookEffect::Blocks => "blocks",
            HookEffect::Stops => "stops",
            HookEffect::Breaks => "breaks",
            HookEffect::FailsOpen => "fails-open",
        }
    }

    /// Whether the hook has held something up.
    pub fn holds_up(self) -> bool {
        matches!(self, HookEffect::Blocks | HookEffect::Stops)
    }
}

/// What Codex makes of a run of a hook, and what was found in what the hook printed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookDecision {
    /// What Codex does.
    pub effect: HookEffect,
    /// The findings. Those at error level say why Codex refuses the output.
    pub outcome: Outcome,
}

impl Checker {
    /// Says what Codex makes of a run of a hook that ended by itself. `tool` is the tool of the input, if it has one.
    /// Without a release in the options it is what all releases make of it, and an output is refused only if all
    /// refuse it.
    ///
    /// ```
    /// use codex_wire_check::{Checker, HookEffect, Options};
    ///
    /// let checker = Checker::new(Options::new())?;
    /// let decided = |stdout: &str| checker.hook_effect("PreToolUse", None, 0, stdout.as_bytes(), "").effect;
    /// assert_eq!(decided(r#"{"decision":"block","reason":"no"}"#), HookEffect::Blocks);
    /// assert_eq!(decided(r#"{"decision":"block"}"#), HookEffect::FailsOpen);
    /// # Ok::<(), codex_wire_check::Error>(())
    /// ```
    pub fn hook_effect(
        &self,
        event: &str,
        tool: Option<&str>,
        exit: i32,
        stdout: &[u8],
        stderr: &str,
    ) -> HookDecision {
        let document = HookDocument::Output {
            event,
            exit,
            stderr: Some(stderr),
        };
        // Codex replaces what is not UTF-8.
        let stdout = String::from_utf8_lossy(stdout);
        let outcome = self.check_hook("-", document, stdout.as_bytes());
        let effect = match is_refused(&outcome) {
            true => HookEffect::FailsOpen,
            false => effect(event, tool, exit, stdout.trim()),
        };
        HookDecision { effect, outcome }
    }
}

/// Whether Codex refuses an output. Of a key that stands twice it takes the last.
fn is_refused(outcome: &Outcome) -> bool {
    let refuses = |finding: &crate::Finding| {
        finding.severity == Severity::Error && finding.rule.id != "framing/duplicate-key"
    };
    outcome.verdict == Verdict::Unreadable || outcome.findings.iter().any(refuses)
}

/// What an output does that Codex does not refuse.
fn effect(event: &str, tool: Option<&str>, exit: i32, text: &str) -> HookEffect {
    // The exit status 2 is refused where it does not block.
    if exit == 2 && is_blocking(event) {
        return HookEffect::Blocks;
    }
    if event == "SessionEnd" || text.is_empty() {
        return HookEffect::Allows;
    }
    let document = text
        .starts_with('{')
        .then(|| serde_json::from_str(text).ok());
    match document.flatten() {
        Some(output) => of_document(event, tool, &output),
        // These take text as context.
        None if matches!(event, "SessionStart" | "SubagentStart" | "UserPromptSubmit") => {
            HookEffect::AddsContext
        }
        None => HookEffect::Allows,
    }
}

/// The same of a JSON object.
fn of_document(event: &str, tool: Option<&str>, output: &Value) -> HookEffect {
    let specific = |name: &str| &output["hookSpecificOutput"][name];
    if output["continue"] == false {
        return HookEffect::Stops;
    }
    let decision = match event {
        "PermissionRequest" => match specific("decision")["behavior"].as_str() {
            Some("deny") => return HookEffect::Blocks,
            Some("allow") => return HookEffect::Grants,
            _ => None,
        },
        "PreToolUse" => match specific("permissionDecision").as_str() {
            Some("deny") => return HookEffect::Blocks,
            // Without another input Codex refuses it.
            Some("allow") => {
                let is_input =
                    !needs_command(tool) || specific("updatedInput")["command"].is_string();
                return match is_input {
                    true => HookEffect::ChangesInput,
                    false => HookEffect::Breaks,
                };
            }
            _ => output["decision"].as_str(),
        },
        _ => output["decision"].as_str(),
    };
    let context = specific("additionalContext").as_str();
    match decision {
        Some("block") => HookEffect::Blocks,
        _ if context.is_some_and(|context| !context.trim().is_empty()) => HookEffect::AddsContext,
        _ => HookEffect::Allows,
    }
}
