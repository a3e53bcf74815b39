//! Equal in meaning: what the official schema of a release accepts our projections of it accept,
//! and the other way round, tried with instances.
//!
//! - Instances made from the official schema are accepted by our projections, open and exact.
//! - Instances made from our exact projection are accepted by the official schema.
//! - One-step mutants of both get the same verdict from the official schema and our open projection,
//!   which closes unions and lists of values as the official schema does.
//!
//! Every difference has an entry of the overlay, with its reason and evidence, or belongs to a
//! class that is listed in `classes.rs`. A run tries a part of some releases, of their stable or their
//! experimental document; a wide run a part of each release, and one of all tests everything.

mod classes;
pub(crate) mod instances;
pub(crate) mod mutants;
mod sides;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{LazyLock, Mutex};

use app_server_codegen::archive::{self, Official};
use app_server_codegen::overlay::Correction;
use app_server_codegen::store;
use codex_wire::Release;
use codex_wire_schema::Stability;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use self::instances::Seeds;
use self::sides::{Ours, Side};
use crate::agreement::{CORRECTED, model::named};

/// Of so many units one is tried where not all are.
const ONE_OF: usize = 12;

static OFFICIALS: LazyLock<Vec<Official>> =
    LazyLock::new(|| archive::read(&archive::folder()).unwrap());

/// The definitions that both sides have under one name.
static NAMED: LazyLock<BTreeSet<String>> = LazyLock::new(|| named(&CORRECTED.0));

static CORRECTIONS: LazyLock<Vec<Correction>> = LazyLock::new(|| {
    let official = store::load(&store::folder()).unwrap();
    CORRECTED
        .1
        .overlay
        .corrections(&official, &CORRECTED.0)
        .unwrap()
});

/// What was tried and found, over all trials.
static TALLY: Mutex<Tally> = Mutex::new(Tally {
    documents: 0,
    official: 0,
    ours: 0,
    mutants: 0,
    dangling: 0,
    corrected: BTreeMap::new(),
    classes: BTreeMap::new(),
});

struct Tally {
    documents: usize,
    official: usize,
    ours: usize,
    mutants: usize,
    /// Definitions that documents refer to and do not have.
    dangling: usize,
    /// Differences by the correction that explains them.
    corrected: BTreeMap<usize, usize>,
    /// Differences by their class.
    classes: BTreeMap<&'static str, usize>,
}

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |at: usize| {
        let name = format!("meaning::{}", OFFICIALS[at].release);
        Trial::test(name, move || equal(at))
    };
    let altered = ALTERATIONS.iter().map(|alteration| {
        let name = format!("meaning::altered::{}", alteration.name.replace(' ', "-"));
        Trial::test(name, move || noticed(alteration))
    });
    let releases = sampling::spread(0..OFFICIALS.len(), 12);
    releases.into_iter().map(trial).chain(altered).collect()
}

/// Prints what the trials tried.
#[allow(clippy::print_stdout, reason = "the numbers are asked for")]
pub(crate) fn report() {
    let tally = TALLY.lock().unwrap();
    if tally.documents == 0 {
        return;
    }
    let Tally {
        documents,
        official,
        ours,
        mutants,
        dangling,
        corrected,
        classes,
    } = &*tally;
    println!(
        "meaning: {documents} documents; {official} instances of the official schemas, {ours} of ours, \
         {mutants} mutants"
    );
    let explained: usize = corrected.values().sum();
    println!(
        "{} corrections explain {explained} differences:",
        corrected.len()
    );
    for (at, correction) in CORRECTIONS.iter().enumerate() {
        let count = corrected.get(&at).copied().unwrap_or_default();
        // In a part of everything there need not be any.
        if count > 0 || sampling::is_all() {
            println!("  {count:>7}  {}", correction.reason);
        }
    }
    println!("what official schemas leave open explains others:");
    for (class, count) in classes {
        println!("  {count:>7}  {class}");
    }
    println!(
        "  {dangling:>7}  definitions that are referred to and not there, lent by another release"
    );
}

