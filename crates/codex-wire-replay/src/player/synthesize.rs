//! What the client gets for a request that no recording answers.

use serde_json::Value;

use super::state::State;
use crate::conversation::Emission;
use crate::conversation::Reaction;
use crate::miss::{self, Miss, Nearest};
use crate::names::NameKind;

impl State {
    /// The error of the release, or an answer that is made, if that is wanted.
    pub(super) fn missed(
        &mut self,
        id: &str,
        method: &str,
        params: Option<&Value>,
        nearest: Vec<Nearest>,
    ) -> Reaction {
        let names = &self.tracks[self.lead].names;
        let is_known = |thread: &str| {
            names.recorded(NameKind::Thread, thread).is_some()
                || self.synthesized_threads.contains(thread)
        };
        let refusal = miss::refusal_of(
            method,
            params,
            self.release,
            self.is_experimental,
            &is_known,
        );
        if let Some(refusal) = refusal {
            return self.refused(id, method, refusal, nearest);
        }
        let made = self.synthesis.as_ref();
        let Some(made) = made.and_then(|synthesis| synthesis.result(method, params)) else {
            let error = miss::not_recorded(method, nearest.first());
            return self.refused(id, method, error, nearest);
        };
        if method == "initialize" {
            self.initialized(params);
        }
        self.synthesized_threads.extend(made.thread);
        Reaction {
            emissions: vec![Emission {
                line: format!("{{\"id\":{id},\"result\":{}}}", made.result),
                after_ms: 0,
                queue: 0,
            }],
            miss: Some(Miss {
                what: method.to_owned(),
                is_of_script: false,
                is_answered: true,
                error: None,
                nearest: nearest.into_iter().next(),
            }),
            ..Reaction::default()
        }
    }
}
