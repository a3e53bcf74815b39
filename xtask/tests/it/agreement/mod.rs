//! Types → schema equals model → schema: our own schemas, read back, say of every release what
//! the corrected model says of it.
//!
//! Both sides become a [`Document`] in a normal form, cut down to what messages reach, and are
//! compared fact by fact. The normal form does away with what is spelt in two ways and means
//! one thing, and with nothing else:
//!
//! - A name for one type is that type: `ThreadId` is `string`. The types have no such names.
//! - Definitions of our own making stand for what is in them: branches of unions (`…Message`,
//!   `…Answer`, the structs of variants), `…Details`, `…Kind`, forms and alternatives.
//! - Members of a whole tagged union belong to each of its variants.
//! - Integer formats are the bounds they stand for; `uint` is `uint64`, no format is `int64`,
//!   `int16` is `int32`. Numbers have no format.
//! - A list of values that became free text still names the values it last had.
//!
//! A sample of releases is compared, in a wide run all of them.
//!
//! The envelope, which the official schema declares once for all methods, is spread over them:
//! requests have the `id`, those of the client the `trace` of `JSONRPCRequest`.

mod altered;
mod corrections;
pub(crate) mod model;
mod official;
mod schemas;

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use app_server_codegen::facts::{Difference, Facts, Owner, Part, Place, differences};
use app_server_codegen::repository::Tables;
use app_server_codegen::results::Results;
use app_server_codegen::types::{Signature, Type};
use app_server_codegen::{Kind, Model, Snapshot, store};
use codex_wire::Release;
use codex_wire_schema::Stability;
use libtest_mimic::{Failed, Trial};

/// What one side says of a release.
pub(crate) struct Document {
    /// Methods and definitions.
    pub(crate) snapshot: Snapshot,
    /// What answers requests.
    pub(crate) results: BTreeMap<(Kind, String), Signature>,
}

impl Document {
    fn facts(&self) -> Facts {
        let mut facts = self.snapshot.facts();
        for ((kind, method), result) in &self.results {
            let place = Place {
                owner: Owner::Method(*kind, method.clone()),
                part: Part::Result,
            };
            let mark = if result.optional { "optional " } else { "" };
            facts.insert(place, format!("{mark}{result}"));
        }
        facts
    }
}

/// The model and the tables beside it, read once.
pub(crate) static CORRECTED: LazyLock<(Model, Tables)> = LazyLock::new(|| {
    let tables = Tables::load().unwrap();
    let model = store::load(&store::folder()).unwrap();
    (tables.overlay.apply(&model).unwrap(), tables)
});

/// How much there is of each sort.
type Count = BTreeMap<&'static str, usize>;

/// What has been compared so far, by release.
static COMPARED: Mutex<BTreeMap<Release, Count>> = Mutex::new(BTreeMap::new());

pub(crate) fn trials() -> Vec<Trial> {
    let releases = sampling::spread(CORRECTED.0.releases.iter().copied(), 8).into_iter();
    let trial =
        |release: Release| Trial::test(format!("agreement::{release}"), move || agrees(release));
    releases
        .map(trial)
        .chain(altered::trials())
        .chain(official::trials())
        .collect()
}

/// Prints what the trials compared.
#[allow(clippy::print_stdout, reason = "the numbers are asked for")]
pub(crate) fn report() {
    official::report();
    let compared = COMPARED.lock().unwrap();
    let Some((newest, count)) = compared.last_key_value() else {
        return;
    };
    let mut total = Count::new();
    compared.values().for_each(|count| add(&mut total, count));
    println!("types and model compared at {newest}, stable and experimental: {count:?}");
    println!("at {} releases: {total:?}", compared.len());
}

fn agrees(release: Release) -> Result<(), Failed> {
    let (model, tables) = &*CORRECTED;
    let mut lines = Vec::new();
    for stability in Stability::ALL {
        let (count, found) = compare(model, &tables.results, release, stability)?;
        add(COMPARED.lock().unwrap().entry(release).or_default(), &count);
        lines.extend(found.iter().map(|d| format!("{stability}: {}", shown(d))));
    }
    match lines.is_empty() {
        true => Ok(()),
        false => Err(lines.join("\n").into()),
    }
}

/// Compares what the types say of a release with what a model says; also says how much was
/// compared.
pub(crate) fn compare(
    model: &Model,
    results: &Results,
    release: Release,
    stability: Stability,
) -> Result<(Count, Vec<Difference>), String> {
    let wanted = model::document(model, results, release, stability)?.facts();
    let named = model::named(model);
    let found = schemas::read(release, stability, &named)?.facts();
    Ok((counted(&wanted), differences(&wanted, &found)))
}

fn counted(facts: &Facts) -> Count {
    let mut count = Count::new();
    for Place { owner, part } in facts.keys() {
        let sort = match (owner, part) {
            (Owner::Definition(_), Part::Whole) => "definitions",
            (_, Part::Whole) => "methods",
            (_, Part::Member(..) | Part::Result) => "members",
            (_, Part::Choice(_)) => "choices of members",
            _ => "variants and values",
        };
        *count.entry(sort).or_default() += 1;
    }
    count
}

fn add(total: &mut Count, count: &Count) {
    for (sort, number) in count {
        *total.entry(*sort).or_default() += *number;
    }
}

/// A difference in words.
pub(crate) fn shown(difference: &Difference) -> String {
    let Difference {
        place,
        first,
        second,
    } = difference;
    let said = |said: &Option<String>| match said.as_deref() {
        None => "nothing".to_owned(),
        Some("") => "it is there".to_owned(),
        Some(said) => format!("`{said}`"),
    };
    format!(
        "{place}: the model says {}, the types say {}",
        said(first),
        said(second)
    )
}

/// A type from its alternatives.
fn joined(branches: impl IntoIterator<Item = Type>) -> Type {
    let mut branches: Vec<Type> = branches.into_iter().collect();
    branches.sort();
    branches.dedup();
    if branches.contains(&Type::Any) {
        return Type::Any;
    }
    match branches.len() {
        1 => branches.remove(0),
        // Of nothing, as of several.
        _ => Type::Union(branches),
    }
}

/// A signature from a type that may have `null` among its alternatives.
fn signature(value: Type, optional: bool) -> Signature {
    let (value, nullable) = match value {
        Type::Union(mut branches) if branches.contains(&Type::Null) => {
            branches.retain(|branch| *branch != Type::Null);
            (joined(branches), true)
        }
        one => (one, false),
    };
    Signature {
        value,
        optional,
        nullable,
    }
}

/// The type of a signature, with `null` among its alternatives where it has that.
fn spelt(signature: &Signature) -> Type {
    let mut branches = match signature.value.clone() {
        Type::Union(branches) => branches,
        one => vec![one],
    };
    if signature.nullable {
        branches.push(Type::Null);
    }
    joined(branches)
}
