//! Where a part stands.

use std::collections::BTreeMap;

use codex_wire_base::{MessageSet, ReleaseBounds};

/// Where a part stands in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The message set.
    pub message_set: MessageSet,
    /// The kind of the message, with the kinds of what it holds after slashes, as examples name it:
    /// `item.completed/command_execution`. It is empty where a message set has no kinds.
    pub kind: String,
    /// How many of the kinds are needed to say which message it is: the first one, as long as this.
    pub(super) message_len: usize,
    /// The place in the message, as a JSON pointer; `*` stands for each element of an array, and for each key of a map.
    pub pointer: String,
    /// The releases in which it stands there.
    pub bounds: ReleaseBounds,
}

impl Place {
    /// The kind of the message alone.
    pub fn message(&self) -> &str {
        &self.kind[..self.message_len]
    }
}

/// The shortest way of each message, sorted.
pub(super) fn sorted(places: Vec<Place>) -> Vec<Place> {
    let mut best: BTreeMap<(MessageSet, String), Place> = BTreeMap::new();
    for place in places {
        let key = (place.message_set, place.message().to_owned());
        best.entry(key).or_insert(place);
    }
    let mut places: Vec<Place> = best.into_values().collect();
    places.sort_by_key(|place| {
        let depth = place.pointer.matches('/').count();
        (
            !place.message_set.is_current(),
            place.message_set == MessageSet::AppServerItems,
            depth,
        )
    });
    places
}

/// The releases that two ranges share; `None` if there are none.
pub(super) fn both(one: ReleaseBounds, other: ReleaseBounds) -> Option<ReleaseBounds> {
    let shared = one.intersect(other);
    let is_empty = shared.until.is_some_and(|until| shared.since > Some(until));
    (!is_empty).then_some(shared)
}
