//! Compares the databases of a home with its session files.
//!
//! Codex keeps what happened in session files, and what lists and clients show in databases: a row for each
//! thread, and the turns and items of paginated threads. The two can differ. [`HomeRows`] are the rows of the
//! databases, [`HomeFile`] is what a session file says of the same, and [`HomeComparison`] finds where they differ.
//!
//! The line of a finding is the number of the row in its table, and its pointer names table, row and column. Where a row is
//! missing, the line is 1 and the pointer names the table.

mod difference;
mod evidence;
mod file;
mod projection;
mod rows;
mod threads;

use std::collections::BTreeSet;

use codex_wire_base::Protocol;

use crate::checker::Checker;
use crate::finding::{Finding, Location};
use crate::outcome::Outcome;
use crate::rule_macros::rule_files;
pub use file::HomeFile;
pub use rows::{HomeDatabase, HomeRows};

rule_files!(projection, rows, threads);

/// Compares the rows of a home with its session files, one after the other.
#[derive(Debug)]
pub struct HomeComparison {
    rows: HomeRows,
    /// The names of session files that are there and were not compared.
    unread: BTreeSet<String>,
    /// Whether there are perhaps more.
    is_part: bool,
}

impl HomeComparison {
    /// Begins with all rows.
    pub fn new(rows: HomeRows) -> Self {
        HomeComparison {
            rows,
            unread: BTreeSet::new(),
            is_part: false,
        }
    }

    /// Compares a session file.
    pub fn file(&mut self, file: &HomeFile) {
        threads::compare(&mut self.rows, file);
        projection::compare(&mut self.rows, file);
    }

    /// A session file is there and cannot be read as one: its rows are not without it, and nothing else is compared. Of
    /// `path` counts what [`HomeFile::read`] takes of it.
    pub fn unread(&mut self, path: &str) {
        self.unread.insert(file::name_in(path).to_owned());
    }

    /// A folder of session files is not read, so that a row without a file may have one there.
    pub fn unread_folder(&mut self) {
        self.is_part = true;
    }

    /// Ends after the last session file: rows that were not met have none.
    #[must_use]
    pub fn end(mut self) -> HomeDifferences {
        threads::meet(&mut self.rows, &self.unread);
        projection::meet(&mut self.rows, &self.unread);
        if !self.is_part {
            threads::without_file(&mut self.rows);
            projection::without_file(&mut self.rows);
        }
        let differences = &mut self.rows.differences;
        differences.sort_by_key(|difference| difference.place);
        HomeDifferences { rows: self.rows }
    }
}

/// Where the databases of a home and its session files differ.
#[derive(Debug)]
pub struct HomeDifferences {
    rows: HomeRows,
}

impl Checker {
    /// Makes a finding of each difference in a database, and adds them to its outcome. Its messages are the rows that
    /// were compared.
    pub fn report_home(
        &self,
        outcome: &mut Outcome,
        database: HomeDatabase,
        differences: &HomeDifferences,
    ) {
        let rows = &differences.rows;
        // No rule about a home depends on the release.
        let newest = Protocol::Rollout.release_list().latest();
        outcome.messages += rows.count(database);
        for difference in &rows.differences {
            let place = difference.place;
            if rows::database_of(place.table) != Some(database) {
                continue;
            }
            let rule = difference.rule;
            let own = rule.level_in(newest, difference.of);
            let Some(severity) = self.options.levels.of(rule, own) else {
                continue;
            };
            let location = Location {
                line: place.row.unwrap_or(1),
                column: 1,
                pointer: place.pointer(),
                ..Location::default()
            };
            let mut finding = Finding::new(rule, severity, location, difference.message.clone());
            finding.help.clone_from(&difference.help);
            finding.bound();
            self.keep(outcome, finding);
        }
        outcome.settle_verdict();
    }
}
