//! Scenes for session files: several processes that write the same file, and what only the file shows.

use std::fs;
use std::io;
use std::time::Duration;

use codex_wire_base::Release;
use serde_json::{Value, json};

use super::app_server::{PATCH, plain};
use super::exec::{FREE, PROMPT};
use super::process::{KILL, THREAD};
use super::scene::Scene;
use super::script::{Process, Script, call, exec, one, said, served};
use super::set::Until;
use super::stage::{PATIENCE, Stage, id};
use crate::{Answer, Home, Item, Tokens};

/// A scene: its name, the first and the last release that can play it, as the middle of their three
/// numbers, and what makes its script.
type Listed = (&'static str, Option<u32>, Option<u32>, fn() -> Script);

pub(super) fn scenes() -> impl Iterator<Item = Scene> {
    let scenes: [Listed; 30] = [
        ("killed", None, None, killed),
        ("auto_compact", None, None, auto_compact),
        ("odd_output", None, None, odd_output),
        ("image", None, None, image),
        ("repository", None, None, || {
            one([said("In a repository.")], FIRST).with(Home::add_repository)
        }),
        ("output_schema", Some(44), None, || {
            one([said("{\"a\":1}")], SCHEMA).with(add_schema)
        }),
        ("review", Some(72), None, || {
            one([said(REVIEW)], REVIEWED).with(Home::add_repository)
        }),
        ("agents", Some(92), None, agents),
        ("agents_of_the_second_kind", Some(125), None, agents_v2),
        ("agents_forked", Some(105), None, agents_forked),
        (
            "agents_forked_of_the_second_kind",
            Some(125),
            None,
            agents_forked_v2,
        ),
        ("agent_with_the_last_turn", Some(125), None, || {
            agent_with_turns("1")
        }),
        ("agent_with_the_last_turns", Some(125), None, || {
            agent_with_turns("2")
        }),
        ("letters", Some(125), None, letters),
        ("letter_at_the_end", Some(125), None, letter_at_the_end),
        ("steered_at_the_end", Some(117), None, || {
            served([said("A."), said("B.")], steered_at_the_end).with(add_slow_end)
        }),
        ("goal", Some(128), None, goal),
        ("exec_fork", Some(150), None, || {
            let answers = [Answer::command("echo a"), said("A."), said("B.")];
            let fork = exec(&[FREE, "fork", THREAD, "Another way."]);
            Script::new(answers, [FIRST, fork])
        }),
        ("both", Some(58), None, || {
            let answers = [said("To a client."), said("In exec."), said("Again.")];
            let resumed = exec(&[FREE, "resume", THREAD, "Go on."]);
            Script::new(answers, [Process::Server(plain), resumed])
        }),
        ("archived", Some(58), None, || {
            served([said("A.")], archived)
        }),
        ("renamed", Some(94), None, || served([said("A.")], renamed)),
        ("rolled_back", Some(80), Some(150), || {
            served(["A.", "B.", "C."].map(said), rolled_back)
        }),
        ("reverted", Some(151), None, || {
            served(["A.", "B.", "C."].map(said), reverted)
        }),
        ("compressed", Some(156), None, || {
            let answers = [said("Old."), said("New.")];
            Script::new(answers, [FIRST, Process::Server(compressed)])
        }),
        ("compressed_and_resumed", Some(156), None, || {
            let answers = [said("Old."), said("New."), said("Resumed.")];
            let resumed = exec(&[FREE, "resume", THREAD, "Go on."]);
            Script::new(answers, [FIRST, Process::Server(compressed_first), resumed])
        }),
        ("reviewed_on_request", Some(66), None, || {
            served([said("A."), said(REVIEW), said(REVIEW)], reviewed).with(Home::add_repository)
        }),
        ("changes", Some(92), None, || served([said("A.")], changes)),
        ("extended", Some(98), None, extended),
        ("paginated", Some(147), Some(150), paginated),
        ("overrides", Some(58), None, || {
            served(["A.", "{\"answer\":\"b\"}", "C."].map(said), overrides).with(add_schema)
        }),
    ];
    scenes.into_iter().map(|(name, since, until, script)| {
        let release = |minor| Release::new(0, minor, 0);
        let scene = Scene::new("rollout", name, since.map(release), script);
        match until {
            // Whatever the last number is.
            Some(minor) => scene.until(Release::new(0, minor, u32::MAX)),
            None => scene,
        }
    })
}

const FIRST: Process = exec(&[FREE, PROMPT]);

const SCHEMA: Process = exec(&[FREE, "--output-schema", "schema.json", PROMPT]);

const REVIEWED: Process = exec(&[FREE, "review", "--uncommitted"]);

/// An age at which Codex compresses session files.
const DAYS: u64 = 60;

/// What a reviewer says.
const REVIEW: &str = r#"{"findings":[{"title":"[P2] A note","body":"It is not committed.","confidence_score":0.8,"priority":2,"code_location":{"absolute_file_path":"/notes.txt","line_range":{"start":1,"end":1}}}],"overall_correctness":"patch is correct","overall_explanation":"Nothing is wrong.","overall_confidence_score":0.9}"#;

/// One pixel.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4,
    0x89, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xf0,
    0x1f, 0x00, 0x05, 0x00, 0x01, 0xff, 0x89, 0x99, 0x3d, 0x1d, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45,
    0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

fn killed() -> Script {
    let until = Some(Until {
        texts: ["command_execution", "exec_command_begin"],
        signal: KILL,
    });
    let args = &[FREE, PROMPT];
    let answers = [Answer::command("echo before"), Answer::command("sleep 30")];
    one(answers, Process::Exec { args, until })
}

/// The context is full within a turn, and once more when the session is resumed.
fn auto_compact() -> Script {
    let much = Tokens {
        input: 120_000,
        ..Tokens::default()
    };
    let answers = [
        Answer::command("echo much").costing(much),
        said("In short: much."),
        said("It goes on.").costing(much),
        said("In short: it went on."),
        said("Resumed."),
        said("The script is at its end."),
    ];
    let resumed = exec(&[FREE, "resume", THREAD, "Go on."]);
    Script::new(answers, [FIRST, resumed])
        .with(|home| home.reconfigure(|configuration| configuration.compact_at = Some(100_000)))
}

/// Bytes that are not text, breaks of lines that JSON knows nothing of, and much.
fn odd_output() -> Script {
    let odd = r"printf 'a\377b\n'; printf '\342\200\250x\342\200\251\n'; printf '\360\237\230\200\033[1m\000\n'";
    let answers = [
        Answer::command(odd),
        Answer::command("seq 1 30000"),
        Answer::new([Item::Message("\u{2028}So: “odd” \u{1f600}\u{0}\n\n".into())]),
    ];
    one(answers, FIRST)
}

/// A picture with the prompt, and one that the model looks at.
fn image() -> Script {
    let answers = [
        call("view_image", json!({"path": "dot.png"})),
        said("A dot."),
    ];
    one(answers, exec(&[FREE, PROMPT, "--image", "dot.png"]))
        .with(|home| fs::write(home.project().join("dot.png"), PNG))
}

fn add_schema(home: &mut Home) -> io::Result<()> {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}},
                        "required": ["a"], "additionalProperties": false});
    fs::write(home.project().join("schema.json"), schema.to_string())
}

