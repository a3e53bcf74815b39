//! Scenes of `codex exec --json`.

use serde_json::json;

use super::process::{INTERRUPT, THREAD};
use super::scene::Scene;
use super::script::{Process, Script, call, exec, said};
use super::set::Until;
use crate::{Answer, End, Home, Item};

/// Commands run as they are.
pub(super) const FREE: &str = "--dangerously-bypass-approvals-and-sandbox";

/// A scene: its name, and what makes its script.
type Listed = (&'static str, fn() -> Script);

pub(super) fn scenes() -> impl Iterator<Item = Scene> {
    let scenes: [Listed; 22] = [
        ("message", || once([said("Hello there.")])),
        ("commands", commands),
        ("command_fails", || {
            once([command("echo no >&2; exit 3"), said("It failed.")])
        }),
        ("command_is_missing", || {
            once([command("no-such-program --at-all"), said("There is none.")])
        }),
        ("long_output", || {
            once([command("seq 1 4000"), said("Counted.")])
        }),
        ("patch", || once([Answer::patch(PATCH), said("Changed.")])),
        ("patch_fails", || {
            once([Answer::patch(WRONG_PATCH), said("It does not fit.")])
        }),
        ("reasoning", reasoning),
        ("plan", plan),
        ("web_search", web_search),
        ("unknown_tool", unknown_tool),
        ("tool_server", tool_server),
        ("mcp", mcp),
        ("unknown_model", unknown_model),
        ("sandboxed", || {
            let answers = [command("touch /forbidden.txt"), said("Not allowed.")];
            Script::new(answers, [exec(&["--sandbox", "read-only", PROMPT])])
        }),
        ("refused", || {
            once([Answer::new([]).ending(End::refused(400, "invalid_request_error", "No."))])
        }),
        ("failed", || {
            once([said("I be").ending(End::failed("server_error", "Something broke."))])
        }),
        ("dropped", || {
            once([0; 3].map(|_| said("The line is about to").ending(End::Dropped)))
        }),
        ("dropped_once", || {
            once([
                said("The line is about to").ending(End::Dropped),
                said("Here again."),
            ])
        }),
        ("interrupted", interrupted),
        ("resumed", resumed),
        ("resumed_with_another_model", || {
            let resumed = exec(&[FREE, "--model", "gpt-5-codex", "resume", THREAD, "Go on."]);
            Script::new(
                [said("First."), said("Second.")],
                [exec(&[FREE, PROMPT]), resumed],
            )
        }),
    ];
    scenes
        .into_iter()
        .map(|(name, script)| Scene::new("exec", name, None, script))
}

pub(super) const PROMPT: &str = "Do the recorded thing.";

const PATCH: &str = "*** Begin Patch\n*** Add File: notes.txt\n+one\n+two\n*** Update File: README.md\n\
                     @@\n-first line\n+first line, changed\n*** End Patch";

const WRONG_PATCH: &str = "*** Begin Patch\n*** Update File: README.md\n@@\n-no such line\n+another\n\
                           *** End Patch";

fn command(text: &str) -> Answer {
    Answer::command(text)
}

/// One run in which everything is allowed.
fn once(answers: impl IntoIterator<Item = Answer>) -> Script {
    Script::new(answers, [exec(&[FREE, PROMPT])])
}

/// Several at once, then another.
fn commands() -> Script {
    let both = [
        Item::Command("echo one".into()),
        Item::Command("ls README.md".into()),
    ];
    once([
        Answer::new(both),
        Answer::new([
            Item::Message("One more.".into()),
            Item::Command("printf 'a\\tb'; cat README.md".into()),
        ]),
        said("Done."),
    ])
}

fn reasoning() -> Script {
    once([
        Answer::new([
            Item::Reasoning(vec!["**Looking around**\n\nThere is a file.".into()]),
            Item::Command("true".into()),
        ]),
        Answer::new([
            Item::Reasoning(vec!["**Summing up**\n\nNothing is wrong.".into()]),
            Item::Message("Nothing is wrong — “really”.\n".into()),
        ]),
    ])
}

fn plan() -> Script {
    let plan = |first: &str, second: &str| {
        let steps = json!([{"step": "Look", "status": first}, {"step": "Act", "status": second}]);
        call("update_plan", json!({"plan": steps}))
    };
    once([
        plan("in_progress", "pending"),
        plan("completed", "in_progress"),
        said("Planned."),
    ])
}

fn web_search() -> Script {
    let search = Item::Search("recordings".into());
    once([Answer::new([search, Item::Message("Found.".into())])])
}

fn unknown_tool() -> Script {
    once([
        call("no_such_tool", json!({"a": 1})),
        said("There is no such tool."),
    ])
}

fn tool_server() -> Script {
    let call = |tool| Answer::new([Item::tiny(tool, json!({"text": "a"}))]);
    once([call("echo"), call("fail"), said("Called.")]).with(Home::add_server)
}

/// Everything that a tool may answer.
fn mcp() -> Script {
    let call = |tool| Answer::new([Item::tiny(tool, json!({"text": "a"}))]);
    let tools = ["echo", "fail", "refuse", "empty"].map(call);
    once(tools.into_iter().chain([said("Called.")])).with(Home::add_server)
}

/// A model that Codex has never heard of.
fn unknown_model() -> Script {
    Script::new(
        [command("echo hi"), said("Ok.")],
        [exec(&[FREE, "--model", "no-such-model-9", PROMPT])],
    )
}

/// While the model speaks, and while a command runs.
fn interrupted() -> Script {
    let run = |texts| Process::Exec {
        args: &[FREE, PROMPT],
        until: Some(Until {
            texts,
            signal: INTERRUPT,
        }),
    };
    let answers = [
        said("Wait for it").ending(End::Stalled),
        command("sleep 30"),
        said("The scene waits for nothing."),
    ];
    // Up to 0.43.0 the lines have other words.
    Script::new(
        answers,
        [
            run(["turn.started", "task_started"]),
            run(["command_execution", "exec_command_begin"]),
        ],
    )
}

fn resumed() -> Script {
    let answers = [
        command("echo first"),
        said("First."),
        said("Second."),
        command("echo third"),
        said("Third."),
    ];
    Script::new(
        answers,
        [
            exec(&[FREE, PROMPT]),
            exec(&[FREE, "resume", THREAD, "Go on."]),
            exec(&[FREE, "resume", THREAD, "And on."]),
        ],
    )
}
