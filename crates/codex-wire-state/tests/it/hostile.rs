use std::fs;

use codex_wire_state::{Database, Error, MOST_BYTES, Value};

use crate::support::{made, rows};

#[test]
fn the_version_is_how_often_the_schema_was_changed() {
    let sql = "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, \
               success BOOLEAN NOT NULL, checksum BLOB NOT NULL);
               INSERT INTO _sqlx_migrations VALUES (1, 'threads', 1, x'00'), (7, 'logs', 0, x'01');";
    let (_folder, path) = made("state_5.sqlite", sql);
    let migrations = Database::open(&path).unwrap().migrations().unwrap();
    let numbers = (migrations.count, migrations.newest, migrations.failed);
    assert_eq!(numbers, (2, 7, 1));
    let (_folder, path) = made("other.sqlite", "CREATE TABLE t (n)");
    assert_eq!(Database::open(&path).unwrap().migrations(), None);
}

#[test]
fn any_column_may_hold_any_type() {
    let sql = "CREATE TABLE t (n INTEGER);
               INSERT INTO t VALUES (NULL), (7), (0.5), (9e999), ('x'), (x'0001'), (x''),
                                    (CAST(x'ff41' AS TEXT)), ('a' || char(0) || 'b');";
    let (_folder, path) = made("t.sqlite", sql);
    let database = Database::open(&path).unwrap();
    let mut values: Vec<Value> = rows(&database, "t")
        .iter()
        .map(|row| row.get("n").unwrap().clone())
        .collect();
    let mut expected = vec![
        Value::Null,
        Value::Integer(7),
        Value::Real(0.5),
        Value::Real(f64::INFINITY),
        Value::Text("x".to_owned()),
        Value::Bytes(2),
        Value::Bytes(0),
        Value::Bytes(2),
        Value::Text("a\0b".to_owned()),
    ];
    let order = |value: &Value| format!("{value:?}");
    values.sort_by_key(order);
    expected.sort_by_key(order);
    assert_eq!(values, expected);
    let json: Vec<String> = values
        .iter()
        .map(|value| value.to_json().to_string())
        .collect();
    assert!(json.contains(&r#"{"bytes":2}"#.to_owned()), "{json:?}");
    assert!(json.contains(&r#"{"real":"inf"}"#.to_owned()), "{json:?}");
}

/// A value may have a gigabyte.
#[test]
fn of_a_long_text_only_the_length_is_read() {
    let sql = "CREATE TABLE t (id INTEGER, n TEXT);
               INSERT INTO t VALUES (1, printf('%.*c', 3000, 'x')), (2, zeroblob(3000)), (3, 'short');";
    let (_folder, path) = made("t.sqlite", sql);
    let database = Database::open(&path).unwrap();
    let mut values = Vec::new();
    let table = database.table("t").unwrap();
    let read = database.rows(table, &["id", "n"], 1000, |row| {
        values.push(row.get("n").unwrap().clone());
    });
    assert_eq!(read.unwrap(), 3);
    let short = Value::Text("short".to_owned());
    assert_eq!(values, [Value::TooLong(3000), Value::TooLong(3000), short]);
    assert_eq!(values[0].to_json().to_string(), r#"{"text_bytes":3000}"#);
}

/// Views, tables of modules and computed columns run what the file says, for as long as it says.
#[test]
fn nothing_that_the_file_brings_along_runs() {
    let sql = "CREATE TABLE t (n INTEGER, twice INTEGER AS (n * 2));
               INSERT INTO t (n) VALUES (1);
               CREATE VIEW threads AS
                   WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r) SELECT id FROM r;
               CREATE TABLE \"a \"\"b\"\"; DROP TABLE t\" (\"c \"\"d\" TEXT);
               INSERT INTO \"a \"\"b\"\"; DROP TABLE t\" VALUES ('x');";
    let (_folder, path) = made("t.sqlite", sql);
    let database = Database::open(&path).unwrap();
    let names: Vec<&str> = database.tables().iter().map(|table| &*table.name).collect();
    assert_eq!(names, ["a \"b\"; DROP TABLE t", "t"]);
    let row = &rows(&database, names[0])[0];
    assert_eq!(row.get("c \"d").and_then(Value::as_text), Some("x"));
    let columns = &database.tables()[1].columns;
    assert_eq!(columns.len(), 1, "{columns:?}");
    assert_eq!(database.count(&database.tables()[1]).unwrap(), 1);
}

/// A column that a table does not have is not read as a text, which SQLite does with a name in quotes.
#[test]
fn only_columns_that_are_there_are_read() {
    let (_folder, path) = made("t.sqlite", "CREATE TABLE t (n); INSERT INTO t VALUES (1);");
    let database = Database::open(&path).unwrap();
    let table = database.table("t").unwrap();
    for columns in [&["missing", "n"][..], &["missing"]] {
        let mut seen = 0;
        database
            .rows(table, columns, MOST_BYTES, |row| {
                assert_eq!(row.get("missing"), None);
                assert_eq!(row.get("n").is_some(), columns.contains(&"n"));
                seen += 1;
            })
            .unwrap();
        assert_eq!(seen, 1);
    }
}

#[test]
fn what_is_no_database_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state_5.sqlite");
    assert!(matches!(Database::open(&path), Err(Error::Read { .. })));
    assert!(matches!(
        Database::open(folder.path()),
        Err(Error::NotADatabase { .. })
    ));
    for bytes in [&b""[..], b"SQLite", b"{\"type\":\"session_meta\"}\n"] {
        fs::write(&path, bytes).unwrap();
        let error = Database::open(&path).unwrap_err();
        assert!(matches!(error, Error::NotADatabase { .. }), "{error}");
    }
    let head = b"SQLite format 3\0 and no more than that".repeat(40);
    fs::write(&path, head).unwrap();
    let error = Database::open(&path).unwrap_err().to_string();
    assert!(
        error.contains("state_5.sqlite: the list of tables: "),
        "{error}"
    );
}

#[test]
fn damage_is_an_error_with_its_place() {
    let sql = "PRAGMA page_size = 512; CREATE TABLE t (n TEXT);
               WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 200)
               INSERT INTO t SELECT printf('%.*c', 200, 'x') FROM r;";
    let (_folder, path) = made("state_5.sqlite", sql);
    let whole = fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2 / 512 * 512;
    bytes[middle..middle + 1024].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let read = || {
        let database = Database::open(&path)?;
        database.rows(database.table("t").unwrap(), &[], MOST_BYTES, drop)
    };
    let error = read().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("state_5.sqlite: table t, behind row "),
        "{error}"
    );
    assert!(std::error::Error::source(&error).is_some());
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = read().unwrap_err();
    assert!(error.to_string().contains("state_5.sqlite: "), "{error}");
}

/// A byte that is wrong is read or refused, wherever it is.
#[test]
fn no_changed_byte_is_a_panic() {
    let sql = "PRAGMA page_size = 512; CREATE TABLE threads (id TEXT PRIMARY KEY, n INTEGER);
               INSERT INTO threads VALUES ('a', 1), ('b', 2);
               CREATE TABLE _sqlx_migrations (version BIGINT, success BOOLEAN);
               INSERT INTO _sqlx_migrations VALUES (1, 1);";
    let (_folder, path) = made("state_5.sqlite", sql);
    let whole = fs::read(&path).unwrap();
    let (mut read, mut refused) = (0, 0);
    for at in (16..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[at] = !bytes[at];
        fs::write(&path, bytes).unwrap();
        let outcome = Database::open(&path).and_then(|database| {
            database
                .tables()
                .iter()
                .try_for_each(|table| database.rows(table, &[], MOST_BYTES, drop).map(drop))
        });
        match outcome {
            Ok(()) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(read > 0 && refused > 0, "{read} {refused}");
}
