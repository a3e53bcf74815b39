//! Texts that come in deltas: how far each has been replaced.
//!
//! A delta names what it belongs to with the ids beside it. Events of `codex proto` have no ids for
//! texts of the model; there the kind of event says which text goes on.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash};

use foldhash::fast::{FixedState, RandomState};

use crate::cipher::Chain;

/// How many things may have texts that are not complete. The texts of those beyond begin again.
const MOST: usize = 1 << 16;

/// Members that name what a delta belongs to.
const OWNERS: [&[u8]; 6] = [
    b"itemId",
    b"item_id",
    b"call_id",
    b"callId",
    b"processId",
    b"processHandle",
];

/// Events after which texts of the model begin again.
const BREAKS: [&[u8]; 7] = [
    b"agent_reasoning_section_break",
    b"background_event",
    b"error",
    b"stream_error",
    b"task_started",
    b"task_complete",
    b"turn_aborted",
];

/// The text of the model that no other event interrupts.
const MESSAGE: &[u8] = b"agent_message_delta";

/// Which text a delta continues: of what, and which of its texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    owner: u64,
    text: u64,
}

impl Place {
    /// The place of deltas in messages of a kind.
    pub(crate) fn new(tag: &[u8]) -> Self {
        Place {
            owner: digest(&("tag", tag)),
            text: digest(&tag),
        }
    }

    /// Takes note of a member beside the delta.
    pub(crate) fn add(&mut self, name: &[u8], value: &[u8]) {
        if OWNERS.contains(&name) {
            self.owner = digest(&("id", value));
        }
        let names = [&b"Id"[..], b"_id", b"Index", b"_index"];
        let tells = names.iter().any(|end| name.ends_with(end))
            || matches!(name, b"stream" | b"role" | b"processHandle");
        if tells {
            self.text = digest(&(self.text, name, value));
        }
    }
}

/// The texts that are not complete.
#[derive(Default)]
pub(crate) struct Deltas {
    chains: HashMap<u64, HashMap<u64, Chain, RandomState>, RandomState>,
}

impl Deltas {
    /// How far a text has been replaced.
    pub(crate) fn take(&mut self, place: Place) -> Option<Chain> {
        self.chains.get_mut(&place.owner)?.remove(&place.text)
    }

    /// A text has been replaced that far.
    pub(crate) fn put(&mut self, place: Place, chain: Chain) {
        if self.chains.len() >= MOST && !self.chains.contains_key(&place.owner) {
            self.chains.clear();
        }
        let texts = self.chains.entry(place.owner).or_default();
        texts.insert(place.text, chain);
    }

    /// What has this id begins or ends.
    pub(crate) fn end(&mut self, id: &[u8]) {
        if !self.chains.is_empty() {
            self.chains.remove(&digest(&("id", id)));
        }
    }

    /// An event of the core protocol, by its type: it may end texts of the model.
    pub(crate) fn event(&mut self, tag: &[u8]) {
        if self.chains.is_empty() {
            return;
        }
        let mut ends = |tag: &[u8]| self.chains.remove(&digest(&("tag", tag)));
        if tag != MESSAGE {
            ends(MESSAGE);
        }
        if BREAKS.contains(&tag) {
            ends(b"agent_reasoning_delta");
            ends(b"agent_reasoning_raw_content_delta");
        }
        let mut delta = tag.to_vec();
        delta.extend_from_slice(b"_delta");
        ends(&delta);
    }
}

fn digest(value: &impl Hash) -> u64 {
    FixedState::default().hash_one(value)
}
