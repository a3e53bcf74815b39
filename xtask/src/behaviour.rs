//! Plays the same scenes with releases of Codex, several times each, and writes down what they do, in
//! `behaviour.json` of `codex-wire-diff`, which compares it.
//!
//! Where two recorded releases differ and others are between them, `halve` plays the scene with the one in the middle,
//! until neighbours differ.

mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::thread;

use anyhow::{Context as _, Result, anyhow};
use codex_wire::{Protocol, Release};
use codex_wire_diff::{Behaviour, RecordedBehaviour};
use codex_wire_record::{Scene, scenes};

use crate::app_server::binaries;

pub use steps::of_exec;

/// Where the record is.
const RECORD: &str = "crates/codex-wire-diff/src/behaviour/behaviour.json";

/// The last release whose streams are of another dialect.
const LEGACY: Release = Release::new(0, 42, 0);

/// What a sandbox can depends on the machine.
const LEFT_OUT: &str = "exec/sandboxed";

/// Which scenes are played, and how often by each release.
#[derive(Clone, Debug)]
pub struct Played {
    /// Only scenes with one of these texts in `PROTOCOL/NAME`; all if there are none.
    pub scenes: Vec<String>,
    /// How many runs there should be of each scene by each release.
    pub runs: u64,
    /// Whether what is there is forgotten first.
    pub again: bool,
}

impl Played {
    /// The scenes that a release can play.
    fn of(&self, release: Release) -> impl Iterator<Item = Scene> {
        let is_chosen = |name: &str| {
            self.scenes.is_empty() || self.scenes.iter().any(|text| name.contains(text.as_str()))
        };
        scenes::all().filter(move |scene| {
            let Some(protocol) = protocol(scene) else {
                return false;
            };
            let is_current = protocol != Protocol::Exec || release > LEGACY;
            let name = name(scene);
            is_current && scene.suits(release) && name != LEFT_OUT && is_chosen(&name)
        })
    }
}

/// Plays scenes with releases, as often as is missing. Programs that are not in the cache are fetched, and removed
/// again. The record is written behind each release.
///
/// # Errors
/// When the record cannot be read or written.
pub fn play(
    root: &Path,
    versions: &[Release],
    played: &Played,
    mut tell: impl FnMut(&str),
) -> Result<()> {
    for release in versions {
        let wanted: Vec<Scene> = played.of(*release).collect();
        if let Err(error) = play_release(root, *release, wanted, played, &mut tell) {
            tell(&format!("{release}: {error:#}"));
        }
    }
    Ok(())
}

/// Plays scenes with the releases between those that differ, until neighbours do.
///
/// # Errors
/// As [`play`].
pub fn halve(root: &Path, played: &Played, mut tell: impl FnMut(&str)) -> Result<()> {
    // What cannot be had, or does not play a scene, is not tried twice.
    let mut tried: BTreeSet<(Release, String)> = BTreeSet::new();
    loop {
        let mut next: BTreeMap<Release, BTreeSet<String>> = BTreeMap::new();
        for (release, scene) in middles(&read(root)?, played, &tried) {
            next.entry(release).or_default().insert(scene);
        }
        // The one of which most scenes wait.
        let Some((release, names)) = next.into_iter().max_by_key(|(_, names)| names.len()) else {
            return Ok(());
        };
        let wanted = played
            .of(release)
            .filter(|scene| names.contains(&name(scene)));
        let wanted: Vec<Scene> = wanted.collect();
        if let Err(error) = play_release(root, release, wanted, played, &mut tell) {
            tell(&format!("{release}: {error:#}"));
        }
        tried.extend(names.into_iter().map(|name| (release, name)));
    }
}

/// For each change between releases that are not neighbours, the release in the middle.
fn middles(
    recorded: &RecordedBehaviour,
    played: &Played,
    tried: &BTreeSet<(Release, String)>,
) -> Vec<(Release, String)> {
    let behaviour = Behaviour::new(recorded);
    let mut out = Vec::new();
    for protocol in [Protocol::Exec, Protocol::AppServer] {
        for scene in behaviour.scenes(protocol) {
            let name = format!("{protocol}/{scene}");
            let is_chosen = |text: &String| name.contains(text.as_str());
            if !played.scenes.is_empty() && !played.scenes.iter().any(is_chosen) {
                continue;
            }
            for step in behaviour.steps(protocol, scene) {
                let all = protocol.release_list().releases().iter().copied();
                let between = all.filter(|one| step.before < *one && *one < step.after);
                let left: Vec<Release> = between
                    .filter(|one| !one.is_prerelease() && !tried.contains(&(*one, name.clone())))
                    .collect();
                if let Some(middle) = left.get(left.len() / 2) {
                    out.push((*middle, name.clone()));
                }
            }
        }
    }
    out
}

