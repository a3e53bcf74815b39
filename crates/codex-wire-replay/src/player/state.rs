//! What is known while recordings are played.

use std::collections::{HashMap, HashSet};

use codex_wire_base::{Protocol, Release};
use serde_json::Value;

use super::pending::Pending;
use crate::conversation::OnMiss;
use crate::matching::Comparison;
use crate::names::{NameKind, Names};
use crate::synthesis::Synthesis;
use crate::track::reads::Reads;
use crate::track::{OutputKind, Sent, Track};

/// What is known while recordings are played.
#[derive(Debug)]
pub(super) struct State {
    pub(super) protocol: Protocol,
    pub(super) release: Option<Release>,
    pub(super) on_miss: OnMiss,
    /// The home of Codex, instead of the recorded one.
    pub(super) home: Option<String>,
    pub(super) tracks: Vec<Playing>,
    /// The track that is played.
    pub(super) lead: usize,
    pub(super) is_initialized: bool,
    /// Whether the client asked for the experimental part of the protocol.
    pub(super) is_experimental: bool,
    /// The id of the next request of Codex.
    pub(super) next_request: u64,
    /// Requests of Codex, by their id in this session.
    pub(super) pending: HashMap<String, Pending>,
    /// The queues of threads.
    pub(super) queues: HashMap<String, usize>,
    /// What makes answers that nobody recorded, if it does.
    pub(super) synthesis: Option<Synthesis>,
    /// The threads that only such answers have named.
    pub(super) synthesized_threads: HashSet<String>,
    /// Whether long reactions come in parts.
    pub(super) in_parts: bool,
    /// What is left of a step that is being written.
    pub(super) rest: Option<Rest>,
}

/// What is left of a step that is being written.
#[derive(Debug)]
pub(super) struct Rest {
    pub(super) track: usize,
    pub(super) step: usize,
    /// The next line.
    pub(super) place: usize,
    /// The id of the client's request, as JSON.
    pub(super) id: Option<String>,
}

/// A track with its state in this session.
#[derive(Debug)]
pub(super) struct Playing {
    pub(super) track: Track,
    pub(super) reads: Reads,
    pub(super) names: Names,
    /// How often each step was played.
    pub(super) played: Vec<u32>,
    /// The id that the request of a step has in this session, as JSON.
    pub(super) ids: Vec<Option<String>>,
    /// Whether the client did so far what the recorded client did.
    pub(super) is_current: bool,
}

/// A step of a track that answers what the client sent.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) track: usize,
    pub(super) step: usize,
    pub(super) comparison: Comparison,
}

impl State {
    pub(super) fn initialized(&mut self, params: Option<&Value>) {
        self.is_initialized = true;
        let flag = params.and_then(|params| params.pointer("/capabilities/experimentalApi"));
        self.is_experimental = flag.and_then(Value::as_bool).unwrap_or(false);
    }

    /// What the client sent, for people.
    pub(super) fn what(&self, sent: &Sent) -> String {
        match sent {
            Sent::Request(method) | Sent::Notification(method) => method.clone(),
            Sent::Answer(id) => match self.pending.get(id) {
                Some(pending) => format!("the answer to {}", pending.method),
                None => "an answer".to_owned(),
            },
            Sent::Nothing => String::new(),
        }
    }

    /// In `codex proto`, the client chooses the ids of submissions, and events repeat them.
    pub(super) fn bind_submission(&mut self, (track, step): (usize, usize), id: &str) {
        let playing = &mut self.tracks[track];
        if self.protocol == Protocol::Core
            && let Some(recorded) = playing.track.steps[step].id.clone()
            && let Ok(recorded) = serde_json::from_str::<String>(&recorded)
            && let Ok(live) = serde_json::from_str::<String>(id)
        {
            playing.names.bind(NameKind::Turn, &recorded, &live);
        }
    }

    /// Whether a recorded answer, to the request with the recorded id, is to the request that has the
    /// id `live` in this session.
    pub(super) fn answers(&self, track: usize, asked: &str, live: &str) -> bool {
        let Some(pending) = self.pending.get(live) else {
            return false;
        };
        pending.asked.iter().any(|(of, step, place)| {
            let steps = &self.tracks[*of].track.steps;
            *of == track
                && steps[*step].outputs.get(*place).is_some_and(
                    |output| matches!(&output.kind, OutputKind::Request(id) if id == asked),
                )
        })
    }
}
