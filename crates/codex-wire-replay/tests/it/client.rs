//! A client that does what a recorded client did, with ids and paths of its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use codex_wire_base::Protocol;
use codex_wire_base::lines::Line;
use codex_wire_check::{Checker, Finding, Options, Severity, Stream};
use codex_wire_replay::{About, Conversation, Player, PlayerOptions, Reaction, Recording, Writer};
use serde_json::{Value, json};

/// The folder of the fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Reads a recording of the fixtures.
pub(crate) fn recording(path: &str) -> Recording {
    let bytes = std::fs::read(fixtures().join(path)).unwrap();
    Recording::read(path, bytes, About::default()).unwrap()
}

/// The folder that stands for the recorded project.
pub(crate) const FOLDER: &str = "/home/someone/their project";

/// The folder that was recorded.
const RECORDED: &str = "/workspace/app-project";

/// One side of a conversation with a player, which is checked while it goes on.
pub(crate) struct Client<'c> {
    player: Box<dyn Conversation>,
    stream: Stream<'c>,
    number: u64,
    /// What Codex wrote.
    pub(crate) heard: Vec<String>,
    /// Everything both sides wrote, for messages of failed tests.
    pub(crate) log: Vec<String>,
    /// What no recording answered, or only with a difference.
    pub(crate) missed: Vec<String>,
    /// The last reaction.
    pub(crate) last: Reaction,
}

/// A checker of exactly what the release of a recording writes.
pub(crate) fn checker(recording: &Recording) -> Checker {
    let release = recording.about.release.unwrap();
    let list = recording.protocol.release_list();
    Checker::new(Options::exact(
        recording.protocol,
        list.floor(release).unwrap(),
    ))
    .unwrap()
}

impl<'c> Client<'c> {
    pub(crate) fn new(recordings: &[Recording], checker: &'c Checker) -> Self {
        Self::with(recordings, checker, PlayerOptions::default())
    }

    pub(crate) fn with(
        recordings: &[Recording],
        checker: &'c Checker,
        options: PlayerOptions,
    ) -> Self {
        let player = Player::new(recordings, options).unwrap();
        Client::of(Box::new(player), checker)
    }

    /// A client of any conversation.
    pub(crate) fn of(mut player: Box<dyn Conversation>, checker: &'c Checker) -> Self {
        let first = player.start();
        let mut client = Client {
            player,
            stream: checker.stream("played"),
            number: 0,
            heard: Vec::new(),
            log: Vec::new(),
            missed: Vec::new(),
            last: Reaction::default(),
        };
        for emission in first {
            client.receive(emission.line);
        }
        client
    }

    /// Sends a line, and takes in what follows.
    pub(crate) fn send(&mut self, line: &str) {
        self.note(codex_wire_check::Writer::Client, line);
        self.last = self.player.line(line);
        let (miss, remark) = (&self.last.miss, &self.last.remark);
        self.missed
            .extend(miss.iter().map(|miss| format!("{miss:?}")));
        self.missed
            .extend(remark.iter().map(|remark| format!("{remark:?}")));
        for emission in std::mem::take(&mut self.last.emissions) {
            self.receive(emission.line);
        }
    }

    /// Sends a request, and returns the answer.
    pub(crate) fn call(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(&json!({"id": id, "method": method, "params": params}).to_string());
        let answers = self.heard.iter().rev().map(|line| parse(line));
        let mut answers = answers.filter(|line| line.get("method").is_none());
        answers.find(|line| line["id"] == id).unwrap_or(Value::Null)
    }

    /// The methods of what Codex wrote since there were `from` lines.
    pub(crate) fn methods(&self, from: usize) -> Vec<String> {
        let lines = self.heard[from..].iter().map(|line| parse(line));
        lines
            .filter_map(|line| Some(line["method"].as_str()?.to_owned()))
            .collect()
    }

    /// All findings.
    pub(crate) fn leave(self) -> Vec<Finding> {
        self.stream.leave().0.findings
    }

