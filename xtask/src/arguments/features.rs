//! Writes down which features a release lists.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use codex_wire::Release;
use codex_wire_replay::arguments::data::features::{self, Feature};

use super::run::Stage;

/// Features with their releases, in the order in which releases list them.
#[derive(Clone, Debug, Default)]
pub(super) struct Features(Vec<Entry>);

#[derive(Clone, Debug)]
struct Entry {
    name: String,
    /// Each stage, whether the feature is on there, and the releases where it is so.
    states: Vec<(String, bool, BTreeSet<Release>)>,
}

impl Features {
    /// Reads what is written down.
    pub(super) fn read(text: &str, of: impl Fn(&str) -> BTreeSet<Release>) -> Result<Self> {
        let mut all = Features::default();
        for line in text.lines() {
            let (feature, ranges) = features::parts(line).with_context(|| line.to_owned())?;
            all.entry(&feature, all.0.len()).states.push((
                feature.stage.to_owned(),
                feature.is_on,
                of(ranges),
            ));
        }
        Ok(all)
    }

    pub(super) fn write(&self, ranges: impl Fn(&BTreeSet<Release>) -> String) -> String {
        let entries = self.0.iter();
        let lines = entries.flat_map(|entry| {
            let states = entry.states.iter();
            states.map(|(stage, is_on, of)| {
                format!("{}: {stage} {is_on} @ {}\n", entry.name, ranges(of))
            })
        });
        lines.collect()
    }

    /// Drops what a release listed, which is asked again.
    pub(super) fn forget(&mut self, release: Release) {
        for entry in &mut self.0 {
            for (_, _, releases) in &mut entry.states {
                releases.remove(&release);
            }
            entry.states.retain(|(_, _, releases)| !releases.is_empty());
        }
        self.0.retain(|entry| !entry.states.is_empty());
    }

    /// Asks a release.
    pub(super) fn ask(&mut self, release: Release, stage: &Stage) -> Result<()> {
        let output = stage.run(&["features", "list"])?;
        // A release without the command takes its name for a prompt, and has no terminal to show it in.
        if output.status != Some(0) {
            return Ok(());
        }
        let rows: Vec<Feature> = output.stdout.lines().filter_map(row).collect();
        ensure!(
            features::print(release, &rows) == output.stdout,
            "{release} lists its features in another way:\n{}",
            output.stdout
        );
        let mut behind = 0;
        for row in &rows {
            let entry = self.entry(row, behind);
            let known = entry.states.iter_mut();
            let mut known =
                known.filter(|(stage, is_on, _)| *stage == row.stage && *is_on == row.is_on);
            match known.next() {
                Some((_, _, releases)) => _ = releases.insert(release),
                None => entry
                    .states
                    .push((row.stage.to_owned(), row.is_on, [release].into())),
            }
            let at = self.0.iter().position(|entry| entry.name == row.name);
            behind = at.map_or(0, |at| at + 1);
        }
        ensure!(
            self.printed(release) == output.stdout,
            "{release} lists its features in another order:\n{}",
            output.stdout
        );
        Ok(())
    }

    /// What a release prints, by what is written down.
    pub(super) fn printed(&self, release: Release) -> String {
        let written = self.write(|releases| match releases.contains(&release) {
            true => release.to_string(),
            false => "0.0.0".to_owned(),
        });
        features::print(release, &features::features(&written, release))
    }

    /// The entry of a feature; a new one stands at a place.
    fn entry(&mut self, feature: &Feature, place: usize) -> &mut Entry {
        let at = self.0.iter().position(|entry| entry.name == feature.name);
        let at = at.unwrap_or_else(|| {
            let (name, states) = (feature.name.to_owned(), Vec::new());
            self.0.insert(place, Entry { name, states });
            place
        });
        &mut self.0[at]
    }
}

/// A row of the list: a name, a stage of one or more words, and a state.
fn row(line: &str) -> Option<Feature<'_>> {
    let (name, rest) = line.split_once([' ', '\t'])?;
    let (stage, is_on) = rest.rsplit_once([' ', '\t'])?;
    let (stage, is_on) = (stage.trim(), is_on.parse().ok()?);
    Some(Feature { name, stage, is_on })
}
