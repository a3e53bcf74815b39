//! Divides a recording into connections and steps.
//!
//! A line of Codex belongs to a step of the client, its cause. A response belongs to its request. What
//! is written of a turn belongs to the last step of that thread that moves turns on: a request such as
//! `turn/start`, or the answer to a request of Codex. Anything else belongs to the last step that could
//! have caused it. Requests that only read, and those that Codex refused, own their response alone.

use std::collections::{BTreeSet, HashMap};

use codex_wire_base::Protocol;
use serde_json::Value;

use super::{Output, OutputKind, Sent, Step, Track, is_flow, is_read};
use crate::message::{self, Message};
use crate::names::NameKind;
use crate::recording::{RecordedLine, Recording, Writer};
use crate::rewrite::pairs;

/// The connections of a recording, each as a track.
pub(crate) fn tracks(recording: &Recording) -> Vec<Track> {
    let lines = recording.lines();
    let connections: BTreeSet<u32> = lines.iter().map(|line| line.connection).collect();
    let tracks = connections.into_iter().map(|connection| {
        let lines: Vec<_> = lines
            .iter()
            .filter(|line| line.connection == connection)
            .collect();
        track(&recording.name, recording.protocol, &lines)
    });
    tracks.collect()
}

/// Notifications about the state of a thread that follow from its turns, although they name no turn.
const OF_TURNS: &[&str] = &[
    "thread/status/changed",
    "thread/tokenUsage/updated",
    "thread/readState/changed",
    "thread/compacted",
    "error",
];

fn track(name: &str, protocol: Protocol, lines: &[&RecordedLine]) -> Track {
    let mut build = Build {
        protocol,
        track: Track {
            name: name.to_owned(),
            steps: vec![step(Sent::Nothing, None, None, 0)],
            made: HashMap::new(),
            requests: HashMap::new(),
            first_time: None,
        },
        calls: HashMap::new(),
        last_ms: vec![0],
        threads_of_requests: HashMap::new(),
        failures: BTreeSet::new(),
        sent: BTreeSet::new(),
    };
    build.note_failures(lines);
    for line in lines {
        match line.writer {
            Writer::Client => build.client(line),
            Writer::Codex => build.codex(line),
        }
    }
    build.track
}

fn step(sent: Sent, content: Option<Value>, id: Option<String>, number: u64) -> Step {
    Step {
        sent,
        content,
        id,
        thread: None,
        number,
        outputs: Vec::new(),
        failed: false,
        is_read: false,
    }
}

struct Build {
    protocol: Protocol,
    track: Track,
    /// The step of the request with that id, as JSON.
    calls: HashMap<String, usize>,
    /// When the last line of each step was written.
    last_ms: Vec<u64>,
    /// The thread that a request of Codex is about, by its id.
    threads_of_requests: HashMap<String, Option<String>>,
    /// The numbers of the lines with requests that Codex refused.
    failures: BTreeSet<u64>,
    /// Names that the client has sent.
    sent: BTreeSet<(NameKind, String)>,
}

impl Build {
    /// Finds out in advance which requests fail, as lines before the response may depend on it.
    fn note_failures(&mut self, lines: &[&RecordedLine]) {
        let mut calls = HashMap::new();
        for line in lines {
            match line.writer {
                Writer::Client => {
                    if let Some(Message::Request { id, .. }) =
                        message::of_client(self.protocol, &line.text)
                    {
                        calls.insert(id, line.number);
                    }
                }
                Writer::Codex => {
                    // Most lines are notifications without errors, and are read only once.
                    if !line.text.contains("\"error\"") {
                        continue;
                    }
                    let Ok(value) = serde_json::from_str::<Value>(&line.text) else {
                        continue;
                    };
                    let id = value.get("id").map(ToString::to_string);
                    let call = id.filter(|_| value.get("error").is_some());
                    self.failures.extend(call.and_then(|id| calls.get(&id)));
                }
            }
        }
    }

