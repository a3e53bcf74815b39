//! Loads the sides that the command line names: releases, forks, files, folders.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use anyhow::{Context, bail};
use clap::builder::TypedValueParser;
use codex_wire_base::{Protocol, Release, Surface};
use codex_wire_diff::{Side, surfaces};
use codex_wire_schema::Stability;
use ignore::WalkBuilder;
use serde_json::Value;

use crate::{args, resolve};

/// A protocol with all its surfaces, or one surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoken {
    Protocol(Protocol),
    Surface(Surface),
}

impl Spoken {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Spoken::Protocol(protocol) => protocol.as_str(),
            Spoken::Surface(surface) => surface.as_str(),
        }
    }

    /// Where a release is looked for: `exec` at 0.34.0 can only mean its legacy form.
    fn candidates(self) -> Vec<Surface> {
        match self {
            Spoken::Protocol(protocol) => protocol.surfaces().to_vec(),
            Spoken::Surface(surface) => vec![surface],
        }
    }

    fn at(self, release: Release) -> Vec<Surface> {
        match self {
            Spoken::Protocol(protocol) => surfaces(protocol, release).to_vec(),
            Spoken::Surface(surface) => vec![surface],
        }
    }
}

impl fmt::Display for Spoken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reads the name of a protocol, or else of a surface.
pub(crate) fn spoken() -> impl TypedValueParser<Value = Spoken> {
    let protocols = Protocol::ALL.iter().copied().map(Spoken::Protocol);
    let surfaces = Surface::ALL.iter().copied().map(Spoken::Surface);
    let mut all: Vec<Spoken> = protocols.collect();
    for surface in surfaces {
        if all.iter().all(|known| known.as_str() != surface.as_str()) {
            all.push(surface);
        }
    }
    args::named(all, Spoken::as_str)
}

/// The two sides of a comparison.
pub(crate) fn both(
    spoken: Spoken,
    names: [&str; 2],
    stability: Stability,
    color: ColorChoice,
) -> anyhow::Result<(Side, Side)> {
    let [before, after] = names;
    let candidates = spoken.candidates();
    if names.iter().all(|name| ended(&candidates, name).is_some())
        && let Some(last) = candidates.iter().map(|one| one.timeline().latest()).max()
    {
        bail!("neither {before} nor {after} has {spoken}: {last} was the last release with it");
    }
    let before = side(spoken, before, stability, color)?;
    let after = side(spoken, after, stability, color)?;
    Ok((before, after))
}

/// One side.
fn side(
    spoken: Spoken,
    name: &str,
    stability: Stability,
    color: ColorChoice,
) -> anyhow::Result<Side> {
    let path = Path::new(name);
    if path.is_dir() {
        return folder(path);
    }
    if path.is_file() || name.contains(['/', '\\']) || name.ends_with(".json") {
        return Ok(Side::document(name, read(path)?)?);
    }
    if let Some(release) = ended(&spoken.candidates(), name) {
        return Ok(Side::release(&[], release, stability).named(name));
    }
    let (_, release) = resolve::release(&spoken.candidates(), name, color)?;
    Ok(of_release(spoken, release, stability).named(name))
}

/// The release a name is, if it came after all that spoke any of some surfaces.
fn ended(surfaces: &[Surface], name: &str) -> Option<Release> {
    let release: Release = name.parse().ok()?;
    let after = |surface: &Surface| !surface.is_current() && release > surface.timeline().latest();
    surfaces.iter().all(after).then_some(release)
}

/// A release as a side.
pub(crate) fn of_release(spoken: Spoken, release: Release, stability: Stability) -> Side {
    Side::release(&spoken.at(release), release, stability)
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
