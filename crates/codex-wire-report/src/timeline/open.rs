//! Tracks open items, pending requests, threads and turns.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

/// How many entries of each map are kept. The oldest is evicted first.
const LIMIT: usize = 4096;

/// The connection and thread of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Location {
    pub(super) connection: Option<u32>,
    pub(super) thread: Option<String>,
}

/// An item that started.
#[derive(Clone, Debug)]
pub(super) struct StartedItem {
    pub(super) line: u64,
    pub(super) ms: Option<u64>,
    /// The label of its kind.
    pub(super) label: String,
    /// What it does, masked.
    pub(super) text: String,
    /// The number of its deltas.
    pub(super) deltas: u64,
}

/// A request without a response so far.
#[derive(Clone, Debug)]
pub(super) struct PendingRequest {
    pub(super) line: u64,
    pub(super) ms: Option<u64>,
    pub(super) label: &'static str,
    pub(super) what: String,
}

/// A map that evicts its oldest entries.
#[derive(Debug)]
struct BoundedMap<K, V> {
    map: BTreeMap<K, V>,
    order: VecDeque<K>,
}

impl<K: Ord + Clone, V> Default for BoundedMap<K, V> {
    fn default() -> Self {
        BoundedMap {
            map: BTreeMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<K: Ord + Clone, V> BoundedMap<K, V> {
    fn insert(&mut self, key: K, value: V) {
        if self.map.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        // The order still has the keys of entries that were removed.
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

/// Everything that is open.
#[derive(Debug, Default)]
pub(super) struct OpenState {
    items: BoundedMap<(Location, String), StartedItem>,
    requests: BoundedMap<RequestKey, PendingRequest>,
    threads: BoundedMap<String, usize>,
    turns: BoundedMap<Location, Turn>,
    seen: usize,
}

/// The turn that runs in a thread, or ran last.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    pub(super) number: u64,
    pub(super) ms: Option<u64>,
    pub(super) usage: Option<Value>,
    pub(super) state: State,
}

/// The state of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// No turn was seen.
    #[default]
    None,
    Runs,
    /// An event of the old protocol, which old releases write beside the new one, ended it.
    EndedByEvent,
    Ended,
}

impl OpenState {
    pub(super) fn add_item(&mut self, location: &Location, id: &str, item: StartedItem) {
        self.items.insert((location.clone(), id.to_owned()), item);
    }

    pub(super) fn item(&mut self, location: &Location, id: &str) -> Option<&mut StartedItem> {
        self.items.map.get_mut(&(location.clone(), id.to_owned()))
    }

    pub(super) fn take_item(&mut self, location: &Location, id: &str) -> Option<StartedItem> {
        self.items.map.remove(&(location.clone(), id.to_owned()))
    }

    /// Takes out the items of a location, in the order of their lines.
    pub(super) fn take_items_of(&mut self, location: &Location) -> Vec<StartedItem> {
        let keys = self.items.map.keys();
        let keys: Vec<_> = keys.filter(|(at, _)| at == location).cloned().collect();
        let items = keys.iter().filter_map(|key| self.items.map.remove(key));
        let mut items: Vec<StartedItem> = items.collect();
        items.sort_by_key(|item| item.line);
        items
    }

    /// Takes out all items, in the order of their lines.
    pub(super) fn take_all_items(&mut self) -> Vec<(Location, StartedItem)> {
        let items = std::mem::take(&mut self.items.map);
        let mut items: Vec<_> = items
            .into_iter()
            .map(|((location, _), item)| (location, item))
            .collect();
        items.sort_by_key(|(_, item)| item.line);
        items
    }

    pub(super) fn add_request(&mut self, key: RequestKey, request: PendingRequest) {
        self.requests.insert(key, request);
    }

    pub(super) fn take_request(&mut self, key: &RequestKey) -> Option<PendingRequest> {
        self.requests.map.remove(key)
    }

    /// Takes out all requests, in the order of their lines.
    pub(super) fn take_all_requests(&mut self) -> Vec<(Option<u32>, PendingRequest)> {
        let requests = std::mem::take(&mut self.requests.map);
        let mut requests: Vec<_> = requests
            .into_iter()
            .map(|((connection, ..), request)| (connection, request))
            .collect();
        requests.sort_by_key(|(_, request)| request.line);
        requests
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

    pub(super) fn turn(&mut self, location: &Location) -> &mut Turn {
        if !self.turns.map.contains_key(location) {
            self.turns.insert(location.clone(), Turn::default());
        }
        self.turns.map.entry(location.clone()).or_default()
    }
}