    fn client(&mut self, line: &RecordedLine) {
        let Some(message) = message::of_client(self.protocol, &line.text) else {
            return;
        };
        let mut step = match message {
            Message::Request { id, method, params } => {
                let mut step = step(Sent::Request(method), params, Some(id), line.number);
                step.is_read = step.method().is_some_and(is_read);
                step
            }
            Message::Notification { method, params } => {
                step(Sent::Notification(method), params, None, line.number)
            }
            Message::Answer { id, content } => {
                step(Sent::Answer(id), Some(content), None, line.number)
            }
        };
        step.thread = match &step.sent {
            Sent::Answer(id) => self.threads_of_requests.get(id).cloned().flatten(),
            _ => step.content.as_ref().and_then(thread_of),
        };
        step.failed = self.failures.contains(&line.number);
        if let Some(content) = &step.content {
            let sent = &mut self.sent;
            pairs(content, None, "params", "", &mut |kind, name, _| {
                sent.insert((kind, name.to_owned()));
            });
        }
        let at = self.track.steps.len();
        if let (Sent::Request(_), Some(id)) = (&step.sent, &step.id) {
            self.calls.insert(id.clone(), at);
        }
        self.track.steps.push(step);
        self.last_ms.push(line.ms.unwrap_or(0));
    }

    fn codex(&mut self, line: &RecordedLine) {
        let Ok(value) = serde_json::from_str::<Value>(&line.text) else {
            return;
        };
        let id = value.get("id").map(ToString::to_string);
        let is_call = value.get("method").is_some();
        let (owner, kind) = match (self.protocol, &id, is_call) {
            (Protocol::AppServer, Some(id), false) => match self.calls.remove(id) {
                Some(at) => {
                    self.answered(at, &value);
                    match self.last_about_process(at) {
                        Some(later) => (later, OutputKind::Late(at)),
                        None => (at, OutputKind::Response),
                    }
                }
                None => (self.last(|_| true), OutputKind::Other),
            },
            (Protocol::AppServer, Some(id), true) => {
                (self.cause(&value), OutputKind::Request(id.clone()))
            }
            (Protocol::AppServer, None, _) => (self.cause(&value), OutputKind::Other),
            _ => (self.cause_of_event(id.as_deref()), OutputKind::Other),
        };
        self.names(&value, owner);
        let place = self.track.steps[owner].outputs.len();
        if let OutputKind::Request(id) = &kind {
            self.track.requests.insert(id.clone(), (owner, place));
            let thread = value.get("params").and_then(thread_of);
            self.threads_of_requests.insert(id.clone(), thread);
        }
        let ms = line.ms.unwrap_or(self.last_ms[owner]);
        let after_ms = ms.saturating_sub(self.last_ms[owner]);
        self.last_ms[owner] = ms;
        self.track.steps[owner].outputs.push(Output {
            text: line.text.clone(),
            after_ms,
            kind,
        });
    }

    fn answered(&mut self, at: usize, value: &Value) {
        let step = &mut self.track.steps[at];
        if step.thread.is_none() {
            step.thread = value.get("result").and_then(thread_of);
        }
    }

    /// Notes which names Codex makes, and the first time.
    fn names(&mut self, value: &Value, owner: usize) {
        let (made, sent) = (&mut self.track.made, &self.sent);
        pairs(value, None, "", "", &mut |kind, name, _| {
            let name = (kind, name.to_owned());
            if !sent.contains(&name) {
                made.entry(name).or_insert(owner);
            }
        });
        if self.track.first_time.is_none() {
            self.track.first_time = first_time(value);
        }
    }

    /// The last step about the process that a step runs, if there is a later one: a command ends because
    /// its input was closed, or because it was killed.
    fn last_about_process(&self, at: usize) -> Option<usize> {
        let process = process_of(self.track.steps[at].content.as_ref()?)?;
        let last = self.last(|step| self.is_about(step, process));
        (last > at).then_some(last)
    }