fn play_release(
    root: &Path,
    release: Release,
    wanted: Vec<Scene>,
    played: &Played,
    tell: &mut impl FnMut(&str),
) -> Result<()> {
    let recorded = read(root)?;
    let mut missing = Vec::new();
    for scene in wanted {
        let of = protocol(&scene).context("a scene of no protocol")?;
        let there = match played.again {
            true => 0,
            false => recorded.count(of, scene.name, release),
        };
        let runs = played.runs.saturating_sub(there);
        if runs > 0 {
            missing.push((of, scene, runs));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let mut done = Vec::new();
    binaries::lend(&release.to_string(), |program| {
        for (of, scene, runs) in &missing {
            match runs_of(scene, *runs, program, release) {
                Ok(runs) => done.push((*of, scene.name, runs)),
                Err(error) => tell(&format!("{release} {}: {error:#}", name(scene))),
            }
        }
        Ok(())
    })?;
    tell(&format!(
        "{release}: {} of {} scenes",
        done.len(),
        missing.len()
    ));
    // Another process may have written other scenes meanwhile.
    let mut recorded = read(root)?;
    for (of, scene, runs) in done {
        if played.again {
            recorded.forget(of, scene, release);
        }
        for steps in runs {
            recorded.add(of, scene, release, steps);
        }
    }
    let path = root.join(RECORD);
    fs::write(&path, recorded.text()).with_context(|| path.display().to_string())
}

/// The steps of runs of a scene, all at the same time: what depends on time shows.
fn runs_of(scene: &Scene, runs: u64, program: &Path, release: Release) -> Result<Vec<Vec<String>>> {
    thread::scope(|scope| {
        let started: Vec<_> = (0..runs)
            .map(|_| scope.spawn(move || one_run(scene, program, release)))
            .collect();
        let ended = started.into_iter().map(thread::ScopedJoinHandle::join);
        ended
            .map(|run| run.map_err(|_| anyhow!("a run broke"))?)
            .collect()
    })
}

/// The steps of one run: of all processes of the scene, one after the other.
fn one_run(scene: &Scene, program: &Path, release: Release) -> Result<Vec<String>> {
    let stage = tempfile::tempdir()?;
    let mut steps = Vec::new();
    for recording in scene.play(program, release, &stage.path().join("stage"))? {
        if let Some(complaint) = &recording.complaint {
            return Err(anyhow!("{}: {complaint}", recording.name));
        }
        steps.extend(steps::steps(&recording)?);
    }
    Ok(steps)
}

fn read(root: &Path) -> Result<RecordedBehaviour> {
    let path = root.join(RECORD);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    RecordedBehaviour::parse(&text).with_context(|| path.display().to_string())
}

/// The protocol of a scene; none of those about session files.
fn protocol(scene: &Scene) -> Option<Protocol> {
    [Protocol::Exec, Protocol::AppServer]
        .into_iter()
        .find(|protocol| protocol.as_str() == scene.protocol)
}

fn name(scene: &Scene) -> String {
    format!("{}/{}", scene.protocol, scene.name)
}

#[cfg(test)]
mod tests {
    use codex_wire_diff::BehaviourChange;

    use super::*;
    use crate::repository;

    /// What the recordings of a scenario by two releases say.
    fn recorded(scenario: &str, releases: [Release; 2]) -> Vec<String> {
        let mut recorded = RecordedBehaviour::default();
        for release in releases {
            let path = format!("fixtures/exec/{release}/{scenario}.jsonl");
            let stream = fs::read(repository().join(path)).unwrap();
            recorded.add(Protocol::Exec, scenario, release, of_exec(&stream).unwrap());
        }
        let [before, after] = releases;
        let found = Behaviour::new(&recorded).between(&[Protocol::Exec], before, after);
        let changes = found.protocols.iter().flat_map(|of| &of.changes);
        changes.map(BehaviourChange::sentence).collect()
    }

    /// Real programs were asked again: see the tests of `codex-wire-diff`.
    #[test]
    fn recordings_show_what_the_runs_show() {
        let releases = [Release::new(0, 117, 0), Release::new(0, 145, 0)];
        assert_eq!(
            recorded("unknown_model", releases),
            ["new: `item.completed error`, before `turn.started`"]
        );
        assert_eq!(
            recorded("mcp", releases),
            ["`item.completed mcp_tool_call`: `failed` → `completed`"]
        );
    }
}
