//! The recorded runs of scenes: which releases played them, and what Codex did.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::{Protocol, Release};
use serde_json::{Value, json};

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
#[non_exhaustive]
pub enum BehaviourError {
    /// It is not JSON.
    #[error("not JSON")]
    NotJson(#[source] serde_json::Error),
    /// Something is not there, or is something else.
    #[error("{place}: not {expected}")]
    Unexpected {
        /// The place, as a JSON Pointer.
        place: String,
        /// What should be there.
        expected: &'static str,
    },
}

impl RecordedBehaviour {
    /// Reads what [`RecordedBehaviour::text`] has written.
    ///
    /// # Errors
    /// If the text is something else.
    pub fn parse(text: &str) -> Result<Self, BehaviourError> {
        let document: Value = serde_json::from_str(text).map_err(BehaviourError::NotJson)?;
        let mut scenes = BTreeMap::new();
        for (at, scene) in list(&document["scenes"], "/scenes")?.iter().enumerate() {
            let place = format!("/scenes/{at}");
            let protocol = string(&scene["protocol"], &place, "protocol")?;
            let protocol = protocol
                .parse()
                .map_err(|_| unexpected(&place, "of a protocol"))?;
            let name = string(&scene["scene"], &place, "scene")?.to_owned();
            let steps = list(&scene["steps"], &place)?.iter();
            let steps = steps.map(|step| string(step, &place, "steps"));
            let steps = steps.collect::<Result<Vec<_>, _>>()?;
            let runs = list(&scene["runs"], &place)?;
            let runs = runs.iter().map(|run| Run::of_json(run, &steps, &place));
            scenes.insert((protocol, name), runs.collect::<Result<Vec<_>, _>>()?);
        }
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

    /// Reads a run, whose steps are numbers of these.
    fn of_json(run: &Value, all: &[&str], place: &str) -> Result<Self, BehaviourError> {
        let steps = list(&run["order"], place)?.iter();
        let steps = steps.map(|number| {
            let step = number
                .as_u64()
                .and_then(|number| all.get(usize::try_from(number).ok()?));
            let step = step.ok_or_else(|| unexpected(place, "the number of a step"))?;
            Ok((*step).to_owned())
        });
        let releases = run["releases"]
            .as_object()
            .ok_or_else(|| unexpected(place, "an object of releases"))?;
        let releases = releases.iter().map(|(release, count)| {
            let release = release
                .parse()
                .map_err(|_| unexpected(place, "a release"))?;
            let count = count
                .as_u64()
                .ok_or_else(|| unexpected(place, "a number of runs"))?;
            Ok((release, count))
        });
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

fn list<'v>(value: &'v Value, place: &str) -> Result<&'v [Value], BehaviourError> {
    let list = value.as_array().map(Vec::as_slice);
    list.ok_or_else(|| unexpected(place, "a list"))
}

fn string<'v>(value: &'v Value, place: &str, member: &str) -> Result<&'v str, BehaviourError> {
    value
        .as_str()
        .ok_or_else(|| unexpected(&format!("{place}/{member}"), "a text"))
}

fn unexpected(place: &str, expected: &'static str) -> BehaviourError {
    BehaviourError::Unexpected {
        place: place.to_owned(),
        expected,
    }
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
        assert_eq!(said("{"), "not JSON");
        assert_eq!(said("{}"), "/scenes: not a list");
        assert_eq!(
            said(r#"{"scenes":[{"protocol":"exec"}]}"#),
            "/scenes/0/scene: not a text"
        );
    }
}
