//! What each release changed of each definition.

use std::collections::BTreeMap;

use codex_wire_base::Release;
use codex_wire_schema::{Change, changes};
use serde::Serialize;

use crate::markdown;
use crate::model::FamilyModel;

/// The changes of each definition, newest first.
pub(crate) struct History(BTreeMap<String, Vec<OfRelease>>);

/// The changes of a release.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OfRelease {
    release: String,
    changes: Vec<Shown>,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Shown {
    kind: &'static str,
    place: String,
    detail: String,
}

impl History {
    pub(crate) fn of(model: &FamilyModel) -> Self {
        let mut found: BTreeMap<String, BTreeMap<Release, Vec<Shown>>> = BTreeMap::new();
        for message_set in model.index.message_sets {
            for of_release in changes(*message_set) {
                for change in of_release.changes {
                    let releases = found.entry(definition_of(&change).to_owned()).or_default();
                    let list = releases.entry(of_release.release).or_default();
                    let change = Shown {
                        kind: change.kind.as_str(),
                        detail: markdown::text(&change.detail),
                        place: change.place,
                    };
                    // Message sets share definitions.
                    if !list.contains(&change) {
                        list.push(change);
                    }
                }
            }
        }
        let all = found.into_iter().map(|(name, releases)| {
            let newest_first = releases.into_iter().rev();
            let releases = newest_first.map(|(release, changes)| OfRelease {
                release: release.to_string(),
                changes,
            });
            (name, releases.collect())
        });
        History(all.collect())
    }

    /// The changes of a definition.
    pub(crate) fn named(&self, name: &str) -> &[OfRelease] {
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

/// `Usage` of `Usage.output_tokens`, `ThreadItem` of `ThreadItem agentMessage`.
fn definition_of(change: &Change) -> &str {
    let end = change.place.find(['.', ' ']);
    &change.place[..end.unwrap_or(change.place.len())]
}
