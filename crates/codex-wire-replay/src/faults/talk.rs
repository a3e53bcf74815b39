//! What the faults of a conversation need to know of it.

use std::collections::HashMap;

use super::edit::{span, text};
use super::future::{Future, Written};
use crate::conversation::Emission;

/// A conversation with a client of the app-server, as far as its faults need it.
pub(crate) struct Talk {
    pub(super) future: Future,
    /// The method of each request, by its id as JSON.
    methods: HashMap<String, String>,
    /// The number of each turn, by its id.
    turns: HashMap<String, u64>,
}

/// The kind of a line of Codex.
pub(super) struct LineKind {
    pub(super) written: Written,
    /// The method; of a response that of its request.
    pub(super) name: String,
    /// The id as JSON, of a request or response.
    pub(super) id: Option<String>,
}

impl Talk {
    pub(super) fn new(future: Future) -> Self {
        Talk {
            future,
            methods: HashMap::new(),
            turns: HashMap::new(),
        }
    }

    /// The client has sent a request.
    pub(super) fn requested(&mut self, id: &str, method: &str) {
        self.methods.insert(id.to_owned(), method.to_owned());
    }

    /// Numbers the turns that begin.
    pub(super) fn number_turns(&mut self, emissions: &[Emission]) {
        for emission in emissions {
            if text(&emission.line, &["method"]).as_deref() == Some("turn/started")
                && let Some(turn) = text(&emission.line, &["params", "turn", "id"])
            {
                let number = self.turns.len() as u64 + 1;
                self.turns.entry(turn).or_insert(number);
            }
        }
    }

    /// The number of a turn, from 1.
    pub(super) fn number_of(&self, turn: &str) -> Option<u64> {
        self.turns.get(turn).copied()
    }

    /// Changes single lines.
    pub(super) fn edit(
        &mut self,
        emissions: Vec<Emission>,
        change: &mut dyn FnMut(&mut Future, &str, &LineKind) -> Option<String>,
    ) -> Vec<Emission> {
        let edited = emissions.into_iter().map(|emission| {
            let kind = self.kind_of(&emission.line);
            let changed = kind.and_then(|kind| change(&mut self.future, &emission.line, &kind));
            Emission {
                line: changed.unwrap_or(emission.line),
                ..emission
            }
        });
        edited.collect()
    }

    /// The kind of a line, if it is known.
    fn kind_of(&self, line: &str) -> Option<LineKind> {
        let id = span(line, &["id"]).map(|span| line[span].to_owned());
        let (written, name) = match (text(line, &["method"]), &id) {
            (Some(method), None) => (Written::Message, method),
            (Some(method), Some(_)) => (Written::Request, method),
            (None, Some(id)) => (Written::Response, self.methods.get(id)?.clone()),
            (None, None) => return None,
        };
        Some(LineKind { written, name, id })
    }
}