fn agents() -> Script {
    let answers = [
        Answer::new([
            Item::Message("Two of you.".into()),
            Item::Spawn("Count them.".into()),
        ]),
        Answer::new([Item::Spawn("Name them.".into())]),
        Answer::new([Item::WaitForAgents]),
        said("All is known."),
    ];
    one(answers, FIRST)
        .agent("Count them.", said("Three."))
        .agent("Name them.", said("A, B and C."))
        .with(|home| home.reconfigure(|configuration| configuration.has_agents = true))
}

fn agents_v2() -> Script {
    let spawn = json!({"task_name": "kid_one", "message": "Count them.", "fork_turns": "none"});
    let answers = [
        call("spawn_agent", spawn),
        call("wait_agent", json!({"timeout_ms": 10_000})),
        call("list_agents", json!({})),
        call(
            "send_message",
            json!({"target": "kid_one", "message": "Thank you."}),
        ),
        said("All is known."),
    ];
    one(answers, FIRST)
        .agent("Count them.", said("Three."))
        .with(add_agents_v2)
}

/// An agent that begins with a copy of what its parent has said and been told.
fn agents_forked() -> Script {
    let answers = [
        Answer::command("echo before"),
        Answer::new([Item::Fork("Count them.".into())]),
        Answer::new([Item::WaitForAgents]),
        said("All is known."),
    ];
    one(answers, FIRST)
        .agent("Count them.", said("Three."))
        .with(|home| home.reconfigure(|configuration| configuration.has_agents = true))
}

