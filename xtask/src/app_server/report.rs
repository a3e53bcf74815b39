//! Phrases what a release changes in the model.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Result, bail};
use app_server_codegen::facts::{Difference, Facts, Owner, Part, Place, differences};
use app_server_codegen::repository::Tables;
use app_server_codegen::results::Results;
use app_server_codegen::{Kind, Model};
use codex_wire::Release;

/// What is new, changed and gone with a release: against the release before it, or against what
/// the model said of it before, where it did.
pub(super) fn report(before: &Model, after: &Model, tables: &Tables, release: Release) -> String {
    let results = &tables.results;
    let now = facts(after, results, release);
    let at = after.releases.partition_point(|known| *known < release);
    let (title, then) = if before.releases.contains(&release) {
        let title = format!("{release} against what was known of it");
        (title, facts(before, results, release))
    } else if let Some(previous) = at.checked_sub(1).and_then(|at| after.releases.get(at)) {
        let title = format!("{release} against {previous}");
        (title, facts(after, results, *previous))
    } else {
        return format!("{release} is the oldest release\n");
    };
    let changes = differences(&then, &now);
    if changes.is_empty() {
        return format!("{title}: nothing new\n");
    }
    let mut sections: BTreeMap<usize, Vec<(Sort, String)>> = BTreeMap::new();
    let whole: BTreeSet<&Owner> = changes
        .iter()
        .filter(|change| change.place.part == Part::Whole)
        .filter(|change| change.first.is_none() || change.second.is_none())
        .map(|change| &change.place.owner)
        .collect();
    for change in &changes {
        let line = if whole.contains(&change.place.owner) {
            // What came or went as a whole is one line.
            match change.place.part {
                Part::Whole => entire(change, &then, &now),
                _ => continue,
            }
        } else {
            part(change)
        };
        let section = section(&change.place.owner, tables);
        sections.entry(section).or_default().push(line);
    }
    let mut out = format!("{title}\n");
    for (section, mut lines) in sections {
        lines.sort_by_key(|(sort, _)| *sort);
        let _ = writeln!(out, "\n{}", heading(section, tables));
        for (sort, line) in lines {
            let _ = writeln!(out, "  {:<8} {line}", sort.word());
        }
    }
    out
}

/// How something differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    New,
    Changed,
    Gone,
}

impl Sort {
    fn of(change: &Difference) -> Self {
        match (&change.first, &change.second) {
            (None, _) => Sort::New,
            (_, None) => Sort::Gone,
            _ => Sort::Changed,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Sort::New => "new",
            Sort::Changed => "changed",
            Sort::Gone => "gone",
        }
    }
}

/// The facts of a release. What only clients with the experimental API meet says so.
fn facts(model: &Model, results: &Results, release: Release) -> Facts {
    let view = |experimental| {
        let snapshot = model.at(release, experimental);
        let mut facts = snapshot.facts();
        for (kind, method) in snapshot
            .methods
            .keys()
            .filter(|(kind, _)| kind.is_request())
        {
            // One that nothing is known of yet is asked for elsewhere.
            let answers = results.of(model, *kind, method).unwrap_or_default();
            for (answer, availability) in answers {
                if availability.holds(release, experimental) {
                    let place = Place {
                        owner: Owner::Method(*kind, method.clone()),
                        part: Part::Result,
                    };
                    facts.insert(place, answer.to_string());
                }
            }
        }
        facts
    };
    let stable = view(false);
    let mut facts = view(true);
    for (place, said) in &mut facts {
        match stable.get(place) {
            Some(same) if same == said => {}
            Some(other) => *said = format!("{other} (with the experimental API {said})"),
            None => *said = format!("{said} (experimental)"),
        }
    }
    for (place, said) in stable {
        facts
            .entry(place)
            .or_insert_with(|| format!("{said} (not with the experimental API)"));
    }
    facts
}

