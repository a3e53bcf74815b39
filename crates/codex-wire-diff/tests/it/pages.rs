//! The pages under `docs/changes` are what is compared now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codex_wire_diff::pages;

use crate::support::update;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/changes")
}

#[test]
fn pages_are_up_to_date() {
    let now: BTreeMap<String, String> = pages()
        .into_iter()
        .map(|page| (page.path, page.text))
        .collect();
    if update() {
        let _ = std::fs::remove_dir_all(folder());
        for (path, text) in &now {
            let path = folder().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
    let complaints = compare(&committed(), &now);
    assert!(
        complaints.is_empty(),
        "{}\nto accept: UPDATE=1 cargo test -p codex-wire-diff pages",
        complaints.join("\n")
    );
    // A page is for reading, and all of them are in the repository.
    let size: usize = now.values().map(String::len).sum();
    assert!(size < 1_500_000, "{size} bytes");
}

#[test]
fn every_way_of_being_out_of_date_is_noticed() {
    let pages = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
        let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        list.iter().map(own).collect()
    };
    let now = pages(&[("a.md", "1"), ("b.md", "1")]);
    assert_eq!(compare(&now, &now), [""; 0]);
    let committed = pages(&[("a.md", "2"), ("c.md", "1")]);
    let found = compare(&committed, &now);
    assert_eq!(
        found,
        [
            "a.md differs",
            "b.md is missing",
            "c.md is there and nothing makes it"
        ]
    );
}

fn compare(committed: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let mut out = Vec::new();
    for (path, text) in now {
        match committed.get(path) {
            None => out.push(format!("{path} is missing")),
            Some(old) if old != text => out.push(format!("{path} differs")),
            Some(_) => {}
        }
    }
    let gone = committed.keys().filter(|path| !now.contains_key(*path));
    out.extend(gone.map(|path| format!("{path} is there and nothing makes it")));
    out
}

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
            } else {
                out.insert(name, std::fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(&folder(), "", &mut out);
    out
}
