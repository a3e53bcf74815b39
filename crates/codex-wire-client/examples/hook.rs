//! A guard: Codex does not run `rm -rf`. In `hooks.json`, it is the command of `PreToolUse`.

use std::process::ExitCode;

use codex_wire::hooks::PreToolUseCommandInput;
use codex_wire_client::hooks::{allow, deny, hook};

fn main() -> ExitCode {
    hook(
        |input: PreToolUseCommandInput| match input.tool_input.command() {
            Some(command) if command.contains("rm -rf") => Ok(deny("rm -rf is not allowed here")),
            _ => Ok(allow()),
        },
    )
}
