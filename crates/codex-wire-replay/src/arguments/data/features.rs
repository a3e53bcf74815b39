//! The features of releases, as `codex features list` printed them where nothing is configured.
//!
//! Each line of the file is a feature in one state: `undo: stable false @ 0.98.0-0.104.0`. The lines stand in
//! the order in which releases print them; releases that sort them by name are those from `SORTED` on.

use std::fmt::Write as _;

use codex_wire_base::Release;

use super::holds;

/// What is recorded.
pub const FEATURES: &str = include_str!("features.txt");

/// The first recorded release that prints them in the order of their names.
const SORTED: Release = Release::new(0, 104, 0);

/// The first recorded release that prints columns, where earlier ones print tabs.
const COLUMNS: Release = Release::new(0, 92, 0);

/// A feature of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature<'a> {
    /// Its name.
    pub name: &'a str,
    /// How far it is, such as `under development`.
    pub stage: &'a str,
    /// Whether it is on.
    pub is_on: bool,
}

/// The features of a release in the order in which it prints them; none for a release that was not asked.
/// `recorded` is [`FEATURES`].
pub fn features(recorded: &str, release: Release) -> Vec<Feature<'_>> {
    let of = |line| {
        let (feature, ranges) = parts(line)?;
        holds(ranges, release).then_some(feature)
    };
    let mut features: Vec<Feature> = recorded.lines().filter_map(of).collect();
    if release >= SORTED {
        features.sort_by_key(|feature| feature.name);
    }
    features
}

/// A line of what is recorded: a feature, and the ranges of its releases.
pub fn parts(line: &str) -> Option<(Feature<'_>, &str)> {
    let (feature, ranges) = line.rsplit_once(" @ ")?;
    let (name, state) = feature.split_once(": ")?;
    let (stage, is_on) = state.rsplit_once(' ')?;
    let is_on = is_on.parse().ok()?;
    Some((Feature { name, stage, is_on }, ranges))
}

/// What a release prints of its features.
pub fn print(release: Release, features: &[Feature]) -> String {
    let width = |of: fn(&Feature) -> usize| features.iter().map(of).max().unwrap_or_default();
    let (names, stages) = (width(|one| one.name.len()), width(|one| one.stage.len()));
    let mut text = String::new();
    for Feature { name, stage, is_on } in features {
        let _ = match release < COLUMNS {
            true => writeln!(text, "{name}\t{stage}\t{is_on}"),
            false => writeln!(text, "{name:names$}  {stage:stages$}  {is_on}"),
        };
    }
    text
}
