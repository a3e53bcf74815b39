//! A script as a connection of `codex app-server`.
//!
//! [`AppServer`] takes the lines of the client, one after another, and returns what Codex answers to
//! each. A turn is played as far as nobody has to decide: until the script ends, or until Codex asks.

mod items;
mod requests;
mod running;
mod templates;
mod turn;

use std::collections::BTreeMap;

use codex_wire_base::{MessageSet, Protocol, Release};
use serde_json::Value;

use super::answers::Used;
use super::habits::Habits;
use super::ids::Ids;
use super::json::{Node, object};
use super::model::{Action, Script, Tokens};
use super::read::Error;
use super::refuse::{self, Refused};
use super::settings::Settings;
use super::writer::Writer;
use crate::conversation::{Conversation, Emission, Reaction};
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
    habits: Habits,
    ids: Ids,
    /// The name and the version of the client, once it has said them.
    client: Option<(String, String)>,
    threads: BTreeMap<String, Thread>,
    /// The id of the next request of Codex.
    next_request: u64,
    out: Vec<String>,
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

    fn unchecked(script: Script, release: Release, settings: Settings) -> Self {
        AppServer {
            writer: Writer::new(&[NOTIFICATIONS, REQUESTS, RESPONSES], release),
            habits: Habits(release),
            ids: Ids::new(settings.seed, settings.now_ms),
            script,
            settings,
            client: None,
            threads: BTreeMap::new(),
            next_request: 0,
            out: Vec::new(),
        }
    }

    /// What Codex writes when the client has written a line. The lines have no newlines.
    pub fn receive(&mut self, line: &str) -> Vec<String> {
        // Codex does not answer what is no message.
        let Ok(Value::Object(message)) = serde_json::from_str::<Value>(line) else {
            return Vec::new();
        };
        let method = message.get("method").and_then(Value::as_str);
        let params = message.get("params").unwrap_or(&Value::Null);
        match (message.get("id"), method) {
            (Some(id), Some(method)) => self.request(id, method, params),
            (Some(id), None) => self.answered(id, message.get("result")),
            (None, _) => {}
        }
        std::mem::take(&mut self.out)
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
        self.out.push(message.to_string());
        Ok(())
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
        let lines = self.receive(line).into_iter();
        let emissions = lines.map(|line| Emission {
            line,
            after_ms: 0,
            queue: 0,
        });
        Reaction {
            emissions: emissions.collect(),
            ..Reaction::default()
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
