//! One name per idea: nothing that is written here by hand uses a word that the vocabulary replaced.
//!
//! `words.txt` has a pattern on each line, what to write instead, and a sample that the pattern has to find. A space in
//! a pattern matches the end of a line, too.

use std::path::{Path, PathBuf};
use std::process::Command;

use regex::{Regex, RegexBuilder};

const LIST: &str = "xtask/tests/it/words.txt";

/// What is not written here, or speaks of the words themselves.
const LEFT_OUT: &[&str] = &[
    LIST,
    // What Codex calls its things.
    "crates/codex-wire/src/app_server/types/",
    // Its text stands in published schemas, and a digest of these identifies a protocol.
    "crates/codex-wire/src/app_server/envelope.rs",
    "tools/app-server-codegen/model/",
    "tools/app-server-codegen/docs/",
    "docs/changes/",
    "schemas/",
    // What Codex prints for `--help`.
    "crates/codex-wire-replay/src/arguments/data/",
    // Recordings, and pages that show them.
    "fixtures/app-server/",
    "fixtures/core/",
    "fixtures/exec/",
    "fixtures/exec-legacy/",
    "fixtures/invalid/",
    "fixtures/rules/",
    "probes/app-server/",
    "probes/exec/",
    "probes/hooks/",
    // Names recordings.
    "crates/codex-wire-check/tests/it/sequence_rollout/missed.txt",
    "fixtures/COVERAGE",
    "Cargo.lock",
    // What Homebrew and GitHub call a processor.
    "xtask/tests/packages/archives.rs",
    ".github/workflows/release.yml",
    // Generated, with the words of the protocol.
    "packages/python/src/codex_wire/types/",
];

/// A word that is not used any more.
struct Replaced {
    pattern: Regex,
    instead: String,
    sample: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn replaced() -> Vec<Replaced> {
    let list = std::fs::read_to_string(root().join(LIST)).unwrap();
    let lines = list
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| {
        let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let [pattern, instead, sample] = cells[..] else {
            panic!("{line}: not three cells");
        };
        Replaced {
            pattern: RegexBuilder::new(&pattern.replace(' ', r"\s"))
                .multi_line(true)
                .build()
                .unwrap(),
            instead: instead.to_owned(),
            sample: sample.to_owned(),
        }
    };
    lines.map(read).collect()
}

/// The files of the repository that are written by hand.
fn written() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let is_left_out = |path: &&str| LEFT_OUT.iter().any(|start| path.starts_with(start));
    let files = listed.lines().filter(|path| !is_left_out(path));
    let is_text = |path: &&str| {
        let ends = [".rs", ".md", ".toml", ".yml", ".txt", ".py", ".js", ".sh"];
        ends.iter().any(|end| path.ends_with(end))
    };
    files.filter(is_text).map(str::to_owned).collect()
}

/// The name of a file and its lines, without the marks of comments and tables that begin and end them.
fn prose(path: &str, text: &str) -> String {
    let is_mark = |c: char| c.is_whitespace() || "/!*#|\\".contains(c);
    let lines = text.lines().map(|line| line.trim_matches(is_mark));
    let lines: Vec<&str> = std::iter::once(path).chain(lines).collect();
    lines.join("\n")
}

pub(crate) fn replaced_words_are_not_used() {
    let replaced = replaced();
    let files = written();
    assert!(files.len() > 300, "{} files are too few", files.len());
    let mut found = Vec::new();
    for path in &files {
        // A file can be gone from the folder and still be listed.
        let Ok(text) = std::fs::read_to_string(root().join(path)) else {
            continue;
        };
        let text = prose(path, &text);
        for word in &replaced {
            for place in word.pattern.find_iter(&text) {
                let number = text[..place.start()].matches('\n').count();
                let line = text.lines().nth(number).unwrap_or_default();
                found.push(format!(
                    "{path}:{number}: write {}: {line:.120}",
                    word.instead
                ));
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} places:\n{}",
        found.len(),
        found.join("\n")
    );
}

pub(crate) fn each_pattern_finds_its_sample() {
    for Replaced {
        pattern, sample, ..
    } in replaced()
    {
        assert!(
            pattern.is_match(&sample),
            "{pattern} does not find {sample:?}"
        );
    }
}
