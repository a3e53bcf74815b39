//! A database, its tables and their rows.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};
use tempfile::TempDir;

use crate::access::{self, Access};
use crate::error::Error;
use crate::value::Value;

/// The most bytes of a text that [`Database::rows`] should read, unless more is needed: the longest line of a session
/// file that is read has as many.
pub const MOST_BYTES: u64 = 64 << 20;

/// The table in which Codex keeps which changes of the schema were made.
const MIGRATIONS: &str = "_sqlx_migrations";

/// A database that is only read. What is read of it is of one moment, whoever writes meanwhile.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    access: Access,
    tables: Vec<Table>,
    migrations: Option<Migrations>,
    connection: Connection,
    /// Dropped behind the connection.
    _copy: Option<TempDir>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns, in their order.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type it was declared with, in capital letters. Its values may be of any type.
    pub declared: String,
    /// Whether it was declared as one that has a value in each row.
    pub is_required: bool,
}

/// Which version the schema has: how often Codex changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Migrations {
    /// How many changes were made.
    pub count: u64,
    /// The number of the newest.
    pub newest: i64,
    /// How many of them did not succeed.
    pub failed: u64,
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// Its number in the table, from 1, in the order in which it was read.
    pub number: u64,
    values: Vec<(String, Value)>,
}

impl Row {
    /// The value of a column; `None` if the table has no such column.
    pub fn get(&self, column: &str) -> Option<&Value> {
        let mut values = self.values.iter();
        values
            .find(|(name, _)| name == column)
            .map(|(_, value)| value)
    }

    /// The values with the names of their columns.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// The values in JSON, by the names of their columns.
    pub fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
        let values = self.values.iter();
        values
            .map(|(name, value)| (name.clone(), value.to_json()))
            .collect()
    }
}

