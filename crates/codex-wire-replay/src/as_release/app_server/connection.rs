//! What is known of a connection while its lines are told.

use std::collections::{BTreeMap, BTreeSet};

use crate::compose::json::Node;

/// A connection. Names of turns are those of the release that is spoken.
#[derive(Debug, Default)]
pub(super) struct Connection {
    /// The name that the client gave.
    pub(super) client: String,
    /// The notifications that the client does not want.
    pub(super) opted_out: BTreeSet<String>,
    /// The thread that was last spoken of, and what is known of threads.
    pub(super) thread: Option<String>,
    /// The threads that the client began or that Codex introduced.
    pub(super) threads: BTreeSet<String>,
    pub(super) cwd: Option<String>,
    pub(super) codex_home: Option<String>,
    pub(super) model: Option<String>,
    pub(super) provider: Option<String>,
    /// The turn that runs or ran last, by its thread.
    pub(super) turns: BTreeMap<String, String>,
    pub(super) turn_ms: BTreeMap<String, u64>,
    pub(super) started_turns: BTreeSet<String>,
    /// The review that was asked for last, by its thread, as it was recorded.
    pub(super) asked_reviews: BTreeMap<String, String>,
    /// The items that are started and not completed, as they were recorded: turn, thread, item.
    pub(super) open: BTreeMap<String, (String, Node)>,
    /// The items that were completed before their time.
    pub(super) closed: BTreeSet<String>,
    /// The turns that a review is.
    pub(super) reviews: BTreeSet<String>,
    /// The turns of which an error was reported that ended them.
    pub(super) failed: BTreeSet<String>,
    /// The turn that the core ended, and its status, if the release does not say so itself.
    pub(super) over: Option<(String, &'static str)>,
    /// The status of threads, as it was last written.
    pub(super) status: BTreeMap<String, Node>,
    /// The last message of the agent, by its thread.
    pub(super) messages: BTreeMap<String, Node>,
    /// The items that the release does not have.
    pub(super) without: BTreeSet<String>,
    pub(super) started: BTreeSet<String>,
    pub(super) completed: BTreeSet<String>,
    pub(super) item_ms: BTreeMap<String, u64>,
    /// The ids of requests of Codex, recorded and told.
    pub(super) ids: BTreeMap<String, Node>,
    pub(super) next_id: u64,
}

impl Connection {
    /// The id of the next request of Codex.
    pub(super) fn ask(&mut self, recorded: &Node) -> Node {
        let id = match recorded {
            Node::Number(_) => {
                self.next_id += 1;
                Node::from(self.next_id - 1)
            }
            other => other.clone(),
        };
        self.ids.insert(recorded.to_string(), id.clone());
        id
    }

    /// The id of a request of Codex; none if it was left out.
    pub(super) fn asked(&self, recorded: &Node) -> Option<Node> {
        self.ids.get(&recorded.to_string()).cloned()
    }
}
