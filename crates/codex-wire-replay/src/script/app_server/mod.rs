//! A script as a connection of `codex app-server`.
//!
//! [`AppServer`] takes the lines of the client, one after another, and returns what Codex answers to
//! each. A turn is played as far as nobody has to decide: until the script ends, or until Codex asks.

mod commands;
mod items;
mod requests;
mod running;
mod templates;
mod turn;

use std::collections::BTreeMap;

use codex_wire_base::{MessageSet, Protocol, Release};
use serde_json::Value;

use super::answers::Used;
use super::ids::Ids;
use super::json::{Node, object};
use super::model::{Action, Script, Tokens};
use super::observed::Observed;
use super::refuse::{self, Refused};
use super::settings::Settings;
use super::writer::Writer;
use crate::conversation::{Conversation, Emission, OnMiss, Reaction};
use crate::error::Error;
use crate::miss::Miss;
use crate::synthesis::Synthesis;
use running::Running;

const NOTIFICATIONS: MessageSet = MessageSet::AppServerServerNotifications;
const REQUESTS: MessageSet = MessageSet::AppServerServerRequests;
const RESPONSES: MessageSet = MessageSet::AppServerServerResponses;

/// Plays a script to one client.
#[derive(Debug)]
pub struct AppServer {
    script: Script,
    settings: Settings,
    writer: Writer,
    observed: Observed,
    ids: Ids,
    /// What answers requests that have nothing to do with the script.
    synthesis: Option<Synthesis>,
    on_miss: OnMiss,
    /// The name and the version of the client, once it has said them.
    client: Option<(String, String)>,
    /// Whether the client asked for the experimental part of the protocol.
    is_experimental: bool,
    threads: BTreeMap<String, Thread>,
    /// The id of the next request of Codex.
    next_request: u64,
    /// What the client asks at the moment.
    asked: String,
    /// What of it the script has no answer to.
    miss: Option<Miss>,
    out: Vec<Emission>,
    /// The time of the last line.
    written_ms: u64,
}

/// A thread of the connection.
#[derive(Clone, Debug)]
struct Thread {
    id: String,
    cwd: String,
    approval: Node,
    sandbox: Node,
    created: u64,
    /// How many turns it has, with the one that runs.
    turns: usize,
    /// The tokens of one answer.
    tokens: Tokens,
    used: Used,
    running: Option<Running>,
}

impl AppServer {
    /// A server that plays a script to the next client.
    ///
    /// # Errors
    /// If the release cannot say what the script does.
    pub fn new(script: Script, release: Release, settings: Settings) -> Result<Self, Error> {
        refuse_unplayable(&script, release, &settings)?;
        Ok(Self::unchecked(script, release, settings))
    }

    /// What happens when the client asks for something that has nothing to do with the script. If this is
    /// never called, it gets the smallest right answer of the release.
    #[must_use]
    pub fn on_miss(mut self, on_miss: OnMiss) -> Self {
        self.on_miss = on_miss;
        self
    }

    fn unchecked(script: Script, release: Release, settings: Settings) -> Self {
        AppServer {
            writer: Writer::new(&[NOTIFICATIONS, REQUESTS, RESPONSES], release),
            observed: Observed(release),
            ids: Ids::new(settings.seed, settings.now_ms),
            synthesis: Synthesis::new(release, settings.clone(), &script.model),
            on_miss: OnMiss::Synthesize,
            written_ms: settings.now_ms,
            script,
            settings,
            client: None,
            is_experimental: false,
            threads: BTreeMap::new(),
            next_request: 0,
            asked: String::new(),
            miss: None,
            out: Vec::new(),
        }
    }

    /// What Codex writes when the client has written a line. The lines have no newlines.
    pub fn receive(&mut self, line: &str) -> Vec<String> {
        let emissions = self.line(line).emissions.into_iter();
        emissions.map(|emission| emission.line).collect()
    }

    /// Whether a turn of any thread is running.
    pub fn is_busy(&self) -> bool {
        self.threads.values().any(|thread| thread.running.is_some())
    }

