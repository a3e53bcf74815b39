//! What recordings of clients say: on which day they were made, and which messages are in them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::DateTime;
use serde_json::Value;

/// The recordings of clients.
pub(super) struct Recordings {
    days: BTreeMap<String, BTreeSet<String>>,
    /// The names of messages, by client and protocol.
    messages: BTreeMap<(String, String), BTreeSet<String>>,
}

impl Recordings {
    pub(super) fn new(recordings: &BTreeMap<String, String>) -> Self {
        let mut days: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut messages: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for (path, text) in recordings {
            let client = client_of(path).to_owned();
            let of = days.entry(client.clone()).or_default();
            of.extend(day_of(text));
            let mut lines = text.lines();
            let start = lines
                .next()
                .and_then(|line| serde_json::from_str::<Value>(line).ok());
            let Some(protocol) = start.as_ref().and_then(|start| start["protocol"].as_str()) else {
                continue;
            };
            let of = messages.entry((client, protocol.to_owned())).or_default();
            of.extend(lines.filter_map(message_of));
        }
        Recordings { days, messages }
    }

    /// The messages that a client wrote or got; nothing if it did not speak the protocol.
    pub(super) fn messages(&self, client: &str, protocol: &str) -> Option<&BTreeSet<String>> {
        self.messages.get(&(client.to_owned(), protocol.to_owned()))
    }

    /// The days on which a client was recorded: the first to the last; nothing if no recording says it.
    pub(super) fn days(&self, client: &str) -> String {
        let days = self.days.get(client);
        match days.and_then(|days| Some((days.first()?, days.last()?))) {
            Some((first, last)) if first == last => first.clone(),
            Some((first, last)) => format!("{first} to {last}"),
            None => String::new(),
        }
    }
}

/// The name of the message that a record holds: its method, or its type. A response has neither.
fn message_of(record: &str) -> Option<String> {
    let record: Value = serde_json::from_str(record).ok()?;
    let message: Value = serde_json::from_str(record["line"].as_str()?).ok()?;
    let name = message["method"].as_str().or(message["type"].as_str())?;
    Some(name.to_owned())
}

/// The client that a recording is of: `takopi` of `…/clients/takopi/recordings/…`.
fn client_of(path: &str) -> &str {
    let before = path
        .split_once("/recordings/")
        .map_or("", |(before, _)| before);
    before.rsplit('/').next().unwrap_or_default()
}

/// The day of the first thread of a recording. Its id is a UUID of version 7, which begins with the time.
fn day_of(text: &str) -> Option<String> {
    const LEN: usize = 36;
    let bytes = text.as_bytes();
    let is_one = |id: &&[u8]| {
        id.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            14 => *byte == b'7',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let id = bytes.windows(LEN).find(is_one)?;
    let digits: String = id[..13]
        .iter()
        .filter(|byte| **byte != b'-')
        .map(|byte| char::from(*byte))
        .collect();
    let ms = i64::from_str_radix(&digits, 16).ok()?;
    let time = DateTime::from_timestamp_millis(ms)?;
    Some(time.date_naive().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_thread_has_the_day() {
        let line = r#"{"id":"b6bebe3e-5206-437c-8dde-db964aff40e7","thread_id":"01a2194d-f1e9-7fa3-8584-ffd7cbe3e4e8"}"#;
        assert_eq!(day_of(line).as_deref(), Some("2026-11-26"));
        assert_eq!(day_of("01a2194d-f1e9-4fa3-8584-ffd7cbe3e4e8"), None);
    }

    #[test]
    fn the_client_is_named_by_its_folder() {
        assert_eq!(
            client_of("a/clients/takopi/recordings/0.98.0/run/1.jsonl"),
            "takopi"
        );
    }
}
