//! Which release of Codex writes which databases, with which tables and columns.
//!
//! No schema of them is published. So `cargo xtask databases` lets a release take a turn, offline, opens what it left
//! in its home, and writes down which columns there are. The file is a log of a database, a table and a column, and
//! has as the answer how the column is declared.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use codex_wire::Release;
use codex_wire_record::scenes;
use codex_wire_state::Database;
use probes::Log;

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

/// What the line begins with that names the releases.
const RELEASES: &str = "# asked: ";

/// Asks releases, and adds what they write to what is known.
///
/// # Errors
/// When a release cannot be had or takes no turn, or a file not be read or written.
pub fn record(root: &Path, releases: &[Release], tell: impl Fn(&str)) -> Result<()> {
    let path = root.join(FILE);
    let (mut asked, mut known) = match fs::read_to_string(&path) {
        Ok(text) => parse(&text)?,
        Err(_) => Default::default(),
    };
    for release in releases {
        let version = release.to_string();
        let found = binaries::lend(&version, |program| ask(*release, program))?;
        tell(&format!("{version}: {} columns", found.entries().count()));
        asked.insert(*release);
        known.forget(*release);
        known.extend(found);
        write(&path, text(&asked, &known))?;
    }
    Ok(())
}

/// What the databases of a home consist of after a turn.
fn ask(release: Release, program: &Path) -> Result<Log> {
    let stage = tempfile::tempdir()?;
    let root = stage.path().join("stage");
    let scene = scenes::all()
        .find(|scene| (scene.protocol, scene.name) == SCENE && scene.suits(release))
        .with_context(|| format!("{release} cannot play the scene"))?;
    for recording in scene.play(program, release, &root)? {
        if let Some(complaint) = recording.complaint {
            bail!("{release}: {complaint}");
        }
    }
    let mut log = Log::default();
    for entry in fs::read_dir(root.join("codex-home"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "sqlite") {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            add(&mut log, &name, &Database::open(&path)?, release);
        }
    }
    Ok(log)
}

fn add(log: &mut Log, name: &str, database: &Database, release: Release) {
    if let Some(migrations) = database.migrations() {
        let rows = migrations.count.to_string();
        log.add(name, "_sqlx_migrations", "rows", &rows, release);
    }
    // That of the migrations is the library's.
    let tables = database.tables().iter();
    for table in tables.filter(|table| !table.name.starts_with('_')) {
        for column in &table.columns {
            let required = if column.is_required { " NOT NULL" } else { "" };
            let declared = format!("{}{required}", column.declared);
            log.add(name, &table.name, &column.name, &declared, release);
        }
    }
}

/// The text of the file.
fn text(asked: &BTreeSet<Release>, log: &Log) -> String {
    let asked: Vec<Release> = asked.iter().copied().collect();
    let names: Vec<String> = asked.iter().map(Release::to_string).collect();
    format!(
        "{ABOUT}{RELEASES}{}\n\n{}",
        names.join(" "),
        log.text(&asked)
    )
}

/// Reads the file: which releases were asked, and the log.
fn parse(text: &str) -> Result<(BTreeSet<Release>, Log)> {
    let names = text.lines().find_map(|line| line.strip_prefix(RELEASES));
    let names = names.context("no line says which releases were asked")?;
    let asked = names.split(' ').map(str::parse);
    let asked: BTreeSet<Release> = asked.collect::<Result<_, _>>()?;
    let all: Vec<Release> = asked.iter().copied().collect();
    let log =
        Log::parse(text, &all).map_err(|(line, message)| anyhow!("line {line}: {message}"))?;
    Ok((asked, log))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_and_written_back() {
        let file = fs::read_to_string(crate::repository().join(FILE)).expect("it is there");
        let (asked, log) = parse(&file).expect("it is its own text");
        assert_eq!(text(&asked, &log), file);
        assert!(parse("state.sqlite\n").is_err());
    }

    #[test]
    fn a_release_between_others_ends_a_range_that_it_has_no_part_in() {
        let release = |minor| Release::new(0, minor, 0);
        let mut asked = BTreeSet::from([release(105), release(128), release(130)]);
        let mut log = Log::default();
        log.add("s", "threads", "old", "INTEGER NOT NULL", release(105));
        log.add("s", "threads", "old", "INTEGER NOT NULL", release(128));
        let line = "    old => INTEGER NOT NULL @ ";
        assert!(text(&asked, &log).ends_with(&format!("{line}0.105.0..0.128.0\n")));
        asked.insert(release(116));
        let ranges = "0.105.0..0.105.0, 0.128.0..0.128.0\n";
        assert!(text(&asked, &log).ends_with(&format!("{line}{ranges}")));
    }
}
