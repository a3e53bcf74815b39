//! Tracks what is open: items that started, pending requests, and what is known of threads and
//! turns.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

/// How much of each sort is kept; the oldest is forgotten first.
const LIMIT: usize = 4096;

/// Where something happens.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) connection: Option<u32>,
    pub(super) thread: Option<String>,
}

/// An item that began.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    pub(super) line: u64,
    pub(super) ms: Option<u64>,
    /// What kind it is, as a label.
    pub(super) label: String,
    /// What it does, ready to be shown.
    pub(super) text: String,
    /// How many deltas came.
    pub(super) deltas: u64,
}

/// A request that waits.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) line: u64,
    pub(super) ms: Option<u64>,
    pub(super) label: &'static str,
    pub(super) what: String,
}

/// A map that forgets the oldest.
#[derive(Debug)]
struct Bounded<K, V> {
    map: BTreeMap<K, V>,
    order: VecDeque<K>,
}

impl<K: Ord + Clone, V> Default for Bounded<K, V> {
    fn default() -> Self {
        Bounded {
            map: BTreeMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<K: Ord + Clone, V> Bounded<K, V> {
    fn insert(&mut self, key: K, value: V) {
        if self.map.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        // Keys that were taken out leave their place in the order behind.
        while self.order.len() > 2 * LIMIT || self.map.len() > LIMIT {
            match self.order.pop_front() {
                Some(old) => self.map.remove(&old),
                None => break,
            };
        }
    }
}

/// The key of a request: its connection, whether Codex sent it, its id.
type RequestKey = (Option<u32>, bool, String);

/// What is open.
#[derive(Debug, Default)]
pub(super) struct Open {
    items: Bounded<(Place, String), Begun>,
    asked: Bounded<RequestKey, Asked>,
    threads: Bounded<String, usize>,
    turns: Bounded<Place, Turn>,
    seen: usize,
}

/// The turn that is running in a place, or was last.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    pub(super) number: u64,
    pub(super) ms: Option<u64>,
    pub(super) usage: Option<Value>,
    pub(super) state: State,
}

/// Whether a turn runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing is known of one.
    #[default]
    None,
    Runs,
    /// It ended, as an event of the old protocol beside the new one said.
    EndedByEvent,
    Ended,
}

impl Open {
    pub(super) fn begin(&mut self, place: &Place, id: &str, item: Begun) {
        self.items.insert((place.clone(), id.to_owned()), item);
    }

    pub(super) fn item(&mut self, place: &Place, id: &str) -> Option<&mut Begun> {
        self.items.map.get_mut(&(place.clone(), id.to_owned()))
    }

    pub(super) fn complete(&mut self, place: &Place, id: &str) -> Option<Begun> {
        self.items.map.remove(&(place.clone(), id.to_owned()))
    }

    /// Takes out the items of a place, in the order of their lines.
    pub(super) fn items_of(&mut self, place: &Place) -> Vec<Begun> {
        let keys = self.items.map.keys();
        let keys: Vec<_> = keys.filter(|(at, _)| at == place).cloned().collect();
        let items = keys.iter().filter_map(|key| self.items.map.remove(key));
        let mut items: Vec<Begun> = items.collect();
        items.sort_by_key(|item| item.line);
        items
    }

    /// Takes out all items, in the order of their lines.
    pub(super) fn all_items(&mut self) -> Vec<(Place, Begun)> {
        let items = std::mem::take(&mut self.items.map);
        let mut items: Vec<_> = items
            .into_iter()
            .map(|((place, _), item)| (place, item))
            .collect();
        items.sort_by_key(|(_, item)| item.line);
        items
    }

    pub(super) fn ask(&mut self, key: RequestKey, asked: Asked) {
        self.asked.insert(key, asked);
    }

    pub(super) fn answered(&mut self, key: &RequestKey) -> Option<Asked> {
        self.asked.map.remove(key)
    }

    /// Takes out all requests, in the order of their lines.
    pub(super) fn all_asked(&mut self) -> Vec<(Option<u32>, Asked)> {
        let asked = std::mem::take(&mut self.asked.map);
        let mut asked: Vec<_> = asked
            .into_iter()
            .map(|((connection, ..), asked)| (connection, asked))
            .collect();
        asked.sort_by_key(|(_, asked)| asked.line);
        asked
    }

    /// The number of a thread, in the order in which they appear.
    pub(super) fn number(&mut self, thread: &str) -> usize {
        if let Some(number) = self.threads.map.get(thread) {
            return *number;
        }
        self.seen += 1;
        self.threads.insert(thread.to_owned(), self.seen);
        self.seen
    }

    /// How many threads there were.
    pub(super) fn threads(&self) -> usize {
        self.seen
    }

    pub(super) fn turn(&mut self, place: &Place) -> &mut Turn {
        if !self.turns.map.contains_key(place) {
            self.turns.insert(place.clone(), Turn::default());
        }
        self.turns.map.entry(place.clone()).or_default()
    }
}
