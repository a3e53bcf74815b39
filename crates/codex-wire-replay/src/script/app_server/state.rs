//! What is known of a connection, and how it writes.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::MessageSet;

use super::super::answers::Used;
use super::super::model::{Script, Tokens};
use super::super::refuse::Refused;
use super::running::Running;
use crate::compose::ids::Ids;
use crate::compose::json::{Node, object};
use crate::compose::observed::Observed;
use crate::compose::settings::Settings;
use crate::compose::writer::Writer;
use crate::conversation::{Emission, OnMiss};
use crate::miss::Miss;
use crate::synthesis::Synthesis;

pub(super) const NOTIFICATIONS: MessageSet = MessageSet::AppServerServerNotifications;
pub(super) const REQUESTS: MessageSet = MessageSet::AppServerServerRequests;
pub(super) const RESPONSES: MessageSet = MessageSet::AppServerServerResponses;

/// Plays a script to one client.
#[derive(Debug)]
pub struct AppServer {
    pub(super) script: Script,
    pub(super) settings: Settings,
    pub(super) writer: Writer,
    pub(super) observed: Observed,
    pub(super) ids: Ids,
    /// What answers requests that have nothing to do with the script.
    pub(super) synthesis: Option<Synthesis>,
    pub(super) on_miss: OnMiss,
    /// The name and the version of the client, once it has said them.
    pub(super) client: Option<(String, String)>,
    /// Whether the client asked for the experimental part of the protocol.
    pub(super) is_experimental: bool,
    pub(super) threads: BTreeMap<String, Thread>,
    /// The threads that the client deleted.
    pub(super) deleted: BTreeSet<String>,
    /// The id of the next request of Codex.
    pub(super) next_request: u64,
    /// What the client asks at the moment.
    pub(super) asked: String,
    /// What of it the script has no answer to.
    pub(super) miss: Option<Miss>,
    pub(super) out: Vec<Emission>,
    /// The time of the last line.
    pub(super) written_ms: u64,
}

/// A thread of the connection.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) id: String,
    pub(super) cwd: String,
    pub(super) model: String,
    /// Whether it is kept nowhere.
    pub(super) is_ephemeral: bool,
    pub(super) approval: Node,
    pub(super) sandbox: Node,
    pub(super) created: u64,
    /// How many turns it has, with the one that runs.
    pub(super) turns: usize,
    /// How many turns of the script it has played: a compaction is a turn and plays none.
    pub(super) played: usize,
    /// The tokens of one answer.
    pub(super) tokens: Tokens,
    pub(super) used: Used,
    pub(super) running: Option<Running>,
    /// What is kept of the turns that have ended, and the items of the one that runs.
    pub(super) past: Vec<Past>,
    pub(super) items: Vec<Node>,
    /// How far the client has read it, since a turn has ended.
    pub(super) read: Option<ReadState>,
}

/// What is kept of a turn that has ended.
#[derive(Clone, Debug)]
pub(super) struct Past {
    pub(super) turn: Node,
    pub(super) items: Vec<Node>,
}

/// How far a client has read a thread.
#[derive(Clone, Debug)]
pub(super) struct ReadState {
    /// The first turn that it has not read: the first one, since a script does not hear what was read. Turns before a fork
    /// are read.
    pub(super) unread: Option<String>,
    /// Another one after each turn.
    pub(super) revision: String,
}

impl AppServer {
    /// A message that the script is not played without.
    pub(super) fn write(&mut self, set: MessageSet, wanted: &Node) -> Result<(), Refused> {
        self.ids.tick();
        let message = self.writer.message(set, wanted).ok_or(Refused)?;
        self.push(message.to_string());
        Ok(())
    }

    /// Writes a line, as long after the one before as the clock says.
    pub(super) fn push(&mut self, line: String) {
        let now = self.ids.ms();
        self.out.push(Emission {
            line,
            after_ms: now - self.written_ms,
            queue: 0,
        });
        self.written_ms = now;
    }

    pub(super) fn notify(&mut self, method: &str, params: Node) -> Result<(), Refused> {
        let wanted = object! {
            "method" => method,
            "params" => params,
            "emittedAtMs" => self.ids.ms(),
        };
        self.write(NOTIFICATIONS, &wanted)
    }

    /// A notification that not every release has.
    pub(super) fn note(&mut self, method: &str, params: Node) {
        if self.writer.has(NOTIFICATIONS, method) {
            // What a release has no place for it does not say.
            let _ = self.notify(method, params);
        }
    }

    /// The folder in which a turn works.
    pub(super) fn cwd(&self, running: &Running) -> String {
        let thread = self.threads.get(&running.thread);
        thread.map_or_else(|| self.settings.cwd.clone(), |thread| thread.cwd.clone())
    }
}
