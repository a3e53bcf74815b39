//! What happens when Codex refuses what a hook did: the user sees an error, and everything goes on.

/// What then happens, by event.
pub(crate) fn refused(event: &str) -> String {
    let goes_on = match event {
        "PreToolUse" => "the tool runs",
        "PermissionRequest" => "the user is asked as if there were no hook",
        "PostToolUse" => "the model sees the output of the tool as it is",
        "UserPromptSubmit" => "the prompt goes to the model",
        "SessionStart" | "SubagentStart" => "the turn goes on without context from the hook",
        "Stop" | "SubagentStop" | "Interrupt" => "the turn ends",
        "PreCompact" | "PostCompact" => "the turn goes on",
        _ => return "Codex reports an error".to_owned(),
    };
    format!("Codex reports an error, and {goes_on}")
}
