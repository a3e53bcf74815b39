//! The archive against the schemas: what the official TypeScript requires of what Codex writes, and
//! its JSON Schema does not, our exact schemas require, and nothing else beside what our known
//! schemas require. What recordings lack is listed in `left-out.toml`. A wide run holds all releases
//! against theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use app_server_codegen::archive;
use app_server_codegen::written::{Place, Written};
use codex_wire::{MessageSet, Release};
use codex_wire_schema::{Draft, Profile, Stability, project};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value};

use crate::agreement::CORRECTED;

/// What Codex writes.
const WRITTEN_SETS: [MessageSet; 4] = [
    MessageSet::AppServerServerNotifications,
    MessageSet::AppServerServerRequests,
    MessageSet::AppServerServerResponses,
    MessageSet::AppServerItems,
];

/// What it reads.
const READ_SETS: [MessageSet; 3] = [
    MessageSet::AppServerClientNotifications,
    MessageSet::AppServerClientRequests,
    MessageSet::AppServerClientResponses,
];

pub(crate) static WRITTEN: LazyLock<Written> = LazyLock::new(|| {
    let (corrected, tables) = &*CORRECTED;
    let officials = archive::read(&archive::folder()).unwrap();
    Written::of(&officials, corrected, &tables.results, &tables.left_out).unwrap()
});

pub(crate) fn trials() -> Vec<Trial> {
    let releases = sampling::spread(CORRECTED.0.releases.iter().copied(), 8).into_iter();
    let trial =
        |release: Release| Trial::test(format!("written::{release}"), move || required(release));
    releases.map(trial).collect()
}

fn required(release: Release) -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for stability in Stability::ALL {
        let mut found = BTreeSet::new();
        let mut there = BTreeSet::new();
        for set in WRITTEN_SETS {
            let both = Both::new(set, release, stability);
            found.extend(both.only_exact());
            there.extend(both.optional());
        }
        let all = WRITTEN.members();
        let wanted: BTreeSet<Place> = all
            .filter(|(place, releases)| releases.holds(release, true) && is_there(place, &there))
            .flat_map(|(place, _)| variants(place, &there))
            .collect();
        for (owner, name) in wanted.difference(&found) {
            complaints.push(format!("{stability}: `{owner}.{name}` is not required"));
        }
        for (owner, name) in found.difference(&wanted) {
            complaints.push(format!(
                "{stability}: `{owner}.{name}` is required without a reason"
            ));
        }
        if stability == Stability::Experimental {
            let lost = WRITTEN.members().filter(|(place, releases)| {
                releases.holds(release, true) && !is_there(place, &there)
            });
            complaints
                .extend(lost.map(|((owner, name), _)| format!("`{owner}.{name}` is nowhere")));
        }
        for set in READ_SETS {
            let more = Both::new(set, release, stability).only_exact();
            complaints.extend(more.iter().map(|(owner, name)| {
                format!("{stability}: `{owner}.{name}` is required of clients")
            }));
        }
    }
    match complaints.is_empty() {
        true => Ok(()),
        false => Err(complaints.join("\n").into()),
    }
}

fn is_there(place: &Place, there: &BTreeSet<Place>) -> bool {
    variants(place, there)
        .iter()
        .all(|place| there.contains(place))
}

/// Members of a whole union stand in each of its variants: those places, or the place itself.
fn variants(place: &Place, there: &BTreeSet<Place>) -> Vec<Place> {
    let (owner, name) = place;
    let is_variant = |(of, own): &&Place| {
        own == name && of.split_once("::").is_some_and(|(union, _)| union == owner)
    };
    let found: Vec<Place> = there.iter().filter(is_variant).cloned().collect();
    match found.is_empty() {
        true => vec![place.clone()],
        false => found,
    }
}

/// The definitions of two profiles of a message set.
struct Both {
    known: Value,
    exact: Value,
    /// The union and the tag of definitions that are variants.
    variants: BTreeMap<String, (String, String)>,
}

impl Both {
    fn new(set: MessageSet, release: Release, stability: Stability) -> Self {
        let of = |profile| project(set, release, profile, Draft::Draft202012, stability);
        let known = of(Profile::Known);
        let mut variants = BTreeMap::new();
        let root = known["title"].as_str().unwrap_or_default();
        let all = definitions(&known).iter();
        let all = all.map(|(name, schema)| (name.as_str(), schema));
        for (name, schema) in all.chain([(root, &known)]) {
            for (tag, reference) in schema["x-mapping"].as_object().into_iter().flatten() {
                let target = reference.as_str().and_then(|r| r.rsplit('/').next());
                let target = target.unwrap_or_default().to_owned();
                variants.insert(target, (own(name), tag.clone()));
            }
        }
        Both {
            exact: of(Profile::Exact),
            known,
            variants,
        }
    }

    /// Members that the exact profile requires and the known one does not.
    fn only_exact(&self) -> BTreeSet<Place> {
        let more = |name: &str, member: &str| requires(&self.exact, name, member);
        self.places(&more)
    }

    /// Members that may be left out by the known profile.
    fn optional(&self) -> BTreeSet<Place> {
        self.places(&|_, _| true)
    }

    fn places(&self, wanted: &dyn Fn(&str, &str) -> bool) -> BTreeSet<Place> {
        let mut out = BTreeSet::new();
        for (name, schema) in definitions(&self.known) {
            for member in schema["properties"]
                .as_object()
                .into_iter()
                .flat_map(Map::keys)
            {
                if requires(&self.known, name, member) || !wanted(name, member) {
                    continue;
                }
                let owner = match self.variants.get(name) {
                    Some((union, tag)) => format!("{union}::{tag}"),
                    None => own(name),
                };
                out.insert((owner, member.clone()));
            }
        }
        out
    }
}

fn definitions(root: &Value) -> &Map<String, Value> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    root["$defs"].as_object().unwrap_or(&NONE)
}

fn requires(root: &Value, definition: &str, member: &str) -> bool {
    let required = root["$defs"][definition]["required"].as_array();
    required.is_some_and(|required| required.iter().any(|name| name == member))
}

/// The name in the model: without the releases that tell forms of a definition apart.
fn own(name: &str) -> String {
    let mut short = name;
    for part in ["Since0_", "Until0_", "From0_"] {
        if let Some((before, rest)) = short.split_once(part)
            && rest.chars().all(|c| c.is_ascii_digit() || c == '_')
        {
            short = before;
        }
    }
    short.to_owned()
}
