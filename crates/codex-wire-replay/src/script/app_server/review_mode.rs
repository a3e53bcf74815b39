//! Where a review begins and ends within its turn.

use super::running::Running;
use super::state::AppServer;
use super::templates::timed;
use crate::compose::json::{Node, object};

impl AppServer {
    /// What comes before the end of a review: its result, which is the last that the reviewer said.
    pub(super) fn review_ends(&mut self, running: &mut Running) {
        let said = running.last_message.take();
        let said = said.as_ref().and_then(Node::as_str);
        let result = said
            .unwrap_or("Reviewer failed to output a response.")
            .to_owned();
        if !self.review_mode(running, "exitedReviewMode", &result) {
            return;
        }
        let id = match self.observed.review_message() {
            Some(id) => id.to_owned(),
            None => format!("msg_{}", self.ids.uuid()),
        };
        let message = Self::message_node(&id, &result);
        let started = self.ids.ms();
        // Every release has messages.
        let _ = self.item_started(running, message.clone(), started);
        running.last_message = Some(timed(message.clone(), started, Some(self.ids.ms())));
        let _ = self.item_completed(running, message, started);
    }

    /// The item that opens or closes a review. Up to 0.63.0 it is one item, which the review starts with and ends
    /// with. Returns whether the release has two.
    pub(super) fn review_mode(&mut self, running: &Running, kind: &str, review: &str) -> bool {
        let id = match self.observed.review_items_have_ids() {
            true => self.ids.uuid(),
            false => running.turn.clone(),
        };
        let node = |kind: &str| object! { "type" => kind, "id" => &id, "review" => review };
        let at = self.ids.ms();
        if self.item_started(running, node(kind), at).is_ok() {
            let _ = self.item_completed(running, node(kind), at);
            return true;
        }
        let _ = match kind {
            "enteredReviewMode" => self.item_started(running, node("codeReview"), at),
            _ => self.item_completed(running, node("codeReview"), at),
        };
        false
    }
}