/// The same with the second kind of agents.
fn agents_forked_v2() -> Script {
    let arguments = json!({"task_name": "kid_one", "message": "Count them.", "fork_turns": "all"});
    let answers = [
        Answer::command("echo before"),
        call("spawn_agent", arguments),
        Answer::command("sleep 1"),
        said("All is known."),
    ];
    one(answers, FIRST)
        .agent("Count them.", said("Three."))
        .with(add_agents_v2)
}

/// An agent that begins with a copy of no more than the last turns, in the third turn of its parent.
fn agent_with_turns(turns: &str) -> Script {
    let arguments = json!({"task_name": "kid_one", "message": "Count them.", "fork_turns": turns});
    let answers = [
        Answer::command("echo before"),
        said("One."),
        said("Two."),
        Answer::command("echo after"),
        call("spawn_agent", arguments),
        Answer::command("sleep 1"),
        said("All is known."),
    ];
    let resumed = exec(&[FREE, "resume", THREAD, "Go on."]);
    // The dialogue would begin the turn again with each prompt.
    Script::new(answers, [FIRST, resumed, resumed])
        .agent("Count them.", said("Three."))
        .with(add_agents_v2)
}

fn add_agents_v2(home: &mut Home) -> io::Result<()> {
    home.reconfigure(|configuration| configuration.features.push(("multi_agent_v2", true)))
}

fn spawn(name: &str, message: &str) -> Answer {
    let arguments = json!({"task_name": name, "message": message, "fork_turns": "none"});
    call("spawn_agent", arguments)
}

/// What agents of the second kind send to each other, while a tool of the other one runs.
fn letters() -> Script {
    let answers = [
        spawn("kid_one", "Count them."),
        Answer::command("sleep 1"),
        said("One is back."),
    ];
    one(answers, FIRST)
        .agent("Count them.", said("Three."))
        .with(add_agents_v2)
}

