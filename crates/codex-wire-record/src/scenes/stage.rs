//! A client at work, who knows what each release of `codex app-server` accepts.

use std::fmt::Write as _;
use std::io;
use std::process::{Command, Stdio};
use std::time::Duration;

use codex_wire_base::transcript::{Exit, Line, Record, Start, VERSION};
use codex_wire_base::{Maybe, Release};
use serde_json::{Value, json};

use super::recording::Recording;
use super::set::Set;
use crate::converse::answer;
use crate::{Client, Home, LoggedLine, requests};

/// Longer than an answer takes on a machine that has other things to do.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// What commands and patches ask; 0.58.0 asks as releases before it did.
pub(super) const COMMAND: [&str; 2] = [
    "item/commandExecution/requestApproval",
    "execCommandApproval",
];
pub(super) const FILES: [&str; 2] = ["item/fileChange/requestApproval", "applyPatchApproval"];

/// A client at work.
pub(super) struct Stage<'a> {
    pub(super) client: Client,
    pub(super) home: &'a Home,
    pub(super) release: Release,
    /// The thread that was started last, kept for the next process.
    pub(super) thread: &'a mut String,
}

/// What a client does.
pub(super) type Act = fn(&mut Stage) -> io::Result<()>;

/// Lets a client act with a server.
pub(super) fn serve(set: &mut Set, act: Act) -> io::Result<Recording> {
    let mut command = Command::new(set.program);
    command.arg("app-server").stderr(Stdio::null());
    let client = Client::start(set.home.furnish(&mut command))?;
    let mut stage = Stage {
        client,
        home: &set.home,
        release: set.release,
        thread: &mut set.thread,
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
    Ok(Recording {
        name: String::new(),
        protocol: "app-server",
        args: vec!["app-server".to_owned()],
        bytes: transcript(set.release, client.log(), code).into_bytes(),
        exit_code: code,
        signal: None,
        complaint: played.err().map(|error| error.to_string()),
    })
}

impl Stage<'_> {
    pub(super) fn since(&self, minor: u32) -> bool {
        self.release >= Release::new(0, minor, 0)
    }

    /// A request, and whatever it is answered.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> io::Result<Value> {
        self.client.request(method, params, PATIENCE)
    }

    pub(super) fn hello(&mut self) -> io::Result<()> {
        self.ask("initialize", requests::initialize(self.release))?;
        self.client.send(&json!({"method": "initialized"}))
    }

    pub(super) fn begin(&mut self, approval: &str, sandbox: &str) -> io::Result<()> {
        self.hello()?;
        self.start(approval, sandbox)
    }

    pub(super) fn start(&mut self, approval: &str, sandbox: &str) -> io::Result<()> {
        self.start_with(approval, sandbox, json!({}))
    }

    /// Starts a thread with more params.
    pub(super) fn start_with(
        &mut self,
        approval: &str,
        sandbox: &str,
        more: Value,
    ) -> io::Result<()> {
        let cwd = self.home.project();
        let params = requests::thread_start(self.release, &cwd, approval, sandbox);
        let params = extended(params, more);
        let started = self.ask("thread/start", params)?;
        *self.thread = id(&started["result"]["thread"]);
        Ok(())
    }

    pub(super) fn input(&self, text: &str) -> Value {
        requests::input(self.release, text)
    }

    /// Starts a turn and returns its id.
    pub(super) fn turn(&mut self) -> io::Result<Value> {
        self.turn_with(json!({}))
    }

    /// Starts a turn with more params, and returns its id.
    pub(super) fn turn_with(&mut self, more: Value) -> io::Result<Value> {
        let input = self.input("Do the recorded thing.");
        let params = self.of(extended(json!({"input": input}), more));
        let started = self.ask("turn/start", params)?;
        match started.get("error") {
            Some(error) => Err(io::Error::other(format!("no turn starts: {error}"))),
            None => Ok(started["result"]["turn"]["id"].clone()),
        }
    }

    /// Params about the thread.
    pub(super) fn of(&self, more: Value) -> Value {
        extended(json!({"threadId": *self.thread}), more)
    }

    /// A request that a release may not have. Says whether it has a result.
    pub(super) fn tries(&mut self, method: &str, params: Value) -> io::Result<bool> {
        Ok(self.ask(method, params)?.get("result").is_some())
    }

    /// Waits for the end of the turn, and says yes to whatever is asked.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        let ends = requests::turn_ends(self.release);
        loop {
            let message = self.client.next(PATIENCE)?;
            let Some(method) = message["method"].as_str() else {
                continue;
            };
            if message.get("id").is_some() {
                self.client.send(&yes(method, &message))?;
            } else if ends.contains(&method) {
                return Ok(());
            }
        }
    }

    pub(super) fn done(&mut self) -> io::Result<()> {
        let ends = requests::turn_ends(self.release);
        self.client.wait_for_any(ends, PATIENCE).map(drop)
    }

    /// A turn in which something is asked and answered.
    pub(super) fn approval(&mut self, methods: [&str; 2], decision: &str) -> io::Result<()> {
        self.begin("untrusted", "danger-full-access")?;
        self.turn()?;
        let asked = self.client.wait_for_any(&methods, PATIENCE)?;
        self.answer(&asked, decision)?;
        self.done()
    }

    pub(super) fn answer(&mut self, asked: &Value, decision: &str) -> io::Result<()> {
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

    pub(super) fn interrupt(&mut self, turn: &Value) -> io::Result<()> {
        let params = json!({"threadId": &*self.thread, "turnId": turn});
        self.ask("turn/interrupt", params)?;
        self.done()
    }
}

/// An object with the members of another.
fn extended(mut params: Value, more: Value) -> Value {
    if let (Some(params), Value::Object(more)) = (params.as_object_mut(), more) {
        params.extend(more);
    }
    params
}

/// Yes to a question, or the result of a tool of the client.
fn yes(method: &str, message: &Value) -> Value {
    if method == "item/tool/call" {
        let content = json!([{"type": "inputText", "text": "It is open."}]);
        let result = json!({"contentItems": content, "success": true});
        return json!({"id": message["id"], "result": result});
    }
    answer(method, message)
}

/// The id of a thread, as text.
pub(super) fn id(thread: &Value) -> String {
    thread["id"].as_str().unwrap_or_default().to_owned()
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
