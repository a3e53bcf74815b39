//! Defines what a comparison of databases and session files finds.

use crate::rule::Rule;
use crate::violation::Broken;

/// Where something stands in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) table: &'static str,
    /// The number of the row; `None` if the row is missing.
    pub(super) row: Option<u64>,
    /// The column; empty for the row.
    pub(super) column: &'static str,
}

impl Place {
    pub(super) fn row(table: &'static str, row: u64) -> Self {
        Place {
            table,
            row: Some(row),
            column: "",
        }
    }

    pub(super) fn table(table: &'static str) -> Self {
        Place {
            table,
            row: None,
            column: "",
        }
    }

    pub(super) fn column(self, column: &'static str) -> Self {
        Place { column, ..self }
    }

    /// The JSON Pointer of the place: table, row and column.
    pub(super) fn pointer(self) -> String {
        let mut pointer = format!("/{}", self.table);
        if let Some(row) = self.row {
            pointer += &format!("/{row}");
        }
        if !self.column.is_empty() {
            pointer += &format!("/{}", self.column);
        }
        pointer
    }
}

/// A difference between a database and a session file.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) rule: &'static Rule,
    pub(super) place: Place,
    /// What it is about, as exceptions of the rule call it.
    pub(super) of: Option<&'static str>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Difference {
    pub(super) fn new<B: Broken>(place: Place, how: B) -> Self {
        Difference {
            rule: B::RULE,
            place,
            of: None,
            message: how.to_string(),
            help: None,
        }
    }

    pub(super) fn of(self, of: &'static str) -> Self {
        Difference {
            of: Some(of),
            ..self
        }
    }

    /// Names the session file that it is about.
    pub(super) fn in_file(self, name: &str) -> Self {
        Difference {
            help: Some(format!("the session file is {name}")),
            ..self
        }
    }
}
