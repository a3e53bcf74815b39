//! Loads the sides that the command line names: releases, forks, files, folders.

use std::fs;
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_base::{MessageSet, Release};
use codex_wire_diff::Side;
use codex_wire_schema::Stability;
use ignore::WalkBuilder;
use serde_json::Value;

use super::scope::Scope;
use crate::resolve_release;

/// The two sides of a comparison.
pub(super) fn both(
    scope: Scope,
    names: [&str; 2],
    stability: Stability,
    color: ColorChoice,
) -> anyhow::Result<(Side, Side)> {
    let [before, after] = names;
    let candidates = scope.candidates();
    if names.iter().all(|name| ended(&candidates, name).is_some())
        && let Some(last) = candidates
            .iter()
            .map(|one| one.release_list().latest())
            .max()
    {
        bail!("neither {before} nor {after} has {scope}: {last} was the last release with it");
    }
    let before = side(scope, before, stability, color)?;
    let after = side(scope, after, stability, color)?;
    Ok((before, after))
}

/// One side.
fn side(
    scope: Scope,
    name: &str,
    stability: Stability,
    color: ColorChoice,
) -> anyhow::Result<Side> {
    let path = Path::new(name);
    if !is_release(name) {
        if path.is_dir() {
            return folder(path);
        }
        if path.is_file() || name.contains(['/', '\\']) || name.ends_with(".json") {
            return Ok(Side::document(name, read(path)?)?);
        }
    }
    if let Some(release) = ended(&scope.candidates(), name) {
        return Ok(Side::release(&[], release, stability).named(name));
    }
    let (_, release) = resolve_release::of_message_sets(&scope.candidates(), name, color)?;
    Ok(of_release(scope, release, stability).named(name))
}

/// Whether that is the name of a release or of a fork. It stays one beside a file or folder of this name, which
/// is meant by `./0.169.0`.
fn is_release(name: &str) -> bool {
    let forks = MessageSet::ALL
        .iter()
        .flat_map(|set| set.release_list().points());
    name.parse::<Release>().is_ok() || forks.into_iter().any(|point| point.name == name)
}

/// The release of this name, if it is newer than the last release with any of these message sets.
fn ended(message_sets: &[MessageSet], name: &str) -> Option<Release> {
    let release: Release = name.parse().ok()?;
    let after = |message_set: &MessageSet| {
        !message_set.is_current() && release > message_set.release_list().latest()
    };
    message_sets.iter().all(after).then_some(release)
}

/// A release as a side.
pub(crate) fn of_release(scope: Scope, release: Release, stability: Stability) -> Side {
    Side::release(&scope.at(release), release, stability)
}

fn folder(path: &Path) -> anyhow::Result<Side> {
    let entries = WalkBuilder::new(path)
        .standard_filters(false)
        .sort_by_file_name(Ord::cmp)
        .build();
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
        let file = entry.path();
        if file.extension().is_some_and(|ending| ending == "json") && file.is_file() {
            let below: PathBuf = file.strip_prefix(path).unwrap_or(file).to_path_buf();
            files.push((below.display().to_string(), read(file)?));
        }
    }
    if files.is_empty() {
        bail!("{}: the folder holds no .json files", path.display());
    }
    Ok(Side::folder(path.display().to_string(), files)?)
}

fn read(path: &Path) -> anyhow::Result<Value> {
    let shown = path.display();
    let text = fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    serde_json::from_slice(&text).with_context(|| format!("{shown} is not JSON"))
}
