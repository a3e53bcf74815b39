//! What is tried with the clients: what the model says, and what a user of the client expects.

use codex_wire_base::Release;
use codex_wire_record::{Answer, End, Item};
use serde_json::json;

use crate::shown::{Shown, Verdict};

/// One thing that a client is asked to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// What the model says, in order.
    pub(crate) answers: fn() -> Vec<Answer>,
    /// The script that says the same: a file in `scripts`, without `.toml`.
    pub(crate) script: &'static str,
    /// What a user of the client expects of what it shows.
    pub(crate) expected: fn(&Shown) -> Verdict,
    /// The first release it is tried with. With earlier ones the client does not come that far: see the
    /// scenario that is tried with all.
    since: Release,
}

impl Scenario {
    /// Whether it is tried with a release.
    pub(crate) fn is_tried_with(&self, release: &str) -> bool {
        release
            .parse()
            .is_ok_and(|release: Release| self.since <= release)
    }

    const fn since(mut self, release: Release) -> Self {
        self.since = release;
        self
    }
}

/// The first release that codex-codes starts a thread with: it passes `--listen`.
const LISTENS: Release = Release::new(0, 125, 0);

/// The only release here that the Python SDK and codex-acp start a thread with.
const NEWEST: Release = Release::new(0, 169, 0);

const fn scenario(
    name: &'static str,
    (answers, script): Says,
    expected: fn(&Shown) -> Verdict,
) -> Scenario {
    Scenario {
        name,
        answers,
        script,
        expected,
        since: Release::new(0, 0, 0),
    }
}

/// The TypeScript SDK.
pub(crate) const TYPESCRIPT: &[Scenario] = &[
    scenario("run", COMMAND, |shown| {
        shown.is("turn", "/finalResponse", json!(SAYS))?;
        shown.is("turn", "/items/0/type", json!("command_execution"))?;
        shown.is("turn", "/items/0/exit_code", json!(0))
    }),
    scenario("resume", TWO_MESSAGES, |shown| {
        shown.nth_is("turn", 0, "/finalResponse", json!("First."))?;
        shown.nth_is("turn", 1, "/finalResponse", json!("Second."))?;
        shown.all_same("thread")
    }),
    scenario("streamed", EVERYTHING, |shown| {
        shown.ends_with("event", "/type", json!("turn.completed"))?;
        shown.some("event", "/item/type", json!("reasoning"))?;
        shown.some("event", "/item/type", json!("file_change"))?;
        shown.some("event", "/item/text", json!("Done."))
    }),
    scenario("structured", STRUCTURED, |shown| {
        shown.is("parsed", "/answer", json!(42))
    }),
    scenario("failed", REFUSED, |shown| {
        shown.raises(|message| message.contains("No."))
    }),
];

/// The SDK for Python.
pub(crate) const PYTHON: &[Scenario] = &[
    scenario("thread", COMMAND, |shown| {
        shown.is("response", "", json!(SAYS))?;
        shown.is("read", "/turns/0/status", json!("completed"))
    }),
    scenario("turn", TWO_MESSAGES, |shown| {
        shown.nth_is("turn", 0, "/response", json!("First."))?;
        shown.nth_is("turn", 1, "/response", json!("Second."))?;
        shown.nth_is("turn", 1, "/status", json!("completed"))
    })
    .since(NEWEST),
    scenario("streamed", EVERYTHING, |shown| {
        shown.ends_with("event", "/method", json!("turn/completed"))?;
        shown.some("event", "/payload/item/type", json!("reasoning"))?;
        shown.some("event", "/payload/item/type", json!("fileChange"))?;
        shown.some("event", "/payload/item/text", json!("Done."))
    })
    .since(NEWEST),
    scenario("approved", UNSAFE_COMMAND, |shown| {
        shown.is(
            "asked",
            "/method",
            json!("item/commandExecution/requestApproval"),
        )?;
        shown.is("completed", "/turn/status", json!("completed"))
    })
    .since(NEWEST),
    scenario("declined", UNSAFE_COMMAND, |shown| {
        shown.is(
            "asked",
            "/method",
            json!("item/commandExecution/requestApproval"),
        )?;
        shown.is("completed", "/turn/status", json!("completed"))
    })
    .since(NEWEST),
    scenario("interrupted", STALLED, |shown| {
        shown.ends_with("event", "/payload/turn/status", json!("interrupted"))
    })
    .since(NEWEST),
    scenario("failed", REFUSED, |shown| {
        shown.raises(|message| message.contains("No."))
    })
    .since(NEWEST),
];

