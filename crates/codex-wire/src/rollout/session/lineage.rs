//! Where a thread comes from: parents, bases, copies.

use crate::rollout::{HistoryPosition, SessionMeta, SessionSource, SubAgentSource};

/// Where a thread comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lineage {
    /// The thread whose user all this is for: of sub-agents the first one. From 0.142.0.
    pub root: Option<String>,
    /// The thread it is a fork of. From 0.80.0.
    pub forked_from: Option<String>,
    /// The thread that started it as a sub-agent. From 0.92.0.
    pub parent: Option<String>,
    /// Whether it is the work of a reviewer. From 0.63.0, as reviews have no file of their own before.
    pub is_review: bool,
    /// Whether it is a sub-agent, a reviewer included. Files name sub-agents from 0.92.0.
    pub is_subagent: bool,
    /// The name of the sub-agent for people. From 0.105.0.
    pub nickname: Option<String>,
    /// The place of the sub-agent among the agents, such as `/root/kid_one`. From 0.121.0.
    pub path: Option<String>,
    /// Where another file ends that this one goes on from. From 0.147.0.
    pub history_base: Option<HistoryPosition>,
    /// Whether which turns were copied was told from times, so that it may be wrong.
    pub copies_are_guessed: bool,
}

impl Lineage {
    pub(super) fn of(meta: &SessionMeta) -> Self {
        let mut lineage = Lineage {
            root: meta.session_id.value().cloned(),
            forked_from: meta.forked_from_id.value().cloned(),
            parent: meta.parent_thread_id.value().cloned(),
            nickname: meta.agent_nickname.value().cloned(),
            path: meta.agent_path.value().cloned(),
            history_base: meta.history_base.value().cloned(),
            ..Lineage::default()
        };
        if let Some(SessionSource::Subagent(source)) = meta.source.value() {
            lineage.is_subagent = true;
            lineage.is_review = matches!(source, SubAgentSource::Review);
            if let SubAgentSource::ThreadSpawn(spawn) = source {
                let parent = || Some(spawn.parent_thread_id.clone());
                lineage.parent = lineage.parent.or_else(parent);
                let nickname = || spawn.agent_nickname.value().cloned();
                lineage.nickname = lineage.nickname.or_else(nickname);
                let path = || spawn.agent_path.value().cloned();
                lineage.path = lineage.path.or_else(path);
            }
        }
        lineage
    }
}

/// Whether a file is the one that `position` speaks of: its lines up to the offset are whole, and the
/// last of them has the ordinal before the end.
pub fn is_base(position: &HistoryPosition, text: &[u8]) -> bool {
    let end = usize::try_from(position.end_byte_offset).unwrap_or(usize::MAX);
    let Some((b'\n', lines)) = text.get(..end).and_then(<[u8]>::split_last) else {
        return false;
    };
    let start = lines
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let line = crate::from_slice::<crate::rollout::RolloutLine>(&lines[start..]);
    let ordinal = line.ok().and_then(|line| line.ordinal.value().copied());
    ordinal.and_then(|ordinal| ordinal.checked_add(1)) == Some(position.end_ordinal_exclusive)
}

/// When an id was made, in milliseconds since 1970, if it tells: a UUID of version 7.
pub(super) fn time_of_id(id: &str) -> Option<u64> {
    let bytes = id.as_bytes();
    let is_uuid = bytes.len() == 36 && bytes[8] == b'-' && bytes[13] == b'-' && bytes[14] == b'7';
    if !is_uuid {
        return None;
    }
    let hex = format!("{}{}", id.get(..8)?, id.get(9..13)?);
    u64::from_str_radix(&hex, 16).ok()
}

/// Milliseconds since the beginning of the year 1970 of a line's time, as far as differences go: all
/// months count as 31 days.
pub(super) fn rough_milliseconds(time: &str) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| time.get(range)?.parse::<u64>().ok();
    let days = (number(0..4)? * 12 + number(5..7)?) * 31 + number(8..10)?;
    let seconds = ((days * 24 + number(11..13)?) * 60 + number(14..16)?) * 60 + number(17..19)?;
    Some(seconds * 1000 + number(20..23)?)
}
