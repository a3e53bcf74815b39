//! Reports the state of a thread and of a turn: activity, usage, changes, the end.

use super::super::patch::turn_diff;
use super::running::{Running, TurnKind};
use super::state::{AppServer, ReadState};
use super::templates::{rate_limits, read_state, usage_node};
use crate::compose::json::{Node, object, texts};

impl AppServer {
    /// The end of a turn. What it has changed is said once more.
    pub(super) fn end(&mut self, running: &Running, status: &str, error: Node) {
        let thread = running.thread.as_str();
        if let TurnKind::Review { used } = running.kind
            && let Some(state) = self.threads.get_mut(thread)
        {
            state.used = used;
        }
        if status == "completed" {
            self.diff(running);
        }
        if status != "interrupted" && !matches!(running.kind, TurnKind::Compaction) {
            let revision = self.ids.uuid();
            if let Some(state) = self.threads.get_mut(thread) {
                let before = state.read.take().and_then(|read| read.unread);
                let unread = before.or_else(|| Some(running.turn.clone()));
                let read = ReadState { unread, revision };
                let changed = object! { "threadId" => thread, "readState" => read_state(&read) };
                state.read = Some(read);
                // The schema says that all clients get this; only those do that ask for the experimental part.
                if self.is_experimental {
                    self.note("thread/readState/changed", changed);
                }
            }
        }
        if status != "failed" {
            self.status(thread, object! { "type" => "idle" });
        }
        let used = self.threads.get(thread).map(|state| state.used);
        let used = used.unwrap_or_default();
        let turn = self.turn_node(running, status, true, error);
        self.keep_turn(thread, turn.clone());
        let completed = object! {
            "threadId" => thread,
            "turn" => turn,
            "usage" => object! {
                "inputTokens" => used.input,
                "cachedInputTokens" => used.cached,
                "outputTokens" => used.output,
            },
        };
        self.note("turn/completed", completed);
    }

    pub(super) fn diff(&mut self, running: &Running) {
        if running.changes.is_empty() {
            return;
        }
        let updated = object! {
            "threadId" => &running.thread,
            "turnId" => &running.turn,
            "diff" => turn_diff(&running.changes),
        };
        self.note("turn/diff/updated", updated);
    }

    /// The thread is active, with what it waits for.
    pub(super) fn active(&mut self, thread: &str, flags: &[&str]) {
        let status = object! { "type" => "active", "activeFlags" => texts(flags) };
        self.status(thread, status);
    }

    pub(super) fn status(&mut self, thread: &str, status: Node) {
        let changed = object! { "threadId" => thread, "status" => status };
        self.note("thread/status/changed", changed);
    }

    /// Whether the client is told what the turn uses.
    pub(super) fn is_reported(&self, running: &Running) -> bool {
        !running.is_review() || self.observed.reports_reviews()
    }

    /// Reports what was used, if anything was, and the limits.
    pub(super) fn report(&mut self, running: &Running) {
        if !self.is_reported(running) {
            return;
        }
        let used = self.threads.get(&running.thread).map(|state| state.used);
        if used.is_some_and(|used| used.input > 0) {
            self.report_usage(running);
        }
        self.note("account/rateLimits/updated", rate_limits());
    }

    pub(super) fn report_usage(&mut self, running: &Running) {
        let Some(state) = self.threads.get(&running.thread) else {
            return;
        };
        let updated = object! {
            "threadId" => &running.thread,
            "turnId" => &running.turn,
            "tokenUsage" => usage_node(&state.used, state.tokens),
        };
        self.note("thread/tokenUsage/updated", updated);
    }
}
