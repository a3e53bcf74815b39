//! What every item has: its start, its end, its deltas, and questions about it.

use super::super::model::Action;
use super::super::refuse::Refused;
use super::running::{Running, Wait};
use super::state::{AppServer, REQUESTS};
use super::templates::timed;
use crate::compose::json::{Node, object};

impl AppServer {
    pub(super) fn item_started(
        &mut self,
        running: &Running,
        item: Node,
        at: u64,
    ) -> Result<(), Refused> {
        let params = object! {
            "item" => timed(item, at, None),
            "threadId" => &running.thread,
            "turnId" => &running.turn,
            "startedAtMs" => at,
        };
        self.notify("item/started", params)
    }

    pub(super) fn item_completed(
        &mut self,
        running: &Running,
        item: Node,
        at: u64,
    ) -> Result<(), Refused> {
        let now = self.ids.ms();
        let item = timed(item, at, Some(now));
        self.keep_item(running, &item);
        let params = object! {
            "item" => item,
            "threadId" => &running.thread,
            "turnId" => &running.turn,
            "contentTokenCount" => Node::Null,
            "completedAtMs" => now,
        };
        self.notify("item/completed", params)
    }

    pub(super) fn delta_place(&self, running: &Running, item: &str) -> Node {
        object! {
            "threadId" => &running.thread,
            "turnId" => &running.turn,
            "itemId" => item,
        }
    }

    pub(super) fn delta(&self, running: &Running, item: &str, delta: &str) -> Node {
        let mut params = self.delta_place(running, item);
        params.push("delta", delta);
        params
    }

    /// Asks the client by the first of these methods that the release has.
    pub(super) fn ask_client(
        &mut self,
        running: &mut Running,
        methods: &[&'static str],
        params: Node,
        item: &str,
        started: u64,
        action: Action,
    ) -> Result<(), Refused> {
        let mut methods = methods.iter();
        let method = methods.find(|method| self.writer.has(REQUESTS, method));
        let request = self.next_request;
        let method: &'static str = method.ok_or(Refused)?;
        let wanted = object! {
            "method" => method,
            "id" => request,
            "params" => params,
        };
        self.write(REQUESTS, &wanted)?;
        self.next_request += 1;
        running.wait = Some(Wait::Client {
            request,
            method,
            item: item.to_owned(),
            started,
            action,
        });
        Ok(())
    }
}