fn equal(at: usize) -> Result<(), Failed> {
    let official = &OFFICIALS[at];
    let mut lines = Vec::new();
    let mut documents = sides::documents(&official.bundle)?;
    let part = (!sampling::is_all()).then_some(at % ONE_OF);
    if part.is_some() && documents.len() > 1 {
        documents.remove(at % 2);
    }
    for (stability, document) in documents {
        let run = Run::new(official.release, stability, &document)?;
        let found = run.compare(|at, _| part.is_none_or(|part| at % ONE_OF == part));
        lines.extend(found.into_iter().map(|line| format!("{stability}: {line}")));
        TALLY.lock().unwrap().documents += 1;
    }
    match lines.is_empty() {
        true => Ok(()),
        false => {
            let count = lines.len();
            // A few of each unit show more than many of one.
            let mut of_unit: BTreeMap<String, usize> = BTreeMap::new();
            lines.retain(|line| {
                let unit = line
                    .split_once(": {")
                    .map_or(line.as_str(), |(unit, _)| unit);
                let seen = of_unit.entry(unit.to_owned()).or_default();
                *seen += 1;
                *seen <= 3
            });
            lines.truncate(60);
            Err(format!("{count} differences, among them\n{}", lines.join("\n")).into())
        }
    }
}

/// A way to alter an official definition, and the difference that has to be reported.
struct Alteration {
    name: &'static str,
    unit: &'static str,
    alter: fn(&mut Value),
    reported: &'static str,
}

const ALTERATIONS: &[Alteration] = &[
    Alteration {
        name: "one of several members is no longer asked for",
        unit: "UserInput",
        alter: |schema| {
            let branches = schema["oneOf"].as_array_mut().unwrap();
            let image = branches
                .iter_mut()
                .find(|branch| branch["properties"]["type"]["enum"][0] == "image");
            image.unwrap().as_object_mut().unwrap().remove("anyOf");
        },
        reported: r#"{"type":"image"}: only official, open"#,
    },
    Alteration {
        name: "a text may be empty",
        unit: "ReasoningEffort",
        alter: |schema| {
            schema.as_object_mut().unwrap().remove("minLength");
        },
        reported: r#""": only official, open"#,
    },
    Alteration {
        name: "a value more",
        unit: "TurnStatus",
        alter: |schema| {
            schema["enum"]
                .as_array_mut()
                .unwrap()
                .push("postponed".into());
        },
        reported: r#""postponed": only official, open"#,
    },
    Alteration {
        name: "a member that has to be there",
        unit: "TurnPlanStep",
        alter: |schema| {
            schema["required"]
                .as_array_mut()
                .unwrap()
                .push("reason".into());
        },
        reported: "only ours",
    },
    Alteration {
        name: "a member of another type",
        unit: "TurnPlanStep",
        alter: |schema| schema["properties"]["step"] = serde_json::json!({"type": "integer"}),
        reported: "only official, open",
    },
    Alteration {
        name: "a member that no longer may be null",
        unit: "TurnError",
        alter: |schema| {
            schema["properties"]["additionalDetails"] = serde_json::json!({"type": "string"});
        },
        reported: r#""additionalDetails":null"#,
    },
];

/// A difference is reported, in the unit where it is.
fn noticed(alteration: &Alteration) -> Result<(), Failed> {
    let Alteration {
        unit,
        alter,
        reported,
        ..
    } = alteration;
    let official = OFFICIALS.last().ok_or("no releases")?;
    let documents = sides::documents(&official.bundle)?;
    let (stability, mut document) = documents.into_iter().next().ok_or("no document")?;
    alter(&mut document["definitions"]["v2"][*unit]);
    let found = Run::new(official.release, stability, &document)?.compare(|_, own| own == *unit);
    match found.iter().any(|line| line.contains(reported)) {
        true => Ok(()),
        false => Err(format!("reported was\n{}", found.join("\n")).into()),
    }
}

