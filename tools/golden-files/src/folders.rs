//! Empty folders for tests that write files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// Which test, by its thread, has which folder.
static TAKEN: Mutex<BTreeMap<PathBuf, ThreadId>> = Mutex::new(BTreeMap::new());

/// Makes an empty folder in `base`. What an earlier run left in it is removed.
///
/// # Panics
/// If another test of this run has the same folder: they run at the same time, and each would remove
/// what the other one has written. Also if the folder cannot be emptied or made.
#[track_caller]
pub fn empty(base: &Path, name: &str) -> PathBuf {
    let path = base.join(name);
    let mine = thread::current().id();
    let owner = *TAKEN
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .entry(path.clone())
        .or_insert(mine);
    assert!(
        owner == mine,
        "two tests have the folder {name}: rename one"
    );
    if path.exists() {
        fs::remove_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_may_empty_its_folder_again() {
        let base = tempfile::tempdir().unwrap();
        let path = empty(base.path(), "mine");
        fs::write(path.join("file"), "").unwrap();
        assert_eq!(empty(base.path(), "mine"), path);
        assert!(!path.join("file").exists());
    }

    #[test]
    fn no_other_test_gets_it() {
        let base = tempfile::tempdir().unwrap();
        let path = empty(base.path(), "ours");
        fs::write(path.join("file"), "").unwrap();
        let other = thread::scope(|scope| scope.spawn(|| empty(base.path(), "ours")).join());
        assert!(other.is_err());
        assert!(path.join("file").exists());
    }
}
