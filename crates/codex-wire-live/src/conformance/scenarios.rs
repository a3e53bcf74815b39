//! The scenarios: built in, or recordings of the user.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use codex_wire_base::{Protocol, Release, ReleaseBounds, ReleaseList};
use codex_wire_replay::scenarios::SCENARIOS;
use codex_wire_replay::{Lines, Recording, Writer, manifest};
use serde_json::{Value, json};

use crate::conformance::shown::starts_turn;
use crate::error::{BoxError, Error};
use crate::stand_in::{Repertoire, release_of};

/// The recordings of the built-in scenarios: for each path below `fixtures` its text, and what its
/// manifest says. Made by the tests.
const EMBEDDED: &[u8] = include_bytes!("recordings.deflate");

/// A scenario of one release.
#[derive(Clone, Debug)]
pub struct Scenario {
    name: String,
    protocol: Protocol,
    release: Release,
    is_converted: bool,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// A path below `fixtures`.
    BuiltIn(&'static str),
    Recording(Arc<Recording>),
}

/// Which releases a scenario is tried in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wanted {
    /// Those that are recorded.
    Recorded,
    /// All of the protocol.
    All,
    /// This one.
    This(Release),
    /// All of the protocol in this range.
    Within(ReleaseBounds),
}

impl Scenario {
    /// The scenarios that are built in, each in the releases that are recorded.
    pub fn built_in() -> Vec<Self> {
        let mut out = Vec::new();
        for scenario in SCENARIOS {
            for (release, path) in scenario.recordings {
                // A test holds that these are releases.
                if let Ok(release) = release.parse() {
                    out.push(Scenario {
                        name: scenario.name.to_owned(),
                        protocol: scenario.protocol,
                        release,
                        is_converted: false,
                        source: Source::BuiltIn(path),
                    });
                }
            }
        }
        out
    }

    /// A scenario for each of these recordings, with the name of its file, or with its path if an earlier one of the same
    /// release has that name. A recording that does not say its release is of the first wanted one
    /// that could have written it, or else of the newest that could.
    ///
    /// # Errors
    /// If a recording neither says nor shows which release it is.
    pub fn of_recordings(
        recordings: Vec<Recording>,
        wanted: &[Wanted],
    ) -> Result<Vec<Self>, Error> {
        let wanted = wanted.iter().filter_map(|one| match one {
            Wanted::This(release) => Some(*release),
            _ => None,
        });
        let wanted: Vec<Release> = wanted.collect();
        let scenarios = recordings.into_iter().map(|mut recording| {
            let release = release_of(&recording, &wanted);
            let release = release.ok_or_else(|| Error::ReleaseNotSaid(recording.name.clone()))?;
            recording.about.release = Some(release);
            let stem = Path::new(&recording.name).file_stem().unwrap_or_default();
            Ok(Scenario {
                name: format!("{}/{}", recording.protocol, stem.to_string_lossy()),
                protocol: recording.protocol,
                release,
                is_converted: false,
                source: Source::Recording(Arc::new(recording)),
            })
        });
        let mut scenarios = scenarios.collect::<Result<Vec<Self>, Error>>()?;
        // Files of one name may have recordings of several releases; of one release the second would not be played.
        for later in 1..scenarios.len() {
            let (before, rest) = scenarios.split_at_mut(later);
            let own = &mut rest[0];
            let is_same = |other: &Self| (&other.name, other.release) == (&own.name, own.release);
            if before.iter().any(is_same)
                && let Source::Recording(recording) = &own.source
            {
                let path = Path::new(&recording.name).with_extension("");
                own.name = format!("{}/{}", own.protocol, path.display());
            }
        }
        Ok(scenarios)
    }

    /// Those of some scenarios whose names match a pattern, in which `*` stands for anything; all without
    /// patterns. Each is in the releases that are wanted, or in its newest one.
    ///
    /// # Errors
    /// If no name matches.
    pub fn chosen(all: &[Self], globs: &[String], releases: &[Wanted]) -> Result<Vec<Self>, Error> {
        let named = |scenario: &&Scenario| {
            globs.is_empty() || globs.iter().any(|glob| matches(glob, &scenario.name))
        };
        let named: Vec<Scenario> = all.iter().filter(named).cloned().collect();
        if named.is_empty() {
            let mut names: Vec<String> = all.iter().map(|one| one.name.clone()).collect();
            names.dedup();
            return Err(Error::NoScenario {
                globs: globs.to_vec(),
                names,
            });
        }
        let mut names: Vec<&str> = Vec::new();
        for scenario in &named {
            if !names.contains(&scenario.name.as_str()) {
                names.push(&scenario.name);
            }
        }
        let mut chosen = Vec::new();
        for name in names {
            let recorded: Vec<&Scenario> =
                named.iter().filter(|other| other.name == name).collect();
            for release in wanted(releases, &recorded) {
                chosen.extend(of_release(&recorded, release));
            }
        }
        Ok(chosen)
    }

