//! Renders changes of behaviour: JSON for machines, Markdown for pages.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::change::BehaviourChange;
use super::ranges::{BehaviourDiff, ProtocolBehaviour};

/// The schema of [`BehaviourDiff::to_json`].
pub const BEHAVIOUR_SCHEMA: &str = codex_wire_schema::own::BEHAVIOUR;

impl BehaviourDiff {
    /// How much changed in the scenes of a protocol, in words.
    pub fn summary(&self, of: &ProtocolBehaviour) -> String {
        let BehaviourDiff { before, after, .. } = self;
        let about = format!("{} {before} → {after}", of.protocol);
        let changes = match of.changes.len() {
            0 => "nothing changed".to_owned(),
            1 => "1 change".to_owned(),
            many => format!("{many} changes"),
        };
        let found = match of.compared {
            0 => return format!("{about}: no scene was played by both"),
            1 => format!("{about}: {changes} in 1 scene"),
            many => format!("{about}: {changes} in {many} scenes"),
        };
        let sides = of.unplayed.iter().zip([before, after]);
        let unplayed = sides.filter(|(count, _)| **count > 0);
        let unplayed: Vec<String> = unplayed
            .map(|(count, release)| format!("{release} did not play {count} of them"))
            .collect();
        match unplayed.is_empty() {
            true => found,
            false => format!("{found}; {}", unplayed.join(", and ")),
        }
    }

    /// What differs as JSON, a document of [`BEHAVIOUR_SCHEMA`].
    pub fn to_json(&self) -> Value {
        let protocols = self.protocols.iter().map(ProtocolBehaviour::to_json);
        json!({
            "version": 1,
            "before": self.before.to_string(),
            "after": self.after.to_string(),
            "protocols": protocols.collect::<Vec<_>>(),
        })
    }

    /// What differs as Markdown: for each protocol a list of changes.
    pub fn to_markdown(&self) -> String {
        let protocols = self.protocols.iter().map(|of| {
            let mut out = format!("{}\n", self.summary(of));
            if !of.changes.is_empty() {
                out.push('\n');
            }
            list(&mut out, &of.changes);
            out
        });
        protocols.collect::<Vec<_>>().join("\n")
    }
}

impl ProtocolBehaviour {
    fn to_json(&self) -> Value {
        let changes: Vec<Value> = self.changes.iter().map(BehaviourChange::to_json).collect();
        json!({"protocol": self.protocol.as_str(), "compared": self.compared,
               "unplayed": self.unplayed, "changes": changes})
    }
}

/// Writes changes as a list in Markdown.
pub(crate) fn list(out: &mut String, changes: &[BehaviourChange]) {
    for change in changes {
        let _ = writeln!(out, "- {} ({})", change.sentence(), change.place());
    }
}