/// codex-codes, with `codex exec` and with the app-server.
pub(crate) const CODEX_CODES: &[Scenario] = &[
    scenario("exec", COMMAND, |shown| {
        shown.none("refused")?;
        shown.some("event", "/item/text", json!(SAYS))?;
        shown.is("exit", "", json!(0))
    }),
    scenario("exec_everything", EVERYTHING, |shown| {
        shown.none("refused")?;
        shown.some("event", "/item/text", json!("Done."))
    }),
    scenario("exec_failed", REFUSED, |shown| {
        shown.none("refused")?;
        shown.some("event", "/type", json!("turn.failed"))?;
        shown.is("exit", "", json!(1))
    }),
    scenario("turn", COMMAND, |shown| {
        shown.some("event", "/payload/text", json!(SAYS))?;
        shown.ends_with("event", "/payload/status", json!("completed"))
    }),
    scenario("everything", EVERYTHING, |shown| {
        shown.some("event", "/payload/text", json!("Done."))?;
        shown.ends_with("event", "/payload/status", json!("completed"))
    })
    .since(LISTENS),
    scenario("approved", UNSAFE_COMMAND, |shown| {
        shown.has("asked")?;
        shown.some("event", "/payload/exitCode", json!(0))?;
        shown.ends_with("event", "/payload/status", json!("completed"))
    })
    .since(LISTENS),
    scenario("declined", UNSAFE_COMMAND, |shown| {
        shown.has("asked")?;
        shown.some("event", "/payload/status", json!("declined"))?;
        shown.ends_with("event", "/payload/status", json!("completed"))
    })
    .since(LISTENS),
    scenario("interrupted", STALLED, |shown| {
        shown.ends_with("event", "/payload/status", json!("interrupted"))
    })
    .since(LISTENS),
    scenario("failed", REFUSED, |shown| {
        shown.ends_with("event", "/payload/status", json!("failed"))
    })
    .since(LISTENS),
];

/// codex-acp, an agent of the Agent Client Protocol, with the SDK of that protocol before it.
pub(crate) const CODEX_ACP: &[Scenario] = &[
    scenario("prompt", COMMAND, |shown| {
        shown.is("text", "", json!(SAYS))?;
        shown.is("stop", "", json!("end_turn"))
    }),
    scenario("everything", EVERYTHING, |shown| {
        shown.some("update", "/sessionUpdate", json!("agent_thought_chunk"))?;
        shown.some("update", "/kind", json!("edit"))?;
        shown.is("text", "", json!("Done."))
    })
    .since(NEWEST),
    scenario("approved", PATCH, |shown| {
        shown.is("asked", "/toolCall/kind", json!("edit"))?;
        shown.some("update", "/status", json!("completed"))?;
        shown.is("text", "", json!("Done."))
    })
    .since(NEWEST),
    scenario("rejected", PATCH, |shown| {
        shown.is("asked", "/toolCall/kind", json!("edit"))?;
        shown.is("stop", "", json!("cancelled"))
    })
    .since(NEWEST),
    scenario("cancelled", STALLED, |shown| {
        shown.is("stop", "", json!("cancelled"))
    })
    .since(NEWEST),
    scenario("failed", REFUSED, |shown| {
        shown.raises(|message| message.contains("No."))
    })
    .since(NEWEST),
];

/// The Codex runtime of hermes-agent.
pub(crate) const HERMES: &[Scenario] = &[
    scenario("run", COMMAND, |shown| {
        shown.is("turn", "/final_text", json!(SAYS))?;
        shown.is("turn", "/tool_iterations", json!(1))?;
        shown.is("turn", "/error", json!(null))
    }),
    scenario("everything", EVERYTHING, |shown| {
        shown.is("turn", "/final_text", json!("Done."))?;
        shown.is("turn", "/tool_iterations", json!(2))
    })
    .since(NEWEST),
    scenario("two_turns", TWO_MESSAGES, |shown| {
        shown.nth_is("turn", 0, "/final_text", json!("First."))?;
        shown.nth_is("turn", 1, "/final_text", json!("Second."))
    })
    .since(NEWEST),
    scenario("compacted", TWO_MESSAGES, |shown| {
        shown.nth_is("turn", 1, "/compacted", json!(true))?;
        shown.nth_is("turn", 1, "/error", json!(null))
    })
    .since(NEWEST),
    scenario("interrupted", STALLED, |shown| {
        shown.is("turn", "/interrupted", json!(true))?;
        shown.is("turn", "/should_retire", json!(false))
    })
    .since(NEWEST),
    scenario("failed", REFUSED, |shown| {
        shown.is("turn", "/final_text", json!(""))?;
        shown.some_text("turn", "/error", "No.")
    })
    .since(NEWEST),
];

