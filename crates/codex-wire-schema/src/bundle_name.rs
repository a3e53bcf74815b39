//! What bundles there are, and of which releases.

use std::collections::BTreeSet;
use std::fmt;

use codex_wire_base::{MessageSet, Release, ReleaseRange};

use crate::ranges::release_ranges;

/// The protocols, as their clients know them: two dialects of `codex exec --json` are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum BundleName {
    /// The lines of `codex exec --json`, from 0.42.0.
    Exec,
    /// The lines of `codex exec --json` up to 0.42.0.
    ExecLegacy,
    /// The queues of `codex proto`.
    Core,
    /// The JSON-RPC of `codex app-server`.
    AppServer,
    /// The lines of session files.
    Rollout,
    /// What hooks read and print.
    Hooks,
    /// What the `notify` program gets.
    Notify,
}

impl BundleName {
    /// All of them.
    pub const ALL: [BundleName; 7] = [
        BundleName::Exec,
        BundleName::ExecLegacy,
        BundleName::Core,
        BundleName::AppServer,
        BundleName::Rollout,
        BundleName::Hooks,
        BundleName::Notify,
    ];

    /// The name in paths.
    pub fn as_str(self) -> &'static str {
        match self {
            BundleName::Exec => "exec",
            BundleName::ExecLegacy => "exec-legacy",
            BundleName::Core => "core",
            BundleName::AppServer => "app-server",
            BundleName::Rollout => "rollout",
            BundleName::Hooks => "hooks",
            BundleName::Notify => "notify",
        }
    }

    /// Its message sets, in all releases.
    pub fn message_sets(self) -> &'static [MessageSet] {
        use codex_wire_base::Protocol;
        match self {
            BundleName::Exec => &[MessageSet::Exec],
            BundleName::ExecLegacy => &[MessageSet::ExecLegacy],
            BundleName::Core => Protocol::Core.message_sets(),
            BundleName::AppServer => Protocol::AppServer.message_sets(),
            BundleName::Rollout => Protocol::Rollout.message_sets(),
            BundleName::Hooks => Protocol::Hooks.message_sets(),
            BundleName::Notify => Protocol::Notify.message_sets(),
        }
    }

    /// The releases that speak it, oldest first.
    pub fn releases(self) -> Vec<Release> {
        let lists = self.message_sets().iter().map(|set| set.release_list());
        let all: BTreeSet<Release> = lists
            .flat_map(codex_wire_base::ReleaseList::releases)
            .copied()
            .collect();
        all.into_iter().collect()
    }

    /// The ranges of releases that speak it alike, oldest first. As with [`release_ranges`],
    /// neighbours may be equal where there is an experimental API.
    pub fn ranges(self) -> Vec<ReleaseRange> {
        let mut out: Vec<(ReleaseRange, Vec<Option<usize>>)> = Vec::new();
        for release in self.releases() {
            let place = |set: &MessageSet| {
                let mut ranges = release_ranges(*set).iter();
                ranges.position(|range| range.contains(release))
            };
            let places: Vec<_> = self.message_sets().iter().map(place).collect();
            match out.last_mut() {
                Some((range, known)) if *known == places => range.until = release,
                _ => out.push((
                    ReleaseRange {
                        since: release,
                        until: release,
                    },
                    places,
                )),
            }
        }
        out.into_iter().map(|(range, _)| range).collect()
    }

    /// Whether it has an experimental API, which clients have to opt into.
    pub fn has_stabilities(self) -> bool {
        self.message_sets().iter().any(|set| set.has_stabilities())
    }
}

impl fmt::Display for BundleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
