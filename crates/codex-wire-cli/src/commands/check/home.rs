//! Compares the databases of a home of Codex with its session files.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use codex_wire_check::{
    Checker, HomeComparison, HomeDatabase, HomeFile, HomeRows, Limits, Outcome,
};
use codex_wire_inputs::{SESSION_FOLDERS, in_order};
use codex_wire_live::stand_in::Environment;
use codex_wire_state::{Database, Error};

use super::args::CheckArgs;
use crate::flags::folder;
use crate::inputs::{self, Selection, Source};
use crate::interrupt;
use crate::progress::Progress;

/// Where Codex keeps its databases, if that is not its home.
const VARIABLE: &str = "CODEX_SQLITE_HOME";

/// A home of Codex with databases.
pub(super) struct Home {
    path: PathBuf,
    folders: Vec<PathBuf>,
    databases: Vec<(HomeDatabase, PathBuf)>,
}

/// The homes among the paths that the user names, if their databases are to be compared.
pub(super) fn homes(args: &CheckArgs) -> anyhow::Result<Vec<Home>> {
    let is_part = args.folder.since.is_some()
        || !args.folder.exclude.is_empty()
        || args.checker.side.is_some()
        || args.hook.event.is_some()
        || !args.with_rollout.is_empty();
    if is_part {
        return Ok(Vec::new());
    }
    let paths = args.paths.iter().map(PathBuf::as_path);
    let paths: Vec<&Path> = paths.filter(|path| !folders(path).is_empty()).collect();
    let Some(folder) = &args.sqlite_home else {
        return Ok(with_variable(&paths));
    };
    if paths.len() > 1 {
        anyhow::bail!(
            "`--sqlite-home` says where the databases of one home are, but {} are named",
            paths.len()
        );
    }
    let home = paths.first().and_then(|path| Home::at(path, folder));
    let home = home.with_context(|| {
        format!(
            "no home with session files is named, or {} has no databases of Codex",
            folder.display()
        )
    })?;
    Ok(vec![home])
}

/// The homes at these paths. The variable is about one of them: the home of Codex, or else the only one without databases.
fn with_variable(paths: &[&Path]) -> Vec<Home> {
    let variable = env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
    let variable = variable.map(PathBuf::from);
    let of_process = Environment::of_process();
    let is_without = |path: &Path| databases(path).is_empty();
    let without = paths.iter().filter(|path| is_without(path)).count();
    let homes = paths.iter().filter_map(|path| {
        let is_meant = of_process.is_codex_home(path) || (without == 1 && is_without(path));
        let elsewhere = variable.as_deref().filter(|_| is_meant);
        Home::at(path, elsewhere.unwrap_or(path))
    });
    homes.collect()
}

/// The folders with session files in a home.
fn folders(home: &Path) -> Vec<PathBuf> {
    let folders = SESSION_FOLDERS.map(|name| home.join(name));
    folders.into_iter().filter(|path| path.is_dir()).collect()
}

/// The databases in a folder that are compared.
fn databases(folder: &Path) -> Vec<(HomeDatabase, PathBuf)> {
    let all = HomeDatabase::ALL.iter();
    let newest =
        |database: &HomeDatabase| Some((*database, Database::newest(folder, database.file())?));
    all.filter_map(newest).collect()
}

impl Home {
    fn at(path: &Path, folder: &Path) -> Option<Self> {
        let home = Home {
            path: path.to_owned(),
            folders: folders(path),
            databases: databases(folder),
        };
        let is_home = !home.folders.is_empty() && !home.databases.is_empty();
        is_home.then_some(home)
    }

    /// The outcome of each database. It is read before the session files, so that what Codex writes meanwhile makes the
    /// files longer, and not the database wrong. None after an interruption: files that nobody looked at are not lost.
    pub(super) fn compare(
        &self,
        checker: &Checker,
        args: &CheckArgs,
    ) -> anyhow::Result<Vec<Outcome>> {
        let mut rows = HomeRows::new();
        let mut outcomes = Vec::new();
        for (database, path) in &self.databases {
            let name = path.display().to_string();
            outcomes.push(match read(*database, path, &mut rows) {
                Ok(()) => Outcome::new(name),
                Err(error) => Outcome::unreadable(name, error.reason()),
            });
        }
        let listing = inputs::list(&self.folders, Selection::new());
        let mut comparison = HomeComparison::new(rows);
        if listing.lacks_folder() {
            comparison.unread_folder();
        }
        // What cannot be read was reported where the file was checked.
        let files: Vec<Source> = listing.inputs.into_iter().flatten().collect();
        let limits = args.limits.limits();
        in_order(
            folder::threads(args.threads, files.len()),
            &files,
            interrupt::stop(),
            |source, give| give(self.session_file(source, limits)),
            |_| 64,
            |file| {
                match file {
                    Ok(file) => comparison.file(&file),
                    Err(path) => comparison.unread(&path),
                }
                Ok::<(), anyhow::Error>(())
            },
        )?;
        if interrupt::requested() {
            return Ok(Vec::new());
        }
        let differences = comparison.end();
        for (outcome, (database, _)) in outcomes.iter_mut().zip(&self.databases) {
            if outcome.error.is_none() {
                checker.report_home(outcome, *database, &differences);
            }
        }
        Ok(outcomes)
    }

    /// Reads a session file. If it cannot be read as one: its path in the home.
    fn session_file(&self, source: &Source, limits: Limits) -> Result<HomeFile, String> {
        let path = self.path_of(source);
        let progress = Progress::new();
        let file = source.open(&progress).ok().and_then(|opened| {
            let file = HomeFile::read(&path, opened.input, limits);
            file.ok().flatten()
        });
        file.ok_or(path)
    }

    /// The path of a session file in the home, wherever that lies.
    fn path_of(&self, source: &Source) -> String {
        let (name, home) = (source.name(), self.path.display().to_string());
        let path = Path::new(&name).strip_prefix(home);
        path.map_or_else(|_| name.clone(), |path| path.display().to_string())
    }
}

fn read(database: HomeDatabase, path: &Path, rows: &mut HomeRows) -> Result<(), Error> {
    let opened = Database::open(path)?;
    for (name, columns) in database.tables() {
        if let Some(table) = opened.table(name) {
            let known: Vec<&str> = table.columns.iter().map(|one| one.name.as_str()).collect();
            rows.add_table(name, &known);
            opened.rows(table, &columns, codex_wire_state::MOST_BYTES, |row| {
                rows.add(name, row.number, &row.to_json());
            })?;
        }
    }
    Ok(())
}
