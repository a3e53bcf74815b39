//! The recorded runs of scenes: which releases played them, and what Codex did.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::str::FromStr;

use codex_wire_base::{Protocol, Release};
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::json;

/// The runs of all scenes that were recorded, as in `behaviour.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedBehaviour {
    scenes: BTreeMap<(Protocol, String), Vec<Run>>,
}

/// What Codex did in runs that are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) steps: Vec<String>,
    /// How many runs of each release were like that.
    pub(super) releases: BTreeMap<Release, u64>,
}

/// A text is not a record of runs.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct BehaviourError(serde_json::Error);

#[derive(Deserialize)]
struct WrittenRecord {
    scenes: Vec<WrittenScene>,
}

#[derive(Deserialize)]
struct WrittenScene {
    protocol: String,
    scene: String,
    steps: Vec<String>,
    runs: Vec<WrittenRun>,
}

#[derive(Deserialize)]
struct WrittenRun {
    releases: BTreeMap<String, u64>,
    /// The numbers of its steps.
    order: Vec<usize>,
}

impl RecordedBehaviour {
    /// Reads what [`RecordedBehaviour::text`] has written.
    ///
    /// # Errors
    /// If the text is something else.
    pub fn parse(text: &str) -> Result<Self, BehaviourError> {
        let record: WrittenRecord = serde_json::from_str(text).map_err(BehaviourError)?;
        let scenes = record.scenes.into_iter().map(|scene| {
            let runs = scene.runs.iter().map(|run| Run::of(run, &scene.steps));
            let runs = runs.collect::<Result<_, _>>()?;
            Ok(((parsed(&scene.protocol)?, scene.scene), runs))
        });
        let scenes = scenes.collect::<Result<_, _>>()?;
        Ok(RecordedBehaviour { scenes })
    }

    /// The record as JSON: of each scene all steps that there are, then each run on a line, with the numbers of its
    /// steps.
    pub fn text(&self) -> String {
        let scenes = self.scenes.iter().map(|((protocol, name), runs)| {
            let steps: BTreeSet<&str> = runs.iter().flat_map(Run::steps).collect();
            let numbers = steps.iter().enumerate();
            let numbers: BTreeMap<&str, usize> = numbers.map(|(number, step)| (*step, number)).collect();
            let runs = runs.iter().map(|run| run.text(&numbers));
            let runs = runs.collect::<Vec<_>>().join(",\n");
            let (protocol, name) = (json!(protocol.as_str()), json!(name));
            let steps = steps.iter().map(|step| json!(step).to_string());
            let steps = steps.collect::<Vec<_>>().join(",\n");
            format!(
                "{{\"protocol\": {protocol}, \"scene\": {name}, \"steps\": [\n{steps}\n], \"runs\": [\n{runs}\n]}}"
            )
        });
        let scenes: Vec<String> = scenes.collect();
        format!(
            "{{\"version\": 1, \"scenes\": [\n{}\n]}}\n",
            scenes.join(",\n")
        )
    }

    /// Adds a run of a scene.
    pub fn add(&mut self, protocol: Protocol, scene: &str, release: Release, steps: Vec<String>) {
        let runs = self.scenes.entry((protocol, scene.to_owned())).or_default();
        let known = runs.iter_mut().find(|run| run.steps == steps);
        match known {
            Some(run) => *run.releases.entry(release).or_default() += 1,
            None => runs.push(Run {
                steps,
                releases: BTreeMap::from([(release, 1)]),
            }),
        }
        // The order does not depend on when a release was recorded.
        runs.sort_by(|a, b| {
            let key = |run: &Run| run.releases.keys().next().copied();
            (key(a), &a.steps).cmp(&(key(b), &b.steps))
        });
    }

    /// Forgets the runs of a scene by a release.
    pub fn forget(&mut self, protocol: Protocol, scene: &str, release: Release) {
        if let Some(runs) = self.scenes.get_mut(&(protocol, scene.to_owned())) {
            for run in runs.iter_mut() {
                run.releases.remove(&release);
            }
            runs.retain(|run| !run.releases.is_empty());
        }
    }

