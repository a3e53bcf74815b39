//! Which session file another one goes on from.

use serde_json::Value;

use crate::members::Members;
use crate::model::Continues;

/// Whether a file is the one that `place` is in: its lines up to there are whole, and the last of them has the
/// ordinal before the end. Several files may hold the same thread.
pub fn is_base(place: &Continues, text: &[u8]) -> bool {
    let end = place.end_byte.and_then(|end| usize::try_from(end).ok());
    let lines = end.and_then(|end| text.get(..end));
    let Some((b'\n', lines)) = lines.and_then(<[u8]>::split_last) else {
        return false;
    };
    let start = lines.iter().rposition(|byte| *byte == b'\n');
    let last = &lines[start.map_or(0, |at| at + 1)..];
    let last = serde_json::from_slice::<Value>(last);
    let ordinal = last.ok().and_then(|line| line.count("ordinal"));
    let next = ordinal.and_then(|ordinal| ordinal.checked_add(1));
    next.is_some() && next == place.end_ordinal
}