    /// The findings about what Codex wrote.
    pub(crate) fn finish(self) -> Vec<Finding> {
        let mut findings = self.leave();
        findings.retain(|f| {
            f.severity == Severity::Error && f.writer != Some(codex_wire_check::Writer::Client)
        });
        findings
    }

    fn receive(&mut self, line: String) {
        self.note(codex_wire_check::Writer::Codex, &line);
        self.heard.push(line);
    }

    fn note(&mut self, writer: codex_wire_check::Writer, line: &str) {
        self.number += 1;
        self.log.push(format!("{}: {line}", writer.as_str()));
        let line = Line {
            bytes: line.as_bytes(),
            number: self.number,
            offset: 0,
            ended: true,
            column: None,
            length: line.len() as u64,
        };
        self.stream.line(writer, &line);
    }
}

/// A line as JSON; `null` if it is none.
pub(crate) fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or(Value::Null)
}

/// Does everything that one connection of a recording did.
pub(crate) struct Double<'r> {
    recording: &'r Recording,
    connection: u32,
    /// Requests of Codex, by the order in which requests of one method came.
    asked: HashMap<String, (String, usize)>,
}

impl<'r> Double<'r> {
    pub(crate) fn new(recording: &'r Recording, connection: u32) -> Self {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut asked = HashMap::new();
        let of = recording
            .lines()
            .iter()
            .filter(|l| l.connection == connection);
        for line in of.filter(|line| line.writer == Writer::Codex) {
            let value = parse(&line.text);
            let (Some(method), Some(id)) = (value["method"].as_str(), value.get("id")) else {
                continue;
            };
            let count = counts.entry(method.to_owned()).or_default();
            asked.insert(id.to_string(), (method.to_owned(), *count));
            *count += 1;
        }
        Double {
            recording,
            connection,
            asked,
        }
    }

    /// Sends what the recorded client sent.
    pub(crate) fn run(&self, client: &mut Client<'_>) {
        for line in self.lines(Writer::Client) {
            let line = self.own(&line, client);
            client.send(&line);
        }
    }

    /// Sends what the recorded client sent until something happens. Returns whether it did.
    pub(crate) fn run_until(
        &self,
        client: &mut Client<'_>,
        stop: &dyn Fn(&Client<'_>) -> bool,
    ) -> bool {
        self.lines(Writer::Client).into_iter().any(|line| {
            let line = self.own(&line, client);
            client.send(&line);
            stop(client)
        })
    }

    /// What one side wrote.
    pub(crate) fn lines(&self, writer: Writer) -> Vec<String> {
        let lines = self.recording.lines().iter();
        let lines = lines.filter(|l| l.connection == self.connection && l.writer == writer);
        lines.map(|line| line.text.to_string()).collect()
    }

    /// A recorded line of the client as this client writes it.
    fn own(&self, line: &str, client: &Client<'_>) -> String {
        let line = line.replace(RECORDED, FOLDER);
        let mut value = parse(&line);
        if self.recording.protocol == Protocol::Core {
            return line;
        }
        let Some(id) = value.get("id").cloned().filter(|_| value.is_object()) else {
            return line;
        };
        let is_call = value.get("method").is_some();
        if !is_call && let Some((method, nth)) = self.asked.get(&id.to_string()) {
            let asked = client.heard.iter().map(|line| parse(line));
            let mut asked =
                asked.filter(|line| line["method"] == **method && line.get("id").is_some());
            value["id"] = match asked.nth(*nth) {
                Some(asked) => asked["id"].clone(),
                None => return line,
            };
            return value.to_string();
        }
        // Ids that Codex does not accept stay as they are, and so does what is malformed in another way.
        match id
            .as_i64()
            .filter(|id| is_call && (0..1 << 40).contains(id))
        {
            Some(id) if !line.contains("\"id\":96,\"id\"") => {
                value["id"] = json!(format!("mine-{id}"));
                value.to_string()
            }
            _ => line,
        }
    }
}