/// A method or definition that came or went.
fn entire(change: &Difference, then: &Facts, now: &Facts) -> (Sort, String) {
    let sort = Sort::of(change);
    let facts = if sort == Sort::Gone { then } else { now };
    let owner = &change.place.owner;
    let of = |part: Part| {
        let place = Place {
            owner: owner.clone(),
            part,
        };
        facts.get(&place).map(|said| plain(said))
    };
    let said = change
        .second
        .as_deref()
        .or(change.first.as_deref())
        .unwrap_or_default();
    let mut line = shown(&change.place);
    match owner {
        Owner::Definition(_) => {
            let parts = facts.keys().filter(|place| place.owner == *owner).count() - 1;
            let _ = write!(line, ": {} ({parts})", plain(said));
        }
        _ => {
            if let Some(params) = of(Part::Member(None, "params".to_owned())) {
                let _ = write!(line, ": {params}");
            }
            if let Some(result) = of(Part::Result) {
                let _ = write!(line, " -> {result}");
            }
        }
    }
    if said.ends_with(EXPERIMENTAL) {
        line.push_str(EXPERIMENTAL);
    }
    (sort, line)
}

/// A part of a method or definition that came, went or changed.
fn part(change: &Difference) -> (Sort, String) {
    let place = shown(&change.place);
    let line = match (&change.first, &change.second) {
        (Some(first), Some(second)) => format!("{place}: {first}, now {second}"),
        (said, None) | (None, said) => match said.as_deref().unwrap_or_default() {
            "" => place,
            EXPERIMENTAL => format!("{place}{EXPERIMENTAL}"),
            said => format!("{place}: {said}"),
        },
    };
    (Sort::of(change), line)
}

/// A place under the heading of its section.
fn shown(place: &Place) -> String {
    let text = place.to_string();
    let kind = match &place.owner {
        Owner::Method(kind, _) => format!("{} ", kind.words()),
        _ => return text,
    };
    text.strip_prefix(&kind).map_or(text.clone(), str::to_owned)
}

const EXPERIMENTAL: &str = " (experimental)";

fn plain(said: &str) -> &str {
    said.strip_suffix(EXPERIMENTAL).unwrap_or(said)
}

/// Messages come first, then the definitions by domain, then those that have none yet.
fn section(owner: &Owner, tables: &Tables) -> usize {
    let domains = tables.domains.all();
    match owner {
        Owner::Messages(kind) | Owner::Method(kind, _) => Kind::ALL
            .iter()
            .position(|of| of == kind)
            .unwrap_or_default(),
        Owner::Definition(name) => {
            let domain = tables.domains.of(name);
            let at = domain.and_then(|of| domains.iter().position(|d| d.name == of.name));
            Kind::ALL.len() + at.unwrap_or(domains.len())
        }
    }
}

fn heading(section: usize, tables: &Tables) -> String {
    match Kind::ALL.get(section) {
        Some(kind) => format!("{}s", kind.words()),
        None => {
            let domain = tables.domains.all().get(section - Kind::ALL.len());
            domain.map_or_else(|| "no domain".to_owned(), |domain| domain.name.clone())
        }
    }
}

/// Whether the tables say of all that is in a model what they have to.
///
/// # Errors
/// In words, with everything that is missing.
pub(super) fn fitting(model: &Model, tables: &Tables) -> Result<()> {
    let mut missing = Vec::new();
    for name in model.definitions.keys() {
        if tables.domains.of(name).is_none() {
            missing.push(format!("model/domains.toml places `{name}` in no domain"));
        }
    }
    let corrected = tables.overlay.apply(model)?;
    for (kind, method) in corrected
        .methods
        .keys()
        .filter(|(kind, _)| kind.is_request())
    {
        if let Err(error) = tables.results.of(&corrected, *kind, method) {
            missing.push(format!("model/{error}"));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "the tables in tools/app-server-codegen do not fit:\n{}",
        missing.join("\n")
    )
}
