//! The places that entries of the overlay touch, and the list of them that `codex-wire-diff` has.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use app_server_codegen::facts::{Facts, Owner, Part, Place, differences};
use app_server_codegen::repository::{Tables, root};
use app_server_codegen::store;
use codex_wire::Release;
use libtest_mimic::Failed;
use serde_json::{Map, Value};

use super::CORRECTED;

/// The places that entries of the overlay touch, with the releases and the reason.
pub(super) type Touched = BTreeMap<String, (BTreeSet<Release>, String)>;

pub(super) static TOUCHED: LazyLock<Touched> = LazyLock::new(|| touched().unwrap());

/// One entry of the overlay as text, with its reason.
fn entries() -> Result<Vec<(String, String)>, Failed> {
    let text = std::fs::read_to_string(store::folder().join("overlay.toml"))?;
    let mut out: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if line == "[[entry]]" || line == "[[family]]" {
            out.push((String::new(), String::new()));
        }
        if let Some((reason, body)) = out.last_mut() {
            if let Some(said) = line.strip_prefix("reason = ") {
                *reason = serde_json::from_str(said)?;
            }
            body.push_str(line);
            body.push('\n');
        }
    }
    Ok(out)
}

fn touched() -> Result<Touched, Failed> {
    let tables = Tables::load()?;
    let plain = store::load(&store::folder())?;
    let corrected = tables.overlay.apply(&plain)?;
    let entries = entries()?;
    // Releases differ in little, and all entries are read for a reason.
    let mut reasons: BTreeMap<Place, Option<String>> = BTreeMap::new();
    let mut reason = |place: &Place| match reasons.get(place) {
        Some(known) => known.clone(),
        None => {
            let found = reason(&entries, &place.owner, &place.part);
            reasons.insert(place.clone(), found.clone());
            found
        }
    };
    let mut out = Touched::new();
    for release in &plain.releases {
        let without = plain.at(*release, true).facts();
        let with = corrected.at(*release, true).facts();
        let found = differences(&without, &with);
        let whole: BTreeSet<&Owner> = found
            .iter()
            .filter(|difference| difference.place.part == Part::Whole)
            .map(|difference| &difference.place.owner)
            .collect();
        for difference in &found {
            let Place { owner, part } = &difference.place;
            if whole.contains(owner) && *part != Part::Whole {
                continue;
            }
            let Some(place) = place(owner, part) else {
                continue;
            };
            let reason =
                reason(&difference.place).ok_or_else(|| format!("no entry for {place}"))?;
            let known = out
                .entry(place)
                .or_insert_with(|| (BTreeSet::new(), reason));
            known.0.insert(*release);
        }
        // What is only reached by way of a correction is part of it: a definition the official
        // schema has and nowhere refers to, or refers to and does not have.
        let (words_without, words_with) = (words(&without), words(&with));
        let mut first: Vec<(String, String)> = Vec::new();
        let mut second: Vec<(String, String)> = Vec::new();
        for difference in &found {
            let Place { owner, part } = &difference.place;
            let Some(reason) = reason(&difference.place) else {
                continue;
            };
            if let (Owner::Definition(name), Part::Whole, None) = (owner, part, &difference.first) {
                for place in words_with.get(name.as_str()).into_iter().flatten() {
                    if let Some(place) = self::place(&place.owner, &place.part) {
                        let known = out.entry(place);
                        let known = known.or_insert_with(|| (BTreeSet::new(), reason.clone()));
                        known.0.insert(*release);
                    }
                }
            }
            // Where one definition stands for another, so does all that only one of them reaches.
            if let (Some(was), Some(is)) = (&difference.first, &difference.second) {
                let (was, is) = (reached(&without, was), reached(&with, is));
                for name in was.symmetric_difference(&is) {
                    let known = out.entry(name.clone());
                    let known = known.or_insert_with(|| (BTreeSet::new(), reason.clone()));
                    known.0.insert(*release);
                }
            }
            first.extend(
                difference
                    .first
                    .iter()
                    .map(|text| (text.clone(), reason.clone())),
            );
            second.extend(
                difference
                    .second
                    .iter()
                    .map(|text| (text.clone(), reason.clone())),
            );
        }
        for (mut waiting, own, other) in [
            (first, &without, &words_with),
            (second, &with, &words_without),
        ] {
            let mut part: BTreeMap<String, String> = BTreeMap::new();
            while let Some((text, reason)) = waiting.pop() {
                for word in text.split(|c: char| !c.is_alphanumeric()) {
                    let owner = Owner::Definition(word.to_owned());
                    let whole = Place {
                        owner,
                        part: Part::Whole,
                    };
                    if part.contains_key(word) || !own.contains_key(&whole) {
                        continue;
                    }
                    let within = |place: &&Place| match &place.owner {
                        Owner::Definition(name) => name == word || part.contains_key(name),
                        _ => false,
                    };
                    if !other.get(word).into_iter().flatten().all(within) {
                        continue;
                    }
                    part.insert(word.to_owned(), reason.clone());
                    let members = own.iter().filter(|(place, _)| place.owner == whole.owner);
                    waiting.extend(members.map(|(_, text)| (text.clone(), reason.clone())));
                }
            }
            for (name, reason) in part {
                let known = out.entry(name).or_insert_with(|| (BTreeSet::new(), reason));
                known.0.insert(*release);
            }
        }
        // The envelope is reported once, beside the union of requests.
        let beside = Place {
            owner: Owner::Definition("JSONRPCRequest".to_owned()),
            part: Part::Member(None, "trace".to_owned()),
        };
        if with.contains_key(&beside) {
            for place in ["ClientRequest.trace", "app-server-client-requests.trace"] {
                let reason = "The union of requests leaves `trace` to `JSONRPCRequest`, which declares it for every request of the client.";
                let known = out.entry(place.to_owned());
                let known = known.or_insert_with(|| (BTreeSet::new(), reason.to_owned()));
                known.0.insert(*release);
            }
        }
    }
    Ok(out)
}

