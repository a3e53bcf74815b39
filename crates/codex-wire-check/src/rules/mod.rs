//! The registry of rules: the text, the evidence, the releases and the default level of each.
//!
//! Every rule has two transcripts under `fixtures/rules`: one respects it, one breaks it.

mod app_server;
mod framing;
mod schema;
mod sequence_app_server;
mod sequence_app_server_items;
mod sequence_core;
mod sequence_exec;

pub use crate::rule::{Exception, Rule, Status};
pub use app_server::*;
pub use framing::*;
pub use schema::*;
pub use sequence_app_server::*;
pub use sequence_app_server_items::*;
pub use sequence_core::*;
pub use sequence_exec::*;

const GROUPS: [&[&Rule]; 7] = [
    framing::ALL,
    schema::ALL,
    sequence_exec::ALL,
    sequence_core::ALL,
    sequence_app_server::ALL,
    sequence_app_server_items::ALL,
    app_server::ALL,
];

const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

static JOINED: [&Rule; COUNT] = {
    let mut out = [GROUPS[0][0]; COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut index = 0;
        while index < GROUPS[group].len() {
            out[at] = GROUPS[group][index];
            at += 1;
            index += 1;
        }
        group += 1;
    }
    out
};

/// All rules: lines first, then messages, then order; by name within their group.
pub static RULES: &[&Rule] = &JOINED;

/// The rule of that name.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// The rule that had that name before 0.1.0, where it has another now.
pub fn renamed(id: &str) -> Option<&'static Rule> {
    const GROUPS: [(&str, &str); 3] = [
        ("frame", "framing"),
        ("life", "sequence"),
        ("shape", "schema"),
    ];
    const NAMES: [(&str, &str); 4] = [
        ("app-server-error-told", "app-server-error-reported"),
        ("app-server-head-missing", "app-server-truncated-start"),
        ("app-server-piece-unopened", "app-server-delta-unopened"),
        ("doubled-id", "duplicate-id"),
    ];
    let (group, name) = id.split_once('/')?;
    let (_, group) = GROUPS.iter().find(|(old, _)| *old == group)?;
    let new = NAMES.iter().find(|(old, _)| *old == name);
    find(&format!("{group}/{}", new.map_or(name, |(_, new)| new)))
}
