//! Ids of traces and spans, which follow from the ids of Codex: the same input gives the same ids, and the file of a
//! sub-agent fits that of its parent although they are exported one by one.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;

use codex_wire_session::Thread;
use siphasher::sip128::{Hasher128, SipHasher13};

use super::otlp::{SpanId, TraceId};
use crate::family::Family;

/// The trace of a thread, which a key identifies: that of the first thread of its tree.
pub(crate) fn trace_of(family: &Family, number: usize, key: &str) -> TraceId {
    let root = family.root(number).unwrap_or(key);
    TraceId(uuid(root).unwrap_or_else(|| hash(&["trace", root])))
}

/// The ids that were given to spans.
#[derive(Debug, Default)]
pub(crate) struct SpanIds {
    used: HashSet<SpanId>,
    /// How often a key came again with the same number.
    repeated: HashMap<SpanId, u64>,
    /// In the order in which they were given, if the oldest are forgotten.
    order: VecDeque<SpanId>,
    most: Option<usize>,
}

impl SpanIds {
    /// Only so many ids are remembered. A key that comes again after them gets the same id.
    pub(crate) fn at_most(most: usize) -> Self {
        SpanIds {
            most: Some(most),
            ..SpanIds::default()
        }
    }

    /// The id of a span that a key names, with its number where another span has the same key, and with how often
    /// that came where one has both.
    pub(crate) fn next(&mut self, key: &[&str], number: usize) -> SpanId {
        let mut id = span_id(key);
        if !self.used.insert(id) {
            let number = number.to_string();
            let key = [key, &[&number]].concat();
            let numbered = span_id(&key);
            id = numbered;
            while !self.used.insert(id) {
                let times = self.repeated.entry(numbered).or_insert(1);
                *times += 1;
                id = span_id(&[&key[..], &[&times.to_string()]].concat());
            }
        }
        if let Some(most) = self.most {
            self.order.push_back(id);
            if self.order.len() > most
                && let Some(oldest) = self.order.pop_front()
            {
                self.used.remove(&oldest);
                self.repeated.remove(&oldest);
            }
        }
        id
    }
}

/// The id of the span of a thread.
pub(crate) fn thread_span(key: &str) -> SpanId {
    span_id(&["thread", key])
}

fn span_id(key: &[&str]) -> SpanId {
    let [_, _, _, _, _, _, _, _, low @ ..] = hash(key).to_be_bytes();
    // Zero is not an id.
    SpanId(u64::from_be_bytes(low).max(1))
}

/// What identifies a thread: its id, or all of it.
pub(crate) fn key_of(thread: &Thread) -> String {
    if let Some(id) = &thread.id {
        return id.clone();
    }
    let mut all = Hashed(SipHasher13::new());
    // Nothing refuses what is written.
    let _ = serde_json::to_writer(&mut all, thread);
    format!("{:032x}", all.0.finish128().as_u128())
}

/// Ids of threads are UUIDs, which traces can have as they are.
fn uuid(text: &str) -> Option<u128> {
    let groups = text.split('-').map(str::len);
    if !groups.eq([8, 4, 4, 4, 12])
        || !text
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
    {
        return None;
    }
    let id = u128::from_str_radix(&text.replace('-', ""), 16).ok()?;
    (id != 0).then_some(id)
}

fn hash(parts: &[&str]) -> u128 {
    let mut hasher = Hashed(SipHasher13::new());
    for part in parts {
        std::hash::Hasher::write(&mut hasher.0, part.as_bytes());
        // No text has this byte.
        std::hash::Hasher::write(&mut hasher.0, &[0xff]);
    }
    hasher.0.finish128().as_u128().max(1)
}

struct Hashed(SipHasher13);

impl io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        std::hash::Hasher::write(&mut self.0, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