/// A definition as the nearest release has it, a later one first.
fn lent(release: Release, name: &str, is_newer: bool) -> Option<Value> {
    let at = OFFICIALS
        .iter()
        .position(|official| official.release == release)?;
    let (before, after) = OFFICIALS.split_at(at);
    for official in after.iter().chain(before.iter().rev()) {
        let (stable, experimental) = official.bundle.read().ok()?;
        for document in [experimental, Some(stable)].into_iter().flatten() {
            let all = &document["definitions"];
            let found = if is_newer {
                all["v2"].get(name)
            } else {
                all.get(name)
            };
            if let Some(found) = found {
                return Some(found.clone());
            }
        }
    }
    None
}

/// The name in the model of a definition of ours.
pub(crate) fn own_name(name: &str) -> &str {
    match name {
        "ErrorObject" => "JSONRPCErrorError",
        other => other,
    }
}

/// Both sides of a release.
struct Run {
    release: Release,
    stability: Stability,
    official: Side,
    open: Side,
    /// What Codex reads, and what it writes.
    exact: [Side; 2],
    leaving_out: Side,
}

/// What one side accepts and the other does not.
struct Difference<'a> {
    unit: &'a str,
    value: &'a Value,
    /// Whether the official schema accepts it, and ours does not.
    is_only_official: bool,
    /// Whether what Codex writes is the side that refuses it.
    is_written: bool,
    said: String,
}

impl Run {
    fn new(release: Release, stability: Stability, document: &Value) -> Result<Self, String> {
        let (model, tables) = &*CORRECTED;
        let answers = sides::answers(model, &tables.results, release, stability)?;
        let lent = |name: &str, is_newer| lent(release, name, is_newer);
        let (official, dangling) = sides::official(document, &answers, &NAMED, &lent)?;
        TALLY.lock().unwrap().dangling += dangling;
        let ours = |ours| sides::ours(release, stability, ours, &official.references);
        Ok(Run {
            release,
            stability,
            open: ours(Ours::Known)?,
            exact: [ours(Ours::Read)?, ours(Ours::Written)?],
            leaving_out: ours(Ours::WrittenLeavingOut)?,
            official,
        })
    }

    /// What differs in the units that are `wanted`, by their number and name.
    fn compare(&self, wanted: impl Fn(usize, &str) -> bool) -> Vec<String> {
        let seeds = self.seeds();
        let closed = seeds.values().map(Value::to_string).collect();
        let mut found = Vec::new();
        let units: BTreeSet<&String> = self
            .exact
            .iter()
            .flat_map(|side| side.references.keys())
            .collect();
        let units = units
            .into_iter()
            .filter(|unit| self.official.references.contains_key(*unit));
        for (at, unit) in units.enumerate() {
            if wanted(at, unit) {
                self.unit(unit, (&seeds, &closed), &mut found);
            }
        }
        found
    }

    /// An instance of each unit that all sides accept.
    fn seeds(&self) -> Seeds {
        let mut seeds = Seeds::new();
        let mut theirs = BTreeMap::new();
        for (unit, reference) in self.official.document.by_size() {
            theirs.insert(unit, reference);
        }
        // What Codex writes comes last: it has more members.
        let sides = self.exact.iter();
        let units = sides.flat_map(|side| {
            side.document
                .by_size()
                .into_iter()
                .map(move |unit| (side, unit))
        });
        for (side, (unit, reference)) in units {
            let Some(official) = theirs.get(unit) else {
                continue;
            };
            let both =
                |value: &Value| self.official.accepts(unit, value) && side.accepts(unit, value);
            let small = [
                self.official.document.smallest(official, &seeds),
                side.document.smallest(reference, &seeds),
            ];
            let seed = small.into_iter().find(both).or_else(|| {
                let all = self.official.document.instances(official, &seeds);
                let more = side.document.instances(reference, &seeds);
                all.into_iter()
                    .chain(more)
                    .map(|instance| instance.value)
                    .find(both)
            });
            seeds.extend(seed.map(|seed| (unit.to_owned(), seed)));
        }
        seeds
    }

