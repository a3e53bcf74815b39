//! The files that describe the tables say what the code says.

use std::fmt::Write as _;

use codex_wire_table::{Column, Table, VERSION};
use golden_files::files;
use serde_json::json;

/// `docs/tables.json`: each table with its columns.
#[test]
fn the_schema_file_has_every_column() {
    let tables: Vec<_> = Table::ALL
        .iter()
        .map(|table| {
            let columns: Vec<&Column> = table.columns().collect();
            json!({"name": table.as_str(), "about": table.about(), "columns": columns})
        })
        .collect();
    let text = serde_json::to_string_pretty(&json!({"version": VERSION, "tables": tables}));
    golden_files::assert_file(
        &files::root().join("docs/tables.json"),
        &(text.expect("JSON") + "\n"),
    );
}

/// The part of `docs/tables.md` behind the mark.
#[test]
fn the_page_has_every_column() {
    let path = files::root().join("docs/tables.md");
    let page = std::fs::read_to_string(&path).expect("a page");
    let (before, _) = page.split_once(MARK).expect("the mark");
    let mut text = format!("{before}{MARK}\n");
    for table in Table::ALL {
        let _ = write!(
            text,
            "\n### `{table}`\n\n{}\n\n| column | type | |\n|---|---|---|\n",
            table.about()
        );
        for column in table.columns() {
            let kind = json!(column.kind);
            let kind = kind.as_str().expect("a word");
            let _ = writeln!(text, "| `{}` | {kind} | {} |", column.name, column.about);
        }
    }
    golden_files::assert_file(&path, &text);
}

const MARK: &str = "<!-- What follows is made by a test of codex-wire-table. -->";

/// No two columns of a table have the same name, and each has its sentence.
#[test]
fn columns_are_told_apart() {
    for table in Table::ALL {
        let mut names: Vec<_> = table.columns().map(|column| column.name).collect();
        assert_eq!(names[..2], ["path", "digest"]);
        assert_eq!(names[names.len() - 2..], ["day", "protocol"]);
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{table}");
        for column in table.columns() {
            assert!(column.about.ends_with('.'), "{table}.{}", column.name);
        }
    }
}