    /// The same recording, played as another release would have written it.
    #[must_use]
    pub fn as_release(&self, release: Release) -> Self {
        Scenario {
            is_converted: self.is_converted || release != self.release,
            release,
            ..self.clone()
        }
    }

    /// Its name: the protocol and a word.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The protocol that the client speaks in it.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The release that the stand-in is.
    pub fn release(&self) -> Release {
        self.release
    }

    /// Whether the recording is of another release, and is played as this one would have written it. Not every
    /// recording can be.
    pub fn is_converted(&self) -> bool {
        self.is_converted
    }

    /// Whether there is a turn in it.
    pub(crate) fn has_turn(&self) -> Result<bool, Error> {
        // A run of `codex exec` is one.
        if self.protocol == Protocol::Exec {
            return Ok(true);
        }
        let recording = self.recording()?;
        let Lines::Transcript(lines) = &recording.lines else {
            return Ok(false);
        };
        let own = lines.iter().filter(|line| line.writer == Writer::Client);
        let mut messages = own.filter_map(|line| serde_json::from_str(&line.text).ok());
        Ok(messages.any(|message: Value| starts_turn(&message)))
    }

    fn recording(&self) -> Result<Recording, Error> {
        match &self.source {
            Source::Recording(recording) => Ok(Recording::clone(recording)),
            Source::BuiltIn(path) => embedded(path).map_err(Error::play(path)),
        }
    }

    /// What is played in it.
    pub(crate) fn repertoire(&self) -> Result<Repertoire, Error> {
        let recording = self.recording()?;
        let (release, as_release) = match self.is_converted {
            true => (None, Some(self.release)),
            false => (Some(self.release), None),
        };
        Repertoire::of_recordings(vec![recording], release, as_release)
    }
}

/// A recording that is built in.
fn embedded(path: &str) -> Result<Recording, BoxError> {
    let mut all = embedded_all()?;
    let entry = all.remove(path).ok_or("it is not built in")?;
    let text = entry["text"].as_str().unwrap_or_default();
    let mut about = entry.get("about").cloned().unwrap_or_default();
    if about.is_object() {
        about["file"] = path.into();
    }
    let about: Vec<Value> = about.is_object().then_some(about).into_iter().collect();
    let known = manifest(json!({ "transcripts": about }).to_string().as_bytes())?;
    let about = known.into_iter().next().map(|(_, about)| about);
    Ok(Recording::read(
        path,
        text.into(),
        about.unwrap_or_default(),
    )?)
}