    /// How many runs of a scene by a release there are.
    pub fn count(&self, protocol: Protocol, scene: &str, release: Release) -> u64 {
        let runs = self.scenes.get(&(protocol, scene.to_owned()));
        let runs = runs.into_iter().flatten();
        runs.filter_map(|run| run.releases.get(&release)).sum()
    }

    pub(super) fn scenes(&self) -> impl Iterator<Item = (Protocol, &str, &[Run])> {
        let scenes = self.scenes.iter();
        scenes.map(|((protocol, name), runs)| (*protocol, name.as_str(), runs.as_slice()))
    }
}

impl Run {
    fn steps(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(String::as_str)
    }

    /// A run, whose steps are numbers of these.
    fn of(run: &WrittenRun, all: &[String]) -> Result<Self, BehaviourError> {
        let steps = run.order.iter().map(|number| {
            let step = all.get(*number).cloned();
            step.ok_or_else(|| wrong(format!("there is no step {number}")))
        });
        let releases = run.releases.iter();
        let releases = releases.map(|(release, count)| Ok((parsed(release)?, *count)));
        Ok(Run {
            steps: steps.collect::<Result<_, _>>()?,
            releases: releases.collect::<Result<_, _>>()?,
        })
    }

    /// The run on a line of JSON, with the releases in their order.
    fn text(&self, numbers: &BTreeMap<&str, usize>) -> String {
        let releases = self.releases.iter();
        let releases = releases.map(|(release, count)| format!("\"{release}\":{count}"));
        let releases = releases.collect::<Vec<_>>().join(",");
        let order = self.steps().filter_map(|step| numbers.get(step));
        let order = order.map(usize::to_string).collect::<Vec<_>>().join(",");
        format!("{{\"releases\":{{{releases}}},\"order\":[{order}]}}")
    }
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, BehaviourError> {
    text.parse().map_err(wrong)
}

fn wrong(reason: impl Display) -> BehaviourError {
    BehaviourError(serde_json::Error::custom(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_written_and_read() {
        let mut recorded = RecordedBehaviour::default();
        let release = |minor| Release::new(0, minor, 0);
        let steps = |text: &str| text.split(' ').map(str::to_owned).collect();
        recorded.add(Protocol::Exec, "message", release(44), steps("a b"));
        recorded.add(Protocol::Exec, "message", release(44), steps("a c"));
        recorded.add(Protocol::Exec, "message", release(44), steps("a b"));
        recorded.add(Protocol::AppServer, "plan", release(98), steps("a"));
        let read = RecordedBehaviour::parse(&recorded.text());
        assert_eq!(read.ok(), Some(recorded.clone()));
        assert_eq!(recorded.count(Protocol::Exec, "message", release(44)), 3);
        assert!(recorded.text().contains(
            "{\"releases\":{\"0.44.0\":2},\"order\":[0,1]},\n{\"releases\":{\"0.44.0\":1},\"order\":[0,2]}"
        ));
        recorded.forget(Protocol::Exec, "message", release(44));
        assert_eq!(recorded.count(Protocol::Exec, "message", release(44)), 0);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let said = |text: &str| RecordedBehaviour::parse(text).unwrap_err().to_string();
        assert_eq!(said("{}"), "missing field `scenes` at line 1 column 2");
        assert_eq!(
            said(r#"{"scenes":[{"protocol":"exec"}]}"#),
            "missing field `scene` at line 1 column 30"
        );
        let with = |protocol: &str, run: &str| {
            let scene =
                format!(r#""protocol":"{protocol}","scene":"a","steps":["b"],"runs":[{run}]"#);
            said(&format!(r#"{{"scenes":[{{{scene}}}]}}"#))
        };
        assert!(with("exe", "").starts_with("`exe` is not a protocol"));
        let run = r#"{"releases":{"0.44":1},"order":[0]}"#;
        assert!(with("exec", run).starts_with("`0.44` is not a release"));
        let run = r#"{"releases":{},"order":[1]}"#;
        assert_eq!(with("exec", run), "there is no step 1");
    }
}
