//! What a double is made from.

use std::path::PathBuf;

use codex_wire_replay::OnMiss;
use serde_json::{Map, Value, json};

/// When lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Speed {
    /// At once.
    #[default]
    Instant,
    /// As Codex wrote them.
    Recorded,
    /// So many times as fast.
    Times(f64),
}

/// All that a double is made from.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) played: Played,
    pub(super) manner: Manner,
}

/// What is played.
#[derive(Clone, Debug)]
pub(super) enum Played {
    /// A script, as JSON.
    Script(Value),
    /// Recordings, as this release would have written them if one is named.
    Recordings {
        paths: Vec<PathBuf>,
        as_release: Option<String>,
    },
}

/// How it is played.
#[derive(Clone, Debug, Default)]
pub(super) struct Manner {
    pub(super) program: Option<PathBuf>,
    pub(super) release: Option<String>,
    pub(super) faults: Vec<String>,
    pub(super) seed: u64,
    pub(super) on_miss: Option<OnMiss>,
    pub(super) speed: Speed,
    pub(super) times_now: bool,
}

/// What the model does.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) model: Option<String>,
    /// The steps of each turn.
    pub(super) turns: Vec<Vec<Map<String, Value>>>,
}

impl Script {
    /// The script as a file has it.
    pub(super) fn to_json(&self) -> Value {
        let mut script = Map::new();
        if let Some(model) = &self.model {
            script.insert("model".to_owned(), json!(model));
        }
        let turns = self.turns.iter().map(|steps| json!({"step": steps}));
        script.insert("turn".to_owned(), turns.collect());
        Value::Object(script)
    }
}