/// The places whose texts have a word, once for each time.
fn words(facts: &Facts) -> HashMap<&str, Vec<&Place>> {
    let mut out: HashMap<&str, Vec<&Place>> = HashMap::new();
    for (place, text) in facts {
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            out.entry(word).or_default().push(place);
        }
    }
    out
}

/// The definitions that a type reaches.
fn reached(facts: &Facts, text: &str) -> BTreeSet<String> {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.map(str::to_owned).collect()
    };
    let mut waiting = words(text);
    let mut out = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        let owner = Owner::Definition(name.clone());
        let whole = Place {
            owner: owner.clone(),
            part: Part::Whole,
        };
        // A document may refer to what it does not have.
        if !name.starts_with(char::is_uppercase) || !out.insert(name) {
            continue;
        }
        let own = facts
            .range(whole..)
            .take_while(|(place, _)| place.owner == owner);
        waiting.extend(own.flat_map(|(_, text)| words(text)));
    }
    out
}

/// A place as comparisons name it.
fn place(owner: &Owner, part: &Part) -> Option<String> {
    let name = match owner {
        Owner::Messages(_) => return None,
        Owner::Method(_, method) => method,
        Owner::Definition(name) => name,
    };
    Some(match part {
        Part::Whole | Part::Alternative(_) | Part::Choice(None) => name.clone(),
        Part::Variant(tag) | Part::Choice(Some(tag)) => format!("{name}<{tag}>"),
        Part::Member(None, member) => format!("{name}.{member}"),
        Part::Member(Some(tag), member) => format!("{name}<{tag}>.{member}"),
        Part::Value(value) | Part::Content(value) => format!("{name}={value}"),
        Part::Result => return None,
    })
}

/// The reason of the entry that speaks of a part.
fn reason(entries: &[(String, String)], owner: &Owner, part: &Part) -> Option<String> {
    let owner = match owner {
        Owner::Messages(_) => return None,
        Owner::Method(_, name) | Owner::Definition(name) => name.as_str(),
    };
    let member = match part {
        Part::Member(_, name) | Part::Value(name) | Part::Content(name) => Some(name.as_str()),
        _ => None,
    };
    let word = |body: &str, wanted: &str| {
        body.split(|c: char| !(c.is_alphanumeric() || "_/-".contains(c)))
            .any(|word| word == wanted)
    };
    let full = entries.iter().find(|(_, body)| {
        let prefix = body
            .lines()
            .find_map(|line| line.strip_prefix("prefix = \""));
        let family = prefix.and_then(|prefix| prefix.strip_suffix('"'));
        family.is_some_and(|prefix| owner.starts_with(prefix))
            || word(body, owner) && member.is_none_or(|member| word(body, member))
    });
    full.map(|(reason, _)| reason.clone())
}

/// The list of corrections that `codex-wire-diff` has is made from the overlay.
pub(super) fn corrections() -> Result<(), Failed> {
    let path: PathBuf = root().join("crates/codex-wire-diff/src/corrections.txt");
    let releases: Vec<Release> = CORRECTED.0.releases.to_vec();
    let mut by_reason: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for (place, (known, reason)) in &*TOUCHED {
        let ranges: Vec<Value> = runs(&releases, known)
            .into_iter()
            .map(Value::from)
            .collect();
        by_reason
            .entry(reason)
            .or_default()
            .insert(place.clone(), Value::Array(ranges));
    }
    let mut text = String::from(
        "# Where releases of the app-server are described otherwise than their official schemas have it.\n\
         # Made from tools/app-server-codegen/model/overlay.toml by `cargo xtask generate --only corrections`\n",
    );
    for (reason, places) in by_reason {
        let _ = writeln!(text, "! {reason}");
        for (place, ranges) in places {
            for availability in ranges
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
            {
                let _ = writeln!(text, "{place} {availability}");
            }
        }
    }
    golden_files::assert_file(&path, &text);
    Ok(())
}

/// Runs of neighbouring releases: `0.143.0..`, `0.58.0..0.104.0`.
fn runs(all: &[Release], known: &BTreeSet<Release>) -> Vec<String> {
    let mut out: Vec<(Release, Release)> = Vec::new();
    let mut last = None;
    for (at, release) in all.iter().enumerate() {
        if !known.contains(release) {
            continue;
        }
        match out.last_mut() {
            Some(run) if last == at.checked_sub(1) && at > 0 => run.1 = *release,
            _ => out.push((*release, *release)),
        }
        last = Some(at);
    }
    let text = |(since, until): (Release, Release)| match all.last() == Some(&until) {
        true => format!("{since}.."),
        false => format!("{since}..{until}"),
    };
    out.into_iter().map(text).collect()
}
