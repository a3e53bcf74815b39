//! Takes requests and notifications of the client, and begins.

use codex_wire_base::Protocol;
use serde_json::Value;

use super::state::State;
use crate::conversation::{Emission, Reaction};
use crate::miss;
use crate::track::Sent;

impl State {
    /// What Codex writes before the client has written anything.
    pub(super) fn start(&mut self) -> Vec<Emission> {
        if self.tracks.is_empty() {
            return Vec::new();
        }
        self.tracks[self.lead].played[0] = 1;
        let emissions = self.emit(self.lead, 0, None);
        for other in 0..self.tracks.len() {
            if other != self.lead {
                self.tracks[other].played[0] = 1;
                self.align((self.lead, 0), (other, 0));
            }
        }
        emissions
    }

    pub(super) fn request(&mut self, id: &str, method: &str, params: Option<Value>) -> Reaction {
        if self.protocol == Protocol::AppServer && !self.is_initialized && method != "initialize" {
            return self.refused(id, method, miss::NOT_INITIALIZED, Vec::new());
        }
        if let Some(found) = self.find_read(method, params.as_ref()) {
            let playing = &mut self.tracks[found.track];
            found.comparison.apply(&mut playing.names);
            playing.played[found.step] += 1;
            return Reaction {
                emissions: self.emit(found.track, found.step, Some(id)),
                ..Reaction::default()
            };
        }
        let sent = Sent::Request(method.to_owned());
        let found = match self.find(&sent, params.as_ref()) {
            Ok(found) => found,
            Err(nearest) => {
                if method == "initialize" && self.is_initialized {
                    return self.refused(id, method, miss::ALREADY_INITIALIZED, nearest);
                }
                return self.missed(id, method, params.as_ref(), nearest);
            }
        };
        if method == "initialize" {
            self.initialized(params.as_ref());
            self.bind_agent(params.as_ref());
        }
        self.bind_submission((found.track, found.step), id);
        self.play(&found, &sent, params.as_ref(), Some(id))
    }

    pub(super) fn notification(&mut self, method: String, params: Option<Value>) -> Reaction {
        let sent = Sent::Notification(method);
        match self.find(&sent, params.as_ref()) {
            Ok(found) => self.play(&found, &sent, params.as_ref(), None),
            // Codex ignores notifications that it does not know.
            Err(_) => Reaction::default(),
        }
    }
}
