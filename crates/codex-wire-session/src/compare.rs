//! Compares two sessions: what differs between two runs.
//!
//! Two runs never have the same ids, times and lines. These are left out: what is compared is which turns there
//! are and how they ended, what happened in them, in which order, with which results.

mod align;
mod values;

use serde::Serialize;
use serde_json::Value;

use self::align::{Pairing, pairings};
pub use self::values::MemberDifference;
use self::values::{about, about_turn, members_of, of_item, of_thread, of_turn};
use crate::{Item, Lines, Session, Thread, Turn};

/// The version of the JSON of a comparison. It rises when a member goes away or means something else.
pub const COMPARISON_FORMAT: u32 = 1;

/// What differs between two sessions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Comparison {
    /// The version of this format: 1.
    pub format: u32,
    /// The names of the two inputs.
    pub before: String,
    /// The second one.
    pub after: String,
    /// The differences, in the order of the first session, what only the second has after its neighbour.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }
}

/// A thread, a turn or an item that differs, or that one of the sessions lacks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Difference {
    /// Where it is in the first session; absent if it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<SessionLocation>,
    /// Where it is in the second session; absent if it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<SessionLocation>,
    /// What kind of item it is, such as `command`; `turn` or `thread` if it is one.
    pub kind: String,
    /// What it is about, in its first session: a command, a tool, the first line of a message. Empty if nothing says so.
    pub about: String,
    /// The item, the turn or the thread itself, without what is never compared, where only one session has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The members that differ, where both have it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberDifference>,
}

/// Where something is in a session. Numbers count from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SessionLocation {
    /// Which thread.
    pub thread: usize,
    /// Which turn of it. Absent for a thread, and for items outside of turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// Which item of the turn, or of those outside of turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// The lines of the input. Absent for a thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
}

/// Compares two sessions.
///
/// Threads and turns are compared one by one, items with those that are most likely the same. Ids, times, durations,
/// lines and rate limits are not compared.
///
/// ```
/// use codex_wire_session::{Reader, compare};
///
/// let run = |code| format!(
///     "{{\"type\":\"thread.started\",\"thread_id\":\"t{code}\"}}\n\
///      {{\"type\":\"turn.started\"}}\n\
///      {{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"command_execution\",\"command\":\"make\",\
///        \"aggregated_output\":\"\",\"exit_code\":{code},\"status\":\"completed\"}}}}\n"
/// );
/// let reader = Reader::new();
/// let before = reader.read("before.jsonl", run(0).as_bytes())?;
/// let after = reader.read("after.jsonl", run(2).as_bytes())?;
///
/// let comparison = compare(&before, &after);
/// let [command] = &comparison.differences[..] else { panic!("{comparison:?}") };
/// assert_eq!(command.kind, "command");
/// assert_eq!(command.members[0].member, "exit_code");
/// assert!(compare(&before, &before).is_empty());
/// # Ok::<(), codex_wire_session::Error>(())
/// ```
pub fn compare(before: &Session, after: &Session) -> Comparison {
    let mut out = Vec::new();
    let (these, those) = (&before.threads, &after.threads);
    for number in 0..these.len().max(those.len()) {
        let at = SessionLocation {
            thread: number + 1,
            ..SessionLocation::default()
        };
        match (these.get(number), those.get(number)) {
            (Some(before), Some(after)) => threads(at, before, after, &mut out),
            (before, after) => out.push(Difference {
                before: before.map(|_| at),
                after: after.map(|_| at),
                kind: "thread".to_owned(),
                about: String::new(),
                value: before.or(after).map(of_thread),
                members: Vec::new(),
            }),
        }
    }
    Comparison {
        format: COMPARISON_FORMAT,
        before: before.source.clone(),
        after: after.source.clone(),
        differences: out,
    }
}

fn threads(at: SessionLocation, before: &Thread, after: &Thread, out: &mut Vec<Difference>) {
    let values = (of_thread(before), of_thread(after));
    out.extend(changed(("thread", String::new()), (at, at), values));
    items(at, (&before.outside, &after.outside), at, out);
    let (these, those) = (&before.turns, &after.turns);
    for number in 0..these.len().max(those.len()) {
        let place = |turn: &Turn| SessionLocation {
            turn: Some(number + 1),
            lines: Some(turn.lines),
            ..at
        };
        match (these.get(number), those.get(number)) {
            (Some(before), Some(after)) => {
                let places = (place(before), place(after));
                let what = ("turn", about_turn(before));
                out.extend(changed(what, places, (of_turn(before), of_turn(after))));
                items(places.0, (&before.items, &after.items), places.1, out);
            }
            (before, after) => out.push(Difference {
                before: before.map(place),
                after: after.map(place),
                kind: "turn".to_owned(),
                about: before.or(after).map_or_else(String::new, about_turn),
                value: before.or(after).map(of_turn),
                members: Vec::new(),
            }),
        }
    }
}

/// The items of two turns, or of two threads outside of turns.
fn items(
    before: SessionLocation,
    both: (&[Item], &[Item]),
    after: SessionLocation,
    out: &mut Vec<Difference>,
) {
    let place = |at: SessionLocation, number: usize, item: &Item| SessionLocation {
        item: Some(number + 1),
        lines: Some(item.lines),
        ..at
    };
    let one = |before, after, item: &Item| {
        let (kind, value) = of_item(item);
        Difference {
            before,
            after,
            kind,
            about: about(item),
            value: Some(value),
            members: Vec::new(),
        }
    };
    for pairing in pairings(both.0, both.1) {
        match pairing {
            Pairing::Both(this, that) => {
                let (old, new) = (&both.0[this], &both.1[that]);
                let places = (place(before, this, old), place(after, that, new));
                let about = about(old);
                let ((kind, old), (_, new)) = (of_item(old), of_item(new));
                out.extend(changed((&kind, about), places, (old, new)));
            }
            Pairing::Before(this) => {
                let item = &both.0[this];
                out.push(one(Some(place(before, this, item)), None, item));
            }
            Pairing::After(that) => {
                let item = &both.1[that];
                out.push(one(None, Some(place(after, that, item)), item));
            }
        }
    }
}

/// The difference of what both sessions have, if there is one.
fn changed(
    (kind, about): (&str, String),
    places: (SessionLocation, SessionLocation),
    values: (Value, Value),
) -> Option<Difference> {
    let members = members_of(values.0, values.1);
    (!members.is_empty()).then(|| Difference {
        before: Some(places.0),
        after: Some(places.1),
        kind: kind.to_owned(),
        about,
        value: None,
        members,
    })
}