    /// Tries a unit, with the seeds of all others, as values and as texts.
    fn unit(
        &self,
        unit: &str,
        (seeds, closed): (&Seeds, &HashSet<String>),
        found: &mut Vec<String>,
    ) {
        let official = &self.official.references[unit];
        let theirs = self.official.document.instances(official, seeds);
        let names = ["exact, read", "exact, written"];
        let exact = || {
            let sides = self.exact.iter().zip(names);
            sides.filter(|(side, _)| side.references.contains_key(unit))
        };
        let ours: Vec<_> = exact()
            .flat_map(|(side, _)| {
                let instances = side.document.instances(&side.references[unit], seeds);
                instances.into_iter().map(move |instance| (side, instance))
            })
            .collect();
        let mut tried: HashSet<String> = HashSet::new();
        let (mut of_official, mut of_ours, mut of_mutants) = (0, 0, 0);
        let mut to_alter: Vec<&Value> = Vec::new();
        for instance in &theirs {
            let value = &instance.value;
            if !tried.insert(value.to_string()) {
                continue;
            }
            of_official += 1;
            if !self.official.accepts(unit, value) {
                found.push(format!(
                    "{unit}: no instance of its own schema: {value}: {}",
                    self.official.refusal(unit, value)
                ));
                continue;
            }
            for (side, name) in exact().chain([(&self.open, "open")]) {
                if !side.accepts(unit, value) {
                    let said = format!("only official, {name}: {}", side.refusal(unit, value));
                    self.differ(
                        Difference {
                            unit,
                            value,
                            is_only_official: true,
                            is_written: name == names[1],
                            said,
                        },
                        found,
                    );
                }
            }
            if instance.is_whole {
                to_alter.push(value);
            }
        }
        for (side, instance) in &ours {
            let value = &instance.value;
            if !tried.insert(value.to_string()) {
                continue;
            }
            of_ours += 1;
            if !side.accepts(unit, value) {
                found.push(format!(
                    "{unit}: no instance of our own schema: {value}: {}",
                    side.refusal(unit, value)
                ));
                continue;
            }
            if !self.official.accepts(unit, value) {
                let said = format!("only ours: {}", self.official.refusal(unit, value));
                self.differ(
                    Difference {
                        unit,
                        value,
                        is_only_official: false,
                        is_written: false,
                        said,
                    },
                    found,
                );
            }
            if instance.is_whole {
                to_alter.push(value);
            }
        }
        for value in to_alter {
            for mutant in mutants::of(value, closed) {
                if !tried.insert(mutant.to_string()) {
                    continue;
                }
                of_mutants += 1;
                let (official, open) = (
                    self.official.accepts(unit, &mutant),
                    self.open.accepts(unit, &mutant),
                );
                let said = match (official, open) {
                    (true, false) => format!(
                        "mutant, only official: {}",
                        self.open.refusal(unit, &mutant)
                    ),
                    (false, true) => format!(
                        "mutant, only ours: {}",
                        self.official.refusal(unit, &mutant)
                    ),
                    _ => continue,
                };
                let difference = Difference {
                    unit,
                    value: &mutant,
                    is_only_official: official,
                    is_written: false,
                    said,
                };
                self.differ(difference, found);
            }
        }
        let mut tally = TALLY.lock().unwrap();
        tally.official += of_official;
        tally.ours += of_ours;
        tally.mutants += of_mutants;
    }

    /// Explains a difference, or says it.
    fn differ(&self, difference: Difference<'_>, found: &mut Vec<String>) {
        let Difference {
            unit, value, said, ..
        } = &difference;
        let correction = classes::correction(self.release, self.stability, unit, value);
        if let Some(at) = correction {
            *TALLY.lock().unwrap().corrected.entry(at).or_default() += 1;
        } else if difference.is_written && self.leaving_out.accepts(unit, value) {
            let class = "a member left out that is always written";
            *TALLY.lock().unwrap().classes.entry(class).or_default() += 1;
        } else if let Some(class) = classes::of(&self.official, &difference) {
            *TALLY.lock().unwrap().classes.entry(class).or_default() += 1;
        } else {
            found.push(format!("{unit}: {value}: {said}"));
        }
    }
}