/// openai-codex-sdk.
pub(crate) const OPENAI_CODEX_SDK: &[Scenario] = &[
    scenario("run", COMMAND, |shown| {
        shown.is("turn", "/final_response", json!(SAYS))?;
        shown.is("turn", "/items/0/exit_code", json!(0))
    }),
    scenario("resume", TWO_MESSAGES, |shown| {
        shown.nth_is("turn", 0, "/final_response", json!("First."))?;
        shown.nth_is("turn", 1, "/final_response", json!("Second."))?;
        shown.all_same("thread")
    })
    .since(NEWEST),
    scenario("streamed", EVERYTHING, |shown| {
        shown.ends_with("event", "/type", json!("turn.completed"))?;
        shown.some("event", "/item/type", json!("reasoning"))?;
        shown.some("event", "/item/type", json!("file_change"))?;
        shown.some("event", "/item/text", json!("Done."))
    })
    .since(NEWEST),
    scenario("failed", REFUSED, |shown| {
        shown.raises(|message| message.contains("No."))
    })
    .since(NEWEST),
];

/// codex-client-sdk.
pub(crate) const CODEX_CLIENT_SDK: &[Scenario] = OPENAI_CODEX_SDK;

/// Paperclip's adapter, with `codex exec`.
pub(crate) const PAPERCLIP: &[Scenario] = &[
    scenario("run", COMMAND, |shown| {
        shown.is("result", "/summary", json!(SAYS))?;
        shown.is("result", "/exitCode", json!(0))
    }),
    scenario("resume", TWO_MESSAGES, |shown| {
        shown.nth_is("result", 0, "/summary", json!("First."))?;
        shown.nth_is("result", 1, "/summary", json!("Second."))?;
        shown.nth_is("result", 1, "/exitCode", json!(0))
    })
    .since(NEWEST),
    scenario("failed", REFUSED, |shown| {
        shown.is("result", "/exitCode", json!(1))?;
        shown.some_text("result", "/errorMessage", "No.")
    })
    .since(NEWEST),
];

/// ai-sdk-provider-codex-cli, with `codex exec` and with the app-server.
pub(crate) const AI_SDK: &[Scenario] = &[
    scenario("exec", COMMAND, |shown| {
        shown.some_text("result", "/content/2/text", SAYS)?;
        shown.is("result", "/finishReason/unified", json!("stop"))
    }),
    scenario("exec_streamed", EVERYTHING, |shown| {
        shown.some("part", "/type", json!("tool-call"))?;
        shown.ends_with("part", "/type", json!("finish"))
    })
    .since(NEWEST),
    scenario("exec_object", STRUCTURED, |shown| {
        shown.is("result", "/content/0/text", json!("{\"answer\":42}"))
    })
    .since(NEWEST),
    scenario("exec_failed", REFUSED, |shown| {
        shown.raises(|message| message.contains("No."))
    })
    .since(NEWEST),
    scenario("server", COMMAND, |shown| {
        shown.some_text("result", "/content/2/text", SAYS)?;
        shown.is("result", "/finishReason/unified", json!("stop"))
    }),
    scenario("server_streamed", EVERYTHING, |shown| {
        shown.some("part", "/type", json!("reasoning-delta"))?;
        shown.some("part", "/type", json!("tool-call"))?;
        shown.ends_with("part", "/type", json!("finish"))
    })
    .since(NEWEST),
    scenario("server_resumed", TWO_MESSAGES, |shown| {
        shown.nth_is("result", 0, "/content/0/text", json!("First."))?;
        shown.nth_is("result", 1, "/content/0/text", json!("Second."))
    })
    .since(NEWEST),
    scenario("server_failed", REFUSED, |shown| {
        shown.raises(|message| message.contains("No."))
    })
    .since(NEWEST),
];

/// codex-sdk-python, with `codex exec` and with the app-server.
pub(crate) const CODEX_SDK_PYTHON: &[Scenario] = &[
    scenario("run", COMMAND, |shown| {
        shown.is("turn", "/final_response", json!(SAYS))?;
        shown.is("turn", "/items/0/exit_code", json!(0))
    }),
    scenario("resume", TWO_MESSAGES, |shown| {
        shown.nth_is("turn", 0, "/final_response", json!("First."))?;
        shown.nth_is("turn", 1, "/final_response", json!("Second."))?;
        shown.all_same("thread")
    })
    .since(NEWEST),
    scenario("streamed", EVERYTHING, |shown| {
        shown.ends_with("event", "/type", json!("turn.completed"))?;
        shown.some("event", "/item/type", json!("reasoning"))?;
        shown.some("event", "/item/type", json!("file_change"))?;
        shown.some("event", "/item/text", json!("Done."))
    })
    .since(NEWEST),
    scenario("structured", STRUCTURED, |shown| {
        shown.is("parsed", "/answer", json!(42))
    })
    .since(NEWEST),
    scenario("failed", REFUSED, |shown| {
        shown.raises(|message| message.contains("No."))
    })
    .since(NEWEST),
    scenario("server", COMMAND, |shown| {
        shown.some("event", "/params/item/text", json!(SAYS))?;
        shown.is("turn", "/status", json!("completed"))
    }),
    scenario("server_approved", UNSAFE_COMMAND, |shown| {
        shown.some("event", "/params/item/exitCode", json!(0))?;
        shown.is("turn", "/status", json!("completed"))
    })
    .since(NEWEST),
    scenario("server_declined", UNSAFE_COMMAND, |shown| {
        shown.some("event", "/params/item/status", json!("declined"))?;
        shown.is("turn", "/status", json!("completed"))
    })
    .since(NEWEST),
    scenario("server_interrupted", STALLED, |shown| {
        shown.is("turn", "/status", json!("interrupted"))
    })
    .since(NEWEST),
    scenario("server_failed", REFUSED, |shown| {
        shown.is("turn", "/status", json!("failed"))
    })
    .since(NEWEST),
];