    fn is_about(&self, step: &Step, process: &str) -> bool {
        self.could_cause(step) && step.content.as_ref().and_then(process_of) == Some(process)
    }

    /// The step because of which Codex wrote a notification or a request.
    fn cause(&self, value: &Value) -> usize {
        let method = value.get("method").and_then(Value::as_str).unwrap_or("");
        let params = value.get("params");
        let has = |key: &str| params.and_then(|params| params.get(key)).is_some();
        let thread = params.and_then(thread_of);
        let of_turn = has("turnId")
            || has("turn")
            || has("item")
            || OF_TURNS.contains(&method)
            || method.starts_with("codex/event/");
        let flows = |step: &Step| {
            matches!(step.sent, Sent::Answer(_)) || step.method().is_some_and(is_flow)
        };
        let Some(thread) = thread else {
            if let Some(process) = params.and_then(process_of) {
                let about = self.last(|step| self.is_about(step, process));
                if about > 0 {
                    return about;
                }
            }
            // Limits of the account come with turns.
            let is_of_turn = of_turn || method.starts_with("account/rateLimits");
            return self.last(|step| self.could_cause(step) && (!is_of_turn || flows(step)));
        };
        let of_thread = |step: &Step| match &step.thread {
            Some(own) => *own == thread,
            // An answer may be about no thread, and still a turn waits for it.
            None => matches!(step.sent, Sent::Answer(_)),
        };
        let there = |found: usize| (found > 0).then_some(found);
        let of_lane = match of_turn {
            true => self.last(|step| self.could_cause(step) && of_thread(step) && flows(step)),
            false => self.last(|step| self.could_cause(step) && of_thread(step)),
        };
        there(of_lane)
            .or_else(|| there(self.last(|step| self.could_cause(step) && flows(step))))
            .unwrap_or_else(|| self.last(|step| self.could_cause(step)))
    }

    /// The step because of which Codex wrote an event of `codex proto`.
    fn cause_of_event(&self, id: Option<&str>) -> usize {
        let reader = self
            .track
            .steps
            .iter()
            .rposition(|step| step.is_read && step.id.as_deref() == id && id.is_some());
        reader.unwrap_or_else(|| self.last(|step| !step.is_read))
    }

    /// Whether a step may cause anything but its response.
    fn could_cause(&self, step: &Step) -> bool {
        !step.is_read && !step.failed
    }

    /// The last step of that sort; the first of all if there is none.
    fn last(&self, is: impl Fn(&Step) -> bool) -> usize {
        self.track.steps.iter().rposition(is).unwrap_or(0)
    }
}

/// The thread that a message is about.
fn thread_of(params: &Value) -> Option<String> {
    let direct = ["threadId", "conversationId"]
        .iter()
        .find_map(|key| params.get(*key)?.as_str());
    let within = || params.get("thread")?.get("id")?.as_str();
    direct.or_else(within).map(str::to_owned)
}

/// The process that a message is about, by the name that the client gave it.
fn process_of(params: &Value) -> Option<&str> {
    let keys = ["processId", "processHandle"];
    keys.iter().find_map(|key| params.get(*key)?.as_str())
}

/// The first point in time in a value, in milliseconds since 1970.
fn first_time(value: &Value) -> Option<i64> {
    let ms = value.get("emittedAtMs").and_then(Value::as_i64);
    ms.or_else(|| find_time(value, ""))
}

fn find_time(value: &Value, key: &str) -> Option<i64> {
    match value {
        Value::Object(members) => members
            .iter()
            .find_map(|(key, value)| find_time(value, key)),
        Value::Array(elements) => elements.iter().find_map(|element| find_time(element, key)),
        Value::Number(number) if matches!(key, "createdAt" | "startedAt" | "updatedAt") => {
            let seconds = number.as_i64().filter(|n| *n >= 1_000_000_000)?;
            seconds.checked_mul(1000)
        }
        _ => None,
    }
}
