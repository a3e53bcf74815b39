//! Scenes of `codex app-server`, with a client that knows what each release accepts.

use std::io;
use std::time::Duration;

use codex_wire_base::Release;
use serde_json::{Value, json};

use super::scene::Scene;
use super::script::{Process, Script, call, said, served};
use super::stage::{Act, COMMAND, FILES, PATIENCE, Stage, id};
use crate::{Answer, End, Home, Item};

/// A scene: its name, the first release that can play it, as the middle of its three numbers, and
/// what makes its script.
type Listed = (&'static str, u32, fn() -> Script);

pub(super) fn scenes() -> impl Iterator<Item = Scene> {
    let scenes: [Listed; 24] = [
        ("message", 58, || served([said("Hello there.")], plain)),
        ("commands", 58, || {
            let both = [
                Item::Command("echo one".into()),
                Item::Command("exit 4".into()),
            ];
            served([Answer::new(both), said("Done.")], plain)
        }),
        ("command_accepted", 58, || {
            asked(|stage| stage.approval(COMMAND, "accept"))
        }),
        ("command_declined", 58, || {
            asked(|stage| stage.approval(COMMAND, "decline"))
        }),
        ("command_cancelled", 58, || {
            asked(|stage| stage.approval(COMMAND, "cancel"))
        }),
        ("command_for_session", 80, || {
            let mut script = asked(|stage| stage.approval(COMMAND, "acceptForSession"));
            script.answers.insert(1, Answer::command(TOUCH));
            script
        }),
        ("additional_permissions", 105, additional_permissions),
        ("patch_accepted", 58, || {
            patched(|stage| stage.approval(FILES, "accept"))
        }),
        ("patch_declined", 58, || {
            patched(|stage| stage.approval(FILES, "decline"))
        }),
        ("reasoning_and_search", 58, || {
            let items = [
                Item::Reasoning(vec!["**Looking around**\n\nThere is a web.".into()]),
                Item::Search("recordings".into()),
                Item::Message("Found.".into()),
            ];
            served([Answer::new(items)], plain)
        }),
        ("plan", 58, plan),
        ("tool_server", 58, tool_server),
        ("refused", 58, || {
            let end = End::refused(400, "invalid_request_error", "No.");
            served([Answer::new([]).ending(end)], plain)
        }),
        ("usage_limit", 58, || {
            let end = End::refused(429, "usage_limit_reached", "Enough for today.");
            served([Answer::new([]).ending(end)], plain)
        }),
        ("dropped_once", 58, || {
            let cut = said("The line is about to").ending(End::Dropped);
            served([cut, said("Here again.")], plain)
        }),
        ("interrupted", 58, || {
            let stalled = said("Wait for it").ending(End::Stalled);
            served([stalled, said("Again.")], interrupted)
        }),
        ("interrupted_command", 58, || {
            served([Answer::command("sleep 30"), said("Again.")], interrupted)
        }),
        ("interrupted_question", 58, || asked(interrupted_question)),
        ("resumed", 58, || {
            let answers = [
                Answer::command("echo first"),
                said("First."),
                said("Second."),
            ];
            let processes = [plain, resumed].map(Process::Server);
            Script::new(answers, processes)
        }),
        ("two_threads", 58, || {
            served([said("One."), said("Two."), said("Three.")], two_threads)
        }),
        ("steered", 99, || {
            let stalled = Answer::command("sleep 2");
            served([stalled, said("Steered.")], steered)
        }),
        ("history", 89, || {
            served([said("One."), said("Two."), said("Three.")], history)
        }),
        ("compacted", 96, || {
            served([said("One."), said("In short: one.")], compacted)
        }),
        ("requests", 58, || served([], various)),
    ];
    scenes.into_iter().map(|(name, minor, script)| {
        let since = Some(Release::new(0, minor, 0));
        Scene::new("app-server", name, since, script)
    })
}

const TOUCH: &str = "touch approved.txt && echo recorded";

pub(super) const PATCH: &str = "*** Begin Patch\n*** Add File: notes.txt\n+one\n*** Update File: README.md\n@@\n\
                     -first line\n+first line, changed\n*** End Patch";

/// A command that the client is asked about.
fn asked(act: Act) -> Script {
    served([Answer::command(TOUCH), said("Done.")], act)
}

/// A command that asks for one more folder, is accepted, and writes somewhere else all the same.
fn additional_permissions() -> Script {
    let arguments = json!({"cmd": TOUCH, "sandbox_permissions": "with_additional_permissions",
                           "additional_permissions": {"file_system": {"write": ["/tmp/elsewhere"]}}});
    let answers = [call("exec_command", arguments), said("Done.")];
    let feature = |home: &mut Home| {
        home.reconfigure(|configuration| {
            let name = match configuration.release < Release::new(0, 115, 0) {
                true => "request_permissions",
                false => "exec_permission_approvals",
            };
            configuration.features.push((name, true));
        })
    };
    served(answers, |stage| {
        stage.begin("on-request", "read-only")?;
        stage.turn()?;
        stage.settle()
    })
    .with(feature)
}

/// A patch that the client is asked about.
fn patched(act: Act) -> Script {
    served([Answer::patch(PATCH), said("Done.")], act)
}

fn plan() -> Script {
    let steps = json!([{"step": "Look", "status": "completed"},
                       {"step": "Act", "status": "in_progress"}]);
    let answers = [
        call("update_plan", json!({"plan": steps})),
        said("Planned."),
    ];
    served(answers, plain)
}

fn tool_server() -> Script {
    let call = |tool| Answer::new([Item::tiny(tool, json!({"text": "a"}))]);
    served([call("echo"), call("fail"), said("Called.")], plain).with(Home::add_server)
}

pub(super) fn plain(stage: &mut Stage) -> io::Result<()> {
    stage.begin("never", "danger-full-access")?;
    stage.turn()?;
    stage.done()
}

/// The turn is interrupted, and another follows.
fn interrupted(stage: &mut Stage) -> io::Result<()> {
    stage.begin("never", "danger-full-access")?;
    let turn = stage.turn()?;
    stage.client.wait("item/started", PATIENCE)?;
    std::thread::sleep(Duration::from_millis(700));
    stage.interrupt(&turn)?;
    stage.turn()?;
    stage.done()
}

fn interrupted_question(stage: &mut Stage) -> io::Result<()> {
    stage.begin("untrusted", "danger-full-access")?;
    let turn = stage.turn()?;
    let asked = stage.client.wait_for_any(&COMMAND, PATIENCE)?;
    stage.interrupt(&turn)?;
    // Too late, but older releases do not exit while they wait for it.
    stage.answer(&asked, "decline")
}

fn resumed(stage: &mut Stage) -> io::Result<()> {
    let thread = stage.thread.clone();
    stage.hello()?;
    stage.ask("thread/resume", json!({"threadId": thread}))?;
    stage.turn()?;
    stage.done()
}

fn two_threads(stage: &mut Stage) -> io::Result<()> {
    stage.begin("never", "danger-full-access")?;
    let first = stage.thread.clone();
    stage.start("never", "danger-full-access")?;
    stage.turn()?;
    *stage.thread = first;
    stage.turn()?;
    stage.done()?;
    stage.done()?;
    stage.turn()?;
    stage.done()
}

fn steered(stage: &mut Stage) -> io::Result<()> {
    stage.begin("never", "danger-full-access")?;
    let turn = stage.turn()?;
    stage.client.wait("item/started", PATIENCE)?;
    std::thread::sleep(Duration::from_millis(300));
    let params = json!({"threadId": stage.thread.clone(), "expectedTurnId": turn,
                        "input": stage.input("The other way.")});
    stage.ask("turn/steer", params)?;
    stage.done()
}

/// Threads read, forked, named and put away.
fn history(stage: &mut Stage) -> io::Result<()> {
    stage.begin("never", "danger-full-access")?;
    for _ in 0..2 {
        stage.turn()?;
        stage.done()?;
    }
    let thread = stage.thread.clone();
    let of = |more: Value| {
        let mut params = json!({"threadId": thread});
        if let (Some(params), Value::Object(more)) = (params.as_object_mut(), more) {
            params.extend(more);
        }
        params
    };
    stage.ask("thread/read", of(json!({"includeTurns": true})))?;
    stage.ask("thread/list", json!({"limit": 10}))?;
    stage.ask("thread/loaded/list", json!({}))?;
    if stage.since(93) {
        stage.ask("thread/name/set", of(json!({"name": "Recorded"})))?;
    }
    let forked = stage.ask("thread/fork", of(json!({})))?;
    *stage.thread = id(&forked["result"]["thread"]);
    stage.turn()?;
    stage.done()?;
    stage.ask("thread/archive", of(json!({})))?;
    if stage.since(92) {
        stage.ask("thread/unarchive", of(json!({})))?;
    }
    stage.ask("thread/list", json!({"limit": 1}))?;
    Ok(())
}

fn compacted(stage: &mut Stage) -> io::Result<()> {
    stage.begin("never", "danger-full-access")?;
    stage.turn()?;
    stage.done()?;
    stage.ask(
        "thread/compact/start",
        json!({"threadId": stage.thread.clone()}),
    )?;
    stage.done()
}

/// What is asked without a turn, some of it wrong.
fn various(stage: &mut Stage) -> io::Result<()> {
    stage.hello()?;
    stage.ask("model/list", json!({}))?;
    stage.ask("account/read", json!({"refreshToken": false}))?;
    stage.ask("thread/list", json!({"limit": 5}))?;
    if stage.since(64) {
        stage.ask("config/read", json!({"includeLayers": true}))?;
    }
    stage.ask(
        "thread/resume",
        json!({"threadId": "01a1f985-5a61-7cf1-a49c-3848a4230ae1"}),
    )?;
    stage.ask("turn/start", json!({"threadId": "nobody", "input": []}))?;
    stage.ask("no/such/method", json!({}))?;
    stage.ask("thread/archive", json!({}))?;
    if stage.since(65) {
        let command = json!({"command": ["sh", "-c", "echo out; echo err >&2; exit 5"],
                             "sandboxPolicy": {"type": "dangerFullAccess"}});
        stage.ask("command/exec", command)?;
    }
    Ok(())
}
