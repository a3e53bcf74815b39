//! Checks how a hook ended, and what it printed that is not a JSON object.

use super::effects::refused;
use super::evidence::{HOOKS, tried};
use super::output::NothingUsed;
use crate::framing::record::Printed;
use crate::phrasing::Word;
use crate::rule_macros::rules;
use crate::severity::Severity;
use crate::violation::{Broken, Violation};

/// Events in which the exit status 2 blocks.
const BLOCKING: [&str; 6] = [
    "PermissionRequest",
    "PostToolUse",
    "PreToolUse",
    "Stop",
    "SubagentStop",
    "UserPromptSubmit",
];

/// What to do where standard error decides.
const UNDECIDED: &str = "check again with what the hook writes to standard error: `--stderr FILE`, or `stderr` of the \
    record";

/// Whether a hook of the event blocks with the exit status 2.
pub(crate) fn is_blocking(event: &str) -> bool {
    BLOCKING.contains(&event)
}

/// Whether Codex reads a text as JSON. Then it has to be an object.
pub(crate) fn is_document(event: &str, text: &str, printed: &Printed<'_>) -> bool {
    printed.exit == 0 && event != "SessionEnd" && text.starts_with(['{', '['])
}

/// What is wrong with the end of a hook, or with a text that it printed. `text` is the text without
/// white space around it.
pub(crate) fn violation(event: &str, text: &str, printed: &Printed<'_>) -> Option<Violation> {
    if event == "SessionEnd" {
        return (!text.is_empty()).then(|| NothingUsed.at(""));
    }
    let blocks = is_blocking(event);
    let found = match printed.exit {
        0 if text.is_empty() => return None,
        0 => return of_text(event),
        2 if blocks => match printed.stderr {
            Some(reason) if !reason.trim().is_empty() => return None,
            Some(_) => ExitWithoutReason.at(""),
            None => return Some(ExitUndecided.at("").help(UNDECIDED)),
        },
        2 => DoesNotBlock {
            event: Word::of(event),
        }
        .at(""),
        status => OtherExitStatus { status }.at(""),
    };
    Some(found.help(refused(event)))
}

/// What is wrong with text where JSON may stand.
fn of_text(event: &str) -> Option<Violation> {
    match event {
        "Stop" | "SubagentStop" | "Interrupt" => Some(TextRefused.at("").help(refused(event))),
        "PreToolUse" | "PostToolUse" | "PermissionRequest" | "PreCompact" | "PostCompact" => {
            let event = Word::of(event);
            Some(TextIgnored { event }.at(""))
        }
        // There it is context for the model.
        _ => None,
    }
}

rules! {
    HOOK_EXIT_STATUS {
        summary: "a hook exits with 0, or with 2 where that blocks",
        id: "hooks/exit-status",
        about: HOOKS,
        explanation: "With any other status Codex reports `hook exited with code N` and uses nothing \
            of what the hook printed. A hook that guards something has to block with JSON, or with \
            2 and a reason on standard error. 2 blocks in `PreToolUse`, `PermissionRequest`, \
            `PostToolUse`, `UserPromptSubmit`, `Stop` and `SubagentStop`.",
        evidence: tried!(),
    } => {
        DoesNotBlock { event: Word }: "the hook exits with 2, which does not block in `{event}`",
        OtherExitStatus { status: i64 }: "the hook exits with {status}",
    }
    HOOK_EXIT_WITHOUT_REASON {
        summary: "a hook that exits with 2 writes a reason to standard error",
        id: "hooks/exit-without-reason",
        about: HOOKS,
        explanation: "Codex takes standard error as the reason. If it is blank, Codex reports an \
            error and blocks nothing. What the hook prints to standard output does not count.",
        evidence: tried!(),
    } => {
        ExitWithoutReason: "the hook exits with 2, and writes no reason to standard error",
    }
    HOOK_EXIT_UNDECIDED {
        summary: "what a hook that exits with 2 writes to standard error is known",
        id: "hooks/exit-undecided",
        about: HOOKS,
        level: Severity::Warning,
        explanation: "Whether the hook blocks cannot be decided: it does so only with a reason on standard \
            error, which the check was not given. With `--stderr FILE`, or `stderr` in the record, \
            `hooks/exit-without-reason` decides.",
        evidence: tried!(),
    } => {
        ExitUndecided: "the hook exits with 2, and whether that blocks is undecided: standard error is not known",
    }
    HOOK_TEXT_IGNORED {
        summary: "a hook prints text only where Codex uses it",
        id: "hooks/text-ignored",
        about: HOOKS,
        level: Severity::Warning,
        explanation: "In `SessionStart`, `UserPromptSubmit` and `SubagentStart` text becomes context \
            for the model. In the tool and compaction events Codex ignores it without a word. JSON \
            that is not an object, such as a string or a number, counts as text.",
        evidence: tried!(),
    } => {
        TextIgnored { event: Word }: "the hook prints text, which `{event}` does not use",
    }
    HOOK_TEXT_REFUSED {
        summary: "a hook of `Stop`, `SubagentStop` or `Interrupt` prints a JSON object or nothing",
        id: "hooks/text-refused",
        about: HOOKS,
        explanation: "These events take no text: Codex reports `invalid stop hook JSON output` or \
            `Interrupt hook returned non-JSON stdout`, and the turn ends.",
        evidence: tried!(),
    } => {
        TextRefused: "the hook prints text, not a JSON object",
    }
}
