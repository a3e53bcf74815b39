//! The scenarios: built in, or recordings of the user.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_base::{Protocol, Release, ReleaseList};
use codex_wire_replay::scenarios::SCENARIOS;
use serde_json::{Value, json};

use crate::commands::replay::recordings;
use crate::resolve_release;

/// The recordings of the built-in scenarios: for each path below `fixtures` its text, and what its
/// manifest says. Made by the tests.
const EMBEDDED: &[u8] = include_bytes!("recordings.deflate");

/// A scenario of one release.
#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) protocol: Protocol,
    pub(super) release: Release,
    /// Whether the recording is of another release, and is played as that one would have written it.
    pub(super) is_told: bool,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// A path below `fixtures`.
    BuiltIn(&'static str),
    File(PathBuf),
}

impl Scenario {
    /// The file with the recording; a built-in one is written to `folder`.
    pub(super) fn file(&self, folder: &Path) -> anyhow::Result<PathBuf> {
        let path = match &self.source {
            Source::File(path) => return Ok(path.clone()),
            Source::BuiltIn(path) => path,
        };
        let mut embedded = embedded()?;
        let entry = embedded
            .remove(*path)
            .with_context(|| format!("{path} is not built in"))?;
        let file = folder.join("recording.jsonl");
        let text = entry["text"].as_str().unwrap_or_default();
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        let mut about = entry.get("about").cloned().unwrap_or_default();
        if about.is_object() {
            about["file"] = "recording.jsonl".into();
            let manifest = json!({ "transcripts": [about] });
            fs::write(folder.join("manifest.json"), manifest.to_string())?;
        }
        Ok(file)
    }
}

fn embedded() -> anyhow::Result<BTreeMap<String, Value>> {
    let mut text = String::new();
    flate2::read::DeflateDecoder::new(EMBEDDED)
        .read_to_string(&mut text)
        .context("the built-in recordings are damaged")?;
    Ok(serde_json::from_str(&text)?)
}

/// The scenarios that the user chose, each in the releases that the user chose.
pub(super) fn chosen(
    globs: &[String],
    releases: &[String],
    files: &[PathBuf],
    color: ColorChoice,
) -> anyhow::Result<Vec<Scenario>> {
    let listed = listed(releases, color)?;
    let all = match files {
        [] => built_in(),
        files => of_user(files)?,
    };
    let named = |scenario: &&Scenario| {
        globs.is_empty() || globs.iter().any(|glob| matches(glob, &scenario.name))
    };
    let named: Vec<Scenario> = all.iter().filter(named).cloned().collect();
    if named.is_empty() {
        let mut names: Vec<&str> = all.iter().map(|scenario| scenario.name.as_str()).collect();
        names.dedup();
        bail!("no scenario has this name; there are {}", names.join(", "));
    }
    let mut names: Vec<&str> = Vec::new();
    for scenario in &named {
        if !names.contains(&scenario.name.as_str()) {
            names.push(&scenario.name);
        }
    }
    let mut chosen = Vec::new();
    for name in names {
        let recorded: Vec<&Scenario> = named.iter().filter(|other| other.name == name).collect();
        for release in wanted(&listed, &recorded) {
            chosen.extend(of_release(&recorded, release));
        }
    }
    Ok(chosen)
}

/// Which releases the user wants.
enum Wanted {
    /// Those that are recorded.
    Recorded,
    /// All of the protocol.
    All,
    This(Release),
}

/// What the user says, each release as it is listed.
fn listed(releases: &[String], color: ColorChoice) -> anyhow::Result<Vec<Wanted>> {
    let wanted = releases.iter().map(|text| {
        Ok(match text.as_str() {
            "recorded" => Wanted::Recorded,
            "all" => Wanted::All,
            text => Wanted::This(resolve_release::of_any(text, color)?),
        })
    });
    wanted.collect()
}

/// The releases in which a scenario is tried, oldest first.
fn wanted(releases: &[Wanted], recorded: &[&Scenario]) -> BTreeSet<Release> {
    let own = || recorded.iter().map(|scenario| scenario.release);
    let mut out = BTreeSet::new();
    if releases.is_empty() {
        out.extend(own().max());
    }
    for one in releases {
        match one {
            Wanted::Recorded => out.extend(own()),
            Wanted::All => {
                let list = recorded
                    .first()
                    .map(|scenario| scenario.protocol.release_list());
                out.extend(list.into_iter().flat_map(ReleaseList::releases));
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
        is_told: nearest.release != release,
        release,
        ..(**nearest).clone()
    })
}

fn built_in() -> Vec<Scenario> {
    let mut out = Vec::new();
    for scenario in SCENARIOS {
        for (release, path) in scenario.recordings {
            // A test holds that these are releases.
            if let Ok(release) = release.parse() {
                out.push(Scenario {
                    name: scenario.name.to_owned(),
                    protocol: scenario.protocol,
                    release,
                    is_told: false,
                    source: Source::BuiltIn(path),
                });
            }
        }
    }
    out
}

fn of_user(paths: &[PathBuf]) -> anyhow::Result<Vec<Scenario>> {
    let recordings = recordings::read(paths)?;
    let scenarios = recordings.into_iter().map(|recording| {
        let path = PathBuf::from(&recording.name);
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let release = recording.about.release;
        Ok(Scenario {
            name: format!("{}/{stem}", recording.protocol),
            protocol: recording.protocol,
            release: release
                .with_context(|| format!("{} does not say which release it is", recording.name))?,
            is_told: false,
            source: Source::File(path),
        })
    });
    scenarios.collect()
}

/// Whether a name matches a pattern in which `*` stands for anything.
pub(super) fn matches(glob: &str, name: &str) -> bool {
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
    fn every_built_in_scenario_has_its_recording() {
        let recordings = embedded().expect("recordings");
        let listed: usize = SCENARIOS.iter().map(|s| s.recordings.len()).sum();
        assert_eq!(built_in().len(), listed);
        for (_, path) in SCENARIOS.iter().flat_map(|scenario| scenario.recordings) {
            assert!(recordings.contains_key(*path), "{path}");
        }
        assert_eq!(recordings.len(), listed);
    }

    #[test]
    fn the_newest_release_is_chosen() {
        let names = |releases: &[&str]| -> Vec<String> {
            let releases: Vec<String> = releases.iter().map(|r| (*r).to_owned()).collect();
            let chosen = chosen(
                &["exec/message".to_owned()],
                &releases,
                &[],
                ColorChoice::Never,
            )
            .expect("scenarios");
            chosen
                .iter()
                .map(|scenario| scenario.release.to_string())
                .collect()
        };
        assert_eq!(names(&[]), ["0.169.0"]);
        assert_eq!(names(&["0.44.0", "0.125.0"]), ["0.44.0", "0.125.0"]);
        assert_eq!(names(&["recorded"]).len(), 4);
        assert!(names(&["all"]).len() > 50);
        let told = chosen(
            &["exec/message".to_owned()],
            &["0.110.0".to_owned()],
            &[],
            ColorChoice::Never,
        );
        let told = told.expect("a scenario").remove(0);
        assert!(told.is_told && told.release.to_string() == "0.110.0");
    }
}