impl Database {
    /// Opens a database and reads what tables it has.
    ///
    /// # Errors
    /// If it cannot be read, is not a database, or is damaged.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let access::Opened {
            connection,
            access,
            copy,
        } = access::open(path)?;
        let damaged = |source: rusqlite::Error| Error::Damaged {
            path: path.to_owned(),
            place: "the list of tables".to_owned(),
            source: Box::new(source),
        };
        distrust(&connection).map_err(damaged)?;
        let tables = tables(&connection).map_err(damaged)?;
        let mut database = Database {
            path: path.to_owned(),
            access,
            tables,
            migrations: None,
            connection,
            _copy: copy,
        };
        database.migrations = database.read_migrations()?;
        Ok(database)
    }

    /// The path of the database of that name in a folder, such as `state_5.sqlite` of `state`: of several the one with
    /// the greatest number, since Codex leaves those of earlier numbers behind.
    pub fn newest(folder: &Path, name: &str) -> Option<PathBuf> {
        let number = |path: &Path| -> Option<u32> {
            let rest = path.file_name()?.to_str()?.strip_prefix(name)?;
            let number = rest.strip_prefix('_')?.strip_suffix(".sqlite")?;
            number.parse().ok()
        };
        let paths = fs::read_dir(folder)
            .ok()?
            .flatten()
            .map(|entry| entry.path());
        let numbered = paths.filter_map(|path| Some((number(&path)?, path)));
        numbered.max().map(|(_, path)| path)
    }

    /// Its path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it was opened.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Which version its schema has, if it says so as Codex does.
    pub fn migrations(&self) -> Option<Migrations> {
        self.migrations
    }

    /// Its tables, in the order of names, without those that are SQLite's own, and without views.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The table of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// How many rows a table has.
    ///
    /// # Errors
    /// If the table is damaged.
    pub fn count(&self, table: &Table) -> Result<u64, Error> {
        let sql = format!("SELECT count(*) FROM main.{}", quoted(&table.name));
        let count: i64 = self
            .connection
            .query_row(&sql, [], |row| row.get(0))
            .map_err(|source| self.damaged(table, None, source))?;
        Ok(count.unsigned_abs())
    }

    /// Hands out the rows of a table, in the order of the first three of `columns` that it has. Only these columns are
    /// read, as far as the table has them; all of its columns if there are none. Of a text with more than `most_bytes`, only
    /// the length is read. Returns the number of rows.
    ///
    /// # Errors
    /// If the table is damaged. Rows may have been handed out before.
    pub fn rows(
        &self,
        table: &Table,
        columns: &[&str],
        most_bytes: u64,
        mut each: impl FnMut(Row),
    ) -> Result<u64, Error> {
        let has = |name: &&&str| table.columns.iter().any(|column| column.name == **name);
        let names: Vec<&str> = match columns {
            [] => table
                .columns
                .iter()
                .map(|column| column.name.as_str())
                .collect(),
            wanted => wanted.iter().filter(has).copied().collect(),
        };
        let mut number = 0;
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self.select(table, &names, most_bytes)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                number += 1;
                let mut values = Vec::with_capacity(names.len());
                for (index, name) in names.iter().enumerate() {
                    let value = value(row.get_ref(2 * index)?, row.get_ref(2 * index + 1)?);
                    values.push(((*name).to_owned(), value));
                }
                each(Row { number, values });
            }
            Ok(())
        };
        match read() {
            Ok(()) => Ok(number),
            Err(source) => Err(self.damaged(table, Some(number), source)),
        }
    }

    /// Reads each column with its length, so that what is too long need not be read.
    fn select(
        &self,
        table: &Table,
        names: &[&str],
        most_bytes: u64,
    ) -> rusqlite::Result<Statement<'_>> {
        let mut sql = "SELECT ".to_owned();
        for (index, name) in names.iter().enumerate() {
            let (comma, name) = (if index > 0 { ", " } else { "" }, quoted(name));
            sql += &format!(
                "{comma}octet_length({name}), CASE WHEN octet_length({name}) > {most_bytes} \
                 THEN zeroblob(0) ELSE {name} END"
            );
        }
        if names.is_empty() {
            sql += "1, 1";
        }
        sql += &format!(" FROM main.{}", quoted(&table.name));
        // The ids come first, and are the key of most tables: then nothing is sorted.
        for (index, name) in names.iter().take(3).enumerate() {
            let word = if index > 0 { "," } else { " ORDER BY" };
            sql += &format!("{word} main.{}.{}", quoted(&table.name), quoted(name));
        }
        self.connection.prepare(&sql)
    }

    fn read_migrations(&self) -> Result<Option<Migrations>, Error> {
        let Some(table) = self.table(MIGRATIONS) else {
            return Ok(None);
        };
        let mut migrations = Migrations {
            count: 0,
            newest: 0,
            failed: 0,
        };
        self.rows(table, &["version", "success"], MOST_BYTES, |row| {
            migrations.count += 1;
            let version = row.get("version").and_then(Value::as_integer);
            migrations.newest = migrations.newest.max(version.unwrap_or_default());
            let is_done = row.get("success").and_then(Value::as_integer) == Some(1);
            migrations.failed += u64::from(!is_done);
        })?;
        Ok(Some(migrations))
    }

    fn damaged(&self, table: &Table, read: Option<u64>, source: rusqlite::Error) -> Error {
        let name = &table.name;
        Error::Damaged {
            path: self.path.clone(),
            place: match read {
                Some(read) => format!("table {name}, behind row {read}"),
                None => format!("table {name}"),
            },
            source: Box::new(source),
        }
    }
}

/// What is read may come from anybody.
fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // All that follows sees one moment.
    connection.execute_batch("BEGIN DEFERRED")
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    // Views and tables of modules run code that comes with the file.
    let mut statement = connection.prepare(
        "SELECT name FROM pragma_table_list \
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    let names: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut tables = Vec::with_capacity(names.len());
    for name in names {
        // Columns that are computed are not among them.
        let mut statement = connection
            .prepare("SELECT name, type, \"notnull\" FROM pragma_table_info(?1) ORDER BY cid")?;
        let columns = statement.query_map([&name], |row| {
            Ok(Column {
                name: row.get(0)?,
                declared: row.get::<_, String>(1)?.to_ascii_uppercase(),
                is_required: row.get(2)?,
            })
        })?;
        let columns = columns.collect::<Result<_, _>>()?;
        tables.push(Table { name, columns });
    }
    Ok(tables)
}

/// A value, from the number of its bytes and itself.
fn value(bytes: ValueRef<'_>, value: ValueRef<'_>) -> Value {
    let bytes = match bytes {
        ValueRef::Integer(bytes) => bytes.unsigned_abs(),
        _ => 0,
    };
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Bytes(bytes),
        },
        ValueRef::Blob([]) if bytes > 0 => Value::TooLong(bytes),
        ValueRef::Blob(_) => Value::Bytes(bytes),
    }
}

/// A name in a statement.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
