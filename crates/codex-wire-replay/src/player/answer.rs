//! Takes the answers of the client to requests of Codex.

use serde_json::Value;

use super::state::State;
use crate::conversation::Reaction;
use crate::miss::Miss;
use crate::track::{Sent, Step};

impl State {
    /// Plays what follows from an answer. The first answer counts; Codex ignores further ones, and
    /// those to requests that it did not send.
    pub(super) fn answer(&mut self, id: &str, content: &Value) -> Reaction {
        if !self.pending.contains_key(id) {
            return Reaction::default();
        }
        let sent = Sent::Answer(id.to_owned());
        let is_same = |track: usize, step: &Step| match &step.sent {
            Sent::Answer(asked) => self.answers(track, asked, id),
            _ => false,
        };
        let found = self.find_among(Some(content), &is_same);
        let reaction = match found {
            Ok(found) => self.play(&found, &sent, Some(content), None),
            Err(_) if self.pending.get(id).is_some_and(|pending| pending.is_over) => {
                Reaction::default()
            }
            // Codex would go on in a way that nobody recorded. Silence would make the client wait
            // forever, so the session ends.
            Err(nearest) => Reaction {
                miss: Some(Miss {
                    what: self.what(&sent),
                    is_of_script: false,
                    is_answered: false,
                    error: None,
                    nearest: nearest.into_iter().next(),
                }),
                ends: true,
                ..Reaction::default()
            },
        };
        self.pending.remove(id);
        reaction
    }
}
