//! What the fixtures cover of a protocol: every kind, member and value its annotated document
//! declares, looked for in every line of every fixture.

mod inventory;
mod page;
mod walk;

use std::path::Path;

use anyhow::{Context as _, Result};
use codex_wire::{Protocol, Release, Timeline};
use serde_json::Value;

use crate::fixtures;

pub use inventory::{Feature, Inventory, Row};
pub use walk::walk;

/// Where the page is, under the root of the repository.
pub const PAGE: &str = "fixtures/COVERAGE.md";

/// Whether a transcript was recorded or written by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Recorded from a real binary.
    Recorded,
    /// Written by hand.
    Synthetic,
}

/// The page for the fixtures of the repository at `root`, and what they carry that the
/// document does not declare.
///
/// # Errors
/// When a fixture or a manifest cannot be read.
pub fn coverage(root: &Path) -> Result<(String, Vec<String>)> {
    let timeline = Protocol::Exec.timeline();
    let document = codex_wire_schema::annotated(Protocol::Exec);
    let mut inventory = Inventory::new(document, "Event", timeline.releases());
    let mut problems = Vec::new();
    let recorded = fixtures::read_recorded(root)?;
    for entry in &recorded {
        let file = format!("{}/{}", fixtures::RECORDED, entry.file);
        let at = (timeline, &*entry.release, Source::Recorded);
        look_through(root, &file, document, at, &mut inventory, &mut problems)?;
    }
    for entry in &fixtures::read_synthetic(root)? {
        if !entry.file.starts_with("exec/") {
            continue;
        }
        let file = format!("{}/{}", fixtures::SYNTHETIC, entry.file);
        let at = (timeline, &*entry.release, Source::Synthetic);
        look_through(root, &file, document, at, &mut inventory, &mut problems)?;
    }
    let mut releases: Vec<Release> = recorded
        .iter()
        .map(|entry| entry.release.parse())
        .collect::<Result<_, _>>()?;
    releases.sort();
    releases.dedup();
    Ok((page::page(&inventory, &releases, timeline), problems))
}

fn look_through(
    root: &Path,
    file: &str,
    document: &Value,
    (timeline, release, source): (Timeline, &str, Source),
    inventory: &mut Inventory,
    problems: &mut Vec<String>,
) -> Result<()> {
    let release: Release = release.parse()?;
    let speaks = timeline
        .floor(release)
        .with_context(|| format!("{file}: {release} is older than the protocol"))?;
    let text =
        std::fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))?;
    for (index, line) in text.split('\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let seen = walk(document, "Event", speaks, line)
            .with_context(|| format!("{file}, line {}", index + 1))?;
        for feature in seen {
            if !inventory.mark(&feature, speaks, release, source) {
                let problem = format!("{file}, line {}: {release} has no {feature}", index + 1);
                problems.push(problem);
            }
        }
    }
    Ok(())
}
