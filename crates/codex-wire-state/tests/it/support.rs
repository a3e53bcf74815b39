use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_state::{Database, MOST_BYTES, Row, Value};
use rusqlite::Connection;
use tempfile::TempDir;

/// A folder with a database that these statements made.
pub(crate) fn made(name: &str, sql: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (folder, path)
}

/// The files of a folder with their bytes.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

pub(crate) fn rows(database: &Database, table: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let table = database.table(table).unwrap();
    database
        .rows(table, &[], MOST_BYTES, |row| rows.push(row))
        .unwrap();
    rows
}

/// The values of a column of whole numbers.
pub(crate) fn numbers(database: &Database, table: &str, column: &str) -> Vec<i64> {
    let rows = rows(database, table);
    let numbers = rows.iter().map(|row| row.get(column));
    numbers
        .map(|value| value.and_then(Value::as_integer).unwrap())
        .collect()
}
