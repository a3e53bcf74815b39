//! What was seen of a client: lines of a name and of what happened, in a file beside its programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What happened, by what was tried.
pub(crate) type Seen = BTreeMap<String, String>;

/// Reads a file.
pub(crate) fn read(path: &Path) -> Seen {
    let text = fs::read_to_string(path).unwrap_or_default();
    let pair = |line: &str| {
        let (name, what) = line.split_once(": ").expect("a name and what was seen");
        (name.to_owned(), what.to_owned())
    };
    text.lines().map(pair).collect()
}

/// What is seen now is what stands in the file; `same` says which words count. Of what was not tried, the file is
/// believed. With `UPDATE_EXPECT=1` it is written.
pub(crate) fn compare(path: &Path, seen: &Seen, same: fn(&str) -> &str) {
    let mut all = read(path);
    let mut wrong = Vec::new();
    for (name, what) in seen {
        match all.get(name) {
            Some(known) if same(known) == same(what) => {}
            Some(known) => wrong.push(format!("{name}: {what}, and it was: {known}")),
            None => wrong.push(format!("{name}: {what}, and it was not seen before")),
        }
    }
    if golden_files::is_update() {
        for (name, what) in seen {
            let is_known = all.get(name).is_some_and(|known| same(known) == same(what));
            if !is_known {
                all.insert(name.clone(), what.clone());
            }
        }
        let lines = all.iter().map(|(name, what)| format!("{name}: {what}\n"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, lines.collect::<String>()).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
