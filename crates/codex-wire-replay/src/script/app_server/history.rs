//! The turns of a thread, as a client reads them again.
//!
//! Since 0.151.0 a thread keeps its items as they were. Before, it is read from a log of what was said: commands,
//! patches and searches are gone, items are numbered through the thread, and a turn that failed is like any other.
//! Compared with 0.98.0, 0.125.0 and 0.169.0.

use super::running::{Running, TurnKind};
use super::state::{AppServer, Past, Thread};
use crate::compose::json::Node;
use crate::miss::RpcError;

/// What a log keeps of all that happens.
const SAID: [&str; 3] = ["userMessage", "reasoning", "agentMessage"];

/// What it also keeps in releases whose turns have ids.
const MARKS: [&str; 3] = ["enteredReviewMode", "exitedReviewMode", "contextCompaction"];

/// What a thread keeps of a review: its reviewer has a turn of its own, which is left out.
const REVIEW: [&str; 3] = ["enteredReviewMode", "exitedReviewMode", "agentMessage"];

impl AppServer {
    /// Keeps a completed item of a turn that runs.
    pub(super) fn keep_item(&mut self, running: &Running, item: &Node) {
        let kind = item.get("type").and_then(Node::as_str).unwrap_or_default();
        let is_kept = match (self.observed.keeps_items(), running.kind) {
            (true, TurnKind::Review { .. }) => REVIEW.contains(&kind),
            (true, _) => true,
            (false, _) => {
                SAID.contains(&kind) || self.observed.turns_have_ids() && MARKS.contains(&kind)
            }
        };
        if let Some(thread) = self.threads.get_mut(&running.thread)
            && is_kept
        {
            thread.items.push(item.clone());
        }
    }

    /// Keeps a turn that has ended, as `turn/completed` has it.
    pub(super) fn keep_turn(&mut self, thread: &str, mut turn: Node) {
        if !self.observed.keeps_items()
            && turn.get("status").and_then(Node::as_str) == Some("failed")
        {
            turn.set("status", "completed");
            turn.set("error", Node::Null);
        }
        let numbered = !self.observed.turns_have_ids();
        let Some(thread) = self.threads.get_mut(thread) else {
            return;
        };
        let items = std::mem::take(&mut thread.items);
        // Such a release has a turn for each message of the user.
        if !(numbered && items.is_empty()) {
            thread.past.push(Past { turn, items });
        }
    }

    /// The turns of a thread, with the one that runs.
    pub(super) fn turns(&self, thread: &Thread) -> Vec<Node> {
        let mut past = thread.past.clone();
        if let Some(running) = &thread.running {
            let mut turn = self.turn_node(running, "inProgress", true, Node::Null);
            if !self.observed.turns_have_ids() {
                turn.set("status", "completed");
            }
            let items = thread.items.clone();
            past.push(Past { turn, items });
        }
        let mut number = 0_usize;
        let turns = (1_usize..).zip(past);
        let turns = turns.map(
            |(
                at,
                Past {
                    mut turn,
                    mut items,
                },
            )| {
                if !self.observed.turns_have_ids() {
                    turn.set("id", format!("turn-{at}"));
                }
                if !self.observed.keeps_items() {
                    for item in &mut items {
                        number += 1;
                        item.set("id", format!("item-{number}"));
                    }
                }
                turn.set("itemsView", "full");
                turn.set("items", items);
                turn
            },
        );
        turns.collect()
    }

    /// The thread with its turns.
    pub(super) fn thread_with_turns(&self, thread: &Thread) -> Node {
        let mut node = self.thread_node(thread);
        node.set("turns", self.turns(thread));
        node
    }

    /// Why the turns of a thread cannot be read, if nothing was said in it.
    pub(super) fn no_turns(&self, thread: &Thread) -> Option<RpcError> {
        if thread.turns > 0 {
            return None;
        }
        let (code, message) = self.observed.no_turns(&thread.id)?;
        Some(RpcError { code, message })
    }
}
