//! Releases that do the same in a scene, and what changed between any two releases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use codex_wire_base::{Protocol, Release};

use super::change::{BehaviourChange, BehaviourStep};
use super::compare::{compare, is_comparable};
use super::recorded::{RecordedBehaviour, Run};
use super::runs::Runs;

/// The runs of the scenes that this project has recorded.
static RECORDED: LazyLock<RecordedBehaviour> =
    // A test reads the file.
    LazyLock::new(|| {
        RecordedBehaviour::parse(include_str!("behaviour.json")).unwrap_or_default()
    });

/// What releases do in scenes.
#[derive(Debug)]
pub struct Behaviour<'r> {
    scenes: Vec<Scene<'r>>,
}

#[derive(Debug)]
struct Scene<'r> {
    protocol: Protocol,
    name: &'r str,
    ranges: Vec<UnchangedRange<'r>>,
}

/// Recorded releases, one after the other, between which nothing changed.
#[derive(Debug)]
struct UnchangedRange<'r> {
    releases: Vec<Release>,
    runs: Runs<'r>,
}

/// What two releases do differently in the same scenes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BehaviourDiff {
    /// The older side.
    pub before: Release,
    /// The newer side.
    pub after: Release,
    /// What differs, by protocol.
    pub protocols: Vec<ProtocolBehaviour>,
}

/// What two releases do differently in the scenes of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProtocolBehaviour {
    /// The protocol.
    pub protocol: Protocol,
    /// In how many scenes both were compared.
    pub compared: usize,
    /// In how many of them the older and the newer side were not played, nor lie between releases that do the same.
    pub unplayed: [usize; 2],
    /// What changed.
    pub changes: Vec<BehaviourChange>,
}

impl Behaviour<'static> {
    /// What this project has recorded.
    pub fn recorded() -> Self {
        Behaviour::new(&RECORDED)
    }
}

impl<'r> Behaviour<'r> {
    /// Takes together the releases that do the same.
    pub fn new(recorded: &'r RecordedBehaviour) -> Self {
        let scenes = recorded.scenes().map(|(protocol, name, runs)| Scene {
            protocol,
            name,
            ranges: ranges(runs),
        });
        Behaviour {
            scenes: scenes.collect(),
        }
    }

    /// What changed between two releases, by scene. Of a release that was not recorded, what the newest recorded one
    /// before it does is taken. Scenes that only one of them can play, or in which the client asks for other things,
    /// are not compared.
    pub fn between(
        &self,
        protocols: &[Protocol],
        before: Release,
        after: Release,
    ) -> BehaviourDiff {
        let protocols = protocols.iter().map(|protocol| {
            let scenes = self.scenes.iter();
            let scenes = scenes.filter(|scene| scene.protocol == *protocol);
            let compared = scenes.filter_map(|scene| Some((scene, scene.between(before, after)?)));
            let compared: Vec<_> = compared.collect();
            let unplayed = [before, after].map(|release| {
                let unknown = compared
                    .iter()
                    .filter(|(scene, _)| !scene.has_played(release));
                unknown.count()
            });
            ProtocolBehaviour {
                protocol: *protocol,
                compared: compared.len(),
                unplayed,
                changes: gather(compared.into_iter().flat_map(|(_, changes)| changes)),
            }
        });
        BehaviourDiff {
            before,
            after,
            protocols: protocols.collect(),
        }
    }

    /// What changed from each recorded release to the next, by the first release behind the change, oldest first.
    pub fn history(&self, protocol: Protocol) -> Vec<(Release, Vec<BehaviourChange>)> {
        let mut found: BTreeMap<Release, Vec<BehaviourChange>> = BTreeMap::new();
        for scene in self
            .scenes
            .iter()
            .filter(|scene| scene.protocol == protocol)
        {
            for pair in scene.ranges.windows(2) {
                if let [before, after] = pair
                    && let Some(step) = scene.step(before, after)
                {
                    let changes = scene.changes(before, after, std::slice::from_ref(&step));
                    found.entry(step.after).or_default().extend(changes);
                }
            }
        }
        let found = found.into_iter();
        found
            .map(|(release, changes)| (release, gather(changes)))
            .collect()
    }

    /// Between which recorded releases a scene changed, oldest first.
    pub fn steps(&self, protocol: Protocol, scene: &str) -> Vec<BehaviourStep> {
        let scenes = self.scenes.iter();
        let scene = scenes.filter(|one| one.protocol == protocol && one.name == scene);
        let steps = scene.flat_map(|scene| {
            let pairs = scene.ranges.windows(2);
            pairs.filter_map(|pair| match pair {
                [before, after] => scene.step(before, after),
                _ => None,
            })
        });
        steps.collect()
    }

    /// The releases of which scenes of a protocol were recorded.
    pub fn releases(&self, protocol: Protocol) -> BTreeSet<Release> {
        let scenes = self
            .scenes
            .iter()
            .filter(|scene| scene.protocol == protocol);
        let ranges = scenes.flat_map(|scene| &scene.ranges);
        ranges
            .flat_map(|range| range.releases.iter().copied())
            .collect()
    }

