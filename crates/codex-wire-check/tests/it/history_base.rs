//! Recorded forks and segments of session files, compared with the files in which their history begins.

use std::path::Path;

use codex_wire_check::{Checker, HistoryBase, Limits, LineEnds, Options, Outcome};
use libtest_mimic::Trial;

use crate::support::{session_file, session_files, trial, unseen};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("history_base::recorded_bases_fit", recorded),
        trial("history_base::other_bases_are_denied", changed),
    ]
}

/// A recorded file with a base, and the files of the thread that it names.
struct Pair {
    name: String,
    base: HistoryBase,
    files: Vec<Vec<u8>>,
}

fn pairs() -> Vec<Pair> {
    let mut out = Vec::new();
    for folder in ["rollout", "rollout-cross"] {
        let all = match unseen() {
            Some(root) if !root.join(folder).is_dir() => Vec::new(),
            _ => session_files(folder),
        };
        for path in &all {
            let bytes = session_file(path).unwrap();
            let first = bytes.split(|byte| *byte == b'\n').next().unwrap();
            let Some(base) = HistoryBase::of(first) else {
                continue;
            };
            let id = base.thread_id();
            let others = all.iter().filter(|other| *other != path);
            let of_run = others.filter(|other| home(other) == home(path));
            let of_thread = of_run.filter(|other| other.to_string_lossy().contains(id));
            out.push(Pair {
                name: path.display().to_string(),
                files: of_thread.map(|path| session_file(path).unwrap()).collect(),
                base,
            });
        }
    }
    out
}

/// The folder of Codex that a session file lies in, or the folder of copies.
fn home(path: &Path) -> &Path {
    let is_home = |folder: &&Path| folder.file_name().is_some_and(|name| name == "home");
    let home = path.ancestors().find(is_home);
    home.unwrap_or_else(|| path.parent().unwrap())
}

fn compared(base: &HistoryBase, files: &[Vec<u8>]) -> Outcome {
    let checker = Checker::new(Options::new()).unwrap();
    let mut outcome = Outcome::new("-");
    let read = |bytes: &Vec<u8>| LineEnds::read(bytes.as_slice(), Limits::default());
    let files: Vec<LineEnds> = files
        .iter()
        .filter_map(|bytes| read(bytes).unwrap())
        .collect();
    checker.compare_with_base(&mut outcome, base, &files);
    outcome
}

fn recorded() {
    let pairs = pairs();
    for pair in &pairs {
        assert!(!pair.files.is_empty(), "{}: its base is missing", pair.name);
        let outcome = compared(&pair.base, &pair.files);
        assert_eq!(outcome.findings, [], "{}", pair.name);
    }
    assert!(unseen().is_some() || pairs.len() >= 18, "{}", pairs.len());
}

/// A base that has lost or gained a line before the end of the history, or its last lines.
fn changed() {
    let mut count = 0;
    for pair in pairs().iter().filter(|pair| pair.files.len() == 1) {
        let lines: Vec<&[u8]> = pair.files[0]
            .split_inclusive(|byte| *byte == b'\n')
            .collect();
        let end = (0..=lines.len()).find(|count| {
            let cut = vec![lines[..*count].concat()];
            *count > 0 && compared(&pair.base, &cut).findings.is_empty()
        });
        let end = end.unwrap();
        for at in 1..end {
            let without = [&lines[..at], &lines[at + 1..]].concat().concat();
            // The last one may come again: that is behind the end.
            let again = at.min(end - 2);
            let twice = [&lines[..=again], &lines[again..]].concat().concat();
            let cut = lines[..at].concat();
            for bytes in [without, twice, cut] {
                let outcome = compared(&pair.base, &[bytes]);
                assert_eq!(outcome.counts.error, 1, "{}: line {}", pair.name, at + 1);
                count += 1;
            }
        }
    }
    assert!(count > 1000 || unseen().is_some(), "{count}");
}