/// codex-mcp-server, which starts `codex exec` without `--json`.
pub(crate) const CODEX_MCP_SERVER: &[Scenario] = &[
    scenario("run", COMMAND, |shown| {
        shown.some_text("result", "/content/0/text", SAYS)
    }),
    scenario("resume", TWO_MESSAGES, |shown| {
        shown.some_text("result", "/content/0/text", "First.")?;
        shown.some_text("result", "/content/0/text", "Second.")
    }),
    scenario("failed", REFUSED, |shown| {
        shown.is("result", "/isError", json!(true))
    }),
];

/// The Codex runner of takopi.
pub(crate) const TAKOPI: &[Scenario] = &[
    scenario("run", COMMAND, |shown| {
        shown.some("event", "/action/kind", json!("command"))?;
        shown.ends_with("event", "/answer", json!(SAYS))
    }),
    scenario("resume", TWO_MESSAGES, |shown| {
        shown.some("event", "/answer", json!("First."))?;
        shown.ends_with("event", "/answer", json!("Second."))
    }),
    scenario("everything", EVERYTHING, |shown| {
        shown.some("event", "/action/kind", json!("file_change"))?;
        shown.ends_with("event", "/answer", json!("Done."))
    })
    .since(NEWEST),
    scenario("failed", REFUSED, |shown| {
        shown.ends_with("event", "/ok", json!(false))?;
        shown.some_text("event", "/error", "No.")
    }),
];

/// What the model says of its command.
pub(crate) const SAYS: &str = "It says: recorded.";

const CHANGE: &str = "*** Begin Patch\n*** Update File: README.md\n@@\n-first line\n+first line, changed\n*** End Patch";

/// What the model says, and the script of it.
pub(crate) type Says = (fn() -> Vec<Answer>, &'static str);

pub(crate) const COMMAND: Says = (command, "command");
pub(crate) const UNSAFE_COMMAND: Says = (unsafe_command, "unsafe-command");
pub(crate) const TWO_MESSAGES: Says = (two_messages, "two-messages");
const EVERYTHING: Says = (everything, "everything");
const PATCH: Says = (patch, "patch");
pub(crate) const STRUCTURED: Says = (structured, "structured");
pub(crate) const REFUSED: Says = (refused, "refused");
const STALLED: Says = (stalled, "stalled");

fn command() -> Vec<Answer> {
    vec![Answer::command("echo recorded"), Answer::message(SAYS)]
}

/// A command that is not known to be harmless: Codex asks before it runs.
fn unsafe_command() -> Vec<Answer> {
    let command = "touch approved.txt && echo recorded";
    vec![Answer::command(command), Answer::message(SAYS)]
}

fn two_messages() -> Vec<Answer> {
    vec![Answer::message("First."), Answer::message("Second.")]
}

/// What it thinks, a command, a changed file and a message.
fn everything() -> Vec<Answer> {
    vec![
        Answer::new([
            Item::Reasoning(vec!["**Looking around**\n\nThere is a file.".into()]),
            Item::Command("echo recorded".into()),
        ]),
        Answer::patch(CHANGE),
        Answer::message("Done."),
    ]
}

fn patch() -> Vec<Answer> {
    vec![Answer::patch(CHANGE), Answer::message("Done.")]
}

fn structured() -> Vec<Answer> {
    vec![Answer::message("{\"answer\":42}")]
}

fn refused() -> Vec<Answer> {
    vec![Answer::new([]).ending(End::refused(400, "invalid_request_error", "No."))]
}

/// A message that never ends.
pub(crate) fn stalled() -> Vec<Answer> {
    vec![Answer::message("Wait for it").ending(End::Stalled)]
}
