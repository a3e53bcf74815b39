//! Scenes of `codex app-server`, with a client that knows what each release accepts.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use codex_wire_base::transcript::{Exit, Line, Record, Start, VERSION};
use codex_wire_base::{Maybe, Release};
use serde_json::{Value, json};

use super::scene::{Recording, Scene};
use crate::{Answer, Client, End, Home, Item, LoggedLine, Model, requests};

/// Longer than an answer takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the model says, and what the client does, one connection after the other.
#[derive(Debug)]
struct Script {
    answers: Vec<Answer>,
    acts: Vec<fn(&mut Stage) -> io::Result<()>>,
    /// Whether there is a tool server.
    has_server: bool,
}

/// A client at work.
struct Stage<'a> {
    client: Client,
    home: &'a Home,
    release: Release,
    /// The thread that was started last, kept for the next connection.
    thread: &'a mut Value,
}

/// What commands and patches ask; 0.58.0 asks as releases before it did.
const COMMAND: [&str; 2] = [
    "item/commandExecution/requestApproval",
    "execCommandApproval",
];
const FILES: [&str; 2] = ["item/fileChange/requestApproval", "applyPatchApproval"];

/// A scene: its name, the first release that can play it, as the middle of its three numbers, and
/// what makes its script.
type Listed = (&'static str, u32, fn() -> Script);

pub(super) fn scenes() -> impl Iterator<Item = Scene> {
    let scenes: [Listed; 23] = [
        ("message", 58, || one([said("Hello there.")], plain)),
        ("commands", 58, || {
            let both = [
                Item::Command("echo one".into()),
                Item::Command("exit 4".into()),
            ];
            one([Answer::new(both), said("Done.")], plain)
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
            one([Answer::new(items)], plain)
        }),
        ("plan", 58, plan),
        ("tool_server", 58, tool_server),
        ("refused", 58, || {
            let end = End::refused(400, "invalid_request_error", "No.");
            one([Answer::new([]).ending(end)], plain)
        }),
        ("usage_limit", 58, || {
            let end = End::refused(429, "usage_limit_reached", "Enough for today.");
            one([Answer::new([]).ending(end)], plain)
        }),
        ("dropped_once", 58, || {
            let cut = said("The line is about to").ending(End::Dropped);
            one([cut, said("Here again.")], plain)
        }),
        ("interrupted", 58, || {
            let stalled = said("Wait for it").ending(End::Stalled);
            one([stalled, said("Again.")], interrupted)
        }),
        ("interrupted_command", 58, || {
            one([Answer::command("sleep 30"), said("Again.")], interrupted)
        }),
        ("interrupted_question", 58, || asked(interrupted_question)),
        ("resumed", 58, || Script {
            answers: vec![
                Answer::command("echo first"),
                said("First."),
                said("Second."),
            ],
            acts: vec![plain, resumed],
            has_server: false,
        }),
        ("two_threads", 58, || {
            one([said("One."), said("Two."), said("Three.")], two_threads)
        }),
        ("steered", 99, || {
            let stalled = Answer::command("sleep 2");
            one([stalled, said("Steered.")], steered)
        }),
        ("history", 89, || {
            one([said("One."), said("Two."), said("Three.")], history)
        }),
        ("compacted", 96, || {
            one([said("One."), said("In short: one.")], compacted)
        }),
        ("requests", 58, || one([], various)),
    ];
    scenes.into_iter().map(|(name, minor, script)| Scene {
        name,
        protocol: "app-server",
        since: Some(Release::new(0, minor, 0)),
        play: Box::new(move |name, program, release, root| {
            play(name, script(), program, release, root)
        }),
    })
}

const TOUCH: &str = "touch approved.txt && echo recorded";

const PATCH: &str = "*** Begin Patch\n*** Add File: notes.txt\n+one\n*** Update File: README.md\n@@\n\
                     -first line\n+first line, changed\n*** End Patch";

fn said(text: &str) -> Answer {
    Answer::message(text)
}

fn one(answers: impl IntoIterator<Item = Answer>, act: fn(&mut Stage) -> io::Result<()>) -> Script {
    Script {
        answers: answers.into_iter().collect(),
        acts: vec![act],
        has_server: false,
    }
}

/// A command that the client is asked about.
fn asked(act: fn(&mut Stage) -> io::Result<()>) -> Script {
    one([Answer::command(TOUCH), said("Done.")], act)
}

/// A patch that the client is asked about.
fn patched(act: fn(&mut Stage) -> io::Result<()>) -> Script {
    one([Answer::patch(PATCH), said("Done.")], act)
}

fn plan() -> Script {
    let steps = json!([{"step": "Look", "status": "completed"},
                       {"step": "Act", "status": "in_progress"}]);
    let call = Item::Call("update_plan".into(), json!({"plan": steps}));
    one([Answer::new([call]), said("Planned.")], plain)
}

fn tool_server() -> Script {
    let call = |tool| Answer::new([Item::tiny(tool, json!({"text": "a"}))]);
    Script {
        has_server: true,
        ..one([call("echo"), call("fail"), said("Called.")], plain)
    }
}

fn plain(stage: &mut Stage) -> io::Result<()> {
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
    *stage.thread = forked["result"]["thread"]["id"].clone();
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

impl Stage<'_> {
    fn since(&self, minor: u32) -> bool {
        self.release >= Release::new(0, minor, 0)
    }

    /// A request, and whatever it is answered.
    fn ask(&mut self, method: &str, params: Value) -> io::Result<Value> {
        self.client.request(method, params, PATIENCE)
    }

    fn hello(&mut self) -> io::Result<()> {
        self.ask("initialize", requests::initialize(self.release))?;
        self.client.send(&json!({"method": "initialized"}))
    }

    fn begin(&mut self, approval: &str, sandbox: &str) -> io::Result<()> {
        self.hello()?;
        self.start(approval, sandbox)
    }

    fn start(&mut self, approval: &str, sandbox: &str) -> io::Result<()> {
        let cwd = self.home.project();
        let params = requests::thread_start(self.release, &cwd, approval, sandbox);
        let started = self.ask("thread/start", params)?;
        *self.thread = started["result"]["thread"]["id"].clone();
        Ok(())
    }

    fn input(&self, text: &str) -> Value {
        requests::input(self.release, text)
    }

    /// Starts a turn and returns its id.
    fn turn(&mut self) -> io::Result<Value> {
        let input = self.input("Do the recorded thing.");
        let params = json!({"threadId": self.thread.clone(), "input": input});
        let started = self.ask("turn/start", params)?;
        Ok(started["result"]["turn"]["id"].clone())
    }

    fn done(&mut self) -> io::Result<()> {
        let ends = requests::turn_ends(self.release);
        self.client.wait_for_any(ends, PATIENCE).map(drop)
    }

    /// A turn in which something is asked and answered.
    fn approval(&mut self, methods: [&str; 2], decision: &str) -> io::Result<()> {
        self.begin("untrusted", "danger-full-access")?;
        self.turn()?;
        let asked = self.client.wait_for_any(&methods, PATIENCE)?;
        self.answer(&asked, decision)?;
        self.done()
    }

    fn answer(&mut self, asked: &Value, decision: &str) -> io::Result<()> {
        let is_old = [COMMAND[1], FILES[1]]
            .iter()
            .any(|old| asked["method"] == *old);
        let decision = match (is_old, decision) {
            (true, "accept") => "approved",
            (true, "decline") => "denied",
            (true, "cancel") => "abort",
            _ => decision,
        };
        let answer = json!({"id": asked["id"], "result": {"decision": decision}});
        self.client.send(&answer)
    }

    fn interrupt(&mut self, turn: &Value) -> io::Result<()> {
        let params = json!({"threadId": self.thread.clone(), "turnId": turn});
        self.ask("turn/interrupt", params)?;
        self.done()
    }
}

fn play(
    name: &str,
    script: Script,
    program: &Path,
    release: Release,
    root: &Path,
) -> io::Result<Vec<Recording>> {
    let model = Model::new(script.answers)?;
    let mut home = Home::new(root, release, model.port())?;
    if script.has_server {
        home.add_server()?;
    }
    let several = script.acts.len() > 1;
    let mut thread = Value::Null;
    let mut out = Vec::new();
    for (index, act) in script.acts.iter().enumerate() {
        let mut command = Command::new(program);
        command.arg("app-server").stderr(Stdio::null());
        let client = Client::start(home.furnish(&mut command))?;
        let mut stage = Stage {
            client,
            home: &home,
            release,
            thread: &mut thread,
        };
        let mut played = act(&mut stage);
        // What comes behind the end of a turn is part of it.
        std::thread::sleep(Duration::from_millis(300));
        let mut client = stage.client;
        let status = client.close(PATIENCE);
        let code = status
            .as_ref()
            .ok()
            .and_then(std::process::ExitStatus::code);
        played = played.and(status.map(drop));
        let name = match several {
            true => format!("{name}_{}", index + 1),
            false => name.to_owned(),
        };
        out.push(Recording {
            name,
            bytes: transcript(release, client.log(), code).into_bytes(),
            complaint: played.err().map(|error| error.to_string()),
        });
    }
    Ok(out)
}

/// What was said, in the transcript format.
fn transcript(release: Release, log: &[LoggedLine], code: Option<i32>) -> String {
    let mut start = Start::new(VERSION);
    start.protocol = Maybe::Value("app-server".to_owned());
    start.release = Maybe::Value(release.to_string());
    let mut records = vec![Record::Start(start)];
    records.extend(log.iter().map(|said| {
        let mut line = Line::text(said.from.clone(), said.line.clone());
        line.ms = Maybe::Value(said.ms);
        Record::Line(line)
    }));
    if code.is_some() {
        let mut exit = Exit::new();
        exit.status = code.map_or(Maybe::Absent, Maybe::Value);
        records.push(Record::Exit(exit));
    }
    let mut out = String::new();
    for record in &records {
        // Writing into a text cannot fail.
        let _ = writeln!(out, "{}", codex_wire_base::to_string(record));
    }
    out
}