/// Keeps the first agent from its end for a moment.
fn add_slow_end(home: &mut Home) -> io::Result<()> {
    home.add_hooks(r#"case "$(cat)" in *'"hook_event_name":"Stop"'*) mkdir "$HOME/kept" && sleep 1.5;; esac; true"#)
}

/// The same when the other one has given its answer: its turn goes on, if a hook has kept it from its end.
fn letter_at_the_end() -> Script {
    let answers = [
        spawn("kid_one", "Count them."),
        Answer::new([Item::Reasoning(vec![
            "**Waiting**\n\nThere is no more.".into(),
        ])]),
        said("One is back."),
    ];
    let slow = said("Three.").pausing(Duration::from_millis(500));
    one(answers, FIRST)
        .agent("Count them.", slow)
        .with(add_agents_v2)
        .with(add_slow_end)
}

fn goal() -> Script {
    let goal = json!({"objective": "Make it green", "token_budget": 100_000});
    let answers = [
        call("create_goal", goal),
        call("get_goal", json!({})),
        call("update_goal", json!({"status": "complete"})),
        said("Green."),
    ];
    one(answers, FIRST).with(|home| {
        home.reconfigure(|configuration| {
            // Later releases have it without.
            if configuration.release < Release::new(0, 146, 0) {
                configuration.features.push(("goals", true));
            }
        })
    })
}

/// The user adds something when the model has given its answer.
fn steered_at_the_end(stage: &mut Stage) -> io::Result<()> {
    stage.begin("never", "danger-full-access")?;
    let turn = stage.turn()?;
    stage.client.wait("thread/tokenUsage/updated", PATIENCE)?;
    std::thread::sleep(Duration::from_millis(300));
    let params = json!({"expectedTurnId": turn, "input": stage.input("The other way.")});
    let params = stage.of(params);
    stage.ask("turn/steer", params)?;
    stage.done()
}

fn archived(stage: &mut Stage) -> io::Result<()> {
    plain(stage)?;
    let thread = stage.of(json!({}));
    stage.ask("thread/archive", thread).map(drop)
}

/// Named twice, and its branch corrected.
fn renamed(stage: &mut Stage) -> io::Result<()> {
    plain(stage)?;
    for name in ["A \u{2705} name", "Another"] {
        let params = stage.of(json!({"name": name}));
        stage.ask("thread/name/set", params)?;
    }
    let params = stage.of(json!({"gitInfo": {"branch": "another"}}));
    stage.ask("thread/metadata/update", params).map(drop)
}

fn two_turns(stage: &mut Stage) -> io::Result<Value> {
    plain(stage)?;
    let second = stage.turn()?;
    stage.done()?;
    Ok(second)
}

fn rolled_back(stage: &mut Stage) -> io::Result<()> {
    two_turns(stage)?;
    let params = stage.of(json!({"numTurns": 1}));
    stage.ask("thread/rollback", params)?;
    stage.turn()?;
    stage.done()
}

fn reverted(stage: &mut Stage) -> io::Result<()> {
    let second = two_turns(stage)?;
    let params = stage.of(json!({"beforeTurnId": second}));
    stage.ask("thread/revert", params)?;
    stage.turn()?;
    stage.done()
}

/// Another thread runs while the first one is compressed: Codex leaves alone what was written of late.
fn compressed(stage: &mut Stage) -> io::Result<()> {
    stage.home.age_sessions(DAYS)?;
    plain(stage)?;
    stage.ask("rollout/compress", Value::Null)?;
    std::thread::sleep(Duration::from_secs(1));
    Ok(())
}

/// The same, and the next process goes on with the first one.
fn compressed_first(stage: &mut Stage) -> io::Result<()> {
    let first = stage.thread.clone();
    compressed(stage)?;
    *stage.thread = first;
    Ok(())
}

fn reviewed(stage: &mut Stage) -> io::Result<()> {
    plain(stage)?;
    let target = json!({"type": "custom", "instructions": "Look for mistakes"});
    for (target, delivery) in [
        (json!({"type": "uncommittedChanges"}), "inline"),
        (target, "detached"),
    ] {
        let params = stage.of(json!({"target": target, "delivery": delivery}));
        if stage.tries("review/start", params)? {
            stage.done()?;
        }
    }
    Ok(())
}

/// What a client changes between turns.
fn changes(stage: &mut Stage) -> io::Result<()> {
    plain(stage)?;
    let injected = json!({"type": "message", "role": "user",
                          "content": [{"type": "input_text", "text": "Injected."}]});
    for (method, more) in [
        ("thread/inject_items", json!({"items": [injected]})),
        ("thread/settings/update", json!({"effort": "high"})),
        ("thread/memoryMode/set", json!({"mode": "disabled"})),
    ] {
        let params = stage.of(more);
        stage.ask(method, params)?;
    }
    let params = stage.of(json!({"command": "echo out; exit 2"}));
    if stage.tries("thread/shellCommand", params)? {
        stage.done()?;
    }
    let goal = json!({"objective": "Make it green", "tokenBudget": 100_000});
    let params = stage.of(goal);
    if stage.tries("thread/goal/set", params)? {
        // The goal starts a turn.
        stage.settle()?;
        let params = stage.of(json!({}));
        stage.ask("thread/goal/clear", params)?;
        std::thread::sleep(Duration::from_millis(500));
    }
    Ok(())
}

/// Tools of the client, a plan that is proposed, a question, and the history with more kinds, as long as
/// there is one.
fn extended() -> Script {
    let question = json!({"questions": [{"id": "q", "header": "Which", "question": "Which one?",
        "options": [{"label": "A", "description": "The first"}, {"label": "B", "description": "The second"}]}]});
    let answers = [
        call("lookup_ticket", json!({"id": "7"})),
        Answer::new([Item::tiny("echo", json!({"text": "a"}))]),
        Answer::new([Item::Patch(PATCH.into()), Item::Command("exit 3".into())]),
        Answer::new([
            Item::Search("tickets".into()),
            Item::Message("It is open.".into()),
        ]),
        call("request_user_input", question),
        said("<proposed_plan>\n1. Look\n2. Act\n</proposed_plan>"),
    ];
    served(answers, |stage| {
        let tool = json!({"name": "lookup_ticket", "description": "Looks a ticket up",
            "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}},
                            "required": ["id"], "additionalProperties": false}});
        let mut params = json!({"dynamicTools": [tool]});
        if stage.since(104) && !stage.since(151) {
            params["persistExtendedHistory"] = true.into();
        }
        stage.hello()?;
        stage.start_with("never", "danger-full-access", params)?;
        stage.turn()?;
        stage.settle()?;
        let settings = json!({"model": stage.home.configuration().model(),
                              "reasoning_effort": "low", "developer_instructions": null});
        stage.turn_with(json!({"collaborationMode": {"mode": "plan", "settings": settings}}))?;
        stage.settle()
    })
    .with(Home::add_server)
}

