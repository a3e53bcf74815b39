//! A compaction that the client asks for: a turn in which the model sums up the history.

use serde_json::Value;

use super::running::TurnKind;
use super::state::AppServer;
use super::templates::{history_node, rate_limits};
use crate::compose::json::{Node, object};
use crate::miss;

impl AppServer {
    /// The summary is the model's own, so the script has no turn for it.
    pub(super) fn compact_start(&mut self, id: &Value, params: Option<&Value>) {
        let thread = self.thread_of(params.unwrap_or(&Value::Null));
        let Some(name) = thread.map(|thread| thread.id.clone()) else {
            return self.other(id, "thread/compact/start", params);
        };
        if self.running(&name).is_some() {
            return self.refuse(id, miss::not_scripted("thread/compact/start"));
        }
        self.respond(id, "thread/compact/start", &object! {});
        self.begin(&name, Vec::new());
        let Some(mut running) = self.take(&name) else {
            return;
        };
        running.kind = TurnKind::Compaction;
        self.active(&name, &[]);
        if self.observed.starts_compactions() {
            let turn = self.turn_node(&running, "inProgress", true, Node::Null);
            self.note(
                "turn/started",
                object! { "threadId" => &name, "turn" => turn },
            );
        }
        let item = object! { "type" => "contextCompaction", "id" => self.ids.uuid() };
        let started = self.ids.ms();
        // Every release that has the request has the item.
        let _ = self.item_started(&running, item.clone(), started);
        self.report(&running);
        self.answer_ends(&mut running);
        self.report_history(&name, &running.turn);
        let _ = self.item_completed(&running, item, started);
        let place = object! { "threadId" => &name, "turnId" => &running.turn };
        if self.observed.reports_compactions() {
            self.note("thread/compacted", place);
        }
        if let Some(warning) = self.observed.compaction_warning() {
            self.note(
                "warning",
                object! { "threadId" => &name, "message" => warning },
            );
        }
        self.end(&running, "completed", Node::Null);
    }

    /// Reports in the form of a count how long the history is now, as Codex does: as long as its summary.
    fn report_history(&mut self, thread: &str, turn: &str) {
        let Some(state) = self.threads.get(thread) else {
            return;
        };
        let usage = history_node(&state.used, u64::from(state.tokens.output));
        let updated = object! { "threadId" => thread, "turnId" => turn, "tokenUsage" => usage };
        self.note("thread/tokenUsage/updated", updated);
        self.note("account/rateLimits/updated", rate_limits());
    }
}