fn embedded_all() -> Result<BTreeMap<String, Value>, BoxError> {
    let mut text = String::new();
    flate2::read::DeflateDecoder::new(EMBEDDED).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

/// The releases in which a scenario is tried, oldest first.
fn wanted(releases: &[Wanted], recorded: &[&Scenario]) -> BTreeSet<Release> {
    let own = || recorded.iter().map(|scenario| scenario.release);
    let listed = || {
        let list = recorded.first().map(|one| one.protocol.release_list());
        let releases = list.into_iter().flat_map(ReleaseList::releases);
        releases.copied()
    };
    let mut out = BTreeSet::new();
    if releases.is_empty() {
        out.extend(own().max());
    }
    for one in releases {
        match one {
            Wanted::Recorded => out.extend(own()),
            Wanted::All => out.extend(listed()),
            Wanted::Within(range) => {
                out.extend(listed().filter(|release| range.contains(*release)));
            }
            Wanted::This(release) => {
                out.insert(*release);
            }
        }
    }
    out
}

/// A scenario in a release: its recording, or the nearest later one, or else the newest.
fn of_release(recorded: &[&Scenario], release: Release) -> Option<Scenario> {
    let later = recorded
        .iter()
        .filter(|scenario| scenario.release >= release);
    let nearest = later.min_by_key(|scenario| scenario.release);
    let nearest = nearest.or(recorded.iter().max_by_key(|scenario| scenario.release))?;
    Some(Scenario {
        is_converted: nearest.release != release,
        release,
        ..(**nearest).clone()
    })
}

/// Whether a name matches a pattern in which `*` stands for anything.
pub(crate) fn matches(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        last = Some(part);
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    match last {
        // What follows the last `*` ends the name.
        Some(part) => name.ends_with(part) && name.len() >= first.len() + part.len(),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (glob, name, expected) in [
            ("app-server/*", "app-server/turn", true),
            ("*", "exec/message", true),
            ("exec/message", "exec/message", true),
            ("exec", "exec/message", false),
            ("*/turn", "app-server/turn", true),
            ("*turn*", "app-server/turn", true),
            ("a*b*c", "abxc", true),
            ("a*b", "abx", false),
        ] {
            assert_eq!(matches(glob, name), expected, "{glob} {name}");
        }
    }

    #[test]
    fn patterns_that_choose_nothing_are_named() {
        let globs = ["walrus".to_owned(), "app-server/x*".to_owned()];
        let error = Scenario::chosen(&Scenario::built_in(), &globs, &[]).unwrap_err();
        let said = error.to_string();
        let expected = "no scenario is named walrus or app-server/x*; there are ";
        assert!(said.starts_with(expected), "{said}");
    }

    #[test]
    fn every_built_in_scenario_has_its_recording() {
        let recordings = embedded_all().expect("recordings");
        let listed: usize = SCENARIOS.iter().map(|s| s.recordings.len()).sum();
        assert_eq!(Scenario::built_in().len(), listed);
        for (_, path) in SCENARIOS.iter().flat_map(|scenario| scenario.recordings) {
            assert!(recordings.contains_key(*path), "{path}");
        }
        assert_eq!(recordings.len(), listed);
    }

    /// What a recording does not say follows from what it holds and from what is wanted; where it shows nothing, it is asked for.
    #[test]
    fn a_recording_is_of_a_release_that_could_have_written_it() {
        let release = |text: &str| text.parse().expect("a release");
        let read = |text: &str| {
            Recording::read("a/run.jsonl", text.into(), codex_wire_replay::About::new())
                .expect("a recording")
        };
        let plain = "{\"type\":\"thread.started\",\"thread_id\":\"0199a213-81c0-7800-8aa1-bbab2a035a53\"}\n\
                     {\"type\":\"turn.started\"}\n\
                     {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\"cached_input_tokens\":0,\"output_tokens\":1}}\n";
        let chosen = |wanted: &[Wanted]| {
            let all = Scenario::of_recordings(vec![read(plain)], wanted).expect("scenarios");
            let chosen = Scenario::chosen(&all, &[], wanted).expect("scenarios");
            let one = |one: &Scenario| format!("{} {}", one.release, one.is_converted);
            chosen.iter().map(one).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&[]), ["0.124.0 false"]);
        assert_eq!(chosen(&[Wanted::This(release("0.44.0"))]), ["0.44.0 false"]);
        assert_eq!(
            chosen(&[Wanted::This(release("0.169.0"))]),
            ["0.169.0 true"]
        );

        // Neither is left out.
        let mut others = [read(plain), read(plain)];
        others[1].name = "b/run.jsonl".to_owned();
        let all = Scenario::of_recordings(others.to_vec(), &[]).expect("scenarios");
        let names: Vec<&str> = all.iter().map(Scenario::name).collect();
        assert_eq!(names, ["exec/run", "exec/b/run"]);
        assert_eq!(
            Scenario::chosen(&all, &[], &[]).expect("scenarios").len(),
            2
        );

        let unsaid = read("{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"exec\"}\n");
        let error = Scenario::of_recordings(vec![unsaid], &[]).expect_err("no release");
        let said = "a/run.jsonl does not say which release it is: record it with `codex-wire tap --record`, or put \
                    `manifest.json` beside it, as docs/replay.md has it";
        assert_eq!(error.to_string(), said);
    }

    #[test]
    fn the_newest_release_is_chosen() {
        let release = |text: &str| text.parse().expect("a release");
        let chosen = |releases: &[Wanted]| -> Vec<Scenario> {
            let all = Scenario::built_in();
            let names = ["exec/message".to_owned()];
            Scenario::chosen(&all, &names, releases).expect("scenarios")
        };
        let names = |releases: &[Wanted]| -> Vec<String> {
            let chosen = chosen(releases);
            chosen
                .iter()
                .map(|scenario| scenario.release.to_string())
                .collect()
        };
        assert_eq!(names(&[]), ["0.169.0"]);
        let two = [
            Wanted::This(release("0.44.0")),
            Wanted::This(release("0.125.0")),
        ];
        assert_eq!(names(&two), ["0.44.0", "0.125.0"]);
        assert_eq!(names(&[Wanted::Recorded]).len(), 4);
        assert!(names(&[Wanted::All]).len() > 50);
        let range = ReleaseBounds {
            since: Some(release("0.144.6")),
            until: Some(release("0.146.1")),
        };
        assert_eq!(
            names(&[Wanted::Within(range)]),
            ["0.144.6", "0.145.0", "0.146.0", "0.146.1"]
        );
        let converted = chosen(&[Wanted::This(release("0.110.0"))]).remove(0);
        assert!(converted.is_converted && converted.release.to_string() == "0.110.0");
    }
}