/// Everything in one thread whose history is paginated, and in its fork.
fn paginated() -> Script {
    let answers = [
        Answer::new([
            Item::Reasoning(vec!["**Looking around**\n\nThere is a file.".into()]),
            Item::Command("echo one".into()),
        ]),
        Answer::patch(PATCH),
        Answer::new([Item::tiny("echo", json!({"text": "a"}))]),
        Answer::new([Item::Search("pages".into()), Item::Message("Found.".into())]),
        said("In short: found."),
        said("After that."),
        said("On the fork."),
    ];
    served(answers, |stage| {
        stage.hello()?;
        stage.start_with(
            "never",
            "danger-full-access",
            json!({"historyMode": "paginated"}),
        )?;
        stage.turn()?;
        stage.settle()?;
        let thread = stage.of(json!({}));
        stage.ask("thread/compact/start", thread.clone())?;
        stage.done()?;
        stage.turn()?;
        stage.done()?;
        let forked = stage.ask("thread/fork", thread)?;
        *stage.thread = id(&forked["result"]["thread"]);
        stage.turn()?;
        stage.done()
    })
    .with(Home::add_server)
}

/// Turns with settings of their own.
fn overrides(stage: &mut Stage) -> io::Result<()> {
    plain(stage)?;
    // 0.58.0 has another tag.
    let tag = if stage.since(59) { "type" } else { "mode" };
    let sandbox = json!({tag: "readOnly"});
    let schema = json!({"type": "object", "properties": {"answer": {"type": "string"}},
                        "required": ["answer"], "additionalProperties": false});
    stage.turn_with(
        json!({"effort": "low", "summary": "detailed", "sandboxPolicy": sandbox,
                           "approvalPolicy": "never", "outputSchema": schema}),
    )?;
    stage.done()?;
    let sandbox = json!({tag: "workspaceWrite", "networkAccess": true,
                         "writableRoots": [stage.home.project().join("more")]});
    stage.turn_with(json!({"sandboxPolicy": sandbox}))?;
    stage.done()
}
