//! What a real Codex and the stand-in do differently, each with its reason.

use codex_wire_base::Release;

/// A difference: in which script, of which command, from which release on, of what kind, and why.
///
/// `*` stands for any script or command. A kind is that of a line, `kind member` a member of such lines, and
/// `refused` a script that is not recorded at all.
type Difference = (
    &'static str,
    &'static str,
    u32,
    u32,
    &'static str,
    &'static str,
);

/// The differences. The numbers are the first release, and the first that has it no more.
const DIFFERENCES: &[Difference] = &[
    (
        "spawn",
        "app-server",
        0,
        133,
        "thread/tokenUsage/updated",
        AT_ONCE,
    ),
    ("fail", "*", 0, 999, "error message", WORDS),
    ("fail", "*", 0, 999, "turn.failed message", WORDS),
    ("fail", "*", 0, 999, "turn/completed message", WORDS),
    ("spawn", "exec", 0, 105, "refused", AGENT_LINES),
    (
        "stream",
        "exec",
        111,
        126,
        "item.completed command_execution",
        LOST_END,
    ),
    (
        "stream",
        "app-server",
        111,
        126,
        "item/completed commandExecution",
        LOST_END,
    ),
    ("*", "app-server", 0, 999, "* model", MODEL),
    ("*", "app-server", 0, 999, "* modelProvider", MODEL),
    ("spawn", "app-server", 0, 999, "* reasoningEffort", MODEL),
    ("*", "app-server", 0, 999, "codex/event", OLD_EVENTS),
    ("*", "app-server", 0, 999, "configWarning", MACHINE),
    ("*", "app-server", 0, 999, "* gitInfo", MACHINE),
    (
        "*",
        "app-server",
        0,
        999,
        "remoteControl/status/changed",
        MACHINE,
    ),
    (
        "*",
        "app-server",
        0,
        999,
        "mcpServer/startupStatus/updated",
        SERVERS,
    ),
    (
        "*",
        "app-server",
        0,
        999,
        "thread/settings/updated",
        SETTINGS,
    ),
    ("*", "app-server", 0, 999, "* commandActions", ACTIONS),
    ("*", "app-server", 0, 999, "turn/diff/updated diff", DIFF),
    ("*", "app-server", 0, 999, "* readOnlyHint", HINT),
    (
        "spawn",
        "app-server",
        0,
        999,
        "account/rateLimits/updated",
        LIMITS,
    ),
    (
        "patch-fails",
        "app-server",
        0,
        142,
        "item/fileChange/outputDelta",
        COMPLAINT,
    ),
    (
        "patch-fails",
        "app-server",
        0,
        64,
        "item/commandExecution/outputDelta",
        COMPLAINT,
    ),
];

const AGENT_LINES: &str = "exec of these releases writes the lines of other agents among its own";
const LOST_END: &str = "these releases lose the end of a command that takes seconds";
const MODEL: &str = "the recorder has a provider and a model of its own, which the release knows";
const OLD_EVENTS: &str = "scripts have no events of the core, which old servers send beside";
const MACHINE: &str = "it is about the machine";
const SERVERS: &str = "the stand-in starts no tool servers";
const SETTINGS: &str = "scripts have no news of settings";
const ACTIONS: &str = "the stand-in does not parse commands";
const DIFF: &str = "git makes the diff, with hashes of files that the stand-in does not have";
const HINT: &str = "the tools of the recorder say that they only read; a script does not say";
const AT_ONCE: &str = "a script reports at once the answers that start an agent and wait for it";
const LIMITS: &str = "limits are those of the account: other agents report them too";
const COMPLAINT: &str = "a script does not have the words with which a patch fails";
const WORDS: &str = "the words of a usage limit are those of Codex, whatever the model says";

/// Why they differ, if they do.
pub(super) fn reason(
    script: &str,
    command: &str,
    release: Release,
    kind: &str,
) -> Option<&'static str> {
    let known = DIFFERENCES
        .iter()
        .find(|(scripts, commands, since, until, kinds, _)| {
            (*scripts == "*" || *scripts == script)
                && (*commands == "*" || *commands == command)
                && release >= Release::new(0, *since, 0)
                && release < Release::new(0, *until, 0)
                && *kinds == kind
        });
    known.map(|(.., reason)| *reason)
}
