//! A script as a connection of `codex app-server`.
//!
//! [`AppServer`] takes the lines of the client, one after another, and returns what Codex answers to
//! each. A turn is played as far as nobody has to decide: until the script ends, or until Codex asks.

mod commands;
mod compaction;
mod history;
mod item;
mod items;
mod requests;
mod responses;
mod review;
mod review_mode;
mod running;
mod state;
mod status;
mod templates;
mod turn;
mod turn_pages;

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::{MessageSet, Protocol, Release};
use serde_json::Value;

use super::decision::Answered;
use super::model::{Action, Decision, Script};
use super::refuse;
use crate::compose::ids::Ids;
use crate::compose::observed::Observed;
use crate::compose::settings::Settings;
use crate::compose::writer::Writer;
use crate::conversation::{Conversation, Emission, OnMiss, Reaction};
use crate::error::Error;
use crate::message::{self, Message};
use crate::miss::Miss;
use crate::synthesis::Synthesis;
use running::Wait;
pub use state::AppServer;
use state::{NOTIFICATIONS, REQUESTS, RESPONSES};

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
    /// never called, it gets the smallest valid answer of the release.
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
            deleted: BTreeSet::new(),
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
    fn answered(&mut self, id: &str, result: Option<&Value>) {
        let Ok(request) = id.parse::<u64>() else {
            return;
        };
        let mut running = self
            .threads
            .values()
            .filter_map(|thread| thread.running.as_ref());
        let Some(running) = running.find(|running| running.waits_for() == Some(request)) else {
            return;
        };
        if let Some(Wait::Client { action, method, .. }) = &running.wait {
            let answered = Answered::of(method, result);
            if !answered.is_in(action.approval()) {
                let what = answered.beside(action.approval(), method);
                self.miss = Some(Miss::of_script(what));
                return;
            }
        }
        let thread = running.thread.clone();
        // Every step was tried when the server was made.
        let _ = self.decided(&thread, result);
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
        match message::of_client(Protocol::AppServer, line) {
            Some(Message::Request { id, method, params }) => {
                let id = serde_json::from_str(&id).unwrap_or_default();
                self.request(&id, &method, params.as_ref());
            }
            Some(Message::Answer { id, content }) => self.answered(&id, content.get("result")),
            Some(Message::Notification { .. }) | None => {}
        }
        let miss = self.miss.take();
        let ends = miss
            .as_ref()
            .is_some_and(|miss| miss.ends() || (!miss.is_answered && self.on_miss == OnMiss::Fail));
        Reaction {
            emissions: std::mem::take(&mut self.out),
            miss,
            remark: None,
            ends,
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

/// The first turn and step that the release cannot play to a client that accepts everything, except for what the
/// script has another answer to.
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
            let decision = step.action.approval().only().unwrap_or(Decision::Accept);
            let answer = serde_json::json!({"decision": decision.as_str()});
            server.begin(&thread, alone.to_vec());
            let mut played = server.go_on(&thread);
            while played.is_ok() && server.is_busy() {
                played = server.decided(&thread, Some(&answer));
            }
            if played.is_err() {
                return Some((index, at));
            }
        }
    }
    None
}
