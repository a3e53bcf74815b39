//! Which release of Codex writes which databases, with which tables and columns.
//!
//! No schema of them is published. So `cargo xtask databases` lets a release take a turn, offline, opens what it left
//! in its home, and writes down which columns there are. The file has a line for each, with the releases that were
//! seen with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use codex_wire::Release;
use codex_wire_record::scenes;
use codex_wire_state::Database;

use crate::app_server::binaries;
use crate::fixtures::write;

/// What is known, under the root of the repository.
pub const FILE: &str = "xtask/data/databases.txt";

/// The scene that is played: one turn for a client.
const SCENE: (&str, &str) = ("app-server", "message");

const ABOUT: &str = "\
# Which releases write which databases, tables and columns: written by `cargo xtask databases`.
# A range is of releases that were asked, and says nothing of others between them.
";

/// What releases were seen to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schemas {
    asked: BTreeSet<Release>,
    /// A file, its number of changes to the schema, or a column, and the releases that have it.
    facts: BTreeMap<String, BTreeSet<Release>>,
}

/// Asks releases, and adds what they write to what is known.
///
/// # Errors
/// When a release cannot be had or takes no turn, or a file not be read or written.
pub fn record(root: &Path, releases: &[Release], tell: impl Fn(&str)) -> Result<()> {
    let path = root.join(FILE);
    let mut known = match fs::read_to_string(&path) {
        Ok(text) => Schemas::parse(&text)?,
        Err(_) => Schemas::default(),
    };
    for release in releases {
        let version = release.to_string();
        let facts = binaries::lend(&version, |program| ask(*release, program))?;
        tell(&format!("{version}: {} facts", facts.len()));
        known.add(*release, facts);
        write(&path, known.text())?;
    }
    Ok(())
}

/// What the databases of a home consist of after a turn.
fn ask(release: Release, program: &Path) -> Result<BTreeSet<String>> {
    // Newer releases look for helpers beside the file itself, so links are followed.
    let program = program.canonicalize()?;
    let stage = tempfile::tempdir()?;
    let root = stage.path().join("stage");
    let scene = scenes::all()
        .find(|scene| (scene.protocol, scene.name) == SCENE && scene.suits(release))
        .with_context(|| format!("{release} cannot play the scene"))?;
    for recording in scene.play(&program, release, &root)? {
        if let Some(complaint) = recording.complaint {
            bail!("{release}: {complaint}");
        }
    }
    let mut facts = BTreeSet::new();
    for entry in fs::read_dir(root.join("codex-home"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "sqlite") {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            facts.append(&mut of_database(&name, &Database::open(&path)?));
        }
    }
    Ok(facts)
}

fn of_database(name: &str, database: &Database) -> BTreeSet<String> {
    let mut facts = BTreeSet::from([name.to_owned()]);
    if let Some(migrations) = database.migrations() {
        facts.insert(format!("{name} changes {}", migrations.count));
    }
    // That of the migrations is the library's.
    let tables = database.tables().iter();
    for table in tables.filter(|table| !table.name.starts_with('_')) {
        for column in &table.columns {
            let required = if column.is_required { " NOT NULL" } else { "" };
            let (table, column, declared) = (&table.name, &column.name, &column.declared);
            facts.insert(format!("{name} {table}.{column} {declared}{required}"));
        }
    }
    facts
}

impl Schemas {
    /// Adds what a release was seen to write, in place of what was known of it.
    pub fn add(&mut self, release: Release, facts: BTreeSet<String>) {
        self.asked.insert(release);
        for releases in self.facts.values_mut() {
            releases.remove(&release);
        }
        for fact in facts {
            self.facts.entry(fact).or_default().insert(release);
        }
        self.facts.retain(|_, releases| !releases.is_empty());
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let asked: Vec<String> = self.asked.iter().map(Release::to_string).collect();
        let mut out = format!("{ABOUT}asked: {}\n", asked.join(" "));
        for (fact, releases) in &self.facts {
            let _ = writeln!(out, "{fact}: {}", self.ranges(releases));
        }
        out
    }

    /// The releases, of which those that were asked one after the other are a range.
    fn ranges(&self, releases: &BTreeSet<Release>) -> String {
        let mut ranges: Vec<(Release, Release)> = Vec::new();
        let mut is_open = false;
        for release in &self.asked {
            if !releases.contains(release) {
                is_open = false;
                continue;
            }
            match ranges.last_mut() {
                Some((_, last)) if is_open => *last = *release,
                _ => ranges.push((*release, *release)),
            }
            is_open = true;
        }
        let words: Vec<String> = ranges
            .into_iter()
            .map(|(first, last)| match first == last {
                true => first.to_string(),
                false => format!("{first}..{last}"),
            })
            .collect();
        words.join(" ")
    }

    /// Reads the file.
    ///
    /// # Errors
    /// When a line is not one that [`text`](Self::text) writes.
    pub fn parse(text: &str) -> Result<Self> {
        let mut schemas = Schemas::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (fact, releases) = line.rsplit_once(": ").with_context(|| line.to_owned())?;
            let mut all = BTreeSet::new();
            for word in releases.split(' ') {
                let (first, last) = word.split_once("..").unwrap_or((word, word));
                let (first, last): (Release, Release) = (first.parse()?, last.parse()?);
                match fact {
                    "asked" => all.extend([first]),
                    _ => all.extend(schemas.asked.range(first..=last)),
                }
            }
            match fact {
                "asked" => schemas.asked = all,
                fact => drop(schemas.facts.insert(fact.to_owned(), all)),
            }
        }
        Ok(schemas)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_release_between_others_ends_a_range_that_it_has_no_part_in() {
        let (a, b, c) = (
            Release::new(0, 105, 0),
            Release::new(0, 116, 0),
            Release::new(0, 128, 0),
        );
        let mut schemas = Schemas::default();
        schemas.add(
            a,
            facts(&["s threads.id TEXT", "s threads.old INTEGER NOT NULL"]),
        );
        schemas.add(
            c,
            facts(&["s threads.id TEXT", "s threads.old INTEGER NOT NULL"]),
        );
        let text = schemas.text();
        assert!(text.ends_with("asked: 0.105.0 0.128.0\ns threads.id TEXT: 0.105.0..0.128.0\ns threads.old INTEGER NOT NULL: 0.105.0..0.128.0\n"), "{text}");
        assert_eq!(Schemas::parse(&text).expect("it is its own text"), schemas);
        schemas.add(b, facts(&["s threads.id TEXT"]));
        let text = schemas.text();
        assert!(
            text.contains("s threads.id TEXT: 0.105.0..0.128.0\n"),
            "{text}"
        );
        assert!(
            text.contains("s threads.old INTEGER NOT NULL: 0.105.0 0.128.0\n"),
            "{text}"
        );
        assert_eq!(Schemas::parse(&text).expect("it is its own text"), schemas);
        assert!(Schemas::parse("threads.id").is_err());
    }
}