    /// The answer of the client to a request of Codex. Codex ignores answers to nothing.
    fn answered(&mut self, id: &Value, result: Option<&Value>) {
        let Some(request) = id.as_u64() else {
            return;
        };
        let waiting = self.threads.values().find(|thread| {
            let running = thread.running.as_ref();
            running.and_then(Running::waits_for) == Some(request)
        });
        if let Some(thread) = waiting.map(|thread| thread.id.clone()) {
            // Every step was tried when the server was made.
            let _ = self.decided(&thread, result);
        }
    }

    /// A message that the script is not played without.
    fn write(&mut self, set: MessageSet, wanted: &Node) -> Result<(), Refused> {
        self.ids.tick();
        let message = self.writer.message(set, wanted).ok_or(Refused)?;
        self.push(message.to_string());
        Ok(())
    }

    /// Writes a line, as long after the one before as the clock says.
    fn push(&mut self, line: String) {
        let now = self.ids.ms();
        self.out.push(Emission {
            line,
            after_ms: now - self.written_ms,
            queue: 0,
        });
        self.written_ms = now;
    }

    fn notify(&mut self, method: &str, params: Node) -> Result<(), Refused> {
        let wanted = object! {
            "method" => method,
            "params" => params,
            "emittedAtMs" => self.ids.ms(),
        };
        self.write(NOTIFICATIONS, &wanted)
    }

    /// A notification that not every release has.
    fn note(&mut self, method: &str, params: Node) {
        if self.writer.has(NOTIFICATIONS, method) {
            // What a release has no place for it does not say.
            let _ = self.notify(method, params);
        }
    }
}

impl Conversation for AppServer {
    fn protocol(&self) -> Protocol {
        Protocol::AppServer
    }

    fn start(&mut self) -> Vec<Emission> {
        Vec::new()
    }

    fn line(&mut self, line: &str) -> Reaction {
        // Codex does not answer what is not a message.
        let Ok(Value::Object(message)) = serde_json::from_str::<Value>(line) else {
            return Reaction::default();
        };
        let method = message.get("method").and_then(Value::as_str);
        match (message.get("id"), method) {
            (Some(id), Some(method)) => self.request(id, method, message.get("params")),
            (Some(id), None) => self.answered(id, message.get("result")),
            (None, _) => {}
        }
        let miss = self.miss.take();
        let is_refused = miss.as_ref().is_some_and(|miss| !miss.is_answered);
        Reaction {
            emissions: std::mem::take(&mut self.out),
            miss,
            remark: None,
            ends: is_refused && self.on_miss == OnMiss::Fail,
        }
    }
}

/// Refuses a script with a step that the release cannot play.
fn refuse_unplayable(script: &Script, release: Release, settings: &Settings) -> Result<(), Error> {
    let Some((turn, step)) = unplayable(script, release, settings) else {
        return Ok(());
    };
    let list = MessageSet::AppServerServerNotifications.release_list();
    let step = &script.turns[turn].steps[step];
    Err(refuse::explain(step, release, list, |script, release| {
        unplayable(script, release, settings).is_none()
    }))
}

/// The first turn and step that the release cannot play to a client that accepts everything.
fn unplayable(script: &Script, release: Release, settings: &Settings) -> Option<(usize, usize)> {
    let mut server = AppServer::unchecked(script.clone(), release, settings.clone());
    server.client = Some((String::new(), String::new()));
    let thread = server.new_thread(&Value::Null).id;
    for (index, turn) in script.turns.iter().enumerate() {
        for (at, step) in turn.steps.iter().enumerate() {
            if matches!(step.action, Action::Hang(_)) {
                continue;
            }
            let alone = [step.clone()];
            server.begin(&thread, alone.to_vec());
            let mut played = server.go_on(&thread);
            while played.is_ok() && server.is_busy() {
                played = server.decided(&thread, Some(&serde_json::json!({"decision": "accept"})));
            }
            if played.is_err() {
                return Some((index, at));
            }
        }
    }
    None
}
