//! Where the thread of a session file comes from.

use serde_json::Value;

use crate::members::{Members, kind};
use crate::model::{Continues, Lineage};

/// What the first line says.
pub(super) fn of(meta: &Value) -> Lineage {
    let mut lineage = Lineage {
        root: meta.owned("session_id"),
        forked_from: meta.owned("forked_from_id"),
        parent: meta.owned("parent_thread_id"),
        nickname: meta.owned("agent_nickname"),
        path: meta.owned("agent_path"),
        continues: meta.some("history_base").map(|base| Continues {
            thread: base.owned("thread_id").unwrap_or_default(),
            end_ordinal: base.count("end_ordinal_exclusive"),
            end_byte: base.count("end_byte_offset"),
        }),
        ..Lineage::default()
    };
    let source = meta
        .some("source")
        .and_then(|source| source.some("subagent"));
    if let Some(source) = source {
        lineage.is_sub_agent = true;
        lineage.is_review = kind(source) == Some("review");
        if let Some(spawn) = source.some("thread_spawn") {
            let or_spawned = |known: Option<String>, key| known.or_else(|| spawn.owned(key));
            lineage.parent = or_spawned(lineage.parent, "parent_thread_id");
            lineage.nickname = or_spawned(lineage.nickname, "agent_nickname");
            lineage.path = or_spawned(lineage.path, "agent_path");
        }
    }
    lineage
}

/// When an id was made, in milliseconds since 1970, if it says so: a UUID of version 7.
pub(super) fn time_of_id(id: &str) -> Option<i64> {
    let bytes = id.as_bytes();
    let is_uuid = bytes.len() == 36 && bytes[8] == b'-' && bytes[13] == b'-' && bytes[14] == b'7';
    if !is_uuid {
        return None;
    }
    let hex = format!("{}{}", id.get(..8)?, id.get(9..13)?);
    i64::from_str_radix(&hex, 16).ok()
}