    /// The names of the scenes of a protocol.
    pub fn scenes(&self, protocol: Protocol) -> impl Iterator<Item = &'r str> {
        let scenes = self.scenes.iter();
        let scenes = scenes.filter(move |scene| scene.protocol == protocol);
        scenes.map(|scene| scene.name)
    }
}

impl Scene<'_> {
    /// What changed between two releases; nothing if they cannot be compared.
    fn between(&self, before: Release, after: Release) -> Option<Vec<BehaviourChange>> {
        let (from, to) = (self.at(before)?, self.at(after)?);
        let (old, new) = (self.ranges.get(from)?, self.ranges.get(to)?);
        if !is_comparable(&old.runs, &new.runs) {
            return None;
        }
        // Whoever asks what changes backwards is told the same steps.
        let way = self.ranges.get(from.min(to)..=from.max(to))?;
        let mut found = Vec::new();
        for pair in way.windows(2) {
            if let [before, after] = pair
                && let Some(step) = self.step(before, after)
            {
                found.push((step, compare(&before.runs, &after.runs)));
            }
        }
        let steps: Vec<BehaviourStep> = found.iter().map(|(step, _)| step.clone()).collect();
        let mut changes = match from == to {
            true => Vec::new(),
            false => self.changes(old, new, &steps),
        };
        for change in &mut changes {
            // Where just this happened, if it did at once.
            let own = found.iter().filter(|(_, changes)| {
                let mut changes = changes.iter();
                changes.any(|one| one.step == change.step && one.kind == change.kind)
            });
            let own: Vec<BehaviourStep> = own.map(|(step, _)| step.clone()).collect();
            if !own.is_empty() {
                change.steps = own;
            }
        }
        Some(changes)
    }

    /// What changed from one range to another, between these releases.
    fn changes(
        &self,
        before: &UnchangedRange<'_>,
        after: &UnchangedRange<'_>,
        steps: &[BehaviourStep],
    ) -> Vec<BehaviourChange> {
        let mut changes = compare(&before.runs, &after.runs);
        for change in &mut changes {
            change.scenes.push(self.name.to_owned());
            change.steps.extend_from_slice(steps);
        }
        changes
    }

    /// The range of a release.
    fn at(&self, release: Release) -> Option<usize> {
        self.ranges.iter().rposition(|range| {
            range
                .releases
                .first()
                .is_some_and(|first| *first <= release)
        })
    }

    /// Whether a release has played it, or lies between releases that do the same.
    fn has_played(&self, release: Release) -> bool {
        let range = self.at(release).and_then(|at| self.ranges.get(at));
        let last = range.and_then(|range| range.releases.last());
        last.is_some_and(|last| release <= *last)
    }

    /// The step from one range to the next; none if they are not comparable.
    fn step(
        &self,
        before: &UnchangedRange<'_>,
        after: &UnchangedRange<'_>,
    ) -> Option<BehaviourStep> {
        if !is_comparable(&before.runs, &after.runs) {
            return None;
        }
        let (before, after) = (*before.releases.last()?, *after.releases.first()?);
        let all = self.protocol.release_list().releases().iter();
        let is_exact = all.filter(|one| before < **one && **one < after).count() == 0;
        Some(BehaviourStep {
            before,
            after,
            is_exact,
        })
    }
}

/// Takes together what changed in several scenes.
fn gather(changes: impl IntoIterator<Item = BehaviourChange>) -> Vec<BehaviourChange> {
    let mut out: Vec<BehaviourChange> = Vec::new();
    for change in changes {
        match out.iter_mut().find(|known| known.is_like(&change)) {
            // A scene may have several of one kind, at different places.
            Some(known) if known.scenes != change.scenes => known.join(change),
            _ => out.push(change),
        }
    }
    out.iter_mut().for_each(BehaviourChange::narrow);
    // What is rare says more than what is everywhere.
    out.sort_by(|a, b| (a.scenes.len(), a.kind, &a.step).cmp(&(b.scenes.len(), b.kind, &b.step)));
    out
}

/// Takes releases together as long as nothing changes.
fn ranges(runs: &[Run]) -> Vec<UnchangedRange<'_>> {
    let releases: BTreeSet<Release> = runs
        .iter()
        .flat_map(|run| run.releases.keys().copied())
        .collect();
    let mut ranges: Vec<UnchangedRange<'_>> = Vec::new();
    for release in releases {
        let of_release = runs
            .iter()
            .filter(|run| run.releases.contains_key(&release));
        let runs = Runs::new(of_release.map(|run| run.steps.as_slice()));
        let last = ranges.last_mut().filter(|last| {
            is_comparable(&last.runs, &runs) && compare(&last.runs, &runs).is_empty()
        });
        match last {
            Some(last) => {
                last.releases.push(release);
                last.runs.join(&runs);
            }
            None => ranges.push(UnchangedRange {
                releases: vec![release],
                runs,
            }),
        }
    }
    ranges
}
