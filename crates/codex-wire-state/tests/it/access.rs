use std::fs;

use codex_wire_state::{Access, Database};
use rusqlite::Connection;

use crate::support::{files, made, numbers};

const LOGGED: &str =
    "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (n INTEGER);";

/// A writer that has committed one row into the log.
fn writer(path: &std::path::Path) -> Connection {
    let writer = Connection::open(path).unwrap();
    writer
        .execute_batch("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (1)")
        .unwrap();
    writer
}

#[test]
fn what_a_writer_has_committed_is_seen_and_nothing_is_written() {
    let (folder, path) = made("state_5.sqlite", LOGGED);
    let writer = writer(&path);
    let before = files(folder.path());
    assert!(before.len() == 3, "{:?}", before.keys());
    let database = Database::open(&path).unwrap();
    assert_eq!(database.access(), Access::Shared);
    assert_eq!(numbers(&database, "t", "n"), [1]);
    // One moment is seen, and the writer does not wait.
    writer.execute_batch("INSERT INTO t VALUES (2)").unwrap();
    assert_eq!(numbers(&database, "t", "n"), [1]);
    drop(database);
    let database = Database::open(&path).unwrap();
    assert_eq!(numbers(&database, "t", "n"), [1, 2]);
    drop(database);
    let after = files(folder.path());
    assert!(after.keys().eq(before.keys()));
    assert_eq!(after[&path], before[&path]);
}

/// Codex ends without closing its databases, or is killed.
#[test]
fn a_log_that_was_left_behind_is_read_with_and_without_its_index() {
    let (folder, path) = made("state_5.sqlite", LOGGED);
    let writer = writer(&path);
    let left = tempfile::tempdir().unwrap();
    for (from, bytes) in files(folder.path()) {
        fs::write(left.path().join(from.file_name().unwrap()), bytes).unwrap();
    }
    drop(writer);
    let path = left.path().join("state_5.sqlite");
    for access in [Access::Shared, Access::Copied] {
        let before = files(left.path());
        let database = Database::open(&path).unwrap();
        assert_eq!(database.access(), access);
        assert_eq!(numbers(&database, "t", "n"), [1]);
        drop(database);
        assert_eq!(files(left.path()), before);
        let _ = fs::remove_file(left.path().join("state_5.sqlite-shm"));
    }
}

#[test]
fn a_database_that_was_closed_gets_no_log() {
    let (folder, path) = made("state_5.sqlite", LOGGED);
    drop(writer(&path));
    let before = files(folder.path());
    assert_eq!(before.len(), 1);
    let database = Database::open(&path).unwrap();
    assert_eq!(database.access(), Access::Unchanging);
    assert_eq!(numbers(&database, "t", "n"), [1]);
    drop(database);
    assert_eq!(files(folder.path()), before);
}

/// A user names a link to a home, and the log lies beside the file.
#[cfg(unix)]
#[test]
fn a_link_is_followed_to_the_log() {
    let (_folder, path) = made("state_5.sqlite", LOGGED);
    let _writer = writer(&path);
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("state_5.sqlite");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let database = Database::open(&link).unwrap();
    assert_eq!(numbers(&database, "t", "n"), [1]);
    assert_eq!(database.path(), link);
}

/// In a URI, these would end the path or be read as something else.
#[test]
fn a_path_may_have_any_characters() {
    let (folder, path) = made("a b%41?mode=rwc&x#ü.sqlite", LOGGED);
    let _writer = writer(&path);
    let before = files(folder.path());
    let database = Database::open(&path).unwrap();
    assert_eq!(numbers(&database, "t", "n"), [1]);
    assert!(files(folder.path()).keys().eq(before.keys()));
}
