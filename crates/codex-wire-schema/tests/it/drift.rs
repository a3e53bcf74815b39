//! The files under `schemas/` are what the types say now.

use std::collections::BTreeMap;
use std::path::Path;

use codex_wire_schema::publish;

use crate::support::{diff, schemas, update};

#[test]
fn drift() {
    let now: BTreeMap<String, String> = publish()
        .into_iter()
        .map(|file| (file.path, file.text))
        .collect();
    if update() {
        accept(&now);
    }
    let complaints = compare(&committed(), &now);
    assert!(
        complaints.is_empty(),
        "the files under schemas/ are not what the types say now\n\n{}\n\n\
         to accept what the types say: UPDATE=1 cargo test -p codex-wire-schema drift\n",
        complaints.join("\n\n")
    );
}

/// The comparison can fail, and says how: each way of drifting is told from the others.
#[test]
fn every_drift_is_noticed() {
    let files = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
        list.iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect()
    };
    let now = files(&[("a.json", "{\n  1\n}\n"), ("b.json", "{}\n")]);
    assert_eq!(compare(&now, &now), [""; 0]);
    let committed = files(&[("a.json", "{\n  2\n}\n"), ("c.json", "{}\n")]);
    assert_eq!(
        compare(&committed, &now),
        [
            "--- a.json (committed)\n+++ a.json (now)\n@@ -1,3 +1,3 @@\n {\n-  2\n+  1\n }",
            "b.json is missing",
            "c.json is there and nothing publishes it",
        ]
    );
}

/// A rename that touches every line is cut to a readable length.
#[test]
fn long_diffs_are_cut() {
    let text = |word: &str| format!("{word}\n").repeat(1000);
    let shown = diff("a.json", &text("old"), &text("new"));
    assert!(shown.lines().count() < 80, "{shown}");
    assert!(shown.ends_with("more lines"), "{shown}");
}

fn compare(committed: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, text) in now {
        match committed.get(path) {
            None => complaints.push(format!("{path} is missing")),
            Some(old) if old != text => complaints.push(diff(path, old, text)),
            Some(_) => {}
        }
    }
    for path in committed.keys().filter(|path| !now.contains_key(*path)) {
        complaints.push(format!("{path} is there and nothing publishes it"));
    }
    complaints
}

/// Everything under `schemas/` that looks like a schema.
fn committed() -> BTreeMap<String, String> {
    fn walk(folder: &Path, prefix: &str, out: &mut BTreeMap<String, String>) {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        for entry in entries {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), out);
            } else if name.ends_with(".json") {
                out.insert(name, std::fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(&schemas(), "", &mut out);
    out
}

/// Writes what the types say and removes what nothing publishes any more.
fn accept(now: &BTreeMap<String, String>) {
    for (path, text) in now {
        let path = schemas().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    for path in committed().keys().filter(|path| !now.contains_key(*path)) {
        std::fs::remove_file(schemas().join(path)).unwrap();
    }
}
